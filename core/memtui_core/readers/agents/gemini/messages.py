"""Convert the messages of Gemini CLI: prompts, answers with their tool calls, and notes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any, Final, cast

from memtui_core.readers.agents.gemini.user_parts import user_parts
from memtui_core.readers.conversion.content import json_text
from memtui_core.readers.conversion.genai_parts import add_data, add_said, parts_of, results_in, texts_of
from memtui_core.readers.conversion.json_values import count, items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_call,
    add_result,
    add_thinking,
    answer,
    note,
    prompt,
    results,
    with_notes,
)
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.records import AgentCall, BoundaryRecord, Message, MessageKind, Record, Usage

_SUBAGENTS: Final = frozenset(
    {"invoke_agent", "delegate_to_agent", "codebase_investigator", "generalist", "cli_help", "browser_agent"}
)
_FINISHED: Final = frozenset({"success", "error", "cancelled"})
_CANCELLED: Final = "Request cancelled"


def user_records(
    entry: dict[str, Any], line: int, key: str, answered: Collection[str | None], *, is_subagent: bool
) -> Iterator[Record]:
    """The prompt, the compaction or the note in a message of the user."""
    at = timestamp(entry.get("timestamp"))
    content = parts_of(entry.get("content", entry.get("parts")))
    said = user_parts(entry)
    if said.kind == "compaction":
        yield BoundaryRecord(line, at, None, None)
    kind = cast("MessageKind", "agent" if is_subagent and said.kind != "compaction" else said.kind)
    message = prompt(line, line, "\n\n".join(said.typed), at, kind=kind, uuid=key)
    for part in content:
        add_data(message, mapping(part))
    yield from with_notes(message, [(text, "reminder") for text in said.added])
    repeated = results(line, line, at, uuid=f"{key}/results")
    for result in results_in(content):
        if result.tool_id not in answered:
            add_result(repeated, result.text, result.tool_id, is_error=result.is_error)
    if repeated.blocks:
        yield repeated


def assistant_records(entry: dict[str, Any], line: int, key: str) -> Iterator[Record]:
    """The answer with its calls, and their results, which are in the same entry."""
    at = timestamp(entry.get("timestamp"))
    calls = [call for call in items(entry.get("toolCalls")) if isinstance(call, dict)]
    usage = _usage(entry.get("tokens"))
    message = answer(line, line, at, uuid=key, message_id=key, model=string(entry.get("model")), usage=usage)
    for thought in map(mapping, items(entry.get("thoughts"))):
        parts = (string(thought.get("subject")), string(thought.get("description")))
        add_thinking(message, "\n".join(part for part in parts if part))
    # The calls of the history are the same as those in `toolCalls`.
    add_said(message, parts_of(entry.get("content", entry.get("parts"))), calls=not calls)
    returned = results(line, line, at, uuid=f"{key}/results")
    for number, call in enumerate(calls):
        _add_call(message, returned, call, string(call.get("id")) or f"{string(entry.get('id')) or line}.{number}")
    if message.blocks or message.usage:
        yield message
    if returned.blocks:
        yield returned


def note_record(entry: dict[str, Any], line: int, key: str, kind: str) -> Iterator[Record]:
    """The note in a message of Gemini CLI itself."""
    text = "\n".join(texts_of(parts_of(entry.get("content"))))
    label = "error" if kind == "error" else "interrupt" if text.startswith(_CANCELLED) else "meta"
    message = note(line, line, text, label, timestamp(entry.get("timestamp")), is_error=kind == "error", uuid=key)
    if message.blocks:
        yield message


def _add_call(message: Message, returned: Message, call: dict[str, Any], tool_id: str) -> None:
    name, arguments = string(call.get("name")), call.get("args")
    at = timestamp(call.get("timestamp"))
    add_call(message, name, arguments, tool_id)
    if name in _SUBAGENTS or string(call.get("agentId")):
        message.agent_calls.append(_agent_call(tool_id, name, mapping(arguments), string(call.get("agentId"))))
    text, failed = _result(call)
    if text is None and string(call.get("status")) not in _FINISHED:
        return
    display = call.get("resultDisplay")
    is_error = failed or call.get("status") in ("error", "cancelled")
    detail = patch_detail(mapping(display).get("fileDiff"))
    add_result(returned, text or "", tool_id, is_error=is_error, detail=detail, at=at)
    for part in items(call.get("result")):
        _add_attached(returned, mapping(part), at)


def _result(call: dict[str, Any]) -> tuple[str | None, bool]:
    """The text of a call's result, and whether it is an error; without a result, what was shown of it."""
    parts = parts_of(call.get("result"))
    answers = list(results_in(parts))
    texts = [one.text for one in answers if one.text] + texts_of(parts)
    if texts or answers:
        return "\n".join(texts), any(one.is_error for one in answers)
    if parts:
        return json_text(call["result"]), False
    display = call.get("resultDisplay")
    return (display if isinstance(display, str) and display else None), False


def _add_attached(message: Message, part: dict[str, Any], at: datetime | None) -> None:
    """Add the attachments of a result: beside the answer, or in it."""
    for attached in (part, *map(mapping, items(mapping(part.get("functionResponse")).get("parts")))):
        data = mapping(attached.get("inlineData"))
        if data:
            add_attachment(message, string(data.get("mimeType")) or "", data.get("data"))


def _agent_call(tool_id: str, name: str | None, arguments: dict[str, Any], agent_id: str | None) -> AgentCall:
    texts = (arguments.get(key) for key in ("prompt", "objective", "query", "request", "task", "question"))
    task = next((text for text in texts if isinstance(text, str) and text), None)
    agent_type = string(arguments.get("agent_name")) or (name if name != "invoke_agent" else None)
    return AgentCall(tool_id, agent_id, agent_type, string(arguments.get("description")), task)


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    cached = min(count(value.get("cached")), count(value.get("input")))
    return Usage(
        count(value.get("input")) - cached + count(value.get("tool")),
        count(value.get("output")) + count(value.get("thoughts")),
        cached,
    )
