"""Reading a conversation of OpenHands: the events of the agent SDK, or those of version 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.openhands.folders import (
    OLD_META,
    SERVER_META,
    STATE,
    events_in,
    has_events,
    is_of_sandbox,
    parent_of,
)
from memtui_core.readers.agents.openhands.parts import usages_in
from memtui_core.readers.agents.openhands.sdk_events import Context, records
from memtui_core.readers.agents.openhands.server_events import ServerEvents, is_call, key_of
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import local_timestamp, mapping, string, timestamp
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.beside import object_beside
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.records import BadLine, Record, TitleRank


class OpenHandsReading(DocumentReading):
    """One pass over a conversation; an entry is {"event", "usage"} of a file.

    Times have no zone. The clock of a sandbox shows UTC; the terminal program uses that of this computer.
    """

    def load(self) -> Sequence[Any]:
        """The events of the folder. Raises SourceUnreadable if there is no such folder."""
        folder = self.transcript.path
        if not has_events(folder):
            raise SourceUnreadable(f"{folder}: no events")
        state, meta, old_meta = (object_beside(folder / name) for name in (STATE, SERVER_META, OLD_META))
        self._title = string(meta.get("title")) or string(old_meta.get("title")) or ""
        self._calls: set[str] = set()
        usages = usages_in(state)
        entries = [_entry(event, usages) for event in events_in(folder)]
        state = state or _state_in(entries)
        clock = timestamp if is_of_sandbox(folder) else local_timestamp
        model = string(mapping(mapping(state.get("agent")).get("llm")).get("model"))
        self._context = Context(clock, model, parent_of(folder) is not None)
        self._server = ServerEvents(clock, string(old_meta.get("llm_model")))
        _drop_repeated_calls(entries)
        self.facts.session_id = folder.name
        self.facts.branch = string(old_meta.get("selected_branch"))
        self._set_facts(state, meta, entries)
        return entries

    def identity(self, branch: str = "") -> Identity:
        """The conversation."""
        return Identity(self.facts.session_id, parent_of(self.transcript.path))

    def head(self) -> Iterable[Record]:
        """The title, which the server has made."""
        return title_records(self._title, TitleRank.AI) if self.entries else ()

    def follow(self, entry: Any) -> None:
        """Remember the calls, to which later events refer by number."""
        event = entry["event"]
        if is_call(event) and (number := key_of(event.get("id"))) is not None:
            self._calls.add(number)

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of an event."""
        event = entry["event"]
        if entry.get("repeated"):
            return
        if "kind" in event:
            yield from records(event, line, entry.get("usage"), self._context)
        elif "action" in event or "observation" in event:
            yield from self._server.records(event, line, self._calls)
        else:
            yield unknown_entry(event, line)

    def _set_facts(self, state: dict[str, Any], meta: dict[str, Any], entries: Sequence[Any]) -> None:
        folders = [mapping(value.get("workspace")).get("working_dir") for value in (state, meta)]
        for entry in entries:
            event = entry["event"] if not isinstance(entry, BadLine) else {}
            extras = mapping(event.get("extras"))
            folders += [extras.get("repo_directory"), extras.get("working_dir")]
            folders.append(mapping(extras.get("metadata")).get("working_dir"))
            if event.get("action") == "system":
                self.facts.version = string(mapping(event.get("args")).get("openhands_version"))
        self.facts.cwds = list(dict.fromkeys(folder for value in folders if (folder := string(value))))[:1]
        self.facts.cwd = self.facts.cwds[0] if self.facts.cwds else ""


def _entry(event: dict[str, Any] | BadLine, usages: dict[str, dict[str, Any]]) -> Any:
    if isinstance(event, BadLine):
        return event
    usage = usages.get(string(event.get("llm_response_id")) or "")
    return {"event": event, "usage": usage} if usage else {"event": event}


def _state_in(entries: Sequence[Any]) -> dict[str, Any]:
    """The last state of the conversation that an event contains; empty if none does."""
    for entry in reversed(entries):
        event = {} if isinstance(entry, BadLine) else entry["event"]
        if event.get("kind") == "ConversationStateUpdateEvent" and event.get("key") == "full_state":
            return mapping(event.get("value"))
    return {}


def _drop_repeated_calls(entries: Sequence[Any]) -> None:
    """Mark the events of a call that a later event repeats with more of its result."""
    seen: set[str] = set()
    for entry in reversed(entries):
        event = {} if isinstance(entry, BadLine) else entry["event"]
        if event.get("kind") == "ACPToolCallEvent" and (tool_id := string(event.get("tool_call_id"))):
            if tool_id in seen:
                entry["repeated"] = True
            seen.add(tool_id)
