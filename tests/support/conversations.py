"""What an index holds of a session, as plain values; and files that grow while they are read."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memtui_core.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired_turns
from support.indexes import update
from support.pictures import picture

Shown = tuple[str, str]
"""The kind of a block, with its tool, and its text."""


def jsonl(entries: Iterable[Any]) -> str:
    """Entries as JSON lines."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def shown(index: Index, session_id: str) -> list[tuple[str, list[Shown]]]:
    """The turns of a session: the kind of each, and its blocks."""
    session = index.find_session(session_id)
    blocks = index.blocks(session.key, 1, session.turns)
    turns = index.turns(session.key)
    return [(turn.kind, [_shown(block) for block in blocks[turn.number]]) for turn in turns]


def tool_calls(index: Index, session_id: str) -> list[ToolCall]:
    """The tool calls of a session with their results."""
    session = index.find_session(session_id)
    return paired_turns(sorted(index.blocks(session.key, 1, session.turns).items()))


def assert_grows(tmp_path: Path, agent: str, file: Path, content: bytes, *, seed: int, steps: int = 8) -> None:
    """Write a file in pieces, read by one indexer after each, and by new ones; compare with reading it at once."""
    chance = random.Random(seed)
    borders = [place + 1 for place, byte in enumerate(content) if byte == 10]
    cuts = sorted({*chance.sample(borders, min(len(borders), steps)), *chance.sample(range(len(content)), steps // 2)})
    file.parent.mkdir(parents=True, exist_ok=True)
    data = tmp_path / f"grown-{seed}"
    indexer = Indexer(data)
    try:
        for number, (first, last) in enumerate(zip([0, *cuts], [*cuts, len(content)], strict=True)):
            with file.open("ab") as opened:
                opened.write(content[first:last])
            for _ in indexer.update([Location(agent, tmp_path / "home")]):
                pass
            if number % 3 == 2:
                indexer.close()
                indexer = Indexer(data)
    finally:
        indexer.close()
    update(tmp_path / f"fresh-{seed}", tmp_path / "home", agent=agent)
    assert picture(data) == picture(tmp_path / f"fresh-{seed}")


def _shown(block: Any) -> Shown:
    name = f"{block.kind} {block.tool}" if block.tool else block.kind
    return f"{name}!" if block.is_error else name, block.text
