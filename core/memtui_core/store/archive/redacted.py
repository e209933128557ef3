"""Texts in the form in which an agent wrote them, without secrets."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

import orjson

from memtui_core.text.redaction import redact

_PLACEHOLDER: Final = "[redacted:"


class RedactedText(NamedTuple):
    """A text without its secrets."""

    text: str
    secrets: int
    """How many were replaced."""


def redacted_text(text: str) -> RedactedText:
    """A text, or a value as JSON, without its secrets; without any it is the same text.

    A secret in a string of JSON may be found only when the string is decoded, as the index does before it stores it:
    then the value is written anew. What was JSON stays JSON.
    """
    plain = redact(text)
    value = _value_of(plain)
    if value is None and plain != text:
        # Nobody could read it any more if a placeholder stood across the parts of a value.
        value, plain = _value_of(text), plain if _value_of(text) is None else text
    if value is not None and (cleared := _cleared(value)) != value:
        end = plain[len(plain.rstrip()) :]
        plain = _json_text(cleared) + end
    return RedactedText(plain, max(0, plain.count(_PLACEHOLDER) - text.count(_PLACEHOLDER)))


def _value_of(text: str) -> Any:
    """The object or list of a JSON text; None if it is none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        pass
    try:
        # Half a character, which some programs write, and numbers of any size.
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _cleared(value: Any) -> Any:
    """The value with its strings redacted. Nested as deeply as `_value_of` allows."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_cleared(item) for item in value]
    if isinstance(value, dict):
        return {redact(key): _cleared(item) for key, item in value.items()}
    return value


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
