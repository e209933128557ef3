"""The filters of a query as conditions: on turns, or on observations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from memtui_core.search.filters.filter import Filter, FilterContext, FilterNotApplied
from memtui_core.search.filters.registry import filters_by_name
from memtui_core.text.query import Query

C = TypeVar("C")
"""What a value becomes: `Condition` or `ObservationTest`."""


@dataclass(frozen=True, slots=True)
class AppliedFilters(Generic[C]):
    """The conditions of the filters of a query."""

    included: list[tuple[Filter, list[C]]]
    """Each filter with the conditions of its values, at least one."""
    excluded: list[C]
    """The conditions that a hit must not meet."""
    notes: list[str]
    """Messages for the user about what is not applied, each once."""


def apply_filters(
    query: Query, condition: Callable[[Filter, str, FilterContext], C], context: FilterContext
) -> AppliedFilters[C]:
    """The conditions that a method of `Filter` makes of the filters of a query; no value raises.

    What is excluded is no other file than the one that was named.
    """
    filters = filters_by_name()
    notes: list[str] = []

    def conditions(name: str, value: str, context: FilterContext) -> list[C]:
        try:
            return [condition(filters[name], value, context)]
        except FilterNotApplied as error:
            notes.append(str(error))
            return []

    included: dict[str, list[C]] = {}
    for name, value in query.filters:
        included.setdefault(name, []).extend(conditions(name, value, context))
    exact = FilterContext(context.now)
    excluded = [one for name, value in query.excluded_filters for one in conditions(name, value, exact)]
    groups = [(filters[name], own) for name, own in included.items() if own]
    return AppliedFilters(groups, excluded, list(dict.fromkeys(notes)))
