"""What an index holds of a session, as plain values; and files that grow while they are read."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from memtui_core.index.index import Index
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
    session = index.sessions.find(session_id)
    blocks = index.sessions.blocks(session.key, 1, session.turns)
    turns = index.sessions.turns(session.key)
    return [(turn.kind, [_shown(block) for block in blocks[turn.number]]) for turn in turns]


def tool_calls(index: Index, session_id: str) -> list[ToolCall]:
    """The tool calls of a session with their results."""
    session = index.sessions.find(session_id)
    return paired_turns(sorted(index.sessions.blocks(session.key, 1, session.turns).items()))


def assert_grow(tmp_path: Path, agent: str, files: Mapping[Path, bytes], *, steps: int = 8) -> None:
    """Write files in pieces, read by one indexer after each, and by new ones; compare with reading them at once.

    The files hold sessions of their own and grow at the same time, each cut at other places.
    """
    rest = [(path, _pieces(content, random.Random(seed), steps)) for seed, (path, content) in enumerate(files.items())]
    data = tmp_path / "grown"
    indexer = Indexer(data)
    try:
        for number in range(max(len(pieces) for _, pieces in rest)):
            for path, pieces in rest:
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("ab") as opened:
                    opened.write(b"".join(pieces[number : number + 1]))
            for _ in indexer.update([Location(agent, tmp_path / "home")]):
                pass
            if number % 3 == 2:
                indexer.close()
                indexer = Indexer(data)
    finally:
        indexer.close()
    update(tmp_path / "fresh", tmp_path / "home", agent=agent)
    held = picture(data)
    assert held == picture(tmp_path / "fresh")
    assert held["sources"].total() == len({turn[0] for turn in held["turns"]}) == len(files)


def _pieces(content: bytes, chance: random.Random, steps: int) -> list[bytes]:
    """Content that is cut at ends of lines, and half as often at any place."""
    borders = [place + 1 for place, byte in enumerate(content) if byte == 10]
    cuts = sorted({*chance.sample(borders, min(len(borders), steps)), *chance.sample(range(len(content)), steps // 2)})
    return [content[first:last] for first, last in zip([0, *cuts], [*cuts, len(content)], strict=True)]


def _shown(block: Any) -> Shown:
    name = f"{block.kind} {block.tool}" if block.tool else block.kind
    return f"{name}!" if block.is_error else name, block.text
