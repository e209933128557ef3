"""The turns before and after a compaction, read from a snapshot or from the work database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memtui_core.model import Turn
from memtui_core.queries.columns import Columns, label, timestamp
from memtui_core.queries.compactions import COUNT, NUMBER, PLACE, SUMMARY_TURN
from memtui_core.queries.names import session_title
from memtui_core.queries.turns import read_turns, with_blocks
from memtui_core.readers.registry import is_agents_own
from memtui_core.store.tables import RowSource
from memtui_core.text.machine_folders import own_folders
from memtui_core.text.paths import is_absolute, stored_path, worktree_of

_TEMPORARY = ("/tmp/", "/private/", "/var/", "/dev/", "/proc/")


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction as the index has it; `segment` is the number of the segment that begins with it."""

    session: int
    source: int
    session_id: str
    title: str
    segment: int
    turn: int | None
    line: int
    at: datetime | None
    trigger: str | None
    tokens_before: int | None
    number: int = 1
    """Its number among the compactions of its session, from 1,"""
    count: int = 1
    """and how many these are."""
    place: int | None = None
    """The turn at which it stands: `turn`, or else the first one after it, or the last one before it."""


_BOUNDARY = Columns(
    Boundary,
    session="c.session",
    source="c.source",
    session_id=label("s.session_id"),
    title=session_title(),
    segment="c.segment",
    turn=SUMMARY_TURN,
    line="c.line",
    at=timestamp("c.at_time"),
    trigger=label("c.trigger"),
    tokens_before="c.tokens_before",
    number=NUMBER,
    count=COUNT,
    place=PLACE,
)


def boundaries(source: RowSource, session: int | None) -> list[Boundary]:
    """The compactions of a session in order, or of all sessions, the newest first."""
    order = "c.at_time DESC NULLS LAST, c.session, c.line DESC" if session is None else "c.source, c.line"
    return _BOUNDARY.select(
        source,
        "FROM compactions c JOIN sessions s ON s.key = c.session"
        f" WHERE {'NOT s.hidden' if session is None else 'c.session = ?'} ORDER BY {order}",
        [] if session is None else [session],
    )


class SessionTurns:
    """Reads the turns of one session, each once, because every compaction is compared with all turns before it."""

    def __init__(self, source: RowSource) -> None:
        self._source = source
        self._of_source: dict[int, list[Turn]] = {}
        self._shared: dict[int, list[Turn]] = {}
        self._whole: dict[int, Turn] = {}

    def before(self, boundary: Boundary) -> list[Turn]:
        """All turns before a compaction with their blocks, since the session began.

        A fork begins with turns that it shares with the session from which it was forked; they are stored there.
        """
        own = self.of_source(boundary)
        if boundary.source not in self._shared:
            first = next((turn.started_at for turn in own if turn.started_at), None)
            self._shared[boundary.source] = shared_turns(self._source, boundary.session, first)
        before = [turn for turn in own if turn.segment < boundary.segment]
        return self.whole([*self._shared[boundary.source], *before])

    def segment(self, boundary: Boundary, segment: int) -> list[Turn]:
        """The turns of a segment of a compaction's source with their blocks."""
        return self.whole([turn for turn in self.of_source(boundary) if turn.segment == segment])

    def of_source(self, boundary: Boundary) -> list[Turn]:
        """The turns of a compaction's transcript without their blocks: each transcript numbers its own segments."""
        if boundary.source not in self._of_source:
            rows = self._source.rows("SELECT id FROM turns WHERE source = ?", [boundary.source])
            ids = {key for (key,) in rows}
            own = [turn for turn in read_turns(self._source, boundary.session) if turn.id in ids]
            self._of_source[boundary.source] = own
        return self._of_source[boundary.source]

    def whole(self, turns: Sequence[Turn]) -> list[Turn]:
        """The same turns with their blocks."""
        missing = [turn for turn in turns if turn.id not in self._whole]
        self._whole.update((turn.id, turn) for turn in with_blocks(self._source, missing))
        return [self._whole[turn.id] for turn in turns]


def shared_turns(source: RowSource, session: int, before: datetime | None) -> list[Turn]:
    """The turns that a fork shares with the sessions before it, in order, without their blocks.

    An index of an older version does not say where a fork begins: then it begins with the first turn of its own.
    """
    shared: list[Turn] = []
    seen = {session}
    while (found := _origin(source, session)) is not None and found[0] not in seen:
        session, until = found
        seen.add(session)
        turns = [turn for turn in read_turns(source, session) if turn.started_at is not None]
        if until is not None:
            turns = [turn for turn in turns if turn.started_at is not None and turn.started_at <= until]
        elif before is not None:
            turns = [turn for turn in turns if turn.started_at is not None and turn.started_at < before]
        shared[:0] = turns
        before = turns[0].started_at if turns else before
    return shared


def last_shared_turn(source: RowSource, session: int) -> Turn | None:
    """The last turn that a fork shares with the sessions before it, without its blocks; None if it is not known."""
    known = source.rows("SELECT 1 FROM forks WHERE session = ?", [session])
    return next(reversed(shared_turns(source, session, None)), None) if known else None


def _origin(source: RowSource, session: int) -> tuple[int, datetime | None] | None:
    """The session from which a session was forked, and the time of the last entry that they share, if it is known."""
    rows = source.rows(
        "SELECT o.key, (SELECT max(f.until) FROM forks f WHERE f.session = s.key) FROM sessions s"
        " JOIN sessions o ON o.session_id = s.forked_from AND o.agent = s.agent WHERE s.key = ? ORDER BY o.key LIMIT 1",
        [session],
    )
    return next(((key, at.replace(tzinfo=UTC) if at else None) for key, at in rows), None)


def path_resolver(source: RowSource, session: int) -> Callable[[str], str | None]:
    """A function that turns paths as a session wrote them into paths of the index.

    A file outside the project keeps its whole path; None for temporary files and the agent's own.
    """
    rows = source.rows("SELECT cwd, root, worktree FROM sessions WHERE key = ?", [session])
    cwd, stored_root, stored_worktree = rows[0] if rows else ("", "", None)
    root, worktree = own_folders(stored_root, stored_worktree)
    worktrees: Sequence[str] = [worktree] if worktree else []

    def resolve_path(written: str) -> str | None:
        other = worktree_of(written) if written else None
        roots = [*worktrees, other[1]] if other is not None and other[0] == root else worktrees
        path = stored_path(written, cwd, root, roots)
        if path is None or not is_absolute(path):
            return path
        is_work = "/" in path.strip("/") and not path.startswith(_TEMPORARY) and not is_agents_own(path)
        return path if is_work else None

    return resolve_path
