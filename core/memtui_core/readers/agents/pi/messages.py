"""Convert the messages of Pi: their role, their parts and their tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.pi.numbered_diffs import hunks_of
from memtui_core.readers.conversion.content import placeholder, result_text
from memtui_core.readers.conversion.json_values import epoch, items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_call,
    add_note,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
    results,
    tokens_in,
)
from memtui_core.readers.conversion.unified_diff import hunks_of as unified_hunks_of
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import AgentCall, Message, MessageKind

_STORED: Final = "blob:"
"""The prefix of a reference to an image that is stored in another file."""
_FAILURES: Final = {"error": "error", "aborted": "interrupt"}


def time_of(entry: Entry) -> datetime | None:
    """The time at which an entry was written, or else that of its message."""
    return timestamp(entry.get("timestamp")) or epoch(mapping(entry.get("message")).get("timestamp"))


def message_of(entry: Entry, line: int, offset: int, session_id: str, by_agent: bool) -> Message | None:
    """The message of an entry; None if its role is unknown. `by_agent` is whether an agent writes the prompts."""
    body, at, uuid = mapping(entry.get("message")), time_of(entry), string(entry.get("id"))
    role = string(body.get("role"))
    if role == "user":
        return prompt_of(entry, line, offset, by_agent=by_agent)
    if role == "assistant":
        return _assistant(body, line, offset, at, uuid)
    if role == "toolResult":
        return _result(body, line, offset, at, uuid, session_id)
    if role in {"bashExecution", "pythonExecution"}:
        text, failed = _execution(body)
        return note(line, offset, text, "shell", at, is_error=failed, uuid=uuid)
    if role == "developer":
        return note(line, offset, text_of(body.get("content")), "reminder", at, uuid=uuid)
    if role in {"custom", "hookMessage"}:
        return note(line, offset, text_of(body.get("content")), "meta", at, uuid=uuid)
    if role == "fileMention":
        return note(line, offset, _mentioned(body.get("files")), "meta", at, uuid=uuid)
    return None


def text_of(content: Any) -> str:
    """The text of a content, with placeholders for images."""
    if not isinstance(content, list):
        return result_text(content)
    return result_text([_image(part) if _is_image(part) else part for part in content])


def prompt_of(entry: Entry, line: int, offset: int, *, by_agent: bool) -> Message:
    """The prompt of an entry. `by_agent` is whether an agent writes the prompts."""
    body, at, uuid = mapping(entry.get("message")), time_of(entry), string(entry.get("id"))
    kind: MessageKind = "agent" if by_agent or body.get("attribution") == "agent" else "human"
    content = body.get("content")
    texts = [part for part in content if not _is_image(part)] if isinstance(content, list) else content
    message = prompt(line, offset, result_text(texts), at, kind=kind, uuid=uuid)
    for part in items(content):
        if _is_image(part):
            _add_image(message, part)
    return message


def _assistant(body: Entry, line: int, offset: int, at: datetime | None, uuid: str | None) -> Message:
    usage = tokens_in(body.get("usage"), ("input", "output", "cacheRead", "cacheWrite"))
    message = answer(line, offset, at, uuid=uuid, model=string(body.get("model")), usage=usage)
    content = body.get("content")
    for part in [content] if isinstance(content, str) else items(content):
        _add_part(message, part)
    failure = _FAILURES.get(string(body.get("stopReason")) or "")
    if failure is not None:
        reason = string(body.get("errorMessage")) or ""
        add_note(message, reason, failure, is_error=failure == "error")
    return message


def _add_part(message: Message, part: Any) -> None:
    if isinstance(part, str):
        add_text(message, part)
        return
    fields = mapping(part)
    kind = fields.get("type")
    if kind == "text":
        add_text(message, string(fields.get("text")) or "")
    elif kind == "thinking":
        add_thinking(message, string(fields.get("thinking")) or "")
    elif kind == "toolCall":
        add_call(message, string(fields.get("name")), fields.get("arguments"), string(fields.get("id")))
    elif kind == "image":
        _add_image(message, fields)
    elif fields:
        add_note(message, result_text([fields]), "meta")


def _result(body: Entry, line: int, offset: int, at: datetime | None, uuid: str | None, session_id: str) -> Message:
    message, details = results(line, offset, at, uuid=uuid), mapping(body.get("details"))
    tool_id = string(body.get("toolCallId"))
    # Newer versions write a patch besides the diff for the screen.
    hunks = unified_hunks_of(string(details.get("patch")) or "") or hunks_of(string(details.get("diff")) or "")
    add_result(
        message,
        text_of(body.get("content")),
        tool_id,
        is_error=body.get("isError") is True,
        detail={"patch": hunks} if hunks else None,
    )
    if tool_id is not None:
        message.agent_calls += calls_of_result(details, tool_id, session_id)
    return message


def _execution(body: Entry) -> tuple[str, bool]:
    """The text of a command that the user ran in the agent, and whether it failed."""
    command = string(body.get("command")) or string(body.get("code")) or ""
    code = body.get("exitCode")
    failed = isinstance(code, int) and not isinstance(code, bool) and code != 0
    status = "cancelled" if body.get("cancelled") is True else f"exit code: {code}" if failed else ""
    parts = [f"! {command}", string(body.get("output")) or "", status]
    return "\n".join(part for part in parts if part), failed


def _mentioned(files: Any) -> str:
    """The files that the user mentioned in a prompt, each with its content."""
    named = ((string(mapping(file).get("path")), string(mapping(file).get("content"))) for file in items(files))
    return "\n\n".join(f"@{path}\n{content or ''}".rstrip() for path, content in named if path)


def _is_image(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "image"


def _add_image(message: Message, part: dict[str, Any]) -> None:
    add_attachment(message, string(part.get("mimeType")) or "image", _data(part))


def _image(part: dict[str, Any]) -> str:
    return placeholder(string(part.get("mimeType")) or "image", _data(part))


def _data(part: dict[str, Any]) -> str | None:
    data = string(part.get("data"))
    return None if data is None or data.startswith(_STORED) else data


def subagent_session(parent: str, name: str) -> str:
    """The session id of a subagent: names of agents are unique only within a session."""
    return f"{name}.{parent}"


def calls_of_result(details: dict[str, Any], tool_id: str, session_id: str) -> list[AgentCall]:
    """The subagents in the details of a result: those that have finished, or those that were started."""
    calls = []
    for item in [*items(details.get("results")), *items(details.get("progress"))]:
        fields = mapping(item)
        name = string(fields.get("id"))
        if name is not None and "task" in fields:
            agent, description = string(fields.get("agent")), string(fields.get("description"))
            calls.append(AgentCall(tool_id, subagent_session(session_id, name), agent, description))
    return calls
