"""Texts whose characters keep their places, and names of files as texts that can be stored.

Every file and database of the index is UTF-8. The name of a file need not be: Python has a surrogate (U+DC80 to U+DCFF)
for each byte of it that is not, and nothing stores these. `storable` is the one place that makes such a name storable,
and `on_disk` makes of it the name by which the file is opened.
"""

from __future__ import annotations

import re
from typing import Any, Final

_FIRST: Final = 0xF700
"""Stands for the byte 0; the bytes from 128 on are private characters, which no script contains."""
_BYTES: Final = re.compile("[\uf780-\uf7ff]+")
_REPLACED: Final = re.compile("[\ud800-\udfff\uf780-\uf7ff]")


def lowered(text: str) -> str:
    """The text in lower case; every character keeps its position."""
    lower = text.lower()
    # The dotted capital I is the only letter that becomes longer.
    return lower if len(lower) == len(text) else text.replace("\u0130", "i").lower()


def storable(text: str) -> str:
    """The text as valid Unicode: private characters stand for bytes that are not. Any other text stays as it is."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _REPLACED.sub(_private, text)
    return text


def all_storable(value: Any) -> Any:
    """A value whose texts, also those in lists and objects, are as `storable` makes them."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple):
        return [all_storable(inner) for inner in value]
    if isinstance(value, dict):
        return {all_storable(key): all_storable(inner) for key, inner in value.items()}
    return value


def on_disk(stored: str) -> str:
    """The path as the system knows it, given the text of `storable`."""
    return stored if stored.isascii() else _BYTES.sub(_bytes, stored)


def has_bytes(text: str) -> bool:
    """Whether a text contains characters that stand for bytes."""
    return not text.isascii() and _BYTES.search(text) is not None


def shown_bytes(text: str) -> str:
    """The text with a symbol for each character that stands for a byte."""
    return text if text.isascii() else _BYTES.sub(lambda match: "\ufffd" * len(match[0]), text)


def _private(match: re.Match[str]) -> str:
    try:
        return "".join(chr(_FIRST + byte) for byte in match[0].encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        # Half a character; no byte of a name.
        return "\ufffd"


def _bytes(match: re.Match[str]) -> str:
    return bytes(ord(character) - _FIRST for character in match[0]).decode("utf-8", "surrogateescape")
