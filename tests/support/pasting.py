"""Text that comes into a field at once: each letter that is typed is a key, and in the search line a search."""

from __future__ import annotations

from textual import events
from textual.pilot import Pilot

from support.screens import settled


async def paste(pilot: Pilot[None], text: str) -> None:
    """Paste a text into the widget in focus, at its cursor."""
    pilot.app.post_message(events.Paste(text))
    await settled(pilot)
