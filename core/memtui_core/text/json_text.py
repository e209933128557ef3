"""JSON that is safe to display in a terminal: unsafe characters are escaped, not removed.

Plain values are written without orjson, which takes longer to import than a cold command to write them; the text is the
same.
"""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime
from math import isfinite
from typing import Any, Final

from memtui_core.text.controls import UNSAFE, Label

_UNSAFE = re.compile(f"[{UNSAFE}]")
_LARGEST: Final = 1 << 53
"""Integers from here on are left to orjson, which has limits."""


class _NotPlain(Exception):
    """Raised for a value that orjson has to write."""


def json_text(value: Any, *, indent: bool = True) -> str:
    r"""A value as JSON that ends with a newline; times are ISO 8601 in UTC, labels are their raw text.

    Unsafe characters are escaped as `\uXXXX`.
    """
    try:
        text = _by_orjson(value, indent=indent) if "orjson" in sys.modules else _by_json(value, indent=indent)
    except _NotPlain:
        text = _by_orjson(value, indent=indent)
    # Unsafe characters can only be inside a string: the newlines of the layout are safe.
    return text if text.isascii() and "\x7f" not in text else _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _by_orjson(value: Any, *, indent: bool) -> str:
    import orjson

    options = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_SUBCLASS
    return orjson.dumps(value, _raw, options | orjson.OPT_INDENT_2 if indent else options).decode()


def _raw(value: Any) -> Any:
    if isinstance(value, Label):
        return value.raw
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _by_json(value: Any, *, indent: bool) -> str:
    """Raises _NotPlain."""
    layout: dict[str, Any] = {"indent": 2} if indent else {"separators": (",", ":")}
    text = json.dumps(_plain(value), ensure_ascii=False, **layout)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise _NotPlain from error
    return f"{text}\n"


def _plain(value: Any) -> Any:
    """A value in the types of `json`. Raises _NotPlain."""
    kind = type(value)
    if kind is str or value is None or kind is bool or (kind is int and -_LARGEST < value < _LARGEST):
        return value
    if kind is list or kind is tuple:
        return [_plain(item) for item in value]
    if kind is dict and all(type(name) is str for name in value):
        return {name: _plain(item) for name, item in value.items()}
    if kind is Label:
        return _plain(value.raw)
    if kind is float and isfinite(value) and "e" not in repr(value):
        return value
    if kind is datetime and value.tzinfo is UTC:
        return value.replace(tzinfo=None).isoformat() + "Z"
    raise _NotPlain
