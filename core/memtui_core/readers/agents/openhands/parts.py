"""What events of both versions contain: texts, pictures, exit codes, changes of files, and tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memtui_core.readers.conversion.content import image_in, json_text
from memtui_core.readers.conversion.json_values import count, items, mapping, string
from memtui_core.readers.conversion.messages import add_attachment
from memtui_core.readers.conversion.unified_diff import hunks_between, patch_detail
from memtui_core.readers.records import Message, Record, Usage


def text_of(content: Any) -> str:
    """The texts of a content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(text for part in items(content) if (text := _part_text(part)))


def add_pictures(message: Message, content: Any) -> None:
    """Add the placeholders of the pictures in a list of parts."""
    for part in items(content):
        add_addresses(message, mapping(part).get("image_urls"))


def add_addresses(message: Message, addresses: Any) -> None:
    """Add the placeholders of pictures, which are given by their addresses or as data."""
    for address in filter(string, items(addresses)):
        add_attachment(message, *image_in(address))


def unless_empty(message: Message) -> Iterator[Record]:
    """The message, unless it is empty."""
    if message.blocks:
        yield message


def exit_code(*values: Any) -> int | None:
    """The first value that is the exit code of a command that has ended; None if there is none."""
    return next(
        (value for value in values if isinstance(value, int) and not isinstance(value, bool) and value >= 0), None
    )


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    value = mapping(part)
    if value.get("type") == "image" or "image_urls" in value:
        return ""
    text = value.get("text")
    return text if isinstance(text, str) else json_text(part)


def detail_of(old: Any, new: Any, diff: Any = None) -> dict[str, Any] | None:
    """The change as `detail` of a tool result; None if it is not known."""
    if (found := patch_detail(diff)) is not None:
        return found
    if not isinstance(new, str) or not isinstance(old, str | None) or old == new:
        return None
    hunks = hunks_between(old or "", new)
    return {"patch": hunks} if hunks else None


def usages_in(state: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The numbers in the state of a conversation, by the ids of the responses."""
    found: dict[str, dict[str, Any]] = {}
    for metrics in mapping(mapping(state.get("stats")).get("usage_to_metrics")).values():
        for usage in items(mapping(metrics).get("token_usages")):
            if response := string(mapping(usage).get("response_id")):
                found[response] = usage
    return found


def usage_of(value: Any) -> Usage | None:
    """The tokens of one response, from the agent's metrics or from the model's response; None if there are none.

    LiteLLM counts those that the cache had among those of the prompt.
    """
    numbers = mapping(value)
    details = mapping(numbers.get("prompt_tokens_details"))
    read = count(numbers.get("cache_read_tokens")) or count(details.get("cached_tokens"))
    written = count(numbers.get("cache_write_tokens")) or count(numbers.get("cache_creation_input_tokens"))
    sent, received = count(numbers.get("prompt_tokens")), count(numbers.get("completion_tokens"))
    return Usage(max(0, sent - read - written), received, read, written) if sent or received else None
