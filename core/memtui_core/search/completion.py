"""What a query that is being typed may go on with: names of filters and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memtui_core.query import FILTERS
from memtui_core.search.filters import CHOICES, FIELDS
from memtui_core.store.reader import Snapshot
from memtui_core.text.controls import label

Values = Mapping[str, Sequence[str]]
"""The values of each filter, the likeliest first."""

_FILTER = re.compile(rf"(?:^|(?<=\s))-?({'|'.join(FILTERS)}):(\"[^\"]*|[^\s\"]*)$")
_NAME = re.compile(r"(?:^|(?<=\s))-?([a-z]{2,})$")
_MOST_FILES = 5000
_TIMES = ("today", "yesterday", "3d", "7d", "1m")
FIXED: Values = {
    **{name: tuple(choices) for name, choices in CHOICES.items()},
    "in": tuple(FIELDS),
    "after": _TIMES,
    "before": _TIMES,
}
"""What needs no index."""


def values_of(snapshot: Snapshot) -> Values:
    """All values that an index knows: projects, agents and branches by their last use, tools by how often they ran."""
    return {
        **FIXED,
        "project": _column(snapshot, "s.project"),
        "agent": _column(snapshot, "s.agent"),
        "branch": _column(snapshot, "s.branch"),
        "tool": _strings(
            snapshot, "SELECT tool FROM blocks WHERE kind = 'tool_call' GROUP BY tool ORDER BY count(*) DESC, tool"
        ),
        "pr": _strings(snapshot, "SELECT number::VARCHAR FROM pr_links GROUP BY number ORDER BY number DESC"),
        "file": _strings(
            snapshot,
            "SELECT parse_filename(m.path, 'forward_slash') AS name FROM file_mentions m JOIN turns t ON t.id = m.turn"
            f" WHERE NOT m.is_dir GROUP BY name ORDER BY max(credible(t.started_at)) DESC NULLS LAST, name"
            f" LIMIT {_MOST_FILES}",
        ),
    }


def complete(text: str, values: Values) -> str | None:
    """The whole text with its last word completed; None when there is nothing to add."""
    if found := _FILTER.search(text):
        name, begun = found[1], found[2]
        quote = '"' if begun.startswith('"') else ""
        for value in values.get(name, ()):
            # A value with a space needs quotes, and those must have been typed already.
            if (quote or not re.search(r"[\s\"]", value)) and value.lower().startswith(begun[len(quote) :].lower()):
                completed = text[: len(text) - len(begun)] + quote + value + quote
                return completed if completed != text else None
        return None
    if found := _NAME.search(text):
        names = sorted((name for name in FILTERS if name.startswith(found[1])), key=lambda name: name != found[1])
        return f"{text[: found.start(1)]}{names[0]}:" if names else None
    return None


def _column(snapshot: Snapshot, column: str) -> Sequence[str]:
    return _strings(
        snapshot,
        f"SELECT {column} FROM sessions s JOIN turns t ON t.session = s.key WHERE {column} <> '' AND NOT s.hidden"
        f" GROUP BY {column} ORDER BY max(credible(t.started_at)) DESC NULLS LAST, {column}",
    )


def _strings(snapshot: Snapshot, sql: str) -> Sequence[str]:
    # A query could not name the others: what is typed holds no control characters.
    return tuple(value for (value,) in snapshot.rows(sql) if value and label(value) == value)
