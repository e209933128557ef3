"""Values of JSON entries, taken with care: anything of the wrong type counts as absent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any


def timestamp(value: Any) -> datetime | None:
    """An ISO 8601 time as UTC, or None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        return None


def string(value: Any) -> str | None:
    """The value when it is a string that holds something."""
    return value if isinstance(value, str) and value else None


def mapping(value: Any) -> dict[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
