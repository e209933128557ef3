"""Convert the entries of OpenClaw, which are those of Pi with some of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memtui_core.readers.agents.openclaw.session_store import SessionStore
from memtui_core.readers.agents.openclaw.user_text import split
from memtui_core.readers.agents.pi.entries import SessionEntries
from memtui_core.readers.agents.pi.messages import prompt_of, text_of, time_of
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.content import result_text
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.conversion.messages import add_note, note
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import AgentCall, Message, Record, SessionFacts

_FAILED: Final = ("error", "failed")
_SUBAGENT_TOOL: Final = "sessions_spawn"
_OWN_PROVIDER: Final = "openclaw"
"""The provider in answers that no model wrote: copies of what was sent to a chat, and answers to commands."""


class OpenClawEntries:
    """Converts the entries of a session in their order. `named` is its id by the name of the file or the row."""

    def __init__(self, facts: SessionFacts, named: str, store: SessionStore, *, is_copy: bool) -> None:
        self._store = store
        self._named = named
        self._is_copy = is_copy
        self._is_subagent = store.is_subagent(named)
        self._session = SessionEntries(facts, named, is_subagent=self._is_subagent, has_parent=self._is_subagent)

    @property
    def identity(self) -> Identity:
        """The session; a copy has the id of the session in its name, whatever its header says."""
        session = self._named if self._is_copy else self._session.session_id
        return Identity(session, self._store.parent_of(session))

    def head(self) -> Iterator[Record]:
        """The title."""
        return self._store.titles(self._named)

    def follow(self, entry: Entry) -> None:
        """Update the facts from the header."""
        if self._is_copy:
            # The header of a copy names the session as the one that it continues.
            entry = {key: value for key, value in entry.items() if key != "parentSession"}
        self._session.follow(entry)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        body = mapping(entry.get("message")) if entry.get("type") == "message" else {}
        role = string(body.get("role"))
        if role == "user":
            yield from self._prompt(entry, body, line, offset)
        elif role == "system" or (role == "assistant" and body.get("provider") == _OWN_PROVIDER):
            label = "reminder" if role == "system" else "notification"
            if (text := text_of(body.get("content"))).strip():
                yield note(line, offset, text, label, time_of(entry), uuid=string(entry.get("id")))
        else:
            details = mapping(body.get("details")) if role == "toolResult" else {}
            if details.get("status") in _FAILED:
                entry = {**entry, "message": {**body, "isError": True}}
            for record in self._session.records(entry, line, offset):
                if isinstance(record, Message):
                    record.agent_calls += self._started(string(body.get("toolCallId")), details)
                    record.agent_calls += _tasks(body.get("content"))
                yield record

    def _prompt(self, entry: Entry, body: Entry, line: int, offset: int) -> Iterator[Record]:
        content = body.get("content")
        images = [part for part in items(content) if isinstance(part, dict) and part.get("type") == "image"]
        texts = [part for part in content if part not in images] if isinstance(content, list) else content
        text = split(result_text(texts))
        if not text.typed.strip() and not images:
            message = note(line, offset, "", "meta", time_of(entry), uuid=string(entry.get("id")))
        else:
            said: dict[str, Any] = {**body, "content": [{"type": "text", "text": text.typed}, *images]}
            if text.by_program:
                said["attribution"] = "agent"
            message = prompt_of({**entry, "message": said}, line, offset, by_agent=self._is_subagent)
        for added in text.added:
            add_note(message, added, "meta")
        if message.blocks:
            yield message

    def _started(self, tool_id: str | None, details: Entry) -> list[AgentCall]:
        """The session that a call started, which its result names by key."""
        child = self._store.session_of(string(details.get("childSessionKey")) or "")
        return [AgentCall(tool_id, child)] if tool_id is not None and child is not None else []


def _tasks(content: Any) -> list[AgentCall]:
    """The calls of a content that start subagents, with the tasks by which their sessions begin."""
    calls = [mapping(part) for part in items(content) if mapping(part).get("name") == _SUBAGENT_TOOL]
    found = ((string(call.get("id")), string(mapping(call.get("arguments")).get("task"))) for call in calls)
    return [AgentCall(tool_id, prompt=task) for tool_id, task in found if tool_id is not None]
