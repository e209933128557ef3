"""Convert the messages of Zed: objects with the kind as their only key, and older ones with a role and segments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.anthropic_parts import TOKENS
from memtui_core.readers.conversion.content import json_text, result_text, unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string, timestamp
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.records import AgentCall, Message, Record

_NOTHING_TO_READ: Final = frozenset({"Resume"})
_SUBAGENTS: Final = frozenset({"spawn_agent", "subagent"})
Object = dict[str, Any]


def records(entry: Object, line: int, model: str | None, *, is_subagent: bool) -> Iterator[Record]:
    """The records of {"message", "at", "usage"}."""
    value, at = entry["message"], timestamp(entry.get("at"))
    if isinstance(value, str) and value in _NOTHING_TO_READ:
        return
    message = mapping(value)
    if "segments" in message:
        message = _converted(message)
    if "User" in message:
        yield from _user(mapping(message["User"]), line, at, is_subagent=is_subagent)
    elif "Agent" in message:
        answer = messages.answer(line, line, at, model=model, usage=messages.tokens_in(entry.get("usage"), TOKENS))
        yield from _agent(mapping(message["Agent"]), answer)
        if answer.blocks or answer.usage is not None:
            yield answer
    elif "Compaction" in message:
        summary = message["Compaction"]
        text = string(mapping(summary).get("Summary")) or string(summary) or ""
        if text.strip():
            yield messages.prompt(line, line, text, at, kind="compaction")
    else:
        named = next(iter(message), None) or string(value)
        yield unknown_entry(message or {"message": value}, line, named)


def _user(user: Object, line: int, at: datetime | None, *, is_subagent: bool) -> Iterator[Record]:
    parts = [mapping(part) for part in items(user.get("content"))]
    texts = [text for part in parts if (text := string(part.get("Text")) or _mention(part)) and text.strip()]
    text = "\n\n".join(texts)
    message = messages.prompt(line, line, text, at, kind="agent" if is_subagent else "human")
    for part in parts:
        if "Image" in part:
            messages.add_attachment(message, "image", mapping(part["Image"]).get("source"))
        elif "Mention" in part:
            messages.add_note(message, string(mapping(part["Mention"]).get("content")) or "", "reminder")
        elif "Text" not in part:
            yield unknown_entry(part, line, next(iter(part), None))
    if message.blocks:
        yield message


def _mention(part: Object) -> str:
    """What the user sees of a file or thread that he mentioned."""
    uri = mapping(part.get("Mention")).get("uri")
    named = next((value for value in mapping(uri).values() if isinstance(value, dict)), {})
    path = string(named.get("abs_path")) or string(named.get("path")) or string(named.get("name")) or string(uri)
    return f"@{path}" if path else ""


def _agent(agent: Object, message: Message) -> Iterator[Record]:
    results = mapping(agent.get("tool_results"))
    for part in (mapping(part) for part in items(agent.get("content"))):
        if "Text" in part:
            messages.add_text(message, string(part["Text"]) or "")
        elif "Thinking" in part:
            messages.add_thinking(message, string(mapping(part["Thinking"]).get("text")) or "")
        elif "ToolUse" in part:
            call = mapping(part["ToolUse"])
            tool_id = string(call.get("id"))
            messages.add_call(message, string(call.get("name")), call.get("input"), tool_id)
            if tool_id in results:
                _add_result(message, call, mapping(results[tool_id]))
        elif "RedactedThinking" not in part:
            yield unknown_entry(part, message.line, next(iter(part), None))


def _add_result(message: Message, call: Object, result: Object) -> None:
    tool_id, output = string(call.get("id")), mapping(result.get("output"))
    detail = patch_detail(output.get("diff"))
    failed = result.get("is_error") is True
    messages.add_result(message, _shown(result), tool_id, is_error=failed, detail=detail)
    session = string(output.get("session_id")) or string(mapping(output.get("session_info")).get("session_id"))
    if tool_id and session and string(call.get("name")) in _SUBAGENTS:
        arguments = mapping(call.get("input"))
        about, prompt = (string(arguments.get(name)) for name in ("label", "message"))
        message.agent_calls.append(AgentCall(tool_id, session, None, about, prompt))


def _shown(result: Object) -> str:
    """The text of a result; older threads have one part instead of a list."""
    content = result.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = []
    for part in parts:
        value = mapping(part)
        if "Image" in value:
            texts.append("[image]")
        elif isinstance(part, dict):
            texts.append(string(value.get("Text")) or string(value.get("text")) or json_text(part))
        else:
            texts.append(result_text(part))
    return "\n".join(text for text in texts if text)


def _converted(message: Object) -> Object:
    """A message of an older version in the form of the current one."""
    content: list[Any] = []
    for segment in (mapping(segment) for segment in items(message.get("segments"))):
        kind, text = segment.get("type"), string(segment.get("text")) or ""
        if kind != "redacted_thinking":
            content.append({"Thinking": {"text": text}} if kind == "thinking" else {"Text": text})
    if message.get("role") != "assistant":
        return {"User": {"content": content}}
    content += [{"ToolUse": call} for call in items(message.get("tool_uses"))]
    results = [mapping(result) for result in items(message.get("tool_results"))]
    by_id = {tool_id: result for result in results if (tool_id := string(result.get("tool_use_id")))}
    return {"Agent": {"content": content, "tool_results": by_id}}
