"""Values that OpenCode writes in several ways."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memtui_core.readers.conversion.json_values import count, epoch, mapping, string, timestamp
from memtui_core.readers.records import Usage


def moment(value: Any) -> datetime | None:
    """A time: milliseconds since 1970, or ISO 8601."""
    return timestamp(value) if isinstance(value, str) else epoch(value)


def usage_of(tokens: Any) -> Usage | None:
    """The tokens of a message; None if there are none. Thinking is output, and is counted separately since 1.1."""
    tokens = mapping(tokens)
    cache = mapping(tokens.get("cache"))
    usage = Usage(
        count(tokens.get("input")), count(tokens.get("output")), count(cache.get("read")), count(cache.get("write"))
    )
    total = usage.input + usage.output + usage.cache_read + usage.cache_write
    if tokens.get("total") != total:
        usage.output += count(tokens.get("reasoning"))
    return usage if total else None


def model_of(message: dict[str, Any]) -> str | None:
    """The model of a message, without its provider."""
    model = mapping(message.get("model"))
    return string(message.get("modelID")) or string(model.get("modelID")) or string(model.get("id"))


def error_text(error: Any) -> str:
    """The text of an error: a string, or an object with a message, perhaps inside `data`; empty if there is none."""
    if isinstance(error, str):
        return error
    error = mapping(error)
    message = string(mapping(error.get("data")).get("message")) or string(error.get("message"))
    name = string(error.get("name")) or ""
    return f"{name}: {message}" if name and message else message or name
