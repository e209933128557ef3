"""The hand-off of a session or some of its turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtui_core.handoff.calls import HandoffCall, extract
from memtui_core.handoff.dedup import deduplicate
from memtui_core.handoff.entries import items
from memtui_core.handoff.summary import Told, summary
from memtui_core.handoff.todos import NOISE, TOOLS, Todo, open_todos
from memtui_core.handoff.value import Handoff, HandoffOptions, Item, lead_section
from memtui_core.model import Block
from memtui_core.queries.sessions import read_session
from memtui_core.queries.turns import read_blocks, read_turns
from memtui_core.store.reader import Snapshot

DEFAULT = HandoffOptions()
Blocks = Mapping[int, Sequence[Block]]


def handoff(
    snapshot: Snapshot,
    session: int,
    *,
    first: int | None = None,
    last: int | None = None,
    options: HandoffOptions = DEFAULT,
) -> Handoff:
    """What a session (by its key) did in the turns first to last, both included, or in all. Raises SessionUnknown.

    The texts are those of the index, from which secrets were taken already. Turns that the session does not have make
    an empty hand-off.
    """
    found = read_session(snapshot, session)
    heads = [turn for turn in read_turns(snapshot, session) if (first or 1) <= turn.number <= (last or turn.number)]
    if not heads:
        return Handoff(found.session_id, first or 1, last or 0, "extract", ())
    begin, end = heads[0].number, heads[-1].number
    blocks = read_blocks(snapshot, session, begin, end)
    changed = _changed(snapshot, session, begin, end)
    kind, text = summary(Told(found, heads, blocks, changed, _todos(snapshot, session, end)))
    shown: Sequence[Item] = ()
    if options.tool_context and options.max_tool_context_chars > 0:
        late = _late_results(snapshot, session, end) if end < found.turns else ()
        shown = items(_calls_to_hand_on(blocks, late, options), found.root, options.max_result_chars)
    lead = (lead_section("Summary", text),)
    return Handoff(found.session_id, begin, end, kind, lead, tuple(shown), options.max_tool_context_chars)


def _calls_to_hand_on(blocks: Blocks, late: Sequence[Block], options: HandoffOptions) -> list[HandoffCall]:
    """The calls to hand on."""
    kept = deduplicate(extract([*blocks.items(), (0, late)]))
    return [
        call
        for call in kept
        if (options.bookkeeping or call.name not in NOISE) and (options.include_interrupted or not call.interrupted)
    ]


def _late_results(snapshot: Snapshot, session: int, end: int) -> list[Block]:
    """The tool results of the turns after `end`: a person may have spoken before a call was done."""
    return _blocks(
        snapshot,
        "t.session = ? AND t.number > ? AND b.kind = 'tool_result' AND b.tool_id IN (SELECT c.tool_id FROM blocks c"
        " JOIN turns o ON o.id = c.turn WHERE o.session = t.session AND o.number <= ? AND c.kind = 'tool_call')",
        [session, end, end],
    )


def _todos(snapshot: Snapshot, session: int, end: int) -> list[Todo]:
    """What was not done at the end of a turn, whenever it was planned."""
    names = ", ".join(f"'{name}'" for name in TOOLS)
    blocks = _blocks(
        snapshot,
        f"t.session = ? AND t.number <= ? AND b.kind IN ('tool_call', 'tool_result') AND b.tool IN ({names})",
        [session, end],
    )
    return open_todos(extract([(0, blocks)]))


def _blocks(snapshot: Snapshot, where: str, parameters: Sequence[Any]) -> list[Block]:
    rows = snapshot.rows(
        "SELECT b.seq, b.line, b.kind, b.text, b.tool, b.tool_id, b.is_error, b.detail FROM blocks b"
        f" JOIN turns t ON t.id = b.turn WHERE {where} ORDER BY t.number, b.seq",
        parameters,
    )
    return [
        Block(seq, line, kind, text, tool, tool_id, is_error, detail=detail)
        for seq, line, kind, text, tool, tool_id, is_error, detail in rows
    ]


def _changed(snapshot: Snapshot, session: int, begin: int, end: int) -> dict[str, list[int]]:
    """The turns that changed a file by its path, the file that was changed last at the end."""
    rows = snapshot.rows(
        "SELECT m.path, list(DISTINCT t.number ORDER BY t.number) AS numbers FROM file_mentions m"
        " JOIN turns t ON t.id = m.turn WHERE t.session = ? AND t.number BETWEEN ? AND ? AND m.kind = 'edited'"
        " AND NOT m.is_dir GROUP BY m.path ORDER BY max(m.line), m.path",
        [session, begin, end],
    )
    return dict(rows)
