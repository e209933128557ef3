"""Convert the system entries of Qwen Code: titles, compressions, slash commands and rewinds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.genai_parts import parts_of, texts_of
from memtui_core.readers.conversion.json_values import items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import note, prompt, title_records
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import BoundaryRecord, Record, TitleRank

WITHOUT_TEXT: Final = frozenset(
    {
        "agent_bootstrap",
        "agent_retry",
        "agent_session_ready",
        "at_command",
        "attribution_snapshot",
        "branch_checkpoint",
        "file_history_snapshot",
        "goal_state",
        "goal_turn_end",
        "managed_session_commit_v1",
        "managed_session_event_v1",
        "managed_session_header_v1",
        "parent_session",
        "session_approval_mode",
        "session_artifact_event",
        "session_artifact_snapshot",
        "session_execution_engine",
        "session_model",
        "session_source",
        "session_sources_snapshot",
        "turn_result",
        "ui_telemetry",
        "user_text_elements",
    }
)
"""Entries about the state of the agent, or that repeat what messages say."""
_TEXTS: Final = ("text", "message", "summary", "content")
"""The fields with the text of what a command showed."""


def system_records(entry: Entry, line: int, offset: int, subtype: str) -> Iterator[Record]:
    """The records of a system entry."""
    payload, at = mapping(entry.get("systemPayload")), timestamp(entry.get("timestamp"))
    if subtype == "custom_title":
        rank = TitleRank.AI if payload.get("titleSource") == "auto" else TitleRank.CUSTOM
        yield from title_records(payload.get("customTitle"), rank, line)
    elif subtype == "chat_compression":
        info = mapping(payload.get("info"))
        tokens = info.get("originalTokenCount")
        is_valid = isinstance(tokens, int) and not isinstance(tokens, bool) and 0 <= tokens < 2**62
        yield BoundaryRecord(line, at, string(info.get("trigger")), tokens if is_valid else None)
        # The messages after the summary are repeated from before.
        if summary := _summary(payload.get("compressedHistory")):
            yield prompt(line, offset, summary, at, kind="compaction", uuid=string(entry.get("uuid")))
    elif subtype == "slash_command":
        if payload.get("phase") == "result":
            shown = [text for item in items(payload.get("outputHistoryItems")) if (text := _shown(mapping(item)))]
            yield from _noted(line, offset, "\n".join(shown), "command", entry)
        elif payload.get("hiddenInvocation") is not True:
            yield from _noted(line, offset, string(payload.get("rawCommand")) or "", "command", entry)
    elif subtype == "rewind":
        yield from _noted(line, offset, "The conversation was taken back to an earlier message.", "meta", entry)
    elif subtype == "notification":
        yield from _noted(line, offset, string(payload.get("displayText")) or "", "notification", entry)
    else:
        yield unknown_entry(entry, line, f"system:{subtype}" if subtype else "system")


def _noted(line: int, offset: int, text: str, label: str, entry: Entry) -> Iterator[Record]:
    message = note(line, offset, text, label, timestamp(entry.get("timestamp")), uuid=string(entry.get("uuid")))
    if message.blocks:
        yield message


def _summary(history: Any) -> str:
    """The text of the first message that the model gets after a compression."""
    for message in map(mapping, items(history)):
        if message.get("role") == "user" and (texts := texts_of(parts_of(message.get("parts")))):
            return "\n\n".join(texts)
    return ""


def _shown(item: dict[str, Any]) -> str:
    return next((text for key in _TEXTS if isinstance(text := item.get(key), str) and text), "")
