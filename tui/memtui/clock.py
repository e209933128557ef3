"""The present moment, from one place, so that everything on a screen is as old as everything else."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)
