"""Turns under construction to rows of the store."""

from __future__ import annotations

from dataclasses import dataclass

from memtui_core.ingest.batch import Batch
from memtui_core.ingest.identity import entry_key, hashed, microseconds
from memtui_core.mentions import mentions_of
from memtui_core.projects import worktrees_of
from memtui_core.readers.records import Facts
from memtui_core.store.rows import LIST_SEPARATOR
from memtui_core.turns import TurnDraft

_SAID_BY_A_PROMPT = frozenset({"human", "agent", "command"})


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a turn goes."""

    id: int
    session: int
    source: int
    number: int
    root: str
    provisional: bool


def put_turn(batch: Batch, draft: TurnDraft, turn: Placed, facts: Facts) -> int:
    """Add a turn with its blocks, file mentions and subagent calls to a batch; the number of its blocks."""
    blocks = draft.blocks()
    times = [at for message in draft.messages if (at := microseconds(message.at)) is not None]
    usage = draft.usage()
    batch.put(
        "turns", turn.id, turn.session, turn.source, turn.number, draft.line, draft.end_line, draft.kind,
        draft.segment, draft.user_text, LIST_SEPARATOR.join(draft.tool_summary()),
        LIST_SEPARATOR.join(draft.models()), min(times, default=None), max(times, default=None), usage.input,
        usage.output, usage.cache_read, usage.cache_write, sum(block.kind == "tool_call" for block in blocks),
        sum(block.kind == "tool_result" and block.is_error for block in blocks), turn.provisional, batch.work.batch,
    )  # fmt: skip
    entries = []
    for message in draft.messages:
        key = entry_key(message)
        if key is not None and message.blocks:
            batch.hold(key, turn.source, turn.session)
        entries += [key[0] if key else None] * len(message.blocks)
    for block, entry in zip(blocks, entries, strict=True):
        batch.characters += len(block.text)
        batch.put(
            "blocks", turn.id, block.seq, block.line, block.kind, block.text, block.tool, block.tool_id,
            block.is_error, microseconds(block.at), block.detail, entry,
        )  # fmt: skip
    said = draft.user_text if draft.kind in _SAID_BY_A_PROMPT else ""
    trees = worktrees_of(tuple(facts.cwds), turn.root)
    for mention in mentions_of(blocks, said, cwd=facts.cwd, root=turn.root, worktrees=trees):
        batch.put(
            "file_mentions", turn.session, turn.id, draft.line, mention.path, mention.tool, mention.kind,
            mention.is_dir,
        )  # fmt: skip
    for call in draft.agent_calls():
        prompt = hashed(call.prompt.strip()) if call.prompt else None
        batch.put(
            "agent_calls", turn.session, turn.id, call.tool_id, call.agent_id, call.agent_type, call.description,
            prompt,
        )  # fmt: skip
    return len(blocks)
