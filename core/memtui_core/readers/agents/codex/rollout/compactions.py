"""The summaries of compactions. Most are encrypted: only the model can read them."""

from __future__ import annotations

from typing import Any, Final

from memtui_core.readers.agents.codex.user_text import classified
from memtui_core.readers.conversion.json_values import items, mapping, string

NO_SUMMARY: Final = "The conversation before was compacted. Its summary is encrypted, or was not written down."


def summary_of(payload: dict[str, Any]) -> str:
    """The summary in a `compacted` entry; empty if it cannot be read.

    Its history repeats messages before, and can contain the summary as a message of the user.
    """
    if (text := string(payload.get("message"))) is not None and text.strip():
        return text.strip()
    history = (mapping(item) for item in items(payload.get("replacement_history")))
    summaries = [classified(item).summary for item in history if item.get("role") == "user"]
    return next((summary for summary in reversed(summaries) if summary), "")
