"""The filters of a query as conditions: on observations, and as the SQL that narrows a search before any limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from memtui_core.search.filters.filter import Condition, Filter, FilterContext, FilterNotApplied
from memtui_core.search.filters.registry import filters_by_name
from memtui_core.store.lexicon.query import Query

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


def resolve_scope(query: Query, context: FilterContext) -> QueryScope:
    """The scope of a query.

    Different filters must all apply, and so must the values of a conjunctive filter (`has:error has:edit`); the values
    of any other filter are alternatives (`agent:codex agent:claude`). A value that is not valid is ignored, with a
    note.
    """
    applied = apply_filters(query, Filter.turn_condition, context)
    conditions: list[Condition] = []
    for query_filter, own in applied.included:
        # If the query has words, they must be in the fields; what a turn has besides does not count.
        if counted := [condition for condition in own if not (condition.fields and query.words)]:
            conditions.append(_joined(counted, " AND " if query_filter.conjunctive else " OR "))
    conditions += [Condition(f"NOT coalesce({one.sql}, FALSE)", one.parameters) for one in applied.excluded]
    where = _joined(conditions, " AND ")
    filters = filters_by_name()
    included = [condition for _, own in applied.included for condition in own]
    unknown = [f"{name}: is not a filter, searched as text" for name in query.unknown_filters]
    return QueryScope(
        where.sql,
        tuple(where.parameters),
        all(filters[name].on_session for name, _ in (*query.filters, *query.excluded_filters)),
        tuple(field for one in included for field in one.fields) or None,
        tuple(file for one in included for file in one.files),
        (*unknown, *applied.notes, *(one.note for one in included if one.note)),
    )


def _joined(conditions: Sequence[Condition], operator: str) -> Condition:
    sql = operator.join(condition.sql for condition in conditions)
    parameters = [value for condition in conditions for value in condition.parameters]
    return Condition(f"({sql})" if len(conditions) > 1 else sql, parameters)
