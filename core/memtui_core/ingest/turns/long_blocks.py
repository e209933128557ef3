"""What is stored of blocks that are too long to be read, searched and shown as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memtui_core.model import Block
from memtui_core.readers.formats.long_lines import LONGEST_TEXT, shortened, shortened_text
from memtui_core.readers.records import Message

_JSON: Final = frozenset({"tool_call"})


def bound_blocks(message: Message) -> None:
    """Shorten the texts of a message that have more than `LONGEST_TEXT` characters; their beginnings and ends stay."""
    for place, block in enumerate(message.blocks):
        if len(block.text) > LONGEST_TEXT or (block.detail is not None and len(block.detail) > LONGEST_TEXT):
            message.blocks[place] = _bounded(block)


def _bounded(block: Block) -> Block:
    text = _shortened_json(block.text) if block.kind in _JSON else shortened_text(block.text)
    return replace(block, text=text, detail=_shortened_json(block.detail) if block.detail is not None else None)


def _shortened_json(text: str) -> str:
    return shortened(text.encode("utf-8", "replace")).decode("utf-8", "replace") if len(text) > LONGEST_TEXT else text
