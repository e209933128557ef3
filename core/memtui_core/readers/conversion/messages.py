"""Build the messages of any agent: their blocks, their redacted texts and the summaries of their tool calls.

A reader creates a `Message` with `prompt`, `answer`, `results` or `note`, and adds the parts of the entry to it. All
texts are redacted here, so that no reader can forget it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from memtui_core.model import Block
from memtui_core.readers.conversion.content import json_text, placeholder
from memtui_core.readers.conversion.json_values import count, mapping, string
from memtui_core.readers.records import AgentCall, Message, MessageKind, TitleRank, TitleRecord, Usage
from memtui_core.text.redaction import redact
from memtui_core.tools.summary import summarize


def prompt(
    line: int, offset: int, text: str, at: datetime | None, *, kind: MessageKind = "human", uuid: str | None = None
) -> Message:
    """A text that starts a turn: typed by the user, sent by a parent agent, or the summary of a compaction."""
    message = Message(line, offset, kind, "user", at=at, uuid=uuid)
    if text:
        message.blocks.append(Block(0, line, "user", redact(text), at=at))
    return message


def title_records(text: Any, rank: TitleRank, line: int = 0) -> Iterator[TitleRecord]:
    """The title in a text; none if it is blank or no text."""
    if isinstance(text, str) and text.strip():
        yield TitleRecord(line, rank, redact(text.strip()))


def answer(
    line: int,
    offset: int,
    at: datetime | None,
    *,
    uuid: str | None = None,
    message_id: str | None = None,
    model: str | None = None,
    usage: Usage | None = None,
) -> Message:
    """A message of the assistant without parts. Messages with the same `message_id` count their tokens once."""
    return Message(
        line, offset, "assistant", "assistant", at=at, uuid=uuid, message_id=message_id, model=model, usage=usage
    )


def results(line: int, offset: int, at: datetime | None, *, uuid: str | None = None) -> Message:
    """A message that contains only tool results, without parts."""
    return Message(line, offset, "results", "user", at=at, uuid=uuid)


def note(
    line: int,
    offset: int,
    text: str,
    label: str,
    at: datetime | None,
    *,
    is_error: bool = False,
    uuid: str | None = None,
) -> Message:
    """A text of a program; `label` as in `Block.tool`."""
    message = Message(line, offset, "note", "system", at=at, uuid=uuid)
    add_note(message, text, label, is_error=is_error)
    return message


def add_note(message: Message, text: str, label: str, *, is_error: bool = False) -> None:
    """Add a text of a program to a message; nothing if it is blank."""
    if text.strip():
        block = Block(0, message.line, "note", redact(text), label, is_error=is_error, at=message.at)
        message.blocks.append(block)


def add_text(message: Message, text: str) -> None:
    """Add a text of the assistant; nothing if it is blank."""
    _add_said(message, "text", text)


def add_thinking(message: Message, text: str) -> None:
    """Add thinking of the assistant; nothing if it is blank."""
    _add_said(message, "thinking", text)


def add_call(
    message: Message, name: str | None, arguments: Any, tool_id: str | None, *, at: datetime | None = None
) -> None:
    """Add a tool call; `arguments` is the whole input: an object, or any other JSON value."""
    text = json_text(arguments)
    message.blocks.append(Block(0, message.line, "tool_call", text, name or None, tool_id, at=at or message.at))
    if (summary := summarize(name, arguments)) is not None:
        message.tool_summary.append(redact(summary))


def add_result(
    message: Message,
    text: str,
    tool_id: str | None,
    *,
    is_error: bool = False,
    detail: dict[str, Any] | None = None,
    at: datetime | None = None,
) -> None:
    """Add a tool result; `detail` as in `Block.detail`."""
    kept = json_text(detail) if detail else None
    at = at or message.at
    block = Block(0, message.line, "tool_result", redact(text), None, tool_id, is_error, at, kept)
    message.blocks.append(block)


def add_attachment(message: Message, media_type: str, data: Any = None) -> None:
    """Add the placeholder of an image or a document."""
    message.blocks.append(Block(0, message.line, "image", placeholder(media_type, data), at=message.at))


def add_agent_call(message: Message, tool_id: str | None, arguments: Any, session: str | None = None) -> None:
    """Note that a call started a subagent, whose arguments have the names that most agents use; nothing without an id.

    `session` is the session id of the subagent, if it is known.
    """
    if tool_id:
        names = ("subagent_type", "description", "prompt")
        texts = [string(mapping(arguments).get(name)) for name in names]
        message.agent_calls.append(AgentCall(tool_id, session, *texts))


def with_notes(message: Message, notes: Iterable[tuple[str, str]]) -> Iterator[Message]:
    """A prompt with texts that programs added, each with its label; without anything of the user it is a note.

    Nothing if it is empty.
    """
    if not message.blocks:
        message.kind, message.role = "note", "system"
    for text, label in notes:
        add_note(message, text, label)
    if message.blocks:
        yield message


def tokens_in(numbers: Any, names: Sequence[str]) -> Usage | None:
    """The tokens in the fields of an object, whose names are in the order of `Usage`; None if there are none."""
    usage = Usage(*(count(mapping(numbers).get(name)) for name in names))
    return usage if usage != Usage() else None


def _add_said(message: Message, kind: Any, text: str) -> None:
    if text.strip():
        message.blocks.append(Block(0, message.line, kind, redact(text), at=message.at))
