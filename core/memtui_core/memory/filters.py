"""The filters of a query as conditions on observations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache

from memtui_core.memory.model import TYPES, Observation
from memtui_core.model import TouchKind
from memtui_core.query import CONJUNCTIVE_FILTERS, Query
from memtui_core.text.dates import parse_time
from memtui_core.text.paths import normalize, suffix_match

Condition = Callable[[Observation], bool]


def filter_conditions(query: Query, now: datetime) -> tuple[list[Condition], list[str]]:
    """A condition for each filter of a query, and notes on the filters that were not applied.

    Several values of a filter are alternatives, except for the filters in CONJUNCTIVE_FILTERS. Filters that only apply
    to turns (`tool:`, `in:`, …) give a note.
    """
    conditions: list[Condition] = []
    notes: list[str] = []
    for name in dict.fromkeys(name for name, _ in query.filters):
        values = [value for other, value in query.filters if other == name]
        parts = [part for value in values if (part := _condition(name, value, now, notes))]
        if parts:
            conditions.append(_all(parts) if name in CONJUNCTIVE_FILTERS else _any(parts))
    for name, value in query.excluded_filters:
        if part := _condition(name, value, now, notes):
            conditions.append(_not(part))
    return conditions, list(dict.fromkeys(notes))


def matching_file(observation: Observation, path: str) -> tuple[TouchKind, str] | None:
    """The first file of an observation that a path names, and how it was touched; None if there is none.

    A path that ends with a slash is a folder and names all files in it.
    """
    relative = _relative(path, observation.root)
    kinds: tuple[tuple[TouchKind, Sequence[str]], ...] = (
        ("edited", observation.content.files_modified),
        ("read", observation.content.files_read),
    )
    for kind, files in kinds:
        for file in files:
            if _matches(file, relative):
                return kind, file
    return None


@lru_cache(256)
def _relative(path: str, root: str) -> str:
    """A path relative to a root, if it is below the root; a slash at its end stays."""
    relative = normalize(path, root, root) if root else None
    return path if relative is None else f"{relative}/" if path.endswith("/") else relative


def _matches(file: str, path: str) -> bool:
    if path.endswith("/"):
        return f"/{path.strip('/').lower()}/" in f"/{file.lower()}/"
    return suffix_match(file, path)


def _condition(name: str, value: str, now: datetime, notes: list[str]) -> Condition | None:
    """The condition of one filter; None with a note if it cannot be applied."""
    lower = value.lower()
    if name in ("before", "after"):
        limit = parse_time(value, now)
        if limit is None:
            notes.append(f"{name}:{value} is not a valid time, such as 3d, yesterday or 2026-11-20")
            return None
        return (lambda item: item.created_at >= limit) if name == "after" else (lambda item: item.created_at < limit)
    if name == "session":
        return lambda item: item.session_id.lower().startswith(lower)
    if name == "project":
        return lambda item: item.project.lower().startswith(lower)
    if name == "file":
        return lambda item: matching_file(item, value) is not None
    if name == "is" and lower in TYPES:
        return lambda item: item.content.type == lower
    notes.append(f"{name}: does not apply to observations")
    return None


def _all(conditions: Sequence[Condition]) -> Condition:
    return lambda item: all(condition(item) for condition in conditions)


def _any(conditions: Sequence[Condition]) -> Condition:
    return lambda item: any(condition(item) for condition in conditions)


def _not(condition: Condition) -> Condition:
    return lambda item: not condition(item)
