"""How an error was mended earlier in the same project, for a hook, which has to answer in a fraction of a second.

It says less than `known_errors`, and is surer of it: the same error came up in another session of the project, the same
command passed after it, and in between there was one change that can have mended it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memtui_core.memory.fixes.episodes import (
    IN_ORDER,
    RUNS,
    Episode,
    Run,
    as_runs,
    between,
    commands_between,
    episodes,
    is_of_project,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtui_core.store.tables import RowSource

_MOST_SESSIONS: Final = 5
"""Sessions with the error that are read, the newest first."""
_SESSIONS: Final = (
    "SELECT f.session, s.session_id, max(f.turn) AS last FROM facts f JOIN sessions s ON s.key = f.session"
    " WHERE f.kind = 'failure' AND f.number = ? AND NOT s.hidden AND s.root = ? AND s.session_id <> ?"
    f" GROUP BY f.session, s.session_id ORDER BY last DESC LIMIT {_MOST_SESSIONS}"
)
_EDITED_SINCE: Final = (
    "SELECT count(DISTINCT f.turn) FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
    " WHERE f.kind = 'edit' AND f.name = ? AND (s.root = ? OR starts_with(f.name, '/') OR f.name[2] = ':')"
    " AND NOT s.hidden AND (t.started_at > ? OR (f.session = ? AND t.number > ?))"
)


class SeenBefore(NamedTuple):
    """An error that was mended in an earlier session."""

    session_id: str
    failed: Run
    """When it came up last."""
    mended: Run
    """The edit or the command after which it was gone."""
    passed: Run
    edited_since: int
    """Turns that edited the file later."""


def seen_before(source: RowSource, key: int, root: str, session_id: str) -> SeenBefore | None:
    """How an error, by its key, was mended in another session of a project; None unless that is sure."""
    for session, own_id, _ in source.rows(_SESSIONS, [key, root, session_id]):
        runs = as_runs(source.rows(f"{RUNS} AND f.session = {int(session)} {IN_ORDER}", []))
        for episode in reversed(episodes(runs, {key})):
            mended = _mended(episode, runs)
            if mended is not None and episode.passed is not None:
                since = source.rows(_EDITED_SINCE, [mended.name, root, mended.at, session, episode.passed.number])
                return SeenBefore(own_id, episode.last, mended, episode.passed, since[0][0])
    return None


def _mended(episode: Episode, runs: Sequence[Run]) -> Run | None:
    """The one change that can have mended an error; None if there is none, or it could be one of several."""
    if episode.passed is None:
        return None
    edits = between(episode, runs, "edit")
    names = ((edit, edit.name.replace("\\", "/").rpartition("/")[2]) for edit in edits)
    named = [edit for edit, name in names if name and name in episode.last.text]
    if named:
        return named[-1]
    if not is_of_project(episode.last):
        return None
    if edits:
        return edits[-1] if edits[0].name and len({edit.name for edit in edits}) == 1 else None
    commands = commands_between(episode, runs)
    return commands[0] if len(commands) == 1 else None
