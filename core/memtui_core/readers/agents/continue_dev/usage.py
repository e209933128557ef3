"""The tokens of a session of Continue: of each answer, and of the whole session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memtui_core.readers.conversion.json_values import count, mapping
from memtui_core.readers.records import Usage


def usage_of(value: Any) -> Usage | None:
    """The tokens of an answer, as `cn` writes them with underscores and the extensions without; None if there are none.

    A number of tokens written to the cache says that the input leaves out those of the cache, as Anthropic counts.
    """
    numbers = mapping(value)
    details = mapping(numbers.get("prompt_tokens_details", numbers.get("promptTokensDetails")))
    prompt = count(numbers.get("prompt_tokens", numbers.get("promptTokens")))
    output = count(numbers.get("completion_tokens", numbers.get("completionTokens")))
    read, written = _cached(details)
    apart = not {"cache_read_tokens", "cache_write_tokens", "cacheWriteTokens"}.isdisjoint(details)
    if not apart:
        read = min(read, prompt)
        prompt -= read
    return Usage(prompt, output, read, written) if prompt or output or read or written else None


def rest_of(total: Any, answers: Iterable[dict[str, Any]]) -> dict[str, int] | None:
    """The tokens of a session that belong to none of its answers, because a compaction took them out of the history."""
    numbers = mapping(total)
    read, written = _cached(mapping(numbers.get("promptTokensDetails")))
    rest = [count(numbers.get("promptTokens")), count(numbers.get("completionTokens")), read, written]
    for answer in answers:
        usage = mapping(mapping(answer.get("message")).get("usage"))
        details = mapping(usage.get("prompt_tokens_details"))
        names = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
        cached = (details.get("cache_read_tokens"), details.get("cache_write_tokens"))
        rest = [left - count(number) for left, number in zip(rest, (*names, *cached), strict=True)]
    if not any(number > 0 for number in rest):
        return None
    return dict(zip(("input", "output", "cache_read", "cache_write"), (max(0, left) for left in rest), strict=True))


def with_rest(usage: Usage | None, rest: dict[str, int] | None) -> Usage | None:
    """The tokens of an answer and the rest."""
    if rest is None:
        return usage
    known = usage or Usage()
    return Usage(
        known.input + rest["input"],
        known.output + rest["output"],
        known.cache_read + rest["cache_read"],
        known.cache_write + rest["cache_write"],
    )


def _cached(details: dict[str, Any]) -> tuple[int, int]:
    """The tokens read from the cache and written to it."""
    read = details.get("cache_read_tokens", details.get("cached_tokens", details.get("cachedTokens")))
    return count(read), count(details.get("cache_write_tokens", details.get("cacheWriteTokens")))
