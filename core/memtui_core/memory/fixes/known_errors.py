"""The earlier cases of an error, each with what was changed until the same command passed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

from memtui_core.memory.fixes.changes import ChangesBetween, MendingChange, changes_of, telling_change
from memtui_core.queries.activity.episodes import IN_ORDER, RUNS, Episode, Run, as_runs, episodes
from memtui_core.queries.columns import Columns, label
from memtui_core.queries.names import session_title
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.tools.results.error_text import error_text, keys_in, normalized, words_of

End = Literal["fixed", "reworded", "unchanged", "unknown", "open"]
"""How it ended: fixed: something was changed, and then the same command passed; reworded: nothing was changed, and it
passed when it was written in another way; unchanged: it passed though neither was; unknown: it passed, and the
transcript does not tell why; open: no later run of that session is known to have passed."""
ORDER: Final[Mapping[End, int]] = {"fixed": 0, "reworded": 1, "unknown": 2, "unchanged": 3, "open": 4}
_LEAST_COMMON: Final = 0.6
"""The least share of words that similar errors have in common."""
_FEWEST_COMMON: Final = 3
_MOST_SIMILAR: Final = 5
"""Similar errors of which the cases are found."""
_MOST_READ: Final = 40
"""Cases whose changes are read."""


@dataclass(frozen=True, slots=True)
class ErrorSession:
    """A session in which an error came up."""

    key: int
    session_id: str
    title: str
    agent: str
    """The id of the agent."""
    project: str
    root: str
    """The folder of its project; empty if it has none."""


@dataclass(frozen=True, slots=True)
class KnownError:
    """An error that came up in a session, and how that ended."""

    session: ErrorSession
    turn: int
    """The turn in which it came up last before it was gone."""
    seq: int
    """`Block.seq` of the call that failed there."""
    at: datetime | None
    times: int
    """How often it came up before it was gone."""
    command: str
    """The command, see `command_key`, or the tool."""
    text: str
    """The line that tells the error."""
    is_same: bool
    """Whether it is the same error, or only a similar one."""
    end: End
    mended: MendingChange | None = None
    """The change that mended it, as far as one can tell; None unless it was fixed."""
    changes: ChangesBetween = field(default_factory=ChangesBetween)
    """All that was done from the error to the run without it."""
    passed_turn: int | None = None
    """The turn in which the command passed."""
    passed_seq: int | None = None


_SESSION: Final = Columns(
    ErrorSession,
    key="s.key",
    session_id=label("s.session_id"),
    title=session_title(untitled=""),
    agent="s.agent",
    project=label("s.project"),
    root="s.root",
)


def known_errors(snapshot: Snapshot, output: str, root: str | None = None, limit: int = 10) -> list[KnownError]:
    """The cases of the errors in an output: those of the project `root` first, then those that were fixed, the newest.

    If there is none of the same error, those of similar ones.
    """
    same = _cases(snapshot, keys_in(output), root, limit, is_same=True)
    return same or _cases(snapshot, _similar(snapshot, output), root, limit, is_same=False)


def cases_of_turn(snapshot: Snapshot, session: int, turn: int, limit: int = 10) -> list[KnownError]:
    """The cases of the errors that came up in a turn, its own among them; see `known_errors`."""
    rows = snapshot.rows(
        "SELECT f.number, s.root FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
        " WHERE f.session = ? AND t.number = ? AND f.kind = 'failure' AND f.number <> 0 ORDER BY f.seq",
        [session, turn],
    )
    keys = dict.fromkeys(key for key, _ in rows)
    return _cases(snapshot, keys, rows[0][1], limit, is_same=True) if rows else []


def _cases(
    snapshot: Snapshot, keys: Collection[int], root: str | None, limit: int, *, is_same: bool
) -> list[KnownError]:
    if not keys:
        return []
    runs = _runs(snapshot, keys)
    likeness = {key: 0 if is_same else place for place, key in enumerate(keys)}
    found = [episode for own in runs.values() for episode in episodes(own, set(keys))]
    sessions = {
        session.key: session
        for session in _SESSION.select(snapshot, f"FROM sessions s WHERE {key_condition('s.key', runs)}")
    }

    def rank(episode: Episode) -> tuple[bool, int, bool, float]:
        last = episode.last
        at = -last.at.timestamp() if last.at else 0.0
        return sessions[last.session].root != root, likeness[last.key], episode.passed is None, at

    found.sort(key=rank)
    errors = [
        (rank(episode), _known_error(snapshot, sessions[episode.last.session], episode, is_same=is_same))
        for episode in found[:_MOST_READ]
    ]
    errors.sort(key=lambda case: (*case[0][:2], ORDER[case[1].end], case[0][3]))
    return [error for _, error in errors[:limit]]


def _runs(snapshot: Snapshot, keys: Collection[int]) -> dict[int, list[Run]]:
    """The runs of the sessions that had some errors, by their keys."""
    rows = snapshot.rows(
        f"{RUNS} AND f.session IN (SELECT x.session FROM facts x JOIN sessions s ON s.key = x.session"
        f" WHERE x.kind = 'failure' AND NOT s.hidden AND list_contains(?, x.number)) {IN_ORDER}",
        [list(keys)],
    )
    runs: dict[int, list[Run]] = defaultdict(list)
    for run in as_runs(rows):
        runs[run.session].append(run)
    return runs


def _known_error(snapshot: Snapshot, session: ErrorSession, episode: Episode, *, is_same: bool) -> KnownError:
    last, passed = episode.last, episode.passed
    changes = changes_of(snapshot, episode)
    mended = telling_change(changes, last)
    return KnownError(
        session,
        last.number,
        last.seq,
        last.at.replace(tzinfo=UTC) if last.at is not None else None,
        episode.times,
        last.name,
        last.text,
        is_same,
        _end(episode, changes, mended),
        mended,
        changes,
        passed.number if passed is not None else None,
        passed.seq if passed is not None else None,
    )


def _end(episode: Episode, changes: ChangesBetween, mended: MendingChange | None) -> End:
    if episode.passed is None:
        return "open"
    if mended is not None:
        return "fixed"
    if not changes.is_all or changes.made:
        return "unknown"
    return "reworded" if changes.run_as else "unchanged"


def _similar(snapshot: Snapshot, output: str) -> list[int]:
    """The keys of the errors that share most words with that of an output."""
    own = words_of(error_text(output).signature or normalized(output.strip().partition("\n")[0]))
    if len(own) < _FEWEST_COMMON:
        return []
    likeness: dict[int, float] = {}
    texts = snapshot.rows(
        "SELECT number, any_value(text) FROM facts WHERE kind = 'failure' AND number <> 0 GROUP BY number"
    )
    for key, text in texts:
        words = words_of(normalized(text))
        common = len(own & words)
        if common >= _FEWEST_COMMON and (share := common / len(own | words)) >= _LEAST_COMMON:
            likeness[key] = share
    return sorted(likeness, key=likeness.__getitem__, reverse=True)[:_MOST_SIMILAR]
