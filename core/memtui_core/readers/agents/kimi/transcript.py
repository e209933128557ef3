"""Convert the records of an agent of Kimi Code, line by line.

What the user says is recorded twice: when it is typed, and when it is added to the context of the model, which can be
much later. The first record counts. Either can be missing.

A session that was imported from Kimi CLI begins with copies of its messages, all with the time of the first record.
They are left out as long as the files of Kimi CLI are there, which have the right times. Learned from migrate-one.ts,
state-writer.ts and wire-writer.ts in packages/migration-legacy/src/sessions of github.com/MoonshotAI/kimi-code
(commits 612b432, 0e0baea, 405bbf1).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.kimi.file_names import MAIN, agent_of, session_of, state_of, subagent_session
from memtui_core.readers.agents.kimi.messages import (
    add_tool_call,
    input_message,
    part_message,
    result_message,
    stored_message,
    text_of,
    usage_of,
)
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import count, epoch, mapping, string
from memtui_core.readers.conversion.messages import answer, note, prompt, title_records
from memtui_core.readers.formats.beside import object_beside
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry, LineReader
from memtui_core.readers.records import (
    AgentCall,
    BoundaryRecord,
    Message,
    Record,
    TitleRank,
    Usage,
)

_STATE: Final = re.compile(
    rb'"type"\s*:\s*"(?:metadata|config\.update|profile\.bind|turn\.(?:prompt|steer)|context\.append_message'
    rb"|full_compaction\.)"
)
_FORKED: Final = re.compile(rb'^\s*\{\s*"type"\s*:\s*"forked"')
_AGENT_ID: Final = re.compile(r"agent_id: (\S{1,100})")
_MOST_PENDING: Final = 50
"""The number of typed texts that may not be in the context yet."""
_WITHOUT_TEXT: Final = frozenset(
    {
        *("config.update", "context.clear", "context.undo", "context.undone", "forked", "full_compaction.begin"),
        *("full_compaction.cancel", "full_compaction.complete", "goal.clear", "goal.create", "goal.update"),
        *("llm.request", "llm.tools_snapshot", "mcp.tools_discovered", "metadata", "micro_compaction.apply"),
        *("permission.record_approval_result", "permission.set_mode", "plan_mode.cancel", "plan_mode.enter"),
        *("plan_mode.exit", "plugin.session_start", "profile.bind", "runtime.set_binding", "swarm_mode.enter"),
        *("swarm_mode.exit", "token_counting.measured", "token_counting.turn_recorded", "tools.register_user_tool"),
        *("tools.set_active_tools", "tools.unregister_user_tool", "tools.update_store", "turn.ended"),
    }
)
"""Records of the state of the agent, and of what was sent to the model."""
_EVENTS_WITHOUT_TEXT: Final = frozenset({"llm.request", "step.begin", "step.end"})


class KimiReading(GrowingReading):
    """One pass over the records of an agent."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self._session = session_of(self.path)
        self._agent = agent_of(self.path)
        self._model: str | None = None
        self._pending: list[str] = []
        """Texts that were typed and are not in the context yet."""
        self._is_repeated = False
        """Whether the last record added a typed text to the context."""
        self._trigger: str | None = None
        """What started the compaction."""
        self._copied = self._end_of_copies()
        """Where the records end that a fork has in common with its origin."""
        self._created: Any = None
        """The time of the first record."""
        self._imported_from = self._original() or ""
        """The session of Kimi CLI whose messages come first, if its files are there."""
        self.facts.session_id = self._session
        self.facts.forked_from = self._imported_from if self._agent == MAIN and self._imported_from else None
        self.facts.enter(self._state().get("workDir"))

    def has_state(self, raw: bytes) -> bool:
        """Whether it tells the folder, the model, a prompt or the start of a compaction."""
        return _STATE.search(raw) is not None

    def follow(self, entry: Entry) -> None:
        """Update the folder, the model, the typed texts and the compaction."""
        kind = entry.get("type")
        self._is_repeated = False
        if kind == "metadata":
            self._created = entry.get("created_at")
            self.facts.version = string(entry.get("app_version")) or self.facts.version
        elif kind in ("config.update", "profile.bind"):
            self._model = string(entry.get("modelAlias")) or self._model
            self.facts.enter(entry.get("cwd") or mapping(entry.get("environmentDisclosure")).get("cwd"))
        elif kind in ("turn.prompt", "turn.steer"):
            if text := text_of(entry.get("input")):
                self._pending = [*self._pending[1 - _MOST_PENDING :], text]
        elif kind == "context.append_message":
            message = mapping(entry.get("message"))
            text = text_of(message.get("content"))
            if message.get("role") == "user" and text in self._pending:
                self._pending.remove(text)
                self._is_repeated = True
        elif kind == "full_compaction.begin":
            self._trigger = string(entry.get("source"))

    def head(self) -> Iterable[Record]:
        """The title of the session, which is in another file."""
        about = self._state()
        rank = TitleRank.CUSTOM if about.get("isCustomTitle") is True else TitleRank.AI
        return title_records(about.get("title"), rank) if self._agent == MAIN else ()

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session, or of the subagent whose records these are."""
        if self._agent == MAIN:
            return Identity(self._session)
        return Identity(subagent_session(self._session, self._agent), self._session)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of a line."""
        if self._imported_from and entry.get("time", self._created) == self._created:
            return
        kind, at = string(entry.get("type")), epoch(entry.get("time"))
        message: Message | None = None
        if kind in {"turn.prompt", "turn.steer"}:
            message = self._input(entry.get("input"), entry, line, offset, at)
        elif kind == "context.append_message":
            body = mapping(entry.get("message"))
            if body.get("role") != "user":
                message = stored_message(body, line, offset, at, self._model)
            elif not self._is_repeated:
                message = self._input(body.get("content"), body, line, offset, at)
        elif kind == "context.append_loop_event":
            event = mapping(entry.get("event"))
            message = self._event(event, line, offset, at)
            if message is None and string(event.get("type")) not in _EVENTS_WITHOUT_TEXT:
                yield unknown_entry(entry, line, f"event {event.get('type')}")
        elif kind == "context.apply_compaction":
            yield BoundaryRecord(line, at, self._trigger, count(entry.get("tokensBefore")) or None)
            if summary := string(entry.get("summary")) or string(entry.get("contextSummary")):
                yield prompt(line, offset, summary, at, kind="compaction", uuid=f"compaction {summary[:200]}")
        elif kind == "usage.record":
            message = self._usage(entry, line, offset, at)
        elif kind == "turn.cancel":
            message = note(line, offset, "Interrupted", "interrupt", at, uuid="turn.cancel")
        elif kind not in _WITHOUT_TEXT:
            yield unknown_entry(entry, line)
        if message is not None:
            yield message

    def _input(self, content: Any, entry: Entry, line: int, offset: int, at: datetime | None) -> Message | None:
        return input_message(content, mapping(entry.get("origin")), line, offset, at, self._agent != MAIN)

    def _event(self, event: Entry, line: int, offset: int, at: datetime | None) -> Message | None:
        kind, uuid, tool_id = event.get("type"), string(event.get("uuid")), string(event.get("toolCallId"))
        if kind == "content.part":
            message = part_message(mapping(event.get("part")), line, offset, at, uuid=uuid, model=self._model)
            return message if message.blocks else None
        if kind == "tool.call":
            message = answer(line, offset, at, uuid=uuid, model=self._model)
            add_tool_call(message, event)
            arguments = mapping(event.get("args"))
            if tool_id is not None and "subagent_type" in arguments:
                agent, description = string(arguments.get("subagent_type")), string(arguments.get("description"))
                message.agent_calls.append(AgentCall(tool_id, None, agent, description))
            return message
        if kind == "tool.result":
            message = result_message(event, line, offset, at, f"result {tool_id}" if tool_id else None)
            started = _AGENT_ID.match(message.blocks[0].text)
            if tool_id is not None and started is not None:
                message.agent_calls.append(AgentCall(tool_id, subagent_session(self._session, started[1])))
            return message
        return None

    def _usage(self, entry: Entry, line: int, offset: int, at: datetime | None) -> Message | None:
        """The tokens of a request, without a text; those of copied requests belong to the origin of the fork."""
        usage = usage_of(entry.get("usage"))
        if usage == Usage() or offset < self._copied:
            return None
        return answer(line, offset, at, model=string(entry.get("model")) or self._model, usage=usage)

    def _original(self) -> str | None:
        """The session of Kimi CLI from which this one was imported; None if it has no files any more."""
        about = mapping(self._state().get("custom"))
        source = string(about.get("kimi_cli_source_path"))
        if about.get("imported_from_kimi_cli") is not True or source is None:
            return None
        return string(about.get("kimi_cli_session_id")) if os.path.lexists(source) else None

    def _end_of_copies(self) -> int:
        try:
            return max((line.offset for line in LineReader(self.path) if _FORKED.search(line.raw)), default=0)
        except SourceUnreadable:
            # The lines that are read next report it.
            return 0

    def _state(self) -> Entry:
        """The file about the session; empty if it cannot be read."""
        path = state_of(self.path)
        return object_beside(path) if path is not None else {}
