"""Completion of a query while it is typed: names of filters and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from memtui_core.search.filters.registry import filters_by_name
from memtui_core.store.snapshot.reader import Snapshot

FilterValues = Mapping[str, Sequence[str]]
"""The values of each filter, the most likely first."""

_NAME = re.compile(r"(?:^|(?<=\s))-?([a-z]{2,})$")


def read_filter_values(snapshot: Snapshot) -> FilterValues:
    """The values that completion offers, most of them from the index."""
    return {name: query_filter.completions(snapshot) for name, query_filter in filters_by_name().items()}


def complete(text: str, values: FilterValues) -> str | None:
    """The text with its last word completed; None if there is no completion."""
    filters = tuple(filters_by_name())
    if typed := _filter(filters).search(text):
        name, prefix = typed[1], typed[2]
        quote = '"' if prefix.startswith('"') else ""
        for value in values.get(name, ()):
            # A value with a space is completed only after an opening quote.
            if (quote or not re.search(r"[\s\"]", value)) and value.lower().startswith(prefix[len(quote) :].lower()):
                completed = text[: len(text) - len(prefix)] + quote + value + quote
                return completed if completed != text else None
        return None
    if typed := _NAME.search(text):
        names = sorted((name for name in filters if name.startswith(typed[1])), key=lambda name: name != typed[1])
        return f"{text[: typed.start(1)]}{names[0]}:" if names else None
    return None


@cache
def _filter(names: tuple[str, ...]) -> re.Pattern[str]:
    """A filter with the beginning of its value, at the end of a text."""
    return re.compile(rf"(?:^|(?<=\s))-?({'|'.join(names)}):(\"[^\"]*|[^\s\"]*)$")
