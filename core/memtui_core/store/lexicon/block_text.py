"""The searched texts of blocks and turns: tool calls without their JSON, results without line numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import orjson

from memtui_core.model import Source
from memtui_core.store.lexicon.fields import ASIDES, TurnDoc
from memtui_core.store.lexicon.tokens import clean
from memtui_core.text.line_numbers import without_numbers

_SOURCES: dict[str, Source] = {
    "user": "user",
    "text": "assistant",
    "thinking": "thinking",
    "tool_call": "tool call",
    "tool_result": "tool output",
    "note": "note",
}
_FIELDS: dict[str, tuple[str, str]] = {
    "text": ("assistant", "\n\n"),
    "thinking": ("thinking", "\n\n"),
    "tool_call": ("call", "\n"),
    "tool_result": ("output", "\n"),
    "note": ("notes", "\n"),
}
"""The field for each kind of block, and what separates two of its blocks; a user's text is in its turn."""
_ASIDES = frozenset({"meta", "reminder"})
"""Notes that the agent's program wrote for the model; many are the same in every session."""


def source_of(kind: str, tool: str | None) -> Source | None:
    """The source of a block's text; None if it is not searched."""
    return "aside" if kind == "note" and tool in _ASIDES else _SOURCES.get(kind)


def searched_text(kind: str, tool: str | None, text: str) -> str:
    """The searched text of a block: of a tool call its tool and the values of its input, otherwise the block's text.

    Each accented letter is one character, as in `tokens.clean`.
    """
    return clean(f"{tool or ''} {input_values(text)}" if kind == "tool_call" else text)


def kinds_in(fields: Collection[str]) -> list[str]:
    """The kinds of blocks whose text is in some fields of the lexicon."""
    return [kind for kind, (field, _) in _FIELDS.items() if field in fields or (kind == "note" and ASIDES in fields)]


def field_texts(blocks: Iterable[tuple[str, str | None, str]]) -> dict[str, str]:
    """The text of each field of the lexicon, empty if there is none, from the blocks of a turn: (kind, tool, text)."""
    texts: dict[str, list[str]] = {field: [] for field in (*(field for field, _ in _FIELDS.values()), ASIDES)}
    for kind, tool, text in blocks:
        if kind in _FIELDS:
            field = ASIDES if source_of(kind, tool) == "aside" else _FIELDS[kind][0]
            texts[field].append(searched_text(kind, tool, text))
    separators = dict(_FIELDS.values())
    return {field: separators.get(field, "\n").join(own) for field, own in texts.items()}


def shown_text(source: Source, text: str) -> str:
    """A part of a searched text for display, without the line numbers of a file."""
    return without_numbers(text) if source == "tool output" else text


def input_values(arguments: str) -> str:
    """The values of a tool call's input, one per line; the input itself if it is not JSON."""
    try:
        value = orjson.loads(arguments)
    except ValueError:
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


def turn_document(turn_row: Sequence[Any], blocks: Iterable[Sequence[Any]], paths: Iterable[str]) -> TurnDoc:
    """The document of a turn.

    `turn_row`: id, key of the session, start in seconds since 1970, kind, user text, title of the session for its first
    turn. `blocks`: kind, text and tool of each block in order. `paths`: the mentioned paths in order.
    """
    turn, session, at, kind, user_text, title = turn_row
    texts = field_texts((block[0], block[2], block[1]) for block in blocks)
    return TurnDoc(
        turn=turn,
        session=session,
        at=at,
        user=user_text or "",
        assistant=texts["assistant"],
        thinking=texts["thinking"],
        call=texts["call"],
        output=texts["output"],
        title=title,
        paths=" ".join(paths),
        notes=texts["notes"],
        asides=texts["asides"],
        is_summary=kind == "compaction",
    )
