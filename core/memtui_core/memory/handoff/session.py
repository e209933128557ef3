"""The hand-off of a session or some of its turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtui_core.memory.handoff.calls import HandoffCall, deduplicate, handoff_calls
from memtui_core.memory.handoff.items import handoff_items
from memtui_core.memory.handoff.model import Handoff, HandoffItem, HandoffOptions, lead_section
from memtui_core.memory.handoff.summary import SummarySource, summary
from memtui_core.memory.handoff.todos import open_todos, todo_tools
from memtui_core.model import Block
from memtui_core.queries.sessions import read_session
from memtui_core.queries.turns import read_blocks, read_turns
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.machine_folders import own_folders
from memtui_core.tools.results.todos import Todo
from memtui_core.tools.vocabulary import vocabulary

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
    """The hand-off of the turns `first` to `last` of a session (by its key), ends included. Raises SessionUnknown.

    The texts are those of the index, from which secrets were already removed. If the session has none of the turns,
    the hand-off is empty.
    """
    record = read_session(snapshot, session)
    turns = [turn for turn in read_turns(snapshot, session) if (first or 1) <= turn.number <= (last or turn.number)]
    if not turns:
        return Handoff(record.session_id, first or 1, last or 0, "extract", ())
    start, end = turns[0].number, turns[-1].number
    blocks = read_blocks(snapshot, session, start, end)
    changed = _changed_files(snapshot, session, start, end)
    kind, text = summary(SummarySource(record, turns, blocks, changed, _todos(snapshot, session, end)))
    items: Sequence[HandoffItem] = ()
    if options.tool_context and options.max_tool_context_chars > 0:
        late = _late_results(snapshot, session, end) if end < record.turns else ()
        items = handoff_items(
            _selected_calls(blocks, late, options),
            own_folders(record.root, record.worktree)[0],
            options.max_result_chars,
        )
    lead = (lead_section("Summary", text),)
    return Handoff(record.session_id, start, end, kind, lead, tuple(items), options.max_tool_context_chars)


def _selected_calls(blocks: Blocks, late: Sequence[Block], options: HandoffOptions) -> list[HandoffCall]:
    """The deduplicated calls that the options include; `late` are the results of later turns."""
    kept = deduplicate(handoff_calls([*blocks.items(), (0, late)]))
    excluded = () if options.bookkeeping else vocabulary().names.bookkeeping
    return [
        call
        for call in kept
        if call.name.lower() not in excluded and (options.include_interrupted or not call.interrupted)
    ]


def _late_results(snapshot: Snapshot, session: int, end: int) -> list[Block]:
    """The results in later turns of calls up to the turn `end`: the user may write before a call has ended."""
    return _blocks(
        snapshot,
        "t.session = ? AND t.number > ? AND b.kind = 'tool_result' AND b.tool_id IN (SELECT c.tool_id FROM blocks c"
        " JOIN turns o ON o.id = c.turn WHERE o.session = t.session AND o.number <= ? AND c.kind = 'tool_call')",
        [session, end, end],
    )


def _todos(snapshot: Snapshot, session: int, end: int) -> list[Todo]:
    """The to-dos that were open at the end of a turn, including those of earlier turns."""
    names = ", ".join(f"'{name}'" for name in todo_tools())
    blocks = _blocks(
        snapshot,
        f"t.session = ? AND t.number <= ? AND b.kind IN ('tool_call', 'tool_result') AND lower(b.tool) IN ({names})",
        [session, end],
    )
    return open_todos(handoff_calls([(0, blocks)]))


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


def _changed_files(snapshot: Snapshot, session: int, start: int, end: int) -> dict[str, list[int]]:
    """The turns that changed a file, by its path; the file that was changed last is the last."""
    rows = snapshot.rows(
        "SELECT m.path, list(DISTINCT t.number ORDER BY t.number) AS numbers FROM file_mentions m"
        " JOIN turns t ON t.id = m.turn WHERE t.session = ? AND t.number BETWEEN ? AND ? AND m.kind = 'edited'"
        " AND NOT m.is_dir GROUP BY m.path ORDER BY max(m.line), m.path",
        [session, start, end],
    )
    return dict(rows)
