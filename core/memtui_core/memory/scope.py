"""What the filters of a query leave of the observations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache

from memtui_core.memory.values import TYPES, Observation
from memtui_core.model import TouchKind
from memtui_core.query import HOLD_TOGETHER, Query
from memtui_core.text.dates import parse_time
from memtui_core.text.paths import normalize, suffix_match

Keeps = Callable[[Observation], bool]


def conditions(query: Query, now: datetime) -> tuple[list[Keeps], list[str]]:
    """A condition for each filter, and notes on those that were not applied.

    Values of one filter are alternatives, but those of a filter in HOLD_TOGETHER hold together. Filters that only
    turns have (`tool:`, `in:`, …) narrow nothing here, and a note says so.
    """
    found: list[Keeps] = []
    notes: list[str] = []
    for name in dict.fromkeys(name for name, _ in query.filters):
        values = [value for other, value in query.filters if other == name]
        each = [one for value in values if (one := _condition(name, value, now, notes))]
        if each:
            found.append(_all(each) if name in HOLD_TOGETHER else _any(each))
    for name, value in query.excluding:
        if one := _condition(name, value, now, notes):
            found.append(_not(one))
    return found, list(dict.fromkeys(notes))


def touched(observation: Observation, path: str) -> tuple[TouchKind, str] | None:
    """How an observation names a file, and by which path; None when it does not.

    A path that ends in a slash is a folder, and stands for all files in it.
    """
    wanted = _below(path, observation.root)
    kinds: tuple[tuple[TouchKind, Sequence[str]], ...] = (
        ("edited", observation.content.files_modified),
        ("read", observation.content.files_read),
    )
    for kind, files in kinds:
        for file in files:
            if _is_named(file, wanted):
                return kind, file
    return None


@lru_cache(256)
def _below(path: str, root: str) -> str:
    """A path relative to a root, if it lies below it; the slash at its end stays."""
    below = normalize(path, root, root) if root else None
    return path if below is None else f"{below}/" if path.endswith("/") else below


def _is_named(file: str, wanted: str) -> bool:
    if wanted.endswith("/"):
        return f"/{wanted.strip('/').lower()}/" in f"/{file.lower()}/"
    return suffix_match(file, wanted)


def _condition(name: str, value: str, now: datetime, notes: list[str]) -> Keeps | None:
    wanted = value.lower()
    if name in ("before", "after"):
        moment = parse_time(value, now)
        if moment is None:
            notes.append(f"{name}:{value} is no time, such as 3d, yesterday or 2026-11-20")
            return None
        return (lambda one: one.created_at >= moment) if name == "after" else (lambda one: one.created_at < moment)
    if name == "session":
        return lambda one: one.session_id.lower().startswith(wanted)
    if name == "project":
        return lambda one: one.project.lower().startswith(wanted)
    if name == "file":
        return lambda one: touched(one, value) is not None
    if name == "is" and wanted in TYPES:
        return lambda one: one.content.type == wanted
    notes.append(f"{name}: does not narrow observations")
    return None


def _all(each: Sequence[Keeps]) -> Keeps:
    return lambda one: all(keeps(one) for keeps in each)


def _any(each: Sequence[Keeps]) -> Keeps:
    return lambda one: any(keeps(one) for keeps in each)


def _not(keeps: Keeps) -> Keeps:
    return lambda one: not keeps(one)
