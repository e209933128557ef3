"""Turns under construction to rows of the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memtui_core.ingest.identity import hashed, microseconds
from memtui_core.mentions import mentions_of
from memtui_core.projects import worktrees_of
from memtui_core.readers.records import Facts
from memtui_core.store.rows import LIST_SEPARATOR, insert
from memtui_core.store.work import Work
from memtui_core.turns import TurnDraft

FLUSH_CHARACTERS = 4_000_000
"""Rows wait in memory until they hold this much text."""


@dataclass(slots=True)
class Rows:
    """Rows waiting to be inserted; `turns` and `blocks` count what was handed over in all."""

    work: Work
    turns: int = 0
    blocks: int = 0
    _waiting: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    _characters: int = 0

    def put(self, table: str, *row: Any) -> None:
        """Add a row of a table."""
        self._waiting.setdefault(table, []).append(row)

    def put_turn(self, draft: TurnDraft, turn: Placed, facts: Facts) -> None:
        """Add a turn with its blocks, file mentions and subagent calls."""
        blocks = draft.blocks()
        times = [at for message in draft.messages if (at := microseconds(message.at)) is not None]
        usage = draft.usage()
        self.put(
            "turns", turn.id, turn.session, turn.source, turn.number, draft.line, draft.end_line, draft.kind,
            draft.segment, draft.user_text, LIST_SEPARATOR.join(draft.tool_summary()),
            LIST_SEPARATOR.join(draft.models()), min(times, default=None), max(times, default=None), usage.input,
            usage.output, usage.cache_read, usage.cache_write, sum(block.kind == "tool_call" for block in blocks),
            sum(block.kind == "tool_result" and block.is_error for block in blocks), turn.provisional, turn.batch,
        )  # fmt: skip
        entries = [hashed(m.uuid) if m.uuid else None for m in draft.messages for _ in m.blocks]
        for block, entry in zip(blocks, entries, strict=True):
            self._characters += len(block.text)
            self.put(
                "blocks", turn.id, block.seq, block.line, block.kind, block.text, block.tool, block.tool_id,
                block.is_error, microseconds(block.at), block.detail, entry,
            )  # fmt: skip
        said = draft.user_text if draft.kind in {"human", "agent", "command"} else ""
        trees = worktrees_of(facts.cwds, turn.root)
        for mention in mentions_of(blocks, said, cwd=facts.cwd, root=turn.root, worktrees=trees):
            self.put(
                "file_mentions", turn.session, turn.id, draft.line, mention.path, mention.tool, mention.kind,
                mention.is_dir,
            )  # fmt: skip
        for call in draft.agent_calls():
            prompt = hashed(call.prompt.strip()) if call.prompt else None
            self.put(
                "agent_calls", turn.session, turn.id, call.tool_id, call.agent_id, call.agent_type, call.description,
                prompt,
            )  # fmt: skip
        self.turns += 1
        self.blocks += len(blocks)
        if self._characters > FLUSH_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Insert all that waits."""
        for table, rows in self._waiting.items():
            insert(self.work.connection, table, rows)
        self._waiting.clear()
        self._characters = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a turn goes."""

    id: int
    session: int
    source: int
    number: int
    root: str
    provisional: bool
    batch: int
