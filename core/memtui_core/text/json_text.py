"""JSON that a terminal only shows: what it could obey is escaped, and nothing is lost."""

from __future__ import annotations

import re
from typing import Any

import orjson

from memtui_core.text.controls import UNSAFE, Label

_UNSAFE = re.compile(f"[{UNSAFE}]")


def json_text(value: Any, *, indent: bool = True) -> str:
    r"""JSON that ends with a newline; times are ISO 8601 in UTC, labels are what they stand for.

    Nothing is lost: what a terminal could obey is escaped as `\uXXXX`.
    """
    options = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_SUBCLASS
    made = orjson.dumps(value, _raw, options | orjson.OPT_INDENT_2 if indent else options).decode()
    # All of these can only stand inside a string; newlines of the layout are not among them.
    return made if made.isascii() and "\x7f" not in made else _UNSAFE.sub(_escaped, made)


def _raw(value: Any) -> Any:
    if isinstance(value, Label):
        return value.raw
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
