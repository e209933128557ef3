"""The turns before and after a compaction, read from a snapshot or from the work database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memtui_core.model import Block, Turn
from memtui_core.queries.columns import Columns, label, timestamp
from memtui_core.queries.compactions import SUMMARY_TURN
from memtui_core.queries.titles import session_title
from memtui_core.queries.turns import read_turns
from memtui_core.readers.registry import is_agents_own
from memtui_core.store.tables import RowSource, key_condition
from memtui_core.text.paths import clean, normalize, worktree_of

_TEMPORARY = ("/tmp/", "/private/", "/var/", "/dev/", "/proc/")


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction as it is stored; `segment` is the number of the segment that begins with it."""

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
)
_BLOCK = Columns(
    Block,
    seq="seq",
    line="line",
    kind="kind",
    text="text",
    tool=label("tool"),
    tool_id="tool_id",
    is_error="is_error",
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


def history_before(source: RowSource, boundary: Boundary) -> list[Turn]:
    """All turns before a compaction with their blocks, since the session began.

    A fork begins with the turns that it shares with the session from which it was forked: these are stored once, in
    that session, and are those that started before the fork's own first turn.
    """
    turns = [turn for turn in _source_turns(source, boundary) if turn.segment < boundary.segment]
    first = next((turn.started_at for turn in _source_turns(source, boundary) if turn.started_at), None)
    shared = _shared_turns(source, boundary.session, first) if first is not None else []
    return _with_blocks(source, [*shared, *turns])


def turns_of_segment(source: RowSource, boundary: Boundary, segment: int) -> list[Turn]:
    """The turns of a segment of a compaction's source with their blocks."""
    return _with_blocks(source, [turn for turn in _source_turns(source, boundary) if turn.segment == segment])


def _source_turns(source: RowSource, boundary: Boundary) -> list[Turn]:
    """The turns of a compaction's transcript without their blocks: segments are numbered within each source."""
    ids = {key for (key,) in source.rows("SELECT id FROM turns WHERE source = ?", [boundary.source])}
    return [turn for turn in read_turns(source, boundary.session) if turn.id in ids]


def _shared_turns(source: RowSource, session: int, before: datetime) -> list[Turn]:
    rows = source.rows(
        "SELECT o.key FROM sessions s JOIN sessions o ON o.session_id = s.forked_from AND o.agent = s.agent"
        " WHERE s.key = ?",
        [session],
    )
    return [
        turn
        for (origin,) in rows[:1]
        for turn in read_turns(source, origin)
        if turn.started_at is not None and turn.started_at < before
    ]


def _with_blocks(source: RowSource, turns: Sequence[Turn]) -> list[Turn]:
    blocks: dict[int, list[Block]] = {turn.id: [] for turn in turns}
    rest = f"FROM blocks WHERE {key_condition('turn', blocks)} ORDER BY turn, seq"
    for turn_id, block in _BLOCK.select_by(source, "turn", rest):
        blocks[turn_id].append(block)
    return [replace(turn, blocks=tuple(blocks[turn.id])) for turn in turns]


def path_resolver(source: RowSource, session: int) -> Callable[[str], str | None]:
    """A function that turns paths as a session wrote them into paths of the index.

    A file outside the project keeps its whole path; None for temporary files and the agent's own.
    """
    rows = source.rows("SELECT cwd, root, worktree FROM sessions WHERE key = ?", [session])
    cwd, root, worktree = rows[0] if rows else ("", "", None)
    worktrees: Sequence[str] = [worktree] if worktree else []

    def resolve_path(written: str) -> str | None:
        other = worktree_of(written) if written else None
        roots = [*worktrees, other[1]] if other is not None and other[0] == root else worktrees
        if (path := normalize(written, cwd, root, roots)) is not None:
            return path
        absolute = clean(written)
        is_work = "/" in absolute.strip("/") and absolute.startswith(("/", "~")) and absolute != clean(root)
        return absolute if is_work and not absolute.startswith(_TEMPORARY) and not is_agents_own(absolute) else None

    return resolve_path
