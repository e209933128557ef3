"""Convert the messages of Cline: parts as the API of Anthropic defines them, or calls and results in texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.cline import user_text, xml_calls
from memtui_core.readers.conversion import anthropic_parts
from memtui_core.readers.conversion.content import json_text, result_text, unknown_entry
from memtui_core.readers.conversion.json_values import count, items, mapping, string
from memtui_core.readers.conversion.messages import (
    add_call,
    add_note,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
)
from memtui_core.readers.records import AgentCall, BoundaryRecord, Message, Record, UnknownEntry, Usage
from memtui_core.text.paths import is_absolute

_ANSWERS: Final = {
    "ask_followup_question": "question",
    "attempt_completion": "result",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
}
"""Calls whose argument is what the assistant says to the user."""
_SUBAGENT_TOOLS: Final = frozenset({"new_task", "spawn_agent"})
_FAILURES: Final = ("The tool execution failed", "Error executing", "The user denied this operation", "[ERROR]")
_WITHOUT_TEXT: Final = frozenset({"redacted_thinking", "thoughtSignature"})


@dataclass(slots=True)
class MessageContext:
    """What a message does not say itself."""

    at: datetime | None
    key: str
    usage: Usage | None = None
    model: str | None = None
    is_subagent: bool = False
    folder: str = ""
    """The working directory, if it is no longer that of the task."""
    open_calls: list[tuple[str, str]] = field(default_factory=list)
    """The calls of the message before: id and name."""


def records_of(message: dict[str, Any], line: int, context: MessageContext) -> Iterator[Record]:
    """The records of a message of the conversation."""
    role = string(message.get("role"))
    if message.get("isSummary") is True or mapping(message.get("metadata")).get("kind") == "compaction_summary":
        yield from _summary(message, line, context)
    elif message.get("isTruncationMarker") is True:
        text = "\n".join(string(part.get("text")) or "" for part in parts_of(message))
        yield note(line, line, text, "meta", context.at, uuid=context.key)
    elif role == "user":
        yield from _user_records(message, line, context)
    elif role == "assistant":
        yield from _assistant_records(message, line, context)
    else:
        yield unknown_entry(message, line, message.get("role"))


def parts_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of a message."""
    content = message.get("content")
    if message.get("type") == "reasoning":
        return [
            {"type": "reasoning", "text": string(mapping(one).get("text"))} for one in items(message.get("summary"))
        ]
    return anthropic_parts.parts_of(content)


def calls_of(message: dict[str, Any], line: int) -> list[tuple[str, str]]:
    """The ids and names of the calls of the assistant, in order."""
    calls: list[tuple[str, str]] = []
    for part in parts_of(message) if message.get("role") == "assistant" else ():
        if part.get("type") == "tool_use":
            calls.append((_call_id(part, line, len(calls)), string(part.get("name")) or ""))
        for piece in xml_calls.pieces(_text_of(part)):
            if piece.kind == "call":
                calls.append((_call_id({}, line, len(calls)), piece.name))
    return calls


def _call_id(part: dict[str, Any], line: int, number: int) -> str:
    """The id of a call; calls in a text have none, and get their place."""
    return string(part.get("id")) or f"{line}.{number}"


def _summary(message: dict[str, Any], line: int, context: MessageContext) -> Iterator[Record]:
    shown = [string(part.get("text")) or "" for part in parts_of(message)]
    text = string(mapping(message.get("metadata")).get("summary")) or "\n\n".join(shown)
    yield BoundaryRecord(line, context.at, None, None)
    if text.strip():
        yield prompt(line, line, text, context.at, kind="compaction", uuid=context.key)


def _assistant_records(entry: dict[str, Any], line: int, context: MessageContext) -> Iterator[Record]:
    message = answer(
        line, line, context.at, uuid=context.key, message_id=context.key, model=context.model, usage=context.usage
    )
    unknown: list[UnknownEntry] = []
    calls = 0
    for part in parts_of(entry):
        kind = string(part.get("type"))
        if kind == "text":
            for piece in xml_calls.pieces(_text_of(part)):
                if piece.kind == "call":
                    _add_call(message, piece.name, dict(piece.arguments), _call_id({}, line, calls), context.folder)
                    calls += 1
                else:
                    (add_thinking if piece.kind == "thinking" else add_text)(message, piece.text)
        elif kind in ("thinking", "reasoning"):
            add_thinking(message, string(part.get("thinking")) or string(part.get("text")) or "")
        elif kind == "tool_use":
            _add_call(message, string(part.get("name")), part.get("input"), _call_id(part, line, calls), context.folder)
            calls += 1
        elif kind == "tool_result":
            _add_result(message, part)
        elif kind in ("image", "document"):
            anthropic_parts.add_media(message, part)
        elif kind not in _WITHOUT_TEXT:
            unknown.append(unknown_entry(part, line))
    if message.blocks or message.usage:
        yield message
    yield from unknown


def _user_records(entry: dict[str, Any], line: int, context: MessageContext) -> Iterator[Record]:
    typed: list[str] = []
    added: list[tuple[str, str]] = []
    found = Message(line, line, "note", "user", at=context.at)
    """The results and attachments."""
    shown: _ResultInText | None = None
    summary = ""
    names, parts = dict(context.open_calls), parts_of(entry)
    answered = {string(part.get("tool_use_id")) for part in parts if part.get("type") == "tool_result"}
    waiting = [call for call in context.open_calls if call[0] not in answered]
    for part in parts:
        kind = string(part.get("type"))
        if kind == "tool_result":
            if said := _add_result(found, part, names.get(string(part.get("tool_use_id")) or "", "")):
                typed.append(said)
        elif kind in ("image", "document"):
            anthropic_parts.add_media(found, part)
        for piece in user_text.split(_text_of(part)):
            if piece.kind == "result":
                _put(found, shown)
                shown = _ResultInText(_call_of(piece.label, waiting), [piece.text])
            elif piece.kind == "more" and shown is not None:
                shown.texts.append(piece.text)
            elif piece.kind == "note":
                added.append((piece.text, piece.label))
            elif piece.kind == "compaction":
                summary = piece.text
            else:
                typed.append(piece.text)
    _put(found, shown)
    if summary:
        yield BoundaryRecord(line, context.at, None, None)
    yield from _put_together(found, typed, added, summary, context)


def _put_together(
    found: Message, typed: list[str], added: list[tuple[str, str]], summary: str, context: MessageContext
) -> Iterator[Record]:
    text = "\n\n".join([summary, *typed] if summary else typed)
    message = prompt(found.line, found.line, text, context.at, uuid=context.key)
    message.kind = "compaction" if summary else "agent" if context.is_subagent else "human"
    has_prompt = bool(message.blocks) or any(block.kind == "image" for block in found.blocks)
    message.blocks += found.blocks
    if any(block.kind == "tool_result" for block in found.blocks) and not text:
        message.kind = "results"
    elif not has_prompt:
        message.kind, message.role = "note", "system"
    for note_text, label in added:
        add_note(message, note_text, label, is_error=label == "error")
    if message.blocks:
        yield message


@dataclass(slots=True)
class _ResultInText:
    tool_id: str | None
    texts: list[str]


def _put(message: Message, result: _ResultInText | None) -> None:
    if result is not None:
        text = "\n".join(text for text in result.texts if text)
        add_result(message, text, result.tool_id, is_error=text.startswith(_FAILURES))


def _call_of(name: str, waiting: list[tuple[str, str]]) -> str | None:
    """The call that a result belongs to, which is no longer waiting: the first of that name, or else the next one."""
    if not waiting:
        return None
    # The names of some tools differ in their results: `use_subagents` and `subagents`, tools of MCP servers.
    place = next((place for place, call in enumerate(waiting) if call[1] == name), 0)
    return waiting.pop(place)[0]


def _add_call(message: Message, name: str | None, arguments: Any, tool_id: str | None, folder: str) -> None:
    given = mapping(arguments)
    if folder and (path := string(given.get("path"))) is not None and not is_absolute(path):
        # A relative path belongs to the folder of the task everywhere else.
        arguments = given = {**given, "path": f"{folder.rstrip('/')}/{path}"}
    said = _ANSWERS.get(name or "")
    if said and string(given.get(said)):
        add_text(message, given[said])
        arguments = {key: value for key, value in given.items() if key != said}
    add_call(message, name, arguments, tool_id)
    if name in _SUBAGENT_TOOLS and tool_id:
        task = string(given.get("message")) or string(given.get("context")) or string(given.get("prompt"))
        agent_type = string(given.get("mode")) or string(given.get("agent"))
        message.agent_calls.append(
            AgentCall(tool_id, None, agent_type, string(given.get("description")), task or string(given.get("task")))
        )


def _add_result(message: Message, part: dict[str, Any], tool: str = "") -> str:
    """Add a tool result; what the user typed in it."""
    content = part.get("content")
    text = _query_results(content) or result_text(content)
    failed = part.get("is_error") is True or text.startswith(_FAILURES) or _has_failed(content)
    add_result(message, text, string(part.get("tool_use_id")), is_error=failed)
    return user_text.typed_in_result(tool, text)


def _queries(content: Any) -> list[dict[str, Any]]:
    """The results of a call with several commands or files: {query, result, error, success}."""
    values = [mapping(one) for one in items(content)]
    return values if values and all("query" in one or "success" in one for one in values) else []


def _query_results(content: Any) -> str:
    texts: list[str] = []
    for one in _queries(content):
        result, error = one.get("result"), string(one.get("error"))
        text = result if isinstance(result, str) else json_text(result) if result else ""
        texts += [text] if text else []
        texts += [error] if error and error not in text else []
    return "\n".join(texts)


def _has_failed(content: Any) -> bool:
    return any(one.get("success") is False for one in _queries(content))


def _text_of(part: dict[str, Any]) -> str:
    return (string(part.get("text")) or "") if part.get("type") == "text" else ""


def usage_of(message: dict[str, Any]) -> Usage | None:
    """The tokens of a message of the assistant; None if it does not have them."""
    metrics = mapping(message.get("metrics"))
    tokens = mapping(metrics.get("tokens"))
    if not metrics:
        return None
    return Usage(
        count(metrics.get("inputTokens")) or count(tokens.get("prompt")),
        count(metrics.get("outputTokens")) or count(tokens.get("completion")),
        count(metrics.get("cacheReadTokens")) or count(tokens.get("cached")),
        count(metrics.get("cacheWriteTokens")),
    )


def model_of(message: dict[str, Any]) -> str | None:
    """The model of a message of the assistant; None if it does not have it."""
    info = mapping(message.get("modelInfo"))
    return string(info.get("id")) or string(info.get("modelId")) or string(message.get("model"))
