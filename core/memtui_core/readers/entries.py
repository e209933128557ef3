"""The bytes of one line to the JSON objects on it."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

Entry = dict[str, Any]

_DECODER = json.JSONDecoder()
_LONE_SURROGATE = re.compile(
    r"(?<!\\)((?:\\\\)*)(?:(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2})", re.IGNORECASE
)


def decode(raw: bytes) -> tuple[list[Entry], str | None]:
    """The entries of a line and why it, or the rest of it, could not be read; ([], None) for a blank line.

    Two writers that lose a newline between them put two objects on one line: both are kept.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _salvage(raw)
    return ([value], None) if isinstance(value, dict) else ([], "not a JSON object")


def _salvage(raw: bytes) -> tuple[list[Entry], str | None]:
    text = _LONE_SURROGATE.sub(lambda m: m[0] if m[2] else m[1] + r"\ufffd", raw.decode("utf-8", "replace"))
    text = text.replace("\ufeff", "").strip()
    entries: list[Entry] = []
    position = 0
    while position < len(text):
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return entries, "text after the entry is not JSON" if entries else "not JSON"
        if not isinstance(value, dict):
            return entries, "not a JSON object"
        entries.append(value)
        while position < len(text) and text[position].isspace():
            position += 1
    return entries, None
