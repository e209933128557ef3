"""Convert the items of a history of Continue: a message, its context, and the states of its tool calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.continue_dev.tool_calls import add_calls, call_states, has_output
from memtui_core.readers.agents.continue_dev.usage import usage_of, with_rest
from memtui_core.readers.conversion.content import image_in, unknown_entry
from memtui_core.readers.conversion.json_values import epoch, items, mapping, string
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
    results,
    with_notes,
)
from memtui_core.readers.records import BoundaryRecord, Message, Record

_GO_ON: Final = "continue"
"""What `cn` says to the model in place of the user after a compaction in the middle of a turn."""


@dataclass(frozen=True, slots=True)
class ItemContext:
    """What an item does not say itself."""

    key: str
    at: datetime | None
    model: str | None
    rest: dict[str, int] | None
    """Tokens of the session that belong to no item."""
    after_summary: bool
    answered: Collection[str]
    """The calls with an output in their state."""


def role_of(item: dict[str, Any]) -> str | None:
    """Who said the message of an item."""
    return string(mapping(item.get("message")).get("role"))


def model_of(item: dict[str, Any]) -> str | None:
    """The model that `cn` writes with the tokens, or the title of the one in the last log of the extensions."""
    usage = mapping(mapping(item.get("message")).get("usage"))
    logs = [mapping(log) for log in items(item.get("promptLogs"))]
    titles = (title for log in logs[::-1] if (title := string(log.get("modelTitle"))))
    return string(usage.get("model")) or next(titles, None)


def answered_calls(history: list[Any]) -> set[str]:
    """The ids of the calls with an output in their state, which some versions repeat in a message of its own."""
    states = (state for item in map(mapping, history) for state in call_states(item))
    return {tool_id for state in states if has_output(state) and (tool_id := string(state.get("toolCallId")))}


def is_summary(item: dict[str, Any]) -> bool:
    """Whether an item is nothing but the summary that replaced the history before it."""
    summary = string(item.get("conversationSummary"))
    return summary is not None and _text_of(item) == summary


def summary_after(item: dict[str, Any]) -> str | None:
    """The summary of the history up to and with an item: the extensions keep what was summarized."""
    return None if is_summary(item) else string(item.get("conversationSummary"))


def records_of(item: dict[str, Any], line: int, context: ItemContext) -> Iterator[Record]:
    """The records of an item of the history, but for the summary after it."""
    role = role_of(item)
    if is_summary(item):
        yield from summary_records(_text_of(item), line, context)
    elif role == "user":
        yield from _user(item, line, context)
    elif role in {"assistant", "thinking"}:
        yield from _assistant(item, line, context)
    elif role == "tool":
        yield from _repeated_result(item, line, context)
    elif role == "system":
        if (text := _text_of(item)).strip():
            yield note(line, line, text, "meta", context.at, uuid=context.key)
    else:
        yield unknown_entry(item, line, role)


def summary_records(text: str, line: int, context: ItemContext) -> Iterator[Record]:
    """The records of a compaction; the tokens of the answers that it removed are given to it if none is left."""
    yield BoundaryRecord(line, context.at, None, None)
    if text.strip():
        yield prompt(line, line, text, context.at, kind="compaction", uuid=f"{context.key}/summary")
    if (spent := with_rest(None, context.rest)) is not None:
        yield answer(line, line, context.at, uuid=context.key, message_id=context.key, usage=spent)


def _user(item: dict[str, Any], line: int, context: ItemContext) -> Iterator[Record]:
    text = _text_of(item)
    if context.after_summary and text == _GO_ON:
        yield note(line, line, text, "meta", context.at, uuid=context.key)
        return
    message = prompt(line, line, text if text.strip() else "", context.at, uuid=context.key)
    for part in _parts(item):
        _add_image(message, part)
    context_items = map(mapping, items(item.get("contextItems")))
    yield from with_notes(message, [(string(one.get("content")) or "", "reminder") for one in context_items])


def _assistant(item: dict[str, Any], line: int, context: ItemContext) -> Iterator[Record]:
    said = mapping(item.get("message"))
    reasoning = mapping(item.get("reasoning"))
    message = answer(
        line,
        line,
        context.at or epoch(reasoning.get("startAt")),
        uuid=context.key,
        message_id=context.key,
        model=context.model,
        usage=with_rest(usage_of(said.get("usage")), context.rest),
    )
    add_thinking(message, string(reasoning.get("text")) or "")
    if said.get("role") == "assistant":
        add_text(message, _text_of(item))
    elif not said.get("redactedThinking"):
        add_thinking(message, _text_of(item))
    for part in _parts(item):
        _add_image(message, part)
    returned = results(line, line, message.at, uuid=f"{context.key}/results")
    add_calls(message, returned, item)
    if message.blocks or message.usage is not None:
        yield message
    if returned.blocks:
        yield returned


def _repeated_result(item: dict[str, Any], line: int, context: ItemContext) -> Iterator[Record]:
    tool_id = string(mapping(item.get("message")).get("toolCallId"))
    if tool_id not in context.answered:
        message = results(line, line, context.at, uuid=context.key)
        add_result(message, _text_of(item), tool_id)
        yield message


def _parts(item: dict[str, Any]) -> list[dict[str, Any]]:
    return [mapping(part) for part in items(mapping(item.get("message")).get("content"))]


def _text_of(item: dict[str, Any]) -> str:
    """The text of a message, which is a string or a list of parts."""
    content = mapping(item.get("message")).get("content")
    if isinstance(content, str):
        return content
    return "\n\n".join(text for part in _parts(item) if (text := string(part.get("text"))))


def _add_image(message: Message, part: dict[str, Any]) -> None:
    """Add an image, whose address contains the data."""
    if part.get("type") == "imageUrl":
        add_attachment(message, *image_in(mapping(part.get("imageUrl")).get("url")))
