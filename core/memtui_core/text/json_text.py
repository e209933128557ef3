"""JSON that is safe to display in a terminal: unsafe characters are escaped, not removed."""

from __future__ import annotations

import re
from typing import Any

import orjson

from memtui_core.text.characters import all_storable
from memtui_core.text.controls import UNSAFE, Label

_UNSAFE = re.compile(f"[{UNSAFE}]")


def json_text(value: Any, *, indent: bool = True) -> str:
    r"""A value as JSON that ends with a newline; times are ISO 8601 in UTC, labels are their raw text.

    Unsafe characters are escaped as `\uXXXX`.
    """
    options = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_SUBCLASS
    options |= orjson.OPT_INDENT_2 if indent else 0
    try:
        text = orjson.dumps(value, _raw, options).decode()
    except orjson.JSONEncodeError:
        # Half a character; what is in the index has none.
        text = orjson.dumps(all_storable(value), _raw, options).decode()
    # Unsafe characters can only be inside a string: the newlines of the layout are safe.
    return text if text.isascii() and "\x7f" not in text else _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _raw(value: Any) -> Any:
    if isinstance(value, Label):
        return value.raw
    raise TypeError(f"{type(value).__name__} has no form in JSON")
