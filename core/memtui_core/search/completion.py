"""Completion of a query while it is typed: names of filters and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memtui_core.query import FILTERS
from memtui_core.search.filters import CHOICES, FIELDS
from memtui_core.store.reader import Snapshot
from memtui_core.text.controls import label
from memtui_core.text.patterns import lazy_pattern

FilterValues = Mapping[str, Sequence[str]]
"""The values of each filter, the most likely first."""

_FILTER = lazy_pattern(rf"(?:^|(?<=\s))-?({'|'.join(FILTERS)}):(\"[^\"]*|[^\s\"]*)$")
_NAME = lazy_pattern(r"(?:^|(?<=\s))-?([a-z]{2,})$")
_MAX_FILES = 5000
_TIMES = ("today", "yesterday", "3d", "7d", "1m")
FIXED: FilterValues = {
    **{name: tuple(choices) for name, choices in CHOICES.items()},
    "in": tuple(FIELDS),
    "after": _TIMES,
    "before": _TIMES,
}
"""The values that need no index."""


def read_filter_values(snapshot: Snapshot) -> FilterValues:
    """The indexed values: projects, agents, branches, models and files by their last use, tools by their calls."""
    return {
        **FIXED,
        "project": _column(snapshot, "s.project"),
        "agent": _column(snapshot, "s.agent"),
        "branch": _column(snapshot, "s.branch"),
        "tool": _strings(
            snapshot, "SELECT tool FROM blocks WHERE kind = 'tool_call' GROUP BY tool ORDER BY count(*) DESC, tool"
        ),
        "model": _strings(
            snapshot,
            "SELECT model FROM (SELECT unnest(t.models) AS model, credible(t.started_at) AS started_at FROM turns t"
            " JOIN sessions s ON s.key = t.session WHERE NOT s.hidden)"
            " GROUP BY model ORDER BY max(started_at) DESC NULLS LAST, model",
        ),
        "pr": _strings(snapshot, "SELECT number::VARCHAR FROM pr_links GROUP BY number ORDER BY number DESC"),
        "file": _strings(
            snapshot,
            "SELECT parse_filename(m.path, 'forward_slash') AS name FROM file_mentions m JOIN turns t ON t.id = m.turn"
            f" WHERE NOT m.is_dir GROUP BY name ORDER BY max(credible(t.started_at)) DESC NULLS LAST, name"
            f" LIMIT {_MAX_FILES}",
        ),
    }


def complete(text: str, values: FilterValues) -> str | None:
    """The text with its last word completed; None if there is no completion."""
    if typed := _FILTER.search(text):
        name, prefix = typed[1], typed[2]
        quote = '"' if prefix.startswith('"') else ""
        for value in values.get(name, ()):
            # A value with a space is completed only after an opening quote.
            if (quote or not re.search(r"[\s\"]", value)) and value.lower().startswith(prefix[len(quote) :].lower()):
                completed = text[: len(text) - len(prefix)] + quote + value + quote
                return completed if completed != text else None
        return None
    if typed := _NAME.search(text):
        names = sorted((name for name in FILTERS if name.startswith(typed[1])), key=lambda name: name != typed[1])
        return f"{text[: typed.start(1)]}{names[0]}:" if names else None
    return None


def _column(snapshot: Snapshot, column: str) -> Sequence[str]:
    return _strings(
        snapshot,
        f"SELECT {column} FROM sessions s JOIN turns t ON t.session = s.key WHERE {column} <> '' AND NOT s.hidden"
        f" GROUP BY {column} ORDER BY max(credible(t.started_at)) DESC NULLS LAST, {column}",
    )


def _strings(snapshot: Snapshot, sql: str) -> Sequence[str]:
    # Other values cannot be typed, because they contain control characters.
    return tuple(value for (value,) in snapshot.rows(sql) if value and label(value) == value)
