"""What a filter is: one declaration, from which queries, completion, help and the documents take what they need."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtui_core.model import SessionEnd
from memtui_core.search.path_search import ResolvedFiles
from memtui_core.store.observation import Observation
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


class FilterNotApplied(Exception):
    """A filter of a query that is left out: its value is not valid, or it does not apply; the text is a note."""


@dataclass(frozen=True, slots=True)
class FilterContext:
    """What the meaning of a value may depend on."""

    now: datetime
    """Relative times count from it, and days begin in its time zone."""
    resolve_file: Callable[[str], ResolvedFiles] = lambda path: ResolvedFiles((path,))
    """The files that a path stands for."""
    unfinished: Callable[[datetime], Mapping[int, SessionEnd]] = lambda now: {}
    """The sessions that run, wait or have failed at a time, by key."""
    fields: tuple[str, ...] = ()
    """The fields of the lexicon that the query names; empty for all."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What a filter with one value asks of a turn."""

    sql: str
    """Over a turn `t` and its session `s`; the columns are in `store/schema.py`."""
    parameters: Sequence[Any] = ()
    fields: tuple[str, ...] = ()
    """The fields of the lexicon in which the words of the query must be; `sql` counts only if it has no words."""
    files: tuple[str, ...] = ()
    """The paths of files that it asks for."""
    note: str = ""
    """A message for the user; empty for none."""
    quotes: str = ""
    """The kind of facts that are quoted as passages of the turns; empty for none."""


ObservationTest = Callable[[Observation], bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of the query language, `name:value`."""

    name: str
    """Two to twelve small letters."""
    leaves: str
    """What it leaves, in Markdown, for the documents."""
    examples: tuple[str, ...]
    """Values that help and documents show, of a fixed set all; an empty one stands for any value."""
    turns: Callable[[str, FilterContext], Condition]
    """The condition of a value on turns. Raises FilterNotApplied."""
    observations: Callable[[str, FilterContext], ObservationTest | None] | None
    """The condition of a value on observations. None if the filter, or the value, applies to turns only.

    Raises FilterNotApplied.
    """
    completions: Completions
    """The values that are offered while it is typed, the most likely first."""
    whole_value: str = ""
    """A condition in SQL with one parameter, for a whole value after `=`, in lower case; empty if it takes none."""
    on_session: bool = False
    """Whether it is a condition on the session alone."""
    conjunctive: bool = False
    """Whether all of several values must apply; of any other filter one value is enough."""

    def __post_init__(self) -> None:
        if not re.fullmatch("[a-z]{2,12}", self.name):
            raise ValueError(f"{self.name!r} is no name for a filter: it needs two to twelve small letters")

    def turn_condition(self, value: str, context: FilterContext) -> Condition:
        """The condition of a value, or of a whole value, on turns. Raises FilterNotApplied."""
        if self.whole_value and value.startswith("="):
            return Condition(self.whole_value, [value[1:].lower()])
        return self.turns(value, context)

    def observation_test(self, value: str, context: FilterContext) -> ObservationTest:
        """The condition of a value on observations. Raises FilterNotApplied."""
        test = self.observations(value, context) if self.observations else None
        if test is None:
            raise FilterNotApplied(f"{self.name}: does not apply to observations")
        return test
