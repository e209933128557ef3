"""Convert the events of Kimi CLI, line by line.

The events of a subagent are wrapped in events of the session. They are read there unless the subagent has files of its
own, which contain the same. The summary of a compaction is only in the messages: each compaction begins a file of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.kimi.cli_about import model_of, titles_of, working_directory_of
from memtui_core.readers.agents.kimi.cli_content import CallIds, add_tool_call, summary_in, user_message
from memtui_core.readers.agents.kimi.cli_context import entries_before, identity_of, records_of, summaries_of
from memtui_core.readers.agents.kimi.cli_events import INPUTS, KNOWN, OpenCall, Place, note_of, result_message, usage_of
from memtui_core.readers.agents.kimi.cli_files import SessionFiles
from memtui_core.readers.agents.kimi.file_names import subagent_session
from memtui_core.readers.agents.kimi.messages import part_message, text_of
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import count, epoch_seconds, mapping, string
from memtui_core.readers.conversion.messages import answer, note, prompt
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry, LineReader, decode
from memtui_core.readers.records import AgentCall, BoundaryRecord, Message, Record, Usage

_STATE: Final = re.compile(rb'"type"\s*:\s*"(?:TurnBegin|StatusUpdate|CompactionEnd|SubagentEvent|ToolCall)"')
_BEFORE: Final = "before "
"""The start of the ids of calls that are older than the events."""
_COMPACTED: Final = re.compile(rb'^\s*\{[^{}]*"message"\s*:\s*\{\s*"type"\s*:\s*"CompactionEnd"')


class WireReading(GrowingReading):
    """One pass over the events of a session or subagent."""

    def __init__(self, files: SessionFiles, transcript: Transcript, cursor: Cursor) -> None:
        self._files = files
        super().__init__(replace(transcript, path=files.wire or transcript.path), cursor)
        self._model = model_of(files)
        self._turn = ""
        """The last input of the user."""
        self._tokens = 0
        """The number of tokens in the context."""
        self._compactions = 0
        self._summaries: list[str] = []
        """As far as they were looked up, see `_find_summaries`."""
        self._ids = CallIds()
        self._started: set[tuple[str, str]] = set()
        """The calls that started subagents, with the session ids of the subagents."""
        self._is_start = False
        """Whether the last event is the first one of a subagent."""
        self._open: dict[str, OpenCall] = {}
        """The last call of each subagent, and of the session, if its arguments are not complete."""
        self.facts.session_id = files.session
        self.facts.enter(working_directory_of(files))

    @property
    def can_continue(self) -> bool:
        """Whether no event read can still grow."""
        return not self._open and super().can_continue

    def has_state(self, raw: bytes) -> bool:
        """Whether it has an input, a number of tokens, a call, a compaction or an event of a subagent."""
        return _STATE.search(raw) is not None

    def follow(self, entry: Entry) -> None:
        """Update the input, the tokens, the calls, the compactions and the subagents."""
        event = mapping(entry.get("message"))
        kind, payload = event.get("type"), mapping(event.get("payload"))
        self._is_start = False
        if kind == "TurnBegin":
            self._turn = text_of(payload.get("user_input"))
        elif kind == "StatusUpdate":
            self._tokens = count(payload.get("context_tokens")) or self._tokens
        elif kind == "CompactionEnd":
            self._compactions += 1
        elif kind == "ToolCall":
            self._ids.add(string(payload.get("id")))
        elif kind == "SubagentEvent":
            started = self._call_of(payload), self._session_of(payload)
            self._is_start = started not in self._started
            self._started.add(started)
            inner = mapping(payload.get("event"))
            if inner.get("type") == "ToolCall":
                self._ids.add(string(mapping(inner.get("payload")).get("id")), started[1])

    def head(self) -> Iterable[Record]:
        """The title, which is in another file, and what was said before there were events."""
        yield from titles_of(self._files)
        if not self._entries.lines and not self._files.agent:
            ids = CallIds(_BEFORE)
            for line, entry in enumerate(entries_before(self._files.contexts, self._first_input())):
                ids.add_calls(entry)
                yield from records_of(entry, 0, 0, f"{self._files.session} {line}", ids)

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session, or of a subagent."""
        return Identity(branch, self._files.session) if branch else identity_of(self._files)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of a line."""
        event = mapping(entry.get("message"))
        if event:
            yield from self._of_event(event, Place(line, offset, epoch_seconds(entry.get("timestamp"))))
        elif entry.get("type") != "metadata":
            yield unknown_entry(entry, line)

    def __iter__(self) -> Iterator[Record]:
        yield from super().__iter__()
        # They stay open: the rest of their arguments may follow, and then they are read again.
        for branch, call in self._open.items():
            yield self._message_of(call, branch)

    def _of_event(self, event: Entry, place: Place) -> Iterator[Record]:
        kind, payload = string(event.get("type")) or "", mapping(event.get("payload"))
        if kind == "SubagentEvent" and not place.branch:
            yield from self._of_subagent(payload, place)
            return
        if place.branch in self._open and self._open[place.branch].ends_at(kind, self._id_of(payload, place)):
            yield self._closed(place.branch)
        if kind == "CompactionEnd" and not place.branch:
            yield from self._compaction(place)
        message = self._message(kind, payload, place)
        if message is not None:
            yield _in_branch(message, place.branch)
        elif kind not in KNOWN:
            yield unknown_entry(event, place.line, f"event {kind}" if kind else None)

    def _message(self, kind: str, payload: Entry, place: Place) -> Message | None:
        at = place.line, place.offset, place.at
        if kind in INPUTS:
            by_agent = bool(place.branch or self._files.agent)
            content = payload.get("user_input")
            return user_message(content, *at, f"{kind} {text_of(content)[:200]}", by_agent=by_agent)
        if kind == "ContentPart":
            said = string(payload.get("text")) or string(payload.get("think")) or ""
            message = part_message(payload, *at, uuid=f"{kind} {said[:200]}", model=self._model)
            return message if message.blocks else None
        if kind == "ToolCall":
            return self._call(payload, place)
        if kind == "ToolCallPart":
            return self._rest_of_call(payload, place)
        if kind == "ToolResult":
            return result_message(payload, place, self._id_of(payload, place), self._files.session)
        if kind == "StatusUpdate":
            usage = usage_of(payload.get("token_usage"))
            name = string(payload.get("message_id"))
            return answer(*at, message_id=name, model=self._model, usage=usage) if usage != Usage() else None
        return note_of(kind, payload, place)

    def _call(self, payload: Entry, place: Place) -> Message | None:
        """A call; None if the rest of its arguments follows."""
        function, tool_id = mapping(payload.get("function")), self._ids.unique(string(payload.get("id")), place.branch)
        arguments = string(function.get("arguments")) or ""
        call = OpenCall(place.line, place.offset, place.at, string(function.get("name")), tool_id, arguments)
        self._open[place.branch] = call
        return self._closed(place.branch) if call.is_complete else None

    def _rest_of_call(self, payload: Entry, place: Place) -> Message | None:
        """The call that got its last arguments; None if there is none."""
        part, call = string(payload.get("arguments_part")) or "", self._open.get(place.branch)
        if call is None:
            return note(place.line, place.offset, part, "meta", place.at, uuid=f"part {part[:200]}") if part else None
        call.arguments += part
        return self._closed(place.branch) if call.is_complete else None

    def _closed(self, branch: str) -> Message:
        """The message of the call that waits for arguments, which gets no more."""
        return self._message_of(self._open.pop(branch), branch)

    def _message_of(self, call: OpenCall, branch: str) -> Message:
        message = answer(call.line, call.offset, call.at, uuid=f"call {call.tool_id}", model=self._model)
        add_tool_call(message, call.name, call.arguments, call.tool_id)
        return _in_branch(message, branch)

    def _of_subagent(self, payload: Entry, place: Place) -> Iterator[Record]:
        """The records of an event of a subagent; the first one says which call started it."""
        tool_id, name, agent = self._call_of(payload), self._session_of(payload), string(payload.get("agent_id"))
        if self._is_start:
            message = answer(place.line, place.offset, place.at)
            message.agent_calls.append(AgentCall(tool_id, name, string(payload.get("subagent_type"))))
            yield message
        if agent is None or not self._files.has_subagent(agent):
            yield from self._of_event(mapping(payload.get("event")), replace(place, branch=name))

    def _id_of(self, payload: Entry, place: Place) -> str | None:
        """The id of the call to which a result belongs."""
        return self._ids.unique(string(payload.get("tool_call_id")), place.branch)

    def _call_of(self, payload: Entry) -> str:
        """The call that started the subagent of an event; its field had another name until version 1.24."""
        name = string(payload.get("parent_tool_call_id")) or string(payload.get("task_tool_call_id"))
        return self._ids.unique(name) or "subagent"

    def _session_of(self, payload: Entry) -> str:
        """The session id of the subagent of an event."""
        return subagent_session(self._files.session, string(payload.get("agent_id")) or self._call_of(payload))

    def _compaction(self, place: Place) -> Iterator[Record]:
        trigger = "manual" if self._turn.startswith("/compact") else "auto"
        yield BoundaryRecord(place.line, place.at, trigger, self._tokens or None)
        if self._compactions > len(self._summaries):
            self._summaries = self._find_summaries()
        if summary := "".join(self._summaries[self._compactions - 1 : self._compactions]):
            uuid = f"compaction {summary[:200]}"
            yield prompt(place.line, place.offset, summary, place.at, kind="compaction", uuid=uuid)

    def _find_summaries(self) -> list[str]:
        """The summaries of the compactions in the events; empty for one of which the messages are gone."""
        contexts = self._files.contexts
        older = sum(summary_in(entry) is not None for entry in entries_before(contexts, self._first_input()))
        found = summaries_of(contexts)[older:]
        # A fork has the events of all compactions, and the messages since the last one.
        return [""] * max(0, self._count_compactions() - len(found)) + found

    def _count_compactions(self) -> int:
        try:
            return sum(_COMPACTED.search(line.raw) is not None for line in LineReader(self.path))
        except SourceUnreadable:
            # The lines that are read next report it.
            return 0

    def _first_input(self) -> Any:
        """The input with which the events begin; None if they begin otherwise."""
        try:
            for line in LineReader(self.path):
                for entry in decode(line.raw)[0]:
                    if entry.get("type") != "metadata":
                        event = mapping(entry.get("message"))
                        is_input = event.get("type") == "TurnBegin"
                        return mapping(event.get("payload")).get("user_input") if is_input else None
        except SourceUnreadable:
            # The lines that are read next report it.
            pass
        return None


def _in_branch(message: Message, branch: str) -> Message:
    if branch:
        message.sidechain, message.branch = True, branch
    return message
