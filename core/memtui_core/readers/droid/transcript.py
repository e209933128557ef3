"""Convert a transcript of Droid to records, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import orjson

from memtui_core.readers import user_text
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.content import attachment, result_text, unknown_entry
from memtui_core.readers.growing import GrowingReading
from memtui_core.readers.json_values import items, mapping, string, timestamp
from memtui_core.readers.jsonl import Entry
from memtui_core.readers.messages import (
    add_attachment,
    add_call,
    add_note,
    add_result,
    add_text,
    add_thinking,
    answer,
    prompt,
)
from memtui_core.readers.records import (
    AgentCall,
    BoundaryRecord,
    Message,
    MessageKind,
    Record,
    TitleRank,
    TitleRecord,
    UnknownEntry,
)
from memtui_core.text.redaction import redact

_WITHOUT_TEXT: Final = frozenset({"todo_state", "session_end", "settings_change"})
_KINDS: Final[dict[str, MessageKind]] = {"human": "human", "command": "command", "agent": "agent"}


class DroidReading(GrowingReading):
    """One pass over a transcript of Droid."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self._model = _model_beside(transcript)
        self._parent: str | None = None

    def has_state(self, raw: bytes) -> bool:
        """The entry with the metadata of the session."""
        return b'"session_start"' in raw

    def follow(self, entry: Entry) -> None:
        """Update the metadata of the session."""
        if entry.get("type") != "session_start":
            return
        facts = self.facts
        facts.session_id = facts.session_id or string(entry.get("id")) or string(entry.get("sessionId")) or ""
        facts.version = string(entry.get("version")) or facts.version
        self._parent = string(entry.get("parent")) or string(entry.get("callingSessionId")) or self._parent
        if (cwd := string(entry.get("cwd"))) and cwd not in facts.cwds:
            facts.cwds.append(cwd)
            facts.cwd = facts.cwd or cwd

    def identity(self, branch: str = "") -> Identity:
        """The session by the id in its first entry; its folder is named after the project."""
        session_id = self.facts.session_id or self.path.stem
        return Identity(session_id, self._parent if self._parent != session_id else None, self.path.parent.name)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        kind = string(entry.get("type"))
        if kind == "session_start":
            title = (string(entry.get("sessionTitle")) or string(entry.get("title")) or "").strip()
            if title:
                yield TitleRecord(line, TitleRank.AI, redact(title))
        elif kind == "message":
            body = mapping(entry.get("message")) or entry
            if body.get("role") == "assistant":
                yield from self._assistant_records(entry, body, line, offset)
            else:
                yield from self._user_records(entry, body, line, offset)
        elif kind == "compaction_state":
            at = timestamp(entry.get("timestamp"))
            yield BoundaryRecord(line, at, None, None)
            if summary := string(entry.get("summaryText")):
                yield prompt(line, offset, summary, at, kind="compaction", uuid=string(entry.get("id")))
        elif kind not in _WITHOUT_TEXT:
            yield unknown_entry(entry, line)

    def _assistant_records(self, entry: Entry, body: dict[str, Any], line: int, offset: int) -> Iterator[Record]:
        uuid, model = string(entry.get("id")), string(body.get("model")) or self._model
        message = answer(line, offset, timestamp(entry.get("timestamp")), uuid=uuid, message_id=uuid, model=model)
        unknown: list[UnknownEntry] = []
        for part in _parts(body):
            kind = string(part.get("type"))
            if kind == "text":
                add_text(message, string(part.get("text")) or "")
            elif kind == "thinking":
                add_thinking(message, string(part.get("thinking")) or "")
            elif kind == "tool_use":
                _add_call(message, part)
            elif kind in ("image", "document"):
                add_attachment(message, attachment(part)[1:-1])
            elif kind != "redacted_thinking":
                unknown.append(unknown_entry(part, line))
        if message.blocks:
            yield message
        yield from unknown

    def _user_records(self, entry: Entry, body: dict[str, Any], line: int, offset: int) -> Iterator[Record]:
        at, parts = timestamp(entry.get("timestamp")), list(_parts(body))
        said = [user_text.classify(string(part.get("text")) or "") for part in parts if part.get("type") == "text"]
        typed = [part for part in said if part.kind in _KINDS and part.text.strip()]
        message = prompt(line, offset, "\n\n".join(part.text for part in typed), at, uuid=string(entry.get("id")))
        message.kind = _KINDS[typed[0].kind] if typed and self._parent is None else "agent" if typed else "note"
        for part in parts:
            if part.get("type") == "tool_result":
                text = result_text(part.get("content"))
                is_error = part.get("is_error") is True or text.startswith("Error: ")
                add_result(message, text, string(part.get("tool_use_id")), is_error=is_error)
                message.kind = message.kind if typed else "results"
            elif string(part.get("type")) in ("image", "document"):
                add_attachment(message, attachment(part)[1:-1])
                message.kind = "human" if message.kind == "note" else message.kind
        if message.kind == "note":
            message.role = "system"
        for classified in said:
            if classified.kind not in _KINDS:
                add_note(message, classified.text, classified.label or "meta")
            for aside in classified.asides:
                add_note(message, aside, "reminder")
        if message.blocks:
            yield message


def _parts(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = body.get("content")
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    yield from (part for part in items(content) if isinstance(part, dict))


def _add_call(message: Message, part: dict[str, Any]) -> None:
    name, call_id, given = string(part.get("name")), string(part.get("id")), mapping(part.get("input"))
    add_call(message, name, part.get("input"), call_id)
    if name == "Task" and call_id:
        agent_type, description = string(given.get("subagent_type")), string(given.get("description"))
        message.agent_calls.append(AgentCall(call_id, None, agent_type, description, string(given.get("prompt"))))


def _model_beside(transcript: Transcript) -> str | None:
    """The model in the settings of the session, a file beside the transcript."""
    try:
        content = orjson.loads(transcript.path.with_suffix(".settings.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return string(mapping(content).get("model"))
