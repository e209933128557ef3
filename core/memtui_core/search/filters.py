"""The filters of a query to conditions on sessions and turns, which hold before any limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memtui_core.model import Source
from memtui_core.query import HOLD_TOGETHER, Query
from memtui_core.search.path_search import FilesMeant, touched
from memtui_core.text.dates import parse_time
from memtui_core.text.paths import query_path

Condition = tuple[str, list[Any]]
"""SQL over a turn `t` and its session `s`, and its parameters."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "user": ("user",),
    "assistant": ("assistant",),
    "thinking": ("thinking",),
    "tool": ("call", "output"),
    "title": ("title",),
}
"""Values of `in:`, and the fields of the keyword index they stand for."""
SOURCES: Mapping[str, Source] = {
    "user": "user",
    "assistant": "assistant",
    "thinking": "thinking",
    "call": "tool call",
    "output": "tool output",
}
"""The fields of the keyword index that hold the text of blocks, and where it comes from."""
_HOLDING: Mapping[str, str] = {
    "user": "t.user_text <> '' AND t.kind <> 'compaction'",
    "assistant": "EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'text')",
    "thinking": "EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'thinking')",
    "tool": "t.tool_calls > 0",
    "title": "s.title <> ''",
}
"""Without words `in:` asks for turns that have such a text at all."""
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
        "thinking": _HOLDING["thinking"],
        "image": _IMAGES,
        "pr": "s.key IN (SELECT session FROM pr_links)",
    },
}
"""Filters with a fixed set of values; roles are filtered only where it is asked for."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What the filters of a query leave."""

    where: str = ""
    """Conjunction over `t` and `s`; empty when everything is left."""
    parameters: tuple[Any, ...] = ()
    of_sessions: bool = True
    """It speaks of `s` only."""
    fields: tuple[str, ...] | None = None
    """Fields of the keyword index that count; None for all."""
    files: tuple[str, ...] = ()
    """Paths of `file:` filters."""
    notes: tuple[str, ...] = ()
    """What a person should know: values that stand for nothing, and names that are no filters."""


def scope_of(query: Query, now: datetime, files_of: Callable[[str], FilesMeant]) -> Scope:
    """The scope of a query; `now` has the person's time zone, in which dates are days.

    `files_of` gives the files that the value of `file:` stands for.

    Different filters hold together, and so do the values of a filter in HOLD_TOGETHER (`has:error has:edit`); the
    values of any other filter are alternatives (`agent:codex agent:claude`). A value that stands for nothing is told,
    and not applied.
    """
    found: list[Condition] = []
    notes = [f"{name}: is no filter, searched as text" for name in query.unknown]
    files: list[str] = []
    for name in dict.fromkeys(name for name, _ in query.filters):
        values = [value for filter_name, value in query.filters if filter_name == name]
        if name == "in" and query.words:
            continue
        if name == "file":
            values = files = [path for value in values for path in _files(value, files_of, notes)]
        conditions = [one for value in values if (one := _condition(name, value, now, notes))]
        if conditions:
            found.append(_joined(conditions, " AND " if name in HOLD_TOGETHER else " OR "))
    for name, value in query.excluding:
        if one := _condition(name, value, now, notes):
            found.append((f"NOT coalesce({one[0]}, FALSE)", one[1]))
    where, parameters = _joined(found, " AND ") if found else ("", [])
    fields = [field for name, value in query.filters if name == "in" for field in _fields(value, notes)]
    of_sessions = all(name in _OF_SESSIONS for name, _ in (*query.filters, *query.excluding))
    return Scope(where, tuple(parameters), of_sessions, tuple(fields) or None, tuple(files), tuple(notes))


def _joined(conditions: Sequence[Condition], by: str) -> Condition:
    joined = by.join(sql for sql, _ in conditions)
    return f"({joined})" if len(conditions) > 1 else joined, [value for _, given in conditions for value in given]


def _condition(name: str, value: str, now: datetime, notes: list[str]) -> Condition | None:
    if name in CHOICES:
        chosen = _begun(CHOICES[name], value)
        if chosen is None:
            notes.append(f"{name}:{value} is none of {', '.join(CHOICES[name])}")
            return None
        return CHOICES[name][chosen], []
    if name == "in":
        chosen = _begun(_HOLDING, value)
        return (_HOLDING[chosen], []) if chosen else None
    if name in ("before", "after"):
        moment = parse_time(value, now)
        if moment is None:
            notes.append(f"{name}:{value} is no time, such as 3d, yesterday or 2026-11-20")
            return None
        sign = ">=" if name == "after" else "<"
        return f"t.started_at {sign} ?", [moment.astimezone(UTC).replace(tzinfo=None)]
    if name == "pr":
        number = value.removeprefix("#")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            notes.append(f"pr:{value} is no number")
            return None
        return "s.key IN (SELECT session FROM pr_links WHERE number = ?)", [int(number)]
    return _BY_TEXT[name](value.lower())


_OF_SESSIONS = frozenset({"project", "agent", "session", "branch", "pr"})
_BY_TEXT: Mapping[str, Callable[[str], Condition]] = {
    "project": lambda value: _project(value),
    "agent": lambda value: ("starts_with(lower(s.agent), ?)", [value]),
    "session": lambda value: ("starts_with(lower(s.session_id), ?)", [value]),
    # A branch is remembered by its last part: `feature/retry`.
    "branch": lambda value: ("contains(lower(s.branch), ?)", [value]),
    # Tools of servers are called mcp__server__tool.
    "tool": lambda value: (
        "EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'tool_call'"
        " AND (starts_with(lower(b.tool), ?) OR contains(lower(b.tool), ?)))",
        [value, f"__{value}"],
    ),
    "file": lambda value: _file(value),
}


def _project(value: str) -> Condition:
    if "/" in value or "\\" in value:
        # A folder tells projects of one name apart.
        return "lower(s.root) = ?", [query_path(value).lower().rstrip("/")]
    # A whole name is that project, even where another one begins with it.
    return (
        "(lower(s.project) = ? OR (starts_with(lower(s.project), ?)"
        " AND NOT EXISTS (SELECT 1 FROM sessions o WHERE lower(o.project) = ?)))",
        [value, value, value],
    )


def _file(value: str) -> Condition:
    sql, parameters = touched(value)
    return f"EXISTS (SELECT 1 FROM file_mentions m WHERE m.turn = t.id AND {sql})", list(parameters)


def _fields(value: str, notes: list[str]) -> tuple[str, ...]:
    chosen = _begun(FIELDS, value)
    if chosen is None:
        notes.append(f"in:{value} is none of {', '.join(FIELDS)}")
        return ()
    return FIELDS[chosen]


def _begun(choices: Mapping[str, object], value: str) -> str | None:
    """The choice that a value is the beginning of: it is narrowed while it is being typed."""
    return next((choice for choice in choices if choice.startswith(value.lower())), None)


def _files(value: str, files_of: Callable[[str], FilesMeant], notes: list[str]) -> Sequence[str]:
    files = files_of(value)
    if files.note:
        notes.append(files.note)
    return files.paths or (value,)
