"""Convert the messages of Mistral Vibe, which are those of a chat API with some fields of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.conversion.content import result_text, unknown_entry
from memtui_core.readers.conversion.json_values import from_json, items, mapping, string
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_call,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
    results,
)
from memtui_core.readers.records import AgentCall, BoundaryRecord, Message, Record, Usage

_FAILURE: Final = re.compile(r"\s*<(tool_error|user_cancellation|vibe_stop_event)>(.*?)(?:</\1>|\Z)", re.DOTALL)
"""A result of a call that failed, was cancelled or was refused."""
_SUMMARY: Final = re.compile(r"<compaction_summary>\s*(.*?)\s*</compaction_summary>", re.DOTALL)
_BY_PROGRAM: Final = ("<vibe_warning>", "<vibe_stop_event>")
_SCRATCHPAD: Final = re.compile(r"Scratchpad directory: [^\n]*\n[^\n]*\n\n")
"""What precedes the task of a subagent."""
_SUBAGENT_TOOL: Final = "task"


@dataclass(frozen=True, slots=True)
class MessageContext:
    """What the message itself does not say."""

    at: datetime | None
    model: str | None
    usage: Usage | None
    by_agent: bool
    """Whether an agent writes the prompts."""
    continues: bool
    """Whether it is the first message of a session that continues another one."""


def records_of(entry: dict[str, Any], line: int, context: MessageContext) -> Iterator[Record]:
    """The records of a message."""
    role = string(entry.get("role"))
    if role == "user":
        yield from _user(entry, line, context)
    elif role == "assistant":
        yield _assistant(entry, line, context)
    elif role == "tool":
        yield _result(entry, line, context)
    elif role == "system":
        # Files of the first versions contain it.
        if text := result_text(entry.get("content")):
            yield note(line, line, text, "reminder", context.at, uuid=string(entry.get("message_id")))
    else:
        yield unknown_entry(entry, line, role and f"message {role}")


def _user(entry: dict[str, Any], line: int, context: MessageContext) -> Iterator[Record]:
    text, at, uuid = result_text(entry.get("content")), context.at, string(entry.get("message_id"))
    injected = entry.get("injected") is True
    summary = _SUMMARY.search(text) if injected else None
    shell = mapping(entry.get("manual_shell"))
    if summary or entry.get("context_boundary") == "compaction" or (injected and context.continues):
        yield BoundaryRecord(line, at, None, None)
        # The prompts that the entry repeats are not read again.
        yield prompt(line, line, summary[1] if summary else text, at, kind="compaction", uuid=uuid)
    elif shell:
        command, failed = _shell(shell)
        yield note(line, line, command, "shell", at, is_error=failed, uuid=uuid)
    elif injected or text.startswith(_BY_PROGRAM):
        yield note(line, line, text, "reminder", at, uuid=uuid)
    else:
        if context.by_agent:
            text = _SCRATCHPAD.sub("", text, count=1)
        message = prompt(line, line, text, at, kind="agent" if context.by_agent else "human", uuid=uuid)
        for image in map(mapping, items(entry.get("images"))):
            add_attachment(message, string(image.get("mime_type")) or "image")
        yield message


def _assistant(entry: dict[str, Any], line: int, context: MessageContext) -> Message:
    uuid = string(entry.get("message_id"))
    message = answer(line, line, context.at, uuid=uuid, model=context.model, usage=context.usage)
    add_thinking(message, result_text(entry.get("reasoning_content")))
    add_text(message, result_text(entry.get("content")))
    for call in map(mapping, items(entry.get("tool_calls"))):
        function, tool_id = mapping(call.get("function")), string(call.get("id"))
        name, arguments = string(function.get("name")), from_json(function.get("arguments"))
        add_call(message, name, arguments, tool_id)
        if name == _SUBAGENT_TOOL and tool_id is not None:
            fields = mapping(arguments)
            agent = string(fields.get("agent"))
            message.agent_calls.append(AgentCall(tool_id, agent_type=agent, prompt=string(fields.get("task"))))
    return message


def _result(entry: dict[str, Any], line: int, context: MessageContext) -> Message:
    message, text = results(line, line, context.at), result_text(entry.get("content"))
    failure = _FAILURE.match(text)
    cancelled = mapping(entry.get("tool_result")).get("cancelled") is True
    text = failure[2] + text[failure.end() :] if failure else text
    add_result(message, text, string(entry.get("tool_call_id")), is_error=cancelled or failure is not None)
    return message


def _shell(fields: dict[str, Any]) -> tuple[str, bool]:
    """The text of a command that the user ran, and whether it failed."""
    code = fields.get("exit_code")
    failed = isinstance(code, int) and not isinstance(code, bool) and code != 0
    output = string(fields.get("output_text")) or "\n".join(
        text for name in ("stdout", "stderr") if (text := string(fields.get(name)))
    )
    parts = [f"! {string(fields.get('command')) or ''}", output, f"exit code: {code}" if failed else ""]
    return "\n".join(part for part in parts if part), failed
