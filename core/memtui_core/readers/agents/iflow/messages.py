"""Convert the entries of iFlow CLI: prompts, answers and tool results."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from memtui_core.readers.conversion.anthropic_parts import MEDIA, TOKENS, add_media, add_said, parts_of, texts_of
from memtui_core.readers.conversion.content import attachment, result_text
from memtui_core.readers.conversion.genai_parts import parts_of as responses_of
from memtui_core.readers.conversion.genai_parts import results_in
from memtui_core.readers.conversion.json_values import mapping, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_agent_call,
    add_note,
    add_result,
    answer,
    note,
    prompt,
    results,
    tokens_in,
)
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.conversion.user_text import UserText, classify
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message

_SUBAGENT_TOOL: Final = "task"
_FAILED: Final = frozenset({"cancelled", "error"})
"""Statuses of calls that did not succeed, as in Gemini CLI."""


def user_message(entry: Entry, line: int, offset: int) -> Message | None:
    """A prompt, results, or a text of a program; None if it is empty."""
    at, uuid = timestamp(entry.get("timestamp")), string(entry.get("uuid"))
    parts = parts_of(mapping(entry.get("message")).get("content"))
    texts = texts_of(parts)
    answers = [part for part in parts if part.get("type") == "tool_result"]
    media = [part for part in parts if string(part.get("type")) in MEDIA]
    is_meta = entry.get("isMeta") is True
    said = [UserText("note", text, "meta") if is_meta else classify(text) for text in texts]
    typed = [one for one in said if one.kind != "note" and one.text.strip()]
    if typed or (media and not answers):
        kind = typed[0].kind if typed else ""
        text = "\n\n".join(one.text for one in typed)
        message = prompt(line, offset, text, at, uuid=uuid)
        message.kind = "command" if kind == "command" else "compaction" if kind == "compaction" else "human"
    elif answers:
        message = results(line, offset, at, uuid=uuid)
    else:
        message = note(line, offset, "", "meta", at, uuid=uuid)
    for part in answers:
        _add_result(message, part, mapping(entry.get("toolUseResult")))
    for one in said:
        for aside in one.asides if one.kind != "note" else (one.text,):
            add_note(message, aside, one.label or "reminder")
    for part in media:
        add_media(message, part)
    _add_others(message, parts, {"text", "tool_result", *MEDIA})
    return message if message.blocks else None


def assistant_message(entry: Entry, line: int, offset: int, repeated: Container[str]) -> Message | None:
    """An answer without the tool calls that an entry before it had, too; None if it is empty."""
    body = mapping(entry.get("message"))
    message = answer(
        line,
        offset,
        timestamp(entry.get("timestamp")),
        uuid=string(entry.get("uuid")),
        message_id=string(body.get("id")),
        model=string(body.get("model")),
        usage=tokens_in(body.get("usage"), TOKENS),
    )
    parts = parts_of(body.get("content"))
    for part in parts:
        kind = string(part.get("type"))
        if kind != "tool_use" or string(part.get("id")) not in repeated:
            add_said(message, part)
            if kind == "tool_use" and part.get("name") == _SUBAGENT_TOOL:
                add_agent_call(message, string(part.get("id")), part.get("input"))
        if kind in MEDIA:
            add_note(message, attachment(part), "meta")
    _add_others(message, parts, {"text", "thinking", "tool_use", *MEDIA})
    return message if message.blocks or message.usage else None


def _add_result(message: Message, part: Entry, outcome: Entry) -> None:
    """A result: an answer to the call as Gemini CLI writes it, with or without what was shown of it; or any content."""
    content = part.get("content")
    wrapper = mapping(content)
    shown = wrapper.get("resultDisplay")
    answered = list(results_in(responses_of(wrapper.get("responseParts", content))))
    text = "\n".join(one.text for one in answered)
    if not answered:
        text = string(shown) or result_text(content)
    failed = part.get("is_error") is True or any(one.is_error for one in answered)
    failed = failed or string(outcome.get("status")) in _FAILED
    tool_id = string(part.get("tool_use_id")) or string(wrapper.get("callId"))
    detail = patch_detail(mapping(shown).get("fileDiff"))
    add_result(message, text, tool_id, is_error=failed, detail=detail)


def _add_others(message: Message, parts: list[Entry], known: Container[str]) -> None:
    for part in parts:
        if part and (string(part.get("type")) or "") not in known:
            add_note(message, result_text([part]), "meta")
