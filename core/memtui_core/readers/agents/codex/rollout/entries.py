"""The entries of a rollout: `{timestamp, type, payload}`, also those of the first versions, which had no payload."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NamedTuple

from memtui_core.readers.conversion.json_values import mapping, string, timestamp
from memtui_core.readers.formats.jsonl import Entry

ITEM, EVENT = "response_item", "event_msg"
_TURN: Final = "internal_chat_message_metadata_passthrough"


class RolloutEntry(NamedTuple):
    """An entry of any version."""

    kind: str
    """The type of the entry."""
    type: str
    """The type of the payload; empty if it has none."""
    payload: dict[str, Any]
    at: datetime | None

    @property
    def turn(self) -> str | None:
        """The id of the turn that the entry names."""
        passed = mapping(self.payload.get(_TURN))
        return string(self.payload.get("turn_id")) or string(passed.get("turn_id"))


def rollout_entry(entry: Entry) -> RolloutEntry:
    """An entry in the current form."""
    kind, at = string(entry.get("type")) or "", timestamp(entry.get("timestamp"))
    payload = entry.get("payload")
    if isinstance(payload, dict):
        return RolloutEntry(kind, _type(payload), payload, at)
    if not kind and string(entry.get("id")) and "timestamp" in entry:
        return RolloutEntry("session_meta", "", entry, at)
    if not kind and string(entry.get("record_type")):
        return RolloutEntry("state", "", entry, at)
    return RolloutEntry(ITEM if kind in _OLD_ITEMS else kind, kind, entry, at)


_OLD_ITEMS: Final = frozenset(
    {
        *("message", "reasoning", "function_call", "function_call_output", "local_shell_call"),
        *("custom_tool_call", "custom_tool_call_output", "web_search_call"),
    }
)
"""Types of items that the first versions wrote as entries."""


def _type(payload: dict[str, Any]) -> str:
    """The type of a payload; a message can be without one."""
    return string(payload.get("type")) or ("message" if "role" in payload and "content" in payload else "")
