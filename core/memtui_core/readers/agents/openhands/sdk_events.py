"""Convert the events of the agent SDK, on which the terminal program and the agent server are built.

The format was learned from version 1.58.2 of `openhands-sdk` (`openhands/sdk/event`, `conversation/state.py`,
`conversation/persistence_const.py`, `llm/message.py`) and of `openhands-tools`, and from conversations in the tests of
the repository `software-agent-sdk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.openhands.parts import (
    add_pictures,
    detail_of,
    exit_code,
    text_of,
    unless_empty,
    usage_of,
)
from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import from_json, items, mapping, string
from memtui_core.readers.records import AgentCall, BoundaryRecord, Message, Record

_WITHOUT_TEXT: Final = frozenset(
    {
        *("SystemPromptEvent", "ConversationStateUpdateEvent", "TokenEvent", "LLMCompletionLogEvent"),
        *("SecurityAnalysisEvent", "CondensationRequest", "StreamingDeltaEvent"),
    }
)
_PAUSES: Final = {"PauseEvent": "Paused by the user", "InterruptEvent": "Interrupted by the user"}
_ERRORS: Final = frozenset({"ConversationErrorEvent", "ServerErrorEvent"})
_SAYING: Final = {"finish": "message", "think": "thought"}
"""Tools whose argument is what the agent says or thinks; they have no result of their own."""
_ADDED: Final = frozenset({"security_risk", "summary"})
"""Arguments that every tool has, about the call."""
_RESULTS: Final = frozenset({"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"})
_SUBAGENTS: Final = frozenset({"task", "delegate"})
_DONE: Final = frozenset({"completed", "failed"})
Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Context:
    """What an event does not say itself."""

    timestamp: Callable[[Any], datetime | None]
    model: str | None = None
    is_subagent: bool = False


def records(event: Event, line: int, usage: Any, context: Context) -> Iterator[Record]:
    """The records of an event, with the tokens of its response."""
    kind, at = string(event.get("kind")), context.timestamp(event.get("timestamp"))
    if kind == "MessageEvent":
        yield from unless_empty(_message(event, line, at, usage, context))
    elif kind == "ActionEvent":
        yield from unless_empty(_action(event, _answer(event, line, at, usage, context.model)))
    elif kind in _RESULTS:
        yield from unless_empty(_result(event, line, at))
    elif kind == "ACPToolCallEvent":
        yield from unless_empty(_foreign_call(event, messages.answer(line, line, at, uuid=string(event.get("id")))))
    elif kind in {"Condensation", "CondensationSummaryEvent"}:
        yield BoundaryRecord(line, at, None, None)
        if summary := string(event.get("summary")):
            yield messages.prompt(line, line, summary, at, kind="compaction")
    elif kind in _PAUSES:
        yield messages.note(line, line, _PAUSES[kind], "interrupt", at)
    elif kind in _ERRORS:
        text = ": ".join(filter(None, (string(event.get("code")), string(event.get("detail")))))
        yield from unless_empty(messages.note(line, line, text, "error", at, is_error=True))
    elif kind == "HookExecutionEvent":
        names = ("reason", "stdout", "stderr", "additional_context", "error")
        text = "\n".join(value.strip() for name in names if (value := string(event.get(name))))
        yield from unless_empty(messages.note(line, line, text, "reminder", at, is_error=event.get("success") is False))
    elif kind not in _WITHOUT_TEXT:
        yield unknown_entry(event, line, kind)


def _message(event: Event, line: int, at: datetime | None, usage: Any, context: Context) -> Message:
    said, key = mapping(event.get("llm_message")), string(event.get("id"))
    text = text_of(said.get("content"))
    if event.get("source") == "agent":
        message = _answer(event, line, at, usage, context.model)
        _add_thinking(message, said)
        messages.add_text(message, text)
    elif event.get("source") == "user":
        is_of_agent = context.is_subagent or string(event.get("sender")) is not None
        message = messages.prompt(line, line, text, at, kind="agent" if is_of_agent else "human", uuid=key)
    else:
        message = messages.note(line, line, text, "reminder", at)
    add_pictures(message, said.get("content"))
    messages.add_note(message, text_of(event.get("extended_content")), "reminder")
    return message


def _answer(event: Event, line: int, at: datetime | None, usage: Any, model: str | None) -> Message:
    response = string(event.get("llm_response_id"))
    own_model = string(mapping(usage).get("model")) or model
    key = string(event.get("id"))
    return messages.answer(line, line, at, uuid=key, message_id=response, model=own_model, usage=usage_of(usage))


def _add_thinking(message: Message, said: Event) -> None:
    blocks = [string(mapping(block).get("thinking")) or "" for block in items(said.get("thinking_blocks"))]
    item = mapping(said.get("responses_reasoning_item"))
    summary = [text for text in [*items(item.get("summary")), *items(item.get("content"))] if isinstance(text, str)]
    # The same thinking is stored in several forms.
    texts = ["\n\n".join(filter(None, blocks)), string(said.get("reasoning_content")) or "", "\n\n".join(summary)]
    messages.add_thinking(message, next((text for text in texts if text.strip()), ""))


def _action(event: Event, message: Message) -> Message:
    name, tool_id = string(event.get("tool_name")), string(event.get("tool_call_id"))
    _add_thinking(message, event)
    messages.add_text(message, text_of(event.get("thought")))
    arguments = _arguments(event)
    given = mapping(arguments)
    said = string(given.get(_SAYING.get(name or "", "")))
    if name == "finish" and said:
        messages.add_text(message, said)
    elif name == "think" and said:
        messages.add_thinking(message, said)
    else:
        messages.add_call(message, name, arguments, tool_id)
    if name in _SUBAGENTS and tool_id:
        message.agent_calls += _agent_calls(given, tool_id)
    return message


def _arguments(event: Event) -> Any:
    """The arguments as the model wrote them, or else as the tool took them."""
    arguments = from_json(mapping(event.get("tool_call")).get("arguments"))
    if not isinstance(arguments, dict):
        taken = {key: value for key, value in mapping(event.get("action")).items() if key != "kind"}
        return taken or arguments
    return {key: value for key, value in arguments.items() if key not in _ADDED}


def _agent_calls(given: Event, tool_id: str) -> Iterator[AgentCall]:
    if prompt := string(given.get("prompt")):
        yield AgentCall(tool_id, None, string(given.get("subagent_type")), string(given.get("description")), prompt)
    for name, prompt in mapping(given.get("tasks")).items():
        if string(prompt):
            yield AgentCall(tool_id, None, None, name, prompt)


def _result(event: Event, line: int, at: datetime | None) -> Message:
    message = messages.results(line, line, at, uuid=string(event.get("id")))
    observation, name = mapping(event.get("observation")), string(event.get("tool_name"))
    # Older versions have `output` and `error`.
    texts = [text_of(observation.get("content")), *(string(observation.get(key)) for key in ("output", "error"))]
    reason = string(event.get("rejection_reason"))
    texts += [string(event.get("error")), f"Action rejected: {reason}" if reason else None]
    code = exit_code(observation.get("exit_code"), mapping(observation.get("metadata")).get("exit_code"))
    is_error = observation.get("is_error") is True or bool(observation.get("error")) or bool(code)
    is_error = is_error or event.get("kind") != "ObservationEvent"
    if name in _SAYING and not is_error:
        return message
    detail: dict[str, Any] = detail_of(observation.get("old_content"), observation.get("new_content")) or {}
    if code is not None:
        detail["exit"] = code
    text = "\n".join(text for text in texts if text)
    messages.add_result(message, text, string(event.get("tool_call_id")), is_error=is_error, detail=detail)
    add_pictures(message, observation.get("content"))
    messages.add_note(message, text_of(event.get("extended_content")), "reminder")
    return message


def _foreign_call(event: Event, message: Message) -> Message:
    """A call of another agent that OpenHands has run over the Agent Client Protocol, with its result."""
    tool_id, title = string(event.get("tool_call_id")), string(event.get("title"))
    raw = event.get("raw_input")
    arguments = {"title": title, **raw} if isinstance(raw, dict) else {"title": title, "input": raw}
    messages.add_call(message, string(event.get("tool_kind")) or title, arguments, tool_id)
    is_error = event.get("is_error") is True or event.get("status") == "failed"
    if is_error or event.get("status") in _DONE:
        blocks = [mapping(block) for block in items(event.get("content"))]
        texts = [text_of([block["content"]]) for block in blocks if isinstance(block.get("content"), dict)]
        changes = [block for block in blocks if block.get("type") == "diff"]
        old, new = (_of_one(changes, *names) for names in (("old_text", "oldText"), ("new_text", "newText")))
        text = "\n".join(texts) or text_of(event.get("raw_output"))
        messages.add_result(message, text, tool_id, is_error=is_error, detail=detail_of(old, new))
    return message


def _of_one(changes: list[Event], *names: str) -> Any:
    """A text of the change of a file; None if several files changed."""
    return next((changes[0][name] for name in names if name in changes[0]), None) if len(changes) == 1 else None
