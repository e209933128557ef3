"""The scope of a query: its filters as SQL conditions on sessions and turns, which apply before any limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memtui_core.model import Source
from memtui_core.query import CONJUNCTIVE_FILTERS, Query
from memtui_core.search.path_search import ResolvedFiles, path_condition
from memtui_core.store.tables import MODEL_SEPARATOR
from memtui_core.text.dates import parse_time
from memtui_core.text.paths import query_path
from memtui_core.values import dataclass

Condition = tuple[str, list[Any]]
"""SQL over a turn `t` and its session `s`, and its parameters."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "user": ("user",),
    "assistant": ("assistant",),
    "thinking": ("thinking",),
    "tool": ("call", "output"),
    "note": ("notes", "asides"),
    "title": ("title",),
}
"""The values of `in:`, with the fields of the lexicon that they stand for."""
SOURCES: Mapping[str, Source] = {
    "user": "user",
    "assistant": "assistant",
    "thinking": "thinking",
    "call": "tool call",
    "output": "tool output",
    "notes": "note",
    "asides": "aside",
}
"""The fields of the lexicon that contain the text of blocks, with the source of that text."""
_HAS_TEXT: Mapping[str, str] = {
    "user": "t.user_text <> '' AND t.kind <> 'compaction'",
    "assistant": "EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'text')",
    "thinking": "EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'thinking')",
    "tool": "t.tool_calls > 0",
    "note": "EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'note')",
    "title": "s.title <> ''",
}
"""Without words, `in:` keeps the turns that have such a text at all."""
_EDITS = "EXISTS (SELECT 1 FROM file_mentions m WHERE m.turn = t.id AND m.kind = 'edited')"
_IMAGES = "EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'image')"
CHOICES: Mapping[str, Mapping[str, str]] = {
    "role": {
        "turn": "t.kind <> 'compaction'",
        "compaction_summary": "t.kind = 'compaction'",
        "human": "t.kind = 'human'",
        "command": "t.kind = 'command'",
        "agent": "t.kind = 'agent'",
    },
    "is": {
        "compaction": "t.kind = 'compaction'",
        "subagent": "s.parent IS NOT NULL",
        "main": "s.parent IS NULL",
        "fork": "s.forked_from IS NOT NULL",
        "command": "t.kind = 'command'",
    },
    "has": {
        "error": "t.errors > 0",
        "edit": _EDITS,
        "tool": "t.tool_calls > 0",
        "thinking": _HAS_TEXT["thinking"],
        "image": _IMAGES,
        "pr": "s.key IN (SELECT session FROM pr_links)",
    },
}
"""The filters with a fixed set of values, each value with its condition."""


@dataclass(frozen=True, slots=True)
class QueryScope:
    """The sessions and turns that the filters of a query leave."""

    where: str = ""
    """A condition over turns `t` and sessions `s`; empty if there is no filter."""
    parameters: tuple[Any, ...] = ()
    sessions_only: bool = True
    """Whether the condition is over sessions only."""
    fields: tuple[str, ...] | None = None
    """The fields of the lexicon that count; None for all."""
    files: tuple[str, ...] = ()
    """The paths of `file:` filters."""
    notes: tuple[str, ...] = ()
    """Messages for the user: values that are not valid, and names that are no filters."""


def resolve_scope(query: Query, now: datetime, resolve_file: Callable[[str], ResolvedFiles]) -> QueryScope:
    """The scope of a query; dates are days in the time zone of `now`.

    `resolve_file` returns the files that the value of `file:` stands for.

    Different filters must all apply, and so must the values of a filter in CONJUNCTIVE_FILTERS (`has:error has:edit`);
    the values of any other filter are alternatives (`agent:codex agent:claude`). A value that is not valid is ignored,
    with a note.
    """
    conditions: list[Condition] = []
    notes = [f"{name}: is not a filter, searched as text" for name in query.unknown_filters]
    files: list[str] = []
    for name in dict.fromkeys(name for name, _ in query.filters):
        values = [value for filter_name, value in query.filters if filter_name == name]
        if name == "in" and query.words:
            continue
        if name == "file":
            values = files = [path for value in values for path in _resolve(value, resolve_file, notes)]
        own = [condition for value in values if (condition := _condition(name, value, now, notes))]
        if own:
            conditions.append(_join(own, " AND " if name in CONJUNCTIVE_FILTERS else " OR "))
    for name, value in query.excluded_filters:
        if condition := _condition(name, value, now, notes):
            conditions.append((f"NOT coalesce({condition[0]}, FALSE)", condition[1]))
    where, parameters = _join(conditions, " AND ") if conditions else ("", [])
    fields = [field for name, value in query.filters if name == "in" for field in _fields(value, notes)]
    sessions_only = all(name in _SESSION_FILTERS for name, _ in (*query.filters, *query.excluded_filters))
    return QueryScope(where, tuple(parameters), sessions_only, tuple(fields) or None, tuple(files), tuple(notes))


def _join(conditions: Sequence[Condition], operator: str) -> Condition:
    sql = operator.join(condition for condition, _ in conditions)
    parameters = [value for _, values in conditions for value in values]
    return f"({sql})" if len(conditions) > 1 else sql, parameters


def _condition(name: str, value: str, now: datetime, notes: list[str]) -> Condition | None:
    if name in CHOICES:
        choice = _complete(CHOICES[name], value)
        if choice is None:
            notes.append(f"{name}:{value} is not one of {', '.join(CHOICES[name])}")
            return None
        return CHOICES[name][choice], []
    if name == "in":
        choice = _complete(_HAS_TEXT, value)
        return (_HAS_TEXT[choice], []) if choice else None
    if name in ("before", "after"):
        time = parse_time(value, now)
        if time is None:
            notes.append(f"{name}:{value} is not a valid time, such as 3d, yesterday or 2026-11-20")
            return None
        operator = ">=" if name == "after" else "<"
        return f"t.started_at {operator} ?", [time.astimezone(UTC).replace(tzinfo=None)]
    if name == "pr":
        number = value.removeprefix("#")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            notes.append(f"pr:{value} is not a number")
            return None
        return "s.key IN (SELECT session FROM pr_links WHERE number = ?)", [int(number)]
    if value.startswith("=") and name in _WHOLE_VALUES:
        return _WHOLE_VALUES[name], [value[1:].lower()]
    return _TEXT_CONDITIONS[name](value.lower())


_SESSION_FILTERS = frozenset({"project", "agent", "session", "branch", "pr"})
_TEXT_CONDITIONS: Mapping[str, Callable[[str], Condition]] = {
    "project": lambda value: _project(value),
    "agent": lambda value: ("starts_with(lower(s.agent), ?)", [value]),
    "session": lambda value: ("starts_with(lower(s.session_id), ?)", [value]),
    # Users often know only the last part of a branch: `feature/retry`.
    "branch": lambda value: ("contains(lower(s.branch), ?)", [value]),
    # Joined by line ends, so that no value matches across two names.
    "model": lambda value: ("contains(lower(array_to_string(t.models, chr(10))), ?)", [value]),
    # Tools of MCP servers are called mcp__server__tool.
    "tool": lambda value: (
        "EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'tool_call'"
        " AND (starts_with(lower(b.tool), ?) OR contains(lower(b.tool), ?)))",
        [value, f"__{value}"],
    ),
    "file": lambda value: _file(value),
}
_WHOLE_VALUES: Mapping[str, str] = {
    "agent": "lower(s.agent) = ?",
    "branch": "lower(s.branch) = ?",
    "model": f"lower(array_to_string(t.models, '{MODEL_SEPARATOR}')) = ?",
    "tool": "EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'tool_call' AND lower(b.tool) = ?)",
}
"""The filters that take a whole value after `=`: `tool:=Task` is not TaskCreate; of models all that answered a turn."""


def _project(value: str) -> Condition:
    if "/" in value or "\\" in value:
        # A folder distinguishes projects of the same name.
        return "lower(s.root) = ?", [query_path(value).lower().rstrip("/")]
    # The exact name means that project only, even if the names of others start with it.
    return (
        "(lower(s.project) = ? OR (starts_with(lower(s.project), ?)"
        " AND NOT EXISTS (SELECT 1 FROM sessions o WHERE lower(o.project) = ?)))",
        [value, value, value],
    )


def _file(value: str) -> Condition:
    condition, parameters = path_condition(value)
    return f"EXISTS (SELECT 1 FROM file_mentions m WHERE m.turn = t.id AND {condition})", list(parameters)


def _fields(value: str, notes: list[str]) -> tuple[str, ...]:
    choice = _complete(FIELDS, value)
    if choice is None:
        notes.append(f"in:{value} is not one of {', '.join(FIELDS)}")
        return ()
    return FIELDS[choice]


def _complete(choices: Mapping[str, object], value: str) -> str | None:
    """The first choice that starts with a value, so that a filter applies while it is typed."""
    return next((choice for choice in choices if choice.startswith(value.lower())), None)


def _resolve(value: str, resolve_file: Callable[[str], ResolvedFiles], notes: list[str]) -> Sequence[str]:
    files = resolve_file(value)
    if files.note:
        notes.append(files.note)
    return files.paths or (value,)
