"""When an agent deletes its own transcripts."""

from __future__ import annotations

import orjson

from memtui_core.readers.places import Place

DEFAULT_DAYS = 30
"""What Claude Code takes where `cleanupPeriodDays` is not set."""
SETTINGS = "settings.json"


def days_kept(place: Place) -> int | None:
    """The days after which the agent deletes what lies in a place; None where nothing is known of that.

    The settings stand beside the folder of the transcripts; those that cannot be read are taken for absent.
    """
    if place.agent != "claude-code" or place.path.name != "projects" or not place.exists:
        return None
    try:
        settings = orjson.loads((place.path.parent / SETTINGS).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return DEFAULT_DAYS
    days = settings.get("cleanupPeriodDays", DEFAULT_DAYS) if isinstance(settings, dict) else DEFAULT_DAYS
    return days if isinstance(days, int) and not isinstance(days, bool) and days >= 0 else DEFAULT_DAYS
