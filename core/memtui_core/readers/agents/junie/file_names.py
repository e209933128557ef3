"""The names of the files of Junie."""

from __future__ import annotations

from typing import Final

EVENTS: Final = "events.jsonl"
"""The events of a session, in a folder with its id."""
INDEX: Final = "index.jsonl"
"""The list of sessions, beside their folders."""
