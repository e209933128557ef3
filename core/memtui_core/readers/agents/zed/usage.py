"""The tokens of a thread of Zed: by prompt, or, in older threads, of the whole thread."""

from __future__ import annotations

from typing import Any

from memtui_core.readers.conversion.json_values import count, mapping, string
from memtui_core.readers.records import Usage


def with_usage(entries: list[Any], thread: dict[str, Any]) -> list[Any]:
    """Give the tokens of a prompt to its last answer, and those of the thread to the last answer of all."""
    by_prompt = mapping(thread.get("request_token_usage"))
    answers: dict[str, Any] = {}
    prompt = ""
    for entry in entries:
        message = mapping(entry["message"])
        if user := mapping(message.get("User")):
            prompt = string(user.get("id")) or ""
        elif "Agent" in message or message.get("role") == "assistant":
            answers[prompt if by_prompt else ""] = entry
    for prompt, answer in answers.items():
        answer["usage"] = by_prompt.get(prompt) if by_prompt else thread.get("cumulative_token_usage")
    return entries


def usage_of(value: Any) -> Usage | None:
    """The tokens as Zed writes them; None if there are none."""
    numbers = mapping(value)
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    usage = Usage(*(count(numbers.get(name)) for name in names))
    return usage if any((usage.input, usage.output, usage.cache_read, usage.cache_write)) else None
