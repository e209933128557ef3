"""Convert the messages of Qwen Code: prompts, answers and tool results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memtui_core.readers.conversion import anthropic_parts
from memtui_core.readers.conversion.content import result_text
from memtui_core.readers.conversion.genai_parts import add_data, add_said, parts_of, results_in, texts_of
from memtui_core.readers.conversion.json_values import count, items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_agent_call,
    add_result,
    answer,
    note,
    prompt,
    results,
    with_notes,
)
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import AgentCall, Message, MessageKind, Record, Usage

_BY_PROGRAMS: Final = {
    "notification": "notification",
    "background_task_completed": "notification",
    "cron": "notification",
    "goal_runtime": "meta",
    "goal_state": "meta",
}
"""Entries of the user that programs wrote, with the label of their note."""
_CONTEXT: Final = "<qwen:"
"""The start of the tags around what hooks add to a prompt."""
_SUBAGENT_TOOLS: Final = frozenset({"task", "agent"})


def user_records(entry: Entry, line: int, offset: int, *, is_subagent: bool) -> Iterator[Record]:
    """The prompt, or the note of a program, in an entry of the user."""
    at, uuid, parts = timestamp(entry.get("timestamp")), string(entry.get("uuid")), _parts(entry)
    texts, added = _typed(entry, parts)
    label = _BY_PROGRAMS.get(string(entry.get("subtype")) or "")
    if label is None and entry.get("provenance") in ("goal_control", "goal_runtime", "system"):
        label = "meta"
    if label is not None:
        message = note(line, offset, "\n\n".join(texts), label, at, uuid=uuid)
    else:
        text = "\n\n".join(texts)
        kind: MessageKind = "agent" if is_subagent else "command" if _is_command(text) else "human"
        message = prompt(line, offset, text, at, kind=kind, uuid=uuid)
        for part in map(mapping, parts):
            _add_attached(message, part)
    yield from with_notes(message, [(text, "reminder") for text in added])


def assistant_records(entry: Entry, line: int, offset: int) -> Iterator[Record]:
    """The answer in an entry of the assistant."""
    uuid, parts = string(entry.get("uuid")), _parts(entry)
    usage = _usage(entry.get("usageMetadata"))
    model = string(entry.get("model"))
    message = answer(
        line, offset, timestamp(entry.get("timestamp")), uuid=uuid, message_id=uuid, model=model, usage=usage
    )
    for part in map(mapping, parts):
        if not anthropic_parts.add_said(message, part):
            add_said(message, [part])
        call = mapping(part.get("functionCall")) or part
        if string(call.get("name")) in _SUBAGENT_TOOLS:
            add_agent_call(message, string(call.get("id")), call.get("args", call.get("input")))
    if message.blocks or message.usage:
        yield message


def result_records(entry: Entry, line: int, offset: int) -> Iterator[Record]:
    """The tool results in an entry."""
    parts, known = _parts(entry), mapping(entry.get("toolCallResult"))
    message = results(line, offset, timestamp(entry.get("timestamp")), uuid=string(entry.get("uuid")))
    failed = known.get("status") in ("error", "cancelled")
    display = mapping(known.get("resultDisplay"))
    detail = patch_detail(display.get("fileDiff"))
    for result in results_in(parts):
        tool_id = result.tool_id or string(known.get("callId"))
        text = result.text or _shown(known)
        add_result(message, text, tool_id, is_error=failed or result.is_error, detail=detail)
        if tool_id and (agent_type := string(display.get("subagentName"))):
            message.agent_calls.append(AgentCall(tool_id, string(display.get("agentId")), agent_type))
    for part in map(mapping, parts):
        if part.get("type") == "tool_result":
            is_error = failed or part.get("is_error") is True
            text = result_text(part.get("content"))
            add_result(message, text, string(part.get("tool_use_id")), is_error=is_error, detail=detail)
        _add_attached(message, part)
        for attached in items(mapping(part.get("functionResponse")).get("parts")):
            add_data(message, mapping(attached))
    if not message.blocks and (tool_id := string(known.get("callId"))):
        add_result(message, _shown(known), tool_id, is_error=failed, detail=detail)
    if message.blocks:
        yield message


def _parts(entry: Entry) -> list[Any]:
    body = mapping(entry.get("message"))
    return parts_of(body.get("parts") or body.get("content"))


def _typed(entry: Entry, parts: list[Any]) -> tuple[list[str], list[str]]:
    """What the user typed, and what was added to it; the entry repeats what was shown of a prompt."""
    texts = texts_of(parts)
    added = [text for text in texts if text.lstrip().startswith(_CONTEXT)]
    typed = [text for text in texts if text not in added]
    shown = string(mapping(entry.get("systemPayload")).get("displayText"))
    if shown is None or not typed:
        return (typed or ([shown] if shown else [])), added
    return [shown], [text for text in typed if text.strip() != shown.strip()] + added


def _is_command(text: str) -> bool:
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    return word.startswith("/") and "/" not in word[1:] and len(word) > 1


def _add_attached(message: Message, part: dict[str, Any]) -> None:
    if part.get("type") in ("image", "document"):
        anthropic_parts.add_media(message, part)
    else:
        add_data(message, part)


def _shown(known: dict[str, Any]) -> str:
    """What was shown of a result, or the message of its error."""
    error = known.get("error")
    texts = (known.get("resultDisplay"), error, mapping(error).get("message"), known.get("output"))
    return next((text for text in texts if isinstance(text, str) and text), "")


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict) or not value:
        return None
    given = count(value.get("promptTokenCount")) or count(value.get("inputTokens"))
    cached = min(count(value.get("cachedContentTokenCount")), given)
    written = count(value.get("candidatesTokenCount")) or count(value.get("outputTokens"))
    thought = count(value.get("thoughtsTokenCount"))
    # Some services count thinking with the answer: then the sum without it is the total.
    if count(value.get("totalTokenCount")) != given + written:
        written += thought
    return Usage(given - cached, written, cached)
