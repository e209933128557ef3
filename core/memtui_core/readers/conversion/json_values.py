"""Values in JSON entries, with type checks: a value of the wrong type counts as absent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

_MOST_SECONDS: Final = 100_000_000_000
"""In seconds it is the year 5138: larger numbers are milliseconds."""


_FIRST: Final = datetime(1971, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(3000, 1, 1, tzinfo=UTC)
"""No agent wrote before or after that; local times cannot be computed for all others, on Windows for none of them."""


def possible(at: datetime) -> datetime | None:
    """A time in UTC if an agent can have written it, otherwise None."""
    return at if _FIRST <= at < _LAST else None


def timestamp(value: Any) -> datetime | None:
    """An ISO 8601 time in UTC; None for any other value, and for a time that cannot be right."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    if at.tzinfo is UTC:
        return possible(at)
    try:
        return possible(at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC))
    except OverflowError:
        return None


def local_timestamp(value: Any) -> datetime | None:
    """An ISO 8601 time in UTC; one without a zone is in the zone of this computer. None for any other value."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        return possible(at.astimezone(UTC)) if at is not None else None
    except (ValueError, OverflowError, OSError):
        return None


def string(value: Any) -> str | None:
    """The value if it is a string that is not empty, otherwise None."""
    return value if isinstance(value, str) and value else None


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, otherwise an empty object."""
    return value if isinstance(value, dict) else {}


def epoch(value: Any) -> datetime | None:
    """A time in milliseconds since 1970, as a number, in UTC; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return possible(datetime.fromtimestamp(value / 1000, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def epoch_seconds(value: Any) -> datetime | None:
    """A time in seconds since 1970, or in milliseconds as some programs write by mistake; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return epoch(value * 1000 if abs(value) < _MOST_SECONDS else value)


def nanoseconds(at: datetime | None) -> int:
    """A time in nanoseconds since 1970, exact to a millisecond; 0 for None and for a time beyond 64 bits."""
    number = round(at.timestamp() * 1000) * 1_000_000 if at is not None else 0
    return number if abs(number) < 2**63 else 0


def count(value: Any) -> int:
    """A number of tokens; 0 for anything that cannot be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40 else 0


def items(value: Any) -> list[Any]:
    """The value if it is a list, otherwise an empty list."""
    return value if isinstance(value, list) else []


def from_json(value: Any) -> Any:
    """The value of a JSON text; any other text or value as it is."""
    if not isinstance(value, str | bytes):
        return value
    # Some readers check values when they look for files; that needs no decoder.
    from memtui_core.readers.formats.jsonl import json_content

    try:
        return json_content(value)
    except ValueError:
        return value


def object_from(value: Any) -> dict[str, Any]:
    """An object, or the one in a JSON text; empty for anything else."""
    return mapping(from_json(value))
