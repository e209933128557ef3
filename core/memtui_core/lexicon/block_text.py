"""The searched text of a block: tool calls without their JSON, results without line numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from memtui_core.lexicon.tokens import clean
from memtui_core.model import Source
from memtui_core.text.line_numbers import without_numbers

_SOURCES: dict[str, Source] = {
    "user": "user",
    "text": "assistant",
    "thinking": "thinking",
    "tool_call": "tool call",
    "tool_result": "tool output",
    "note": "note",
}
_UNSEARCHED_NOTES = frozenset({"meta", "reminder"})
"""Notes that the agent's program wrote for the model; the same ones are in every session."""


def source_of(kind: str, tool: str | None) -> Source | None:
    """The source of a block's text; None if it is not searched."""
    return None if kind == "note" and tool in _UNSEARCHED_NOTES else _SOURCES.get(kind)


def searched_text(kind: str, tool: str | None, text: str) -> str:
    """The searched text of a block: of a tool call its tool and the values of its input, otherwise the block's text.

    Each accented letter is one character, as in `tokens.clean`.
    """
    return clean(f"{tool or ''} {input_values(text)}" if kind == "tool_call" else text)


def shown_text(source: Source, text: str) -> str:
    """A part of a searched text for display, without the line numbers of a file."""
    return without_numbers(text) if source == "tool output" else text


def input_values(arguments: str) -> str:
    """The values of a tool call's input, one per line; the input itself if it is not JSON."""
    try:
        value = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments
    return "\n".join(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value
    elif value is not None and not isinstance(value, bool):
        yield str(value)
