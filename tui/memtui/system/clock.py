"""The current time, from one function, so that all ages on a screen refer to the same time and tests can set it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)
