"""The values that completion offers for a filter: a fixed set, or what the index contains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import label

Completions = Callable[[Snapshot], Sequence[str]]
"""The values, the most likely first."""


def fixed_values(*values: str) -> Completions:
    """Values that need no index; none are given if none can be foreseen."""
    return lambda snapshot: values


def selected_values(sql: str) -> Completions:
    """The values that a query with one column returns."""
    # Other values cannot be typed, because they contain control characters.
    return lambda snapshot: tuple(value for (value,) in snapshot.rows(sql) if value and label(value) == value)


def column_values(column: str) -> Completions:
    """The values of a column of sessions `s`, the last used first."""
    return selected_values(
        f"SELECT {column} FROM sessions s JOIN turns t ON t.session = s.key WHERE {column} <> '' AND NOT s.hidden"
        f" GROUP BY {column} ORDER BY max(credible(t.started_at)) DESC NULLS LAST, {column}"
    )
