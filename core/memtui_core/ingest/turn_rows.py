"""Turns under construction to rows of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memtui_core.ingest.batch import Batch
from memtui_core.ingest.entry_keys import entry_key, hashed, microseconds
from memtui_core.ingest.project_files import SAID_BY_A_PROMPT
from memtui_core.ingest.turns import TurnDraft
from memtui_core.model import Block
from memtui_core.readers.records import Facts
from memtui_core.store.tables import LIST_SEPARATOR
from memtui_core.system.projects import worktrees_of
from memtui_core.tools.mentions import mentions_of

Row = tuple[Any, ...]
Home = tuple[str, str, tuple[str, ...]]
"""Current folder, root and worktrees of a project."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a turn goes."""

    id: int
    session: int
    source: int
    number: int
    root: str
    provisional: bool


@dataclass(frozen=True, slots=True)
class Written:
    """What stands in the store of a turn that may still grow."""

    blocks: int
    home: Home
    """What its paths were taken as relative to."""
    mentions: list[Row]
    agent_calls: list[Row]


def put_turn(batch: Batch, draft: TurnDraft, turn: Placed, facts: Facts) -> Written:
    """Add a turn with its blocks, file mentions and subagent calls to a batch."""
    blocks = draft.blocks()
    _put_head(batch, draft, turn, blocks)
    _put_blocks(batch, draft, turn, blocks, 0)
    home = _home(turn, facts)
    written = Written(len(blocks), home, _mentions(batch, draft, turn, blocks, home), _agent_calls(draft, turn))
    _put_all(batch, "file_mentions", written.mentions)
    _put_all(batch, "agent_calls", written.agent_calls)
    return written


def grow_turn(batch: Batch, draft: TurnDraft, turn: Placed, facts: Facts, before: Written) -> Written:
    """Add what came to a turn since it was written; its earlier blocks stay as they are."""
    blocks = draft.blocks()
    batch.drop("turns", turn.id)
    _put_head(batch, draft, turn, blocks)
    _put_blocks(batch, draft, turn, blocks, before.blocks)
    home, mentions = _home(turn, facts), before.mentions
    # A result can take back what its call seemed to do, so no mention stands for itself.
    if home != before.home or any(block.kind in ("tool_call", "tool_result") for block in blocks[before.blocks :]):
        mentions = _mentions(batch, draft, turn, blocks, home)
    written = Written(len(blocks), home, mentions, _agent_calls(draft, turn))
    for table, rows, old in (
        ("file_mentions", written.mentions, before.mentions),
        ("agent_calls", written.agent_calls, before.agent_calls),
    ):
        if rows[: len(old)] == old:
            _put_all(batch, table, rows[len(old) :])
        else:
            batch.drop(table, turn.id)
            _put_all(batch, table, rows)
    # The text that stood for the turn is another one now.
    if batch.work.has_key("chunks", turn.id):
        batch.drop("chunks", turn.id)
    return written


def _put_head(batch: Batch, draft: TurnDraft, turn: Placed, blocks: Sequence[Block]) -> None:
    times = [at for message in draft.messages if (at := microseconds(message.at)) is not None]
    usage = draft.usage()
    batch.put(
        "turns", turn.id, turn.session, turn.source, turn.number, draft.line, draft.end_line, draft.kind,
        draft.segment, draft.user_text, LIST_SEPARATOR.join(draft.tool_summary()),
        LIST_SEPARATOR.join(draft.models()), min(times, default=None), max(times, default=None), usage.input,
        usage.output, usage.cache_read, usage.cache_write, sum(block.kind == "tool_call" for block in blocks),
        sum(block.kind == "tool_result" and block.is_error for block in blocks), turn.provisional, batch.work.batch,
    )  # fmt: skip


def _put_blocks(batch: Batch, draft: TurnDraft, turn: Placed, blocks: Sequence[Block], first: int) -> None:
    """Add the blocks from a place on."""
    place = 0
    for message in draft.messages:
        entry = entry_key(message)
        own = blocks[max(place, first) : place + len(message.blocks)]
        place += len(message.blocks)
        if entry is not None and own:
            batch.hold(entry, turn.source, turn.session)
        for block in own:
            batch.characters += len(block.text)
            batch.put(
                "blocks", turn.id, block.seq, block.line, block.kind, block.text, block.tool, block.tool_id,
                block.is_error, microseconds(block.at), block.detail, entry[0] if entry else None,
            )  # fmt: skip


def _home(turn: Placed, facts: Facts) -> Home:
    return facts.cwd, turn.root, tuple(worktrees_of(tuple(facts.cwds), turn.root))


def _mentions(batch: Batch, draft: TurnDraft, turn: Placed, blocks: Sequence[Block], home: Home) -> list[Row]:
    said = draft.user_text if draft.kind in SAID_BY_A_PROMPT else ""
    cwd, root, trees = home
    known = batch.project_files.of(root)
    mentions = mentions_of(blocks, said, cwd=cwd, root=root, worktrees=trees, known=known)
    batch.project_files.learn(root, mentions, blocks)
    return [
        (turn.session, turn.id, draft.line, mention.path, mention.tool, mention.kind, mention.is_dir)
        for mention in mentions
    ]


def _agent_calls(draft: TurnDraft, turn: Placed) -> list[Row]:
    rows: list[Row] = []
    for call in draft.agent_calls():
        prompt = hashed(call.prompt.strip()) if call.prompt else None
        rows.append((turn.session, turn.id, call.tool_id, call.agent_id, call.agent_type, call.description, prompt))
    return rows


def _put_all(batch: Batch, table: str, rows: Sequence[Row]) -> None:
    for row in rows:
        batch.put(table, *row)
