"""Make rows of the work database from turn drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memtui_core.ingest.sources.entries import entry_key, hashed, microseconds
from memtui_core.ingest.sources.rows import RowSink
from memtui_core.ingest.turns.created_links import created_links
from memtui_core.ingest.turns.grouping import TurnDraft
from memtui_core.ingest.turns.project_files import PROMPT_KINDS, SEPARATOR
from memtui_core.ingest.turns.retained import retained_blocks, retained_lines, retained_prompt
from memtui_core.ingest.turns.turn_facts import facts_of
from memtui_core.model import Block, Retention
from memtui_core.readers.records import SessionFacts
from memtui_core.store.tables import LIST_SEPARATOR
from memtui_core.system.projects import worktrees_of
from memtui_core.text.machine_folders import machine_of, own_folders
from memtui_core.tools.mentions import mentions_of

Row = tuple[Any, ...]
ProjectFolders = tuple[str, str, tuple[str, ...]]
"""The working directory, the root and the worktrees of a project."""


@dataclass(frozen=True, slots=True)
class TurnPosition:
    """The ids of a turn, and its position in its session."""

    id: int
    session: int
    source: int
    number: int
    root: str
    worktree: str | None
    provisional: bool
    retention: Retention = "full"
    """How much of it is stored."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """What is stored of a turn that may still grow."""

    blocks: int
    folders: ProjectFolders
    """The folders to which its paths are relative."""
    mentions: list[Row]
    agent_calls: list[Row]
    facts: list[Row]


def put_turn(sink: RowSink, draft: TurnDraft, turn: TurnPosition, facts: SessionFacts) -> StoredTurn:
    """Add a turn with its blocks, file mentions and subagent calls to a sink."""
    blocks = draft.blocks()
    _put_turn_row(sink, draft, turn, blocks)
    _put_blocks(sink, draft, turn, blocks, 0)
    folders = _folders(turn, facts)
    stored = StoredTurn(
        len(blocks),
        folders,
        _mentions(sink, draft, turn, blocks, folders),
        _agent_calls(draft, turn),
        _facts(turn, blocks),
    )
    _put_all(sink, "file_mentions", stored.mentions)
    _put_all(sink, "agent_calls", stored.agent_calls)
    _put_all(sink, "facts", stored.facts)
    _put_links(sink, draft, turn, blocks)
    return stored


def grow_turn(
    sink: RowSink, draft: TurnDraft, turn: TurnPosition, facts: SessionFacts, before: StoredTurn
) -> StoredTurn:
    """Add the new blocks of a turn that was stored before; its earlier blocks are not written again."""
    blocks = draft.blocks()
    sink.drop("turns", turn.id)
    _put_turn_row(sink, draft, turn, blocks)
    _put_blocks(sink, draft, turn, blocks, before.blocks)
    folders, mentions = _folders(turn, facts), before.mentions
    # A tool result can change the mentions of its call, so all of them are computed again.
    has_tools = any(block.kind in ("tool_call", "tool_result") for block in blocks[before.blocks :])
    if folders != before.folders or has_tools:
        mentions = _mentions(sink, draft, turn, blocks, folders)
    stored = StoredTurn(len(blocks), folders, mentions, _agent_calls(draft, turn), _facts(turn, blocks))
    for table, rows, old in (
        ("file_mentions", stored.mentions, before.mentions),
        ("agent_calls", stored.agent_calls, before.agent_calls),
        ("facts", stored.facts, before.facts),
    ):
        if rows[: len(old)] == old:
            _put_all(sink, table, rows[len(old) :])
        else:
            sink.drop(table, turn.id)
            _put_all(sink, table, rows)
    if has_tools:
        _put_links(sink, draft, turn, blocks)
    # The chunks are out of date, because the conversation has changed.
    sink.drop_existing("chunks", turn.id)
    return stored


def _put_turn_row(sink: RowSink, draft: TurnDraft, turn: TurnPosition, blocks: Sequence[Block]) -> None:
    times = [at for message in draft.messages if (at := microseconds(message.at)) is not None]
    usage = draft.usage()
    sink.put(
        "turns", turn.id, turn.session, turn.source, turn.number, draft.line, draft.end_line, draft.kind,
        draft.segment, retained_prompt(draft.user_text, turn.retention),
        LIST_SEPARATOR.join(retained_lines(draft.tool_summary(), turn.retention)),
        LIST_SEPARATOR.join(draft.models()), min(times, default=None), max(times, default=None), usage.input,
        usage.output, usage.cache_read, usage.cache_write, sum(block.kind == "tool_call" for block in blocks),
        sum(block.kind == "tool_result" and block.is_error for block in blocks), turn.provisional, sink.number,
    )  # fmt: skip


def _put_blocks(sink: RowSink, draft: TurnDraft, turn: TurnPosition, blocks: Sequence[Block], first: int) -> None:
    """Add the blocks from index `first` on."""
    start = 0
    for message in draft.messages:
        entry = entry_key(message)
        message_blocks = retained_blocks(blocks[max(start, first) : start + len(message.blocks)], turn.retention)
        start += len(message.blocks)
        at = microseconds(message.at)
        if entry is not None and message_blocks:
            sink.add_entry(entry, turn.source, turn.session)
        for block in message_blocks:
            sink.characters += len(block.text)
            # An entry is found by its time, so blocks with another time do not stand for it.
            is_at_once = block.at is message.at or block.at == message.at
            sink.put(
                "blocks", turn.id, block.seq, block.line, block.kind, block.text, block.tool, block.tool_id,
                block.is_error, at if is_at_once else microseconds(block.at), block.detail,
                entry[0] if entry and is_at_once else None,
            )  # fmt: skip


def _folders(turn: TurnPosition, facts: SessionFacts) -> ProjectFolders:
    root, worktree = own_folders(turn.root, turn.worktree)
    own = (worktree,) if worktree else ()
    machine = machine_of(turn.root, turn.worktree)
    return facts.cwd, root, (*own, *worktrees_of(tuple(facts.cwds), root, machine))


def _mentions(
    sink: RowSink, draft: TurnDraft, turn: TurnPosition, blocks: Sequence[Block], folders: ProjectFolders
) -> list[Row]:
    if turn.retention == "titles":
        return []
    prompt = draft.user_text if draft.kind in PROMPT_KINDS else ""
    cwd, root, trees = folders
    files, possible = sink.project_files, set[str]()
    known = files.of(turn.root)
    mentions = mentions_of(blocks, prompt, cwd=cwd, root=root, worktrees=trees, known=known, possible=possible)
    files.learn(turn.root, mentions, blocks)
    files.add_possible(turn.id, SEPARATOR.join(possible))
    return [
        (turn.session, turn.id, draft.line, mention.path, mention.tool, mention.kind, mention.is_dir)
        for mention in mentions
    ]


def _facts(turn: TurnPosition, blocks: Sequence[Block]) -> list[Row]:
    return facts_of(turn.session, turn.id, retained_blocks(blocks, turn.retention))


def _agent_calls(draft: TurnDraft, turn: TurnPosition) -> list[Row]:
    rows: list[Row] = []
    for call in draft.agent_calls():
        prompt_hash = hashed(call.prompt.strip()) if call.prompt else None
        rows.append(
            (turn.session, turn.id, call.tool_id, call.agent_id, call.agent_type, call.description, prompt_hash)
        )
    return rows


def _put_links(sink: RowSink, draft: TurnDraft, turn: TurnPosition, blocks: Sequence[Block]) -> None:
    at = max((message.at for message in draft.messages if message.at is not None), default=None)
    _put_all(sink, "pr_links", list(created_links(turn.session, blocks, at)))


def _put_all(sink: RowSink, table: str, rows: Sequence[Row]) -> None:
    for row in rows:
        sink.put(table, *row)
