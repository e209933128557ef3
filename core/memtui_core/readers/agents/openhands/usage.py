"""The tokens of answers, as LiteLLM counts them: those of the prompt include what the cache had."""

from __future__ import annotations

from typing import Any

from memtui_core.readers.conversion.json_values import count, items, mapping, string
from memtui_core.readers.records import Usage


def usages_in(state: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The numbers in the state of a conversation, by the ids of the responses."""
    found: dict[str, dict[str, Any]] = {}
    for metrics in mapping(mapping(state.get("stats")).get("usage_to_metrics")).values():
        for usage in items(mapping(metrics).get("token_usages")):
            if response := string(mapping(usage).get("response_id")):
                found[response] = usage
    return found


def usage_of(value: Any) -> Usage | None:
    """The tokens of one response, from the agent's metrics or from the model's response; None if there are none."""
    numbers = mapping(value)
    details = mapping(numbers.get("prompt_tokens_details"))
    read = count(numbers.get("cache_read_tokens")) or count(details.get("cached_tokens"))
    written = count(numbers.get("cache_write_tokens")) or count(numbers.get("cache_creation_input_tokens"))
    sent, received = count(numbers.get("prompt_tokens")), count(numbers.get("completion_tokens"))
    return Usage(max(0, sent - read - written), received, read, written) if sent or received else None
