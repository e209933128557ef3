"""The parts of messages as the API of Gemini defines them; several agents store them as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memtui_core.readers.conversion.content import json_text
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.conversion.messages import add_attachment, add_call, add_text, add_thinking
from memtui_core.readers.records import Message


@dataclass(frozen=True, slots=True)
class CallResult:
    """The answer to a tool call in a part."""

    tool_id: str | None
    text: str
    is_error: bool


def parts_of(content: Any) -> list[Any]:
    """The parts of a content, which can be a text, a part or a list of both."""
    if isinstance(content, str):
        return [{"text": content}]
    if isinstance(content, dict):
        return [content]
    return [{"text": part} if isinstance(part, str) else part for part in items(content)]


def texts_of(parts: list[Any]) -> list[str]:
    """The texts of parts without thinking."""
    return [
        text
        for part in parts
        if (text := string(mapping(part).get("text"))) and mapping(part).get("thought") is not True
    ]


def add_said(message: Message, parts: list[Any], *, calls: bool = True) -> None:
    """Add the thinking, texts, tool calls and attachments of the assistant."""
    for part in map(mapping, parts):
        if text := string(part.get("text")):
            (add_thinking if part.get("thought") is True else add_text)(message, text)
        elif isinstance(call := part.get("functionCall"), dict) and calls:
            add_call(message, string(call.get("name")), call.get("args"), string(call.get("id")))
        else:
            add_data(message, part)


def add_data(message: Message, part: dict[str, Any]) -> None:
    """Add the placeholder of a part with an image or a file; nothing for other parts."""
    data, file = mapping(part.get("inlineData")), mapping(part.get("fileData"))
    if data or file:
        add_attachment(message, string(data.get("mimeType")) or string(file.get("mimeType")) or "", data.get("data"))


def results_in(parts: list[Any]) -> Iterator[CallResult]:
    """The answers to tool calls in parts."""
    for part in parts:
        if isinstance(answer := mapping(part).get("functionResponse"), dict):
            text, is_error = _response(answer.get("response"))
            yield CallResult(string(answer.get("id")), text, is_error)


def _response(response: Any) -> tuple[str, bool]:
    if isinstance(response, str):
        return response, False
    if not isinstance(response, dict):
        return "", False
    if error := response.get("error"):
        return error if isinstance(error, str) else json_text(error), True
    output = response.get("output", response.get("result"))
    if isinstance(output, str):
        return output, False
    return (json_text(response), False) if response else ("", False)
