"""Convert single events of Kimi CLI, and put together calls that are in several events."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.kimi.cli_content import add_returned
from memtui_core.readers.agents.kimi.file_names import subagent_session
from memtui_core.readers.conversion.json_values import count, from_json, mapping, string
from memtui_core.readers.conversion.messages import note, results
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import AgentCall, Message, Usage

INPUTS: Final = frozenset({"SteerInput", "TurnBegin"})
_WITHOUT_TEXT: Final = frozenset(
    {
        *("ApprovalRequest", "ApprovalRequestResolved", "ApprovalResponse", "CompactionBegin", "CompactionEnd"),
        *("HookRequest", "HookTriggered", "MCPLoadingBegin", "MCPLoadingEnd", "QuestionRequest", "StatusUpdate"),
        *("StepBegin", "StepRetry", "ToolCallRequest", "TurnEnd"),
    }
)
"""Events about the state of the agent, and requests that repeat the arguments of a call."""
KNOWN: Final = _WITHOUT_TEXT | {
    *("BtwBegin", "BtwEnd", "ContentPart", "HookResolved", "Notification", "PlanDisplay", "SteerInput"),
    *("StepInterrupted", "ToolCall", "ToolCallPart", "ToolResult", "TurnBegin"),
}
"""Events that are no loss if there is no record of them."""
_BETWEEN: Final = frozenset(
    {
        *("ApprovalRequest", "ApprovalRequestResolved", "ApprovalResponse", "BtwBegin", "BtwEnd", "HookRequest"),
        *("HookResolved", "HookTriggered", "MCPLoadingBegin", "MCPLoadingEnd", "Notification", "PlanDisplay"),
        *("QuestionRequest", "ToolCallPart", "ToolCallRequest", "ToolResult"),
    }
)
"""Events that can come between a call and the rest of its arguments."""
_AGENT_ID: Final = re.compile(
    r"(?:task_id: .+\nkind: .+\nstatus: .+\ndescription: .+\n)?agent_id: ([\w-]{1,100})$", re.MULTILINE
)
"""The start of the result of a call that started a subagent, in the background or not."""


@dataclass(slots=True)
class OpenCall:
    """A call whose arguments may not be complete."""

    line: int
    offset: int
    at: datetime | None
    name: str | None
    tool_id: str | None
    arguments: str

    @property
    def is_complete(self) -> bool:
        """Whether the arguments are JSON."""
        return bool(self.arguments.strip()) and not isinstance(from_json(self.arguments), str)

    def ends_at(self, kind: str, tool_id: str | None) -> bool:
        """Whether an event shows that the call gets no more arguments; `tool_id` is the call of a result."""
        return kind not in _BETWEEN or (kind == "ToolResult" and tool_id == self.tool_id)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event is, and whose it is."""

    line: int
    offset: int
    at: datetime | None
    branch: str = ""
    """The session id of the subagent; empty for the session itself."""


def result_message(payload: Entry, place: Place, tool_id: str | None, session: str) -> Message:
    """A result of a call, which can name the subagent that the call started."""
    # In the first versions the value was called `result`, and `ok` was false after a failure.
    value = mapping(payload.get("return_value")) or mapping(payload.get("result"))
    message = results(place.line, place.offset, place.at, uuid=f"result {tool_id}")
    is_error = value.get("is_error") is True or payload.get("ok") is False
    add_returned(message, value, tool_id, is_error=is_error)
    started = _AGENT_ID.match(message.blocks[0].text)
    if tool_id is not None and started is not None:
        message.agent_calls.append(AgentCall(tool_id, subagent_session(session, started[1])))
    return message


def note_of(kind: str, payload: Entry, place: Place) -> Message | None:
    """The text of a program, or a question beside the conversation; None if there is none."""
    text, label, is_error = "", "meta", False
    if kind == "StepInterrupted":
        text, label = "Interrupted", "interrupt"
    elif kind == "Notification":
        text = "\n".join(part for part in (string(payload.get("title")), string(payload.get("body"))) if part)
        label, is_error = "notification", payload.get("severity") == "error"
    elif kind == "PlanDisplay":
        text = string(payload.get("content")) or ""
    elif kind == "HookResolved":
        text, is_error = string(payload.get("reason")) or "", payload.get("action") == "block"
    elif kind == "BtwBegin":
        text, label = f"/btw {string(payload.get('question')) or ''}".rstrip(), "command"
    elif kind == "BtwEnd":
        failure = string(payload.get("error"))
        text, label, is_error = string(payload.get("response")) or failure or "", "command", failure is not None
    if not text.strip():
        return None
    uuid = f"{kind} {text[:200]}"
    return note(place.line, place.offset, text, label, place.at, is_error=is_error, uuid=uuid)


def usage_of(value: Any) -> Usage:
    """The tokens of a step."""
    fields = mapping(value)
    return Usage(
        count(fields.get("input_other")),
        count(fields.get("output")),
        count(fields.get("input_cache_read")),
        count(fields.get("input_cache_creation")),
    )
