"""The texts and pictures in the contents of messages and results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from memtui_core.readers.conversion.content import json_text
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.conversion.messages import add_attachment
from memtui_core.readers.records import Message, Record

_DATA: Final = re.compile(r"data:([\w.+/-]{1,100});base64,")


def text_of(content: Any) -> str:
    """The texts of a content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(text for part in items(content) if (text := _part_text(part)))


def add_pictures(message: Message, content: Any) -> None:
    """Add the placeholders of the pictures in a list of parts."""
    for part in items(content):
        add_addresses(message, mapping(part).get("image_urls"))


def add_addresses(message: Message, addresses: Any) -> None:
    """Add the placeholders of pictures, which are given by their addresses or as data."""
    for address in _strings(addresses):
        match = _DATA.match(address)
        add_attachment(message, match[1] if match else "image", address[match.end() :] if match else None)


def unless_empty(message: Message) -> Iterator[Record]:
    """The message, unless it is empty."""
    if message.blocks:
        yield message


def exit_code(*values: Any) -> int | None:
    """The first value that is the exit code of a command that has ended; None if there is none."""
    return next(
        (value for value in values if isinstance(value, int) and not isinstance(value, bool) and value >= 0), None
    )


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    value = mapping(part)
    if value.get("type") == "image" or "image_urls" in value:
        return ""
    text = value.get("text")
    return text if isinstance(text, str) else json_text(part)


def _strings(value: Any) -> Iterator[str]:
    yield from (one for one in items(value) if string(one))
