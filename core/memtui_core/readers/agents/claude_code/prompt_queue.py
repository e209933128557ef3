"""Prompts that the user typed while the agent was busy.

Since version 2.1.91 such a prompt is written as a `queued_command` attachment, sometimes only there. Earlier versions
wrote only an `enqueue` and a `remove`, when the prompt was removed from the queue and sent to the running agent. A
`dequeue` means that a normal user entry follows, a `popAll` that the user withdrew the prompts.
"""

from __future__ import annotations

from typing import Any

from memtui_core.model import Block
from memtui_core.readers.conversion import user_text
from memtui_core.readers.conversion.json_values import mapping, string, timestamp
from memtui_core.readers.records import Message
from memtui_core.text.redaction import redact


class PromptQueue:
    """Tracks the queue of one transcript and returns each prompt once."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._attachments = False

    @property
    def waits(self) -> bool:
        """Whether a prompt is in the queue."""
        return bool(self._waiting)

    def expect_attachments(self) -> None:
        """Expect that queued prompts are written as attachments, because the transcript contains an attachment."""
        self._attachments = True

    def remove(self, text: str) -> None:
        """Remove a prompt that a normal user entry contains."""
        if text in self._waiting:
            self._waiting.remove(text)

    def attachment(self, entry: dict[str, Any], line: int, offset: int) -> Message | None:
        """The prompt of a `queued_command`, or a note for other attachments with text."""
        self._attachments = True
        body = entry.get("attachment")
        if not isinstance(body, dict):
            return None
        if body.get("type") == "queued_command":
            speaker = mapping(body.get("origin")).get("kind", "human")
            if body.get("isMeta") is True or speaker != "human" or body.get("commandMode", "prompt") != "prompt":
                return None
            return _prompt(_text(body.get("prompt")), entry, line, offset)
        if body.get("type") == "hook_blocking_error":
            return _note(_text(body.get("blockingError")), "error", entry, line, offset)
        if body.get("type") == "file" and (name := _text(body.get("displayPath")) or _text(body.get("filename"))):
            return _note(f"attached {name}", "reminder", entry, line, offset)
        return None

    def operation(self, entry: dict[str, Any], line: int, offset: int) -> Message | None:
        """Apply a `queue-operation`; the prompt if it went to the agent and no attachment will contain it."""
        operation, text = string(entry.get("operation")), entry.get("content")
        if operation == "enqueue" and isinstance(text, str):
            self._waiting.append(text)
        elif operation == "popAll":
            self._waiting.clear()
        elif operation in {"dequeue", "remove"} and self._waiting:
            prompt = text if isinstance(text, str) and text in self._waiting else self._waiting[0]
            self._waiting.remove(prompt)
            if operation == "remove" and not self._attachments:
                return _prompt(prompt, entry, line, offset)
        return None


def _prompt(text: str, entry: dict[str, Any], line: int, offset: int) -> Message | None:
    part = user_text.classify(text)
    if part.kind != "human" or not part.text.strip() or part.text.startswith("/"):
        return None
    prompt, at = redact(part.text), timestamp(entry.get("timestamp"))
    message = Message(line, offset, "human", "user", [Block(0, line, "user", prompt, at=at)], at=at)
    message.uuid = _text(entry.get("uuid")) or None
    return message


def _note(text: str, label: str, entry: dict[str, Any], line: int, offset: int) -> Message | None:
    if not text.strip():
        return None
    at = timestamp(entry.get("timestamp"))
    block = Block(0, line, "note", redact(text), label, is_error=label == "error", at=at)
    message = Message(line, offset, "note", "system", blocks=[block], at=at)
    message.uuid = _text(entry.get("uuid")) or None
    message.sidechain = entry.get("isSidechain") is True
    return message


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _text(value.get("blockingError"))
    if isinstance(value, list):
        return "\n\n".join(item["text"] for item in value if isinstance(item, dict) and _text(item.get("text")))
    return ""
