"""Parse the text of a query: words, "exact phrases", -excluded words and filters; and turn its filters into conditions.

No text is invalid: what is not one of these forms is searched as text. The conditions are on observations, or SQL over
sessions and turns that narrows a search before any limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar

from memtui_core.search.filters.choices import IN
from memtui_core.search.filters.filter import Condition, Filter, FilterContext, FilterNotApplied
from memtui_core.search.filters.registry import filters_by_name
from memtui_core.store.lexicon.query import Query
from memtui_core.text.paths import bare, is_path_like, path_hints

_ABSOLUTE_PATH = re.compile(r"[A-Za-z]:[\\/]|\\\\|~[\\/]|/[^/\s]+/")
"""The start of an absolute path; a slash command such as `/review src/a.rs` is none."""
_ONLY_QUOTED = re.compile(r"[ ()]")
"""Characters that a path may contain only in quotes."""


def parse(text: str) -> Query:
    """Parse a text; never raises.

    An unclosed quote, a lone `-`, an option such as `--include-file`, an unknown `name:value` and a filter without a
    value are text.
    """
    terms: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    filters: list[tuple[str, str]] = []
    excluded_filters: list[tuple[str, str]] = []
    last_is_term = False
    for token in _token(tuple(filters_by_name())).finditer(text):
        kind = token.lastgroup
        last_is_term = kind == "term"
        if kind == "term":
            terms.append(token[0])
        elif kind == "excluded":
            excluded.append(token["excluded"])
        elif kind == "phrase":
            _add_phrase(excluded if token["minus"] else phrases, token["phrase"])
        else:
            _add_filter(excluded_filters if token["not"] else filters, token)
    paths = tuple(sorted({*path_hints(" ".join(terms)), *(path for phrase in phrases for path in _paths(phrase))}))
    last_is_prefix = last_is_term and not text[-1].isspace()
    return Query(
        tuple(terms), tuple(phrases), tuple(excluded), tuple(filters), tuple(excluded_filters), paths, last_is_prefix
    )


@cache
def _token(filters: tuple[str, ...]) -> re.Pattern[str]:
    """The forms of a query with the names of filters: `name:value` with any other name is text."""
    return re.compile(
        rf"""(?P<not>-?)(?P<filter>{"|".join(filters)}):(?:"(?P<quoted>[^"]*)"(?!\S)|(?P<value>(?!//)[^\s"]\S*))(?!\S)"""
        r"""|(?P<minus>-?)"(?P<phrase>[^"]*)"(?!\w)"""
        r"""|-(?P<excluded>[^\s\-"]\S*)"""
        r"""|(?P<term>\S+)"""
    )


def _paths(phrase: str) -> list[str]:
    r"""The paths in a phrase; an absolute path may contain spaces: `C:\My Files\a.rs`."""
    path = bare(phrase.strip())
    is_path = _ABSOLUTE_PATH.match(path) and is_path_like(_ONLY_QUOTED.sub("_", path))
    return [path] if is_path else path_hints(phrase)


def _add_phrase(phrases: list[str], phrase: str) -> None:
    if phrase.strip():
        phrases.append(phrase)


def _add_filter(filters: list[tuple[str, str]], token: re.Match[str]) -> None:
    value = token["quoted"] if token["value"] is None else token["value"]
    if value.strip():
        filters.append((token["filter"], value))


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
    exact = FilterContext(context.now, unfinished=context.unfinished, fields=context.fields)
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
    quotes: tuple[str, ...] = ()
    """The kinds of facts that are quoted as passages."""
    unless_archived: str = ""
    """A condition over sessions that leaves out the archived ones, which is no filter; empty if there is none."""

    @property
    def condition(self) -> str:
        """What turns and sessions must meet, with the parameters; empty for nothing."""
        return " AND ".join(f"({each})" for each in (self.where, self.unless_archived) if each)


def resolve_scope(query: Query, context: FilterContext) -> QueryScope:
    """The scope of a query.

    Different filters must all apply, and so must the values of a conjunctive filter (`has:error has:edit`); the values
    of any other filter are alternatives (`agent:codex agent:claude`). A value that is not valid is ignored, with a
    note.
    """
    context = replace(context, fields=_named_fields(query, context))
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
    unknown = [f"{name}: is not a filter, searched as text" for name in query.unknown_filters if name not in filters]
    return QueryScope(
        where.sql,
        tuple(where.parameters),
        all(filters[name].on_session for name, _ in (*query.filters, *query.excluded_filters)),
        tuple(field for one in included for field in one.fields) or None,
        tuple(file for one in included for file in one.files),
        (*unknown, *applied.notes, *(one.note for one in included if one.note)),
        quotes=tuple(one.quotes for one in included if one.quotes),
    )


def _named_fields(query: Query, context: FilterContext) -> tuple[str, ...]:
    """The fields of the lexicon that `in:` names."""
    named: list[str] = []
    for value in (value for name, value in query.filters if name == IN.name):
        with suppress(FilterNotApplied):
            named += IN.turn_condition(value, context).fields
    return tuple(dict.fromkeys(named))


def _joined(conditions: Sequence[Condition], operator: str) -> Condition:
    sql = operator.join(condition.sql for condition in conditions)
    parameters = [value for condition in conditions for value in condition.parameters]
    return Condition(f"({sql})" if len(conditions) > 1 else sql, parameters)
