"""The turns round a compaction, read from a snapshot or from the work database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memtui_core.model import Block, Turn
from memtui_core.queries.columns import SESSION_TITLE, Columns, label, timestamp, title
from memtui_core.queries.compactions import SUMMARY_TURN
from memtui_core.queries.turns import read_turns
from memtui_core.readers.registry import is_agents_own
from memtui_core.store.tables import RowSource, key_condition
from memtui_core.text.paths import clean, normalize, worktree_of

_SCRATCH = ("/tmp/", "/private/", "/var/", "/dev/", "/proc/")


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction as the store has it; `segment` is the number of the one that begins with it."""

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
    title=title(SESSION_TITLE),
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
    """The compactions of a session in order, or those of all, the newest first."""
    order = "c.at_time DESC NULLS LAST, c.session, c.line DESC" if session is None else "c.source, c.line"
    return _BOUNDARY.select(
        source,
        "FROM compactions c JOIN sessions s ON s.key = c.session"
        f" WHERE {'NOT s.hidden' if session is None else 'c.session = ?'} ORDER BY {order}",
        [] if session is None else [session],
    )


def segment_turns(source: RowSource, boundary: Boundary, segment: int) -> list[Turn]:
    """The turns of a segment with their blocks; the text of a result is left out if it is no error and no answer.

    Each file of a session counts its segments for itself.
    """
    where = "session = ? AND source = ? AND segment = ?"
    values = [boundary.session, boundary.source, segment]
    ids = {key for (key,) in source.rows(f"SELECT id FROM turns WHERE {where}", values)}
    heads = [turn for turn in read_turns(source, boundary.session) if turn.id in ids]
    blocks: dict[int, list[Block]] = {turn.id: [] for turn in heads}
    rest = f"FROM blocks WHERE {key_condition('turn', ids)} ORDER BY turn, seq"
    for turn, block in _BLOCK.select_by(source, "turn", rest):
        blocks[turn].append(block)
    return [replace(turn, blocks=tuple(blocks[turn.id])) for turn in heads]


def locator(source: RowSource, session: int) -> Callable[[str], str | None]:
    """What turns paths as a session wrote them into those that the index has.

    A file outside the project keeps its whole path; temporary ones and the agent's own are None.
    """
    rows = source.rows("SELECT cwd, root, worktree FROM sessions WHERE key = ?", [session])
    cwd, root, worktree = rows[0] if rows else ("", "", None)
    trees: Sequence[str] = [worktree] if worktree else []

    def locate(written: str) -> str | None:
        tree = worktree_of(written) if written else None
        known = [*trees, tree[1]] if tree is not None and tree[0] == root else trees
        if (path := normalize(written, cwd, root, known)) is not None:
            return path
        whole = clean(written)
        is_work = "/" in whole.strip("/") and whole.startswith(("/", "~")) and whole != clean(root)
        return whole if is_work and not whole.startswith(_SCRATCH) and not is_agents_own(whole) else None

    return locate
