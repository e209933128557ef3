"""Convert the events of version 0: actions, and observations that name the action that caused them.

The format was learned from version 0.62.0 of `openhands-ai` (`openhands/events/serialization`, `events/action`,
`events/observation`, `events/tool.py`, `storage/locations.py`, `storage/data_models/conversation_metadata.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.openhands.parts import add_addresses, detail_of, exit_code, unless_empty, usage_of
from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import json_text, unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.records import AgentCall, BoundaryRecord, Message, Record

_CALLS: Final = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "read": "read",
    "write": "write",
    "edit": "edit",
    "browse": "fetch",
    "browse_interactive": "browser",
    "call_tool_mcp": "mcp",
    "delegate": "delegate",
    "task_tracking": "task_tracker",
    "push": "push",
    "send_pr": "send_pr",
}
"""The actions that are tool calls, and names of their tools for calls that do not name one."""
_RESULTS: Final = frozenset(
    {
        *("run", "run_ipython", "read", "write", "edit", "browse", "mcp", "delegate", "task_tracking", "download"),
        *("success", "user_rejected", "error", "chat", "message"),
    }
)
_NO_ACTIONS: Final = frozenset(
    {
        *("system", "null", "recall", "change_agent_state", "condensation_request", "loop_recovery"),
        *("start", "pause", "resume", "stop"),
    }
)
_NO_OBSERVATIONS: Final = frozenset({"null", "think"})
_NO_ARGUMENTS: Final = frozenset(
    {
        *("thought", "hidden", "blocking", "is_static", "confirmation_state", "is_confirmed", "security_risk"),
        *("include_extra", "kernel_init_code", "impl_source", "return_axtree"),
    }
)
"""Arguments about the run and not the purpose of an action."""
_EDITOR: Final = "str_replace_editor"
_BY_COMMAND: Final = {"view": ("view_range",), "str_replace": ("old_str", "new_str"), "create": ("file_text",)}
Event = dict[str, Any]


@dataclass(slots=True)
class ServerEvents:
    """Converts the events of one conversation."""

    timestamp: Callable[[Any], datetime | None]
    model: str | None = None

    def records(self, event: Event, line: int, calls: set[str]) -> Iterator[Record]:
        """The records of an event; `calls` are the ids of the actions before that are tool calls."""
        at = self.timestamp(event.get("timestamp"))
        if "observation" in event:
            yield from self._observation(event, line, at, calls)
        else:
            yield from self._action(event, line, at)

    def _action(self, event: Event, line: int, at: datetime | None) -> Iterator[Record]:
        kind, arguments = string(event.get("action")), mapping(event.get("args"))
        if is_call(event):
            yield self._call(event, self._answer(event, line, at))
        elif kind in _CALLS:
            # The user or the server ran it.
            yield messages.note(
                line, line, f"! {string(arguments.get('command')) or json_text(arguments)}", "shell", at
            )
        elif kind == "message":
            yield from self._message(event, line, at)
        elif kind in {"finish", "reject", "think"}:
            yield from unless_empty(self._ending(event, self._answer(event, line, at)))
        elif kind == "condensation":
            yield BoundaryRecord(line, at, None, None)
            if summary := string(arguments.get("summary")):
                yield messages.prompt(line, line, summary, at, kind="compaction")
        elif kind not in _NO_ACTIONS:
            yield unknown_entry(event, line, kind)

    def _message(self, event: Event, line: int, at: datetime | None) -> Iterator[Record]:
        arguments = mapping(event.get("args"))
        text = string(arguments.get("content")) or ""
        if event.get("source") == "user":
            message = messages.prompt(line, line, text, at)
        elif event.get("source") == "agent":
            message = self._answer(event, line, at)
            messages.add_text(message, text)
        else:
            message = messages.note(line, line, text, "reminder", at)
        add_addresses(message, arguments.get("image_urls") or arguments.get("images_urls"))
        yield from unless_empty(message)

    def _answer(self, event: Event, line: int, at: datetime | None) -> Message:
        metrics = [mapping(one) for one in items(mapping(event.get("llm_metrics")).get("token_usages"))]
        response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
        last = metrics[-1] if metrics else {}
        usage = usage_of(response.get("usage")) or usage_of(last)
        key = string(response.get("id")) or string(last.get("response_id"))
        model = string(response.get("model")) or string(last.get("model")) or self.model
        return messages.answer(line, line, at, message_id=key, model=model, usage=usage)

    def _call(self, event: Event, message: Message) -> Message:
        arguments, kind = mapping(event.get("args")), str(event.get("action"))
        messages.add_text(message, string(arguments.get("thought")) or "")
        tool_id = key_of(event.get("id"))
        messages.add_call(message, _name(event, arguments), _shown(arguments, kind), tool_id)
        if kind == "delegate" and tool_id:
            task = string(mapping(arguments.get("inputs")).get("task"))
            message.agent_calls.append(AgentCall(tool_id, None, string(arguments.get("agent")), None, task))
        return message

    def _ending(self, event: Event, message: Message) -> Message:
        arguments = mapping(event.get("args"))
        thought = string(arguments.get("thought")) or ""
        if event.get("action") == "think":
            messages.add_thinking(message, thought)
            return message
        outputs = mapping(arguments.get("outputs"))
        final = (
            string(arguments.get("final_thought")) or string(outputs.get("content")) or string(outputs.get("reason"))
        )
        for text in dict.fromkeys([thought, final or ""]):
            messages.add_text(message, text)
        return message

    def _observation(self, event: Event, line: int, at: datetime | None, calls: set[str]) -> Iterator[Record]:
        kind, extras = string(event.get("observation")), mapping(event.get("extras"))
        cause, text = key_of(event.get("cause")), string(event.get("content")) or ""
        if kind == "recall":
            yield from unless_empty(_recalled(extras, messages.note(line, line, "", "reminder", at)))
        elif kind == "condense":
            yield BoundaryRecord(line, at, None, None)
            if text:
                yield messages.prompt(line, line, text, at, kind="compaction")
        elif kind == "agent_state_changed":
            yield from unless_empty(
                messages.note(line, line, string(extras.get("reason")) or "", "error", at, is_error=True)
            )
        elif kind in _RESULTS and cause in calls:
            yield _result(event, text, cause, messages.results(line, line, at))
        elif kind in _RESULTS or kind == "loop_detection":
            is_error = kind in {"error", "loop_detection"}
            label = "error" if is_error else "shell" if kind == "run" else "meta"
            yield from unless_empty(messages.note(line, line, text, label, at, is_error=is_error))
        elif kind not in _NO_OBSERVATIONS:
            yield unknown_entry(event, line, kind)


def is_call(event: Event) -> bool:
    """Whether an event is a tool call of the agent."""
    return event.get("source") == "agent" and string(event.get("action")) in _CALLS


def key_of(number: Any) -> str | None:
    """The number of an event as the id of a tool call; None for anything else."""
    return str(number) if isinstance(number, int) and not isinstance(number, bool) else None


def _name(event: Event, arguments: Event) -> str:
    """The name of the tool that was called."""
    named = string(mapping(event.get("tool_call_metadata")).get("function_name"))
    if event["action"] == "call_tool_mcp":
        named = string(arguments.get("name")) or named
    if named is None and event["action"] == "edit" and arguments.get("command"):
        return _EDITOR
    return named or _CALLS[event["action"]]


def _shown(arguments: Event, kind: str) -> Event:
    """The arguments that say what the action does."""
    given = {key: value for key, value in arguments.items() if key not in _NO_ARGUMENTS and value is not None}
    if kind == "read":
        # One tool reads and edits.
        return {"command": "view", **given}
    command = given.get("command")
    if kind != "edit" or not isinstance(command, str) or not command:
        return given
    own = {"path", "command", "insert_line", *_BY_COMMAND.get(command, ("new_str", "content"))}
    return {key: value for key, value in given.items() if key in own}


def _result(event: Event, text: str, cause: str | None, message: Message) -> Message:
    kind, extras = event.get("observation"), mapping(event.get("extras"))
    code = exit_code(mapping(extras.get("metadata")).get("exit_code"), extras.get("exit_code"))
    failed = kind in {"error", "user_rejected"} or bool(code) or extras.get("error") is True
    detail: dict[str, Any] = {}
    if kind == "edit":
        detail = detail_of(extras.get("old_content"), extras.get("new_content"), extras.get("diff")) or {}
    if code is not None:
        detail["exit"] = code
    messages.add_result(message, text, cause, is_error=failed, detail=detail)
    add_addresses(message, [extras.get("screenshot")] if extras.get("screenshot") else extras.get("image_urls"))
    return message


def _recalled(extras: Event, message: Message) -> Message:
    """What the server added to the prompt: instructions of the repository, and knowledge."""
    for name in ("repo_instructions", "additional_agent_instructions", "conversation_instructions"):
        messages.add_note(message, string(extras.get(name)) or "", "reminder")
    for known in items(extras.get("microagent_knowledge")):
        messages.add_note(message, string(mapping(known).get("content")) or "", "reminder")
    return message
