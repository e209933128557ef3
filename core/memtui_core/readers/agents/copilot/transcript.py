"""Convert a transcript of Copilot CLI to records, event by event.

A call of a tool is written twice, in the answer that requests it and when it starts; either can be missing. The events
of subagents are in the file of their parent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from memtui_core.readers.agents.copilot.messages import (
    add_tool_call,
    assistant_message,
    is_note,
    note_of,
    result_message,
    time_of,
    tokens_of,
    tool_name,
    user_message,
)
from memtui_core.readers.agents.copilot.reader import EVENTS, WORKSPACE
from memtui_core.readers.agents.copilot.workspace import workspace_of
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import count, items, mapping, string
from memtui_core.readers.conversion.messages import add_thinking, answer, note, prompt, title_records
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import (
    AgentCall,
    BoundaryRecord,
    Message,
    Record,
    TitleRank,
    TitleRecord,
    Usage,
)
from memtui_core.text.redaction import redact

_STATE: Final = re.compile(
    rb'"type"\s*:\s*"(?:session\.(?:start|resume|context_changed|model_change|shutdown)|assistant\.message"'
    rb"|tool\.execution_start|subagent\.started)"
)
_NOISE: Final = re.compile(rb'\s*\{"type":"(?:hook|permission)\.')
"""Almost half of the lines."""
_WITHOUT_TEXT: Final = frozenset(
    {
        *("assistant.intent", "assistant.message_delta", "assistant.reasoning_delta", "assistant.streaming_delta"),
        *("assistant.turn_end", "assistant.turn_start", "assistant.usage", "capabilities.changed"),
        *("command.completed", "command.execute", "command.queued", "commands.changed"),
        *("elicitation.completed", "elicitation.requested", "exit_plan_mode.completed", "exit_plan_mode.requested"),
        *("external_tool.completed", "external_tool.requested", "hook.end", "hook.start"),
        *("pending_messages.modified", "permission.completed", "permission.requested"),
        *("session.auto_mode_resolved", "session.background_tasks_changed", "session.compaction_start"),
        *("session.custom_agents_updated", "session.extensions_loaded", "session.idle", "session.mcp_servers_loaded"),
        *("session.mode_changed", "session.plan_changed", "session.session_limits_changed", "session.skills_loaded"),
        *("session.snapshot_rewind", "session.tools_updated", "session.truncation", "session.usage_checkpoint"),
        *("session.usage_info", "session.workspace_file_changed", "subagent.completed", "subagent.deselected"),
        *("subagent.selected", "system.message", "tool.execution_partial_result", "tool.execution_progress"),
        *("tool.user_requested", "user_input.completed", "user_input.requested"),
    }
)
"""Events about the state of the agent, instructions of the agent, and parts of events that follow."""
_KNOWN: Final = _WITHOUT_TEXT | {
    *("assistant.message", "assistant.reasoning", "session.context_changed", "session.model_change"),
    *("session.resume", "session.shutdown", "session.start", "tool.execution_start", "user.message"),
}
"""Events that are no loss if there is no record of them."""


class CopilotReading(GrowingReading):
    """One pass over a transcript of Copilot CLI."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self._model: str | None = None
        self._calls: dict[str, str] = {}
        """The ids of the calls so far, each with the prompt for a subagent."""
        self._new_calls: set[str] = set()
        """The ids of calls that the last event introduced."""
        self._agents: dict[str, str] = {}
        """The call that started each subagent, by the id of the subagent."""
        self._spent = Usage()
        """The tokens at the last end of the session."""
        self._added = Usage()
        """The tokens since the end before."""

    def skips(self, raw: bytes) -> bool:
        """Whether it is an event of a hook or a permission."""
        return _NOISE.match(raw) is not None

    def has_state(self, raw: bytes) -> bool:
        """Whether it tells the folder, the model, a call or tokens."""
        return _STATE.search(raw) is not None

    def follow(self, entry: Entry) -> None:
        """Update the folder, the model, the calls, the subagents and the tokens."""
        kind, data = string(entry.get("type")), mapping(entry.get("data"))
        self._new_calls = set()
        if kind in {"session.start", "session.resume"}:
            self.facts.session_id = self.facts.session_id or string(data.get("sessionId")) or ""
            self.facts.version = string(data.get("copilotVersion")) or self.facts.version
            self._model = string(data.get("selectedModel")) or self._model
            self._follow_folder(mapping(data.get("context")))
        elif kind == "session.context_changed":
            self._follow_folder(data)
        elif kind == "session.model_change":
            self._model = string(data.get("newModel")) or self._model
        elif kind == "assistant.message":
            for request in map(mapping, items(data.get("toolRequests"))):
                self._follow_call(string(request.get("toolCallId")), request.get("arguments"))
        elif kind == "tool.execution_start":
            self._follow_call(string(data.get("toolCallId")), data.get("arguments"))
        elif kind == "subagent.started":
            agent, tool_id = string(entry.get("agentId")), string(data.get("toolCallId"))
            if agent and tool_id:
                self._agents[agent] = tool_id
        elif kind == "session.shutdown":
            self._follow_tokens(tokens_of(data))

    def head(self) -> Iterable[Record]:
        """The title in the file beside the events."""
        if self.path.name != EVENTS:
            return
        about = workspace_of(self.path.with_name(WORKSPACE))
        if name := about.get("name"):
            is_by_user = about.get("user_named") == "true"
            yield TitleRecord(0, TitleRank.CUSTOM if is_by_user else TitleRank.AI, redact(name))
        elif summary := about.get("summary"):
            yield TitleRecord(0, TitleRank.AI, redact(summary))
        if (cwd := about.get("cwd")) and not self.facts.cwd:
            self._follow_folder({"cwd": cwd})

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session, or of a subagent, which is named by the call that started it."""
        in_path = self.path.parent.name if self.path.name == EVENTS else self.path.stem
        own = self.facts.session_id or in_path
        return Identity(branch, own) if branch else Identity(own)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an event."""
        kind, data = string(entry.get("type")) or "", mapping(entry.get("data"))
        if kind == "session.title_changed":
            yield from title_records(data.get("title"), TitleRank.AI, line)
        elif kind == "session.compaction_complete":
            yield from _compaction(entry, data, line, offset)
        elif kind == "subagent.started":
            yield from self._started(entry, data, line, offset)
        else:
            message = self._message(kind, entry, data, line, offset)
            if message is not None:
                yield self._in_branch(message, entry, data)
            elif kind not in _KNOWN and not is_note(kind):
                yield unknown_entry(entry, line)

    def _message(self, kind: str, entry: Entry, data: Entry, line: int, offset: int) -> Message | None:
        at, uuid = time_of(entry), string(entry.get("id"))
        if kind == "user.message":
            return user_message(data, line, offset, at, uuid)
        if kind == "assistant.message":
            message = assistant_message(data, line, offset, at, uuid, self._model)
            for request in map(mapping, items(data.get("toolRequests"))):
                self._add_call(message, string(request.get("name")), request)
            return message if message.blocks or message.usage else None
        if kind == "assistant.reasoning":
            message = answer(line, offset, at, uuid=uuid, model=self._model)
            add_thinking(message, string(data.get("content")) or "")
            return message if message.blocks else None
        if kind == "tool.execution_start":
            message = answer(line, offset, at, uuid=uuid, model=string(data.get("model")) or self._model)
            self._add_call(message, tool_name(data), data)
            return message if message.blocks else None
        if kind == "tool.execution_complete":
            return result_message(data, line, offset, at, uuid)
        if kind == "session.shutdown" and self._added != Usage():
            message = note(line, offset, "", "meta", at, uuid=uuid)
            message.usage = self._added
            return message
        return note_of(kind, data, line, offset, at, uuid) if is_note(kind) else None

    def _add_call(self, message: Message, name: str | None, request: Entry) -> None:
        tool_id = string(request.get("toolCallId"))
        if tool_id is None or tool_id in self._new_calls:
            self._new_calls.discard(tool_id or "")
            add_tool_call(message, name, request.get("arguments"), tool_id)

    def _started(self, entry: Entry, data: Entry, line: int, offset: int) -> Iterator[Message]:
        """The call that started a subagent, and its prompt, which is only in the call."""
        tool_id, at = string(data.get("toolCallId")), time_of(entry)
        if tool_id is None:
            return
        message = note(line, offset, "", "meta", at, uuid=string(entry.get("id")))
        agent, description = string(data.get("agentName")), string(data.get("agentDisplayName"))
        message.agent_calls.append(AgentCall(tool_id, tool_id, agent, description))
        yield message
        if text := self._calls.get(tool_id):
            first = prompt(line, offset, text, at, kind="agent")
            first.sidechain, first.branch = True, tool_id
            yield first

    def _in_branch(self, message: Message, entry: Entry, data: Entry) -> Message:
        agent = string(entry.get("agentId"))
        branch = string(data.get("parentToolCallId")) or (self._agents.get(agent, agent) if agent else "") or ""
        if branch:
            message.sidechain, message.branch = True, branch
            message.kind = "agent" if message.kind == "human" else message.kind
        return message

    def _follow_folder(self, context: Entry) -> None:
        facts = self.facts
        facts.enter(context.get("cwd"))
        facts.branch = string(context.get("branch")) or facts.branch

    def _follow_call(self, tool_id: str | None, arguments: object) -> None:
        if tool_id is not None and tool_id not in self._calls:
            self._calls[tool_id] = string(mapping(arguments).get("prompt")) or ""
            self._new_calls.add(tool_id)

    def _follow_tokens(self, now: Usage) -> None:
        before, self._spent = self._spent, now
        if now.input < before.input or now.cache_read < before.cache_read or now.cache_write < before.cache_write:
            # The session was resumed, and counted from zero.
            before = Usage()
        self._added = Usage(
            input=now.input - before.input,
            cache_read=now.cache_read - before.cache_read,
            cache_write=now.cache_write - before.cache_write,
        )


def _compaction(entry: Entry, data: Entry, line: int, offset: int) -> Iterator[Record]:
    at, uuid = time_of(entry), string(entry.get("id"))
    if data.get("success") is False:
        reason = string(data.get("error"))
        yield note(
            line, offset, f"The compaction failed: {reason or 'no reason'}", "error", at, is_error=True, uuid=uuid
        )
        return
    yield BoundaryRecord(line, at, None, count(data.get("preCompactionTokens")) or None)
    if (summary := string(data.get("summaryContent"))) is not None:
        yield prompt(line, offset, summary, at, kind="compaction", uuid=uuid)
