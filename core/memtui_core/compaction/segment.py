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
_PLAIN_RESULT = "kind = 'tool_result' AND NOT is_error AND tool IS DISTINCT FROM 'AskUserQuestion'"
_BLOCK = Columns(
    Block,
    seq="seq",
    line="line",
    kind="kind",
    text=f"CASE WHEN {_PLAIN_RESULT} THEN '' ELSE text END",
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


def segment_turns(source: RowSource, boundary: Boundary, segment: int) -> list[Turn]:
    """The turns of a segment with their blocks.

    The text of a tool result is left out, except for errors and the user's answers to questions. Segments are
    numbered within each source of a session.
    """
    where = "session = ? AND source = ? AND segment = ?"
    values = [boundary.session, boundary.source, segment]
    ids = {key for (key,) in source.rows(f"SELECT id FROM turns WHERE {where}", values)}
    turns = [turn for turn in read_turns(source, boundary.session) if turn.id in ids]
    blocks: dict[int, list[Block]] = {turn.id: [] for turn in turns}
    rest = f"FROM blocks WHERE {key_condition('turn', ids)} ORDER BY turn, seq"
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
