"""A filter is added by one declaration and its entry in the registry."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.screens.help.legend import legend
from memtui_core.index.index import Index
from memtui_core.memory.observations.search import ObservationSearch
from memtui_core.memory.observations.store import Observations
from memtui_core.search import filters
from memtui_core.search.completion import complete
from memtui_core.search.filters import registry
from memtui_core.search.filters.filter import (
    Condition,
    Filter,
    FilterContext,
    FilterNotApplied,
    ObservationTest,
    selected_values,
)
from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon.query import Query
from support.indexes import build
from support.transcripts import DAY, OTHER_SESSION, Script
from tools.docs_tables import filters_table


def _hour(value: str) -> int:
    if not value.isdecimal():
        raise FilterNotApplied(f"hour:{value} is not an hour, such as 9 or 17")
    return int(value)


def _turns(value: str, context: FilterContext) -> Condition:
    return Condition("hour(t.started_at) = ?", [_hour(value)])


def _observations(value: str, context: FilterContext) -> ObservationTest:
    hour = _hour(value)
    return lambda one: one.created_at.hour == hour


HOUR = Filter(
    name="hour",
    leaves="turns that began in an hour of the day, in UTC",
    examples=("9", "17"),
    turns=_turns,
    whole_value="strftime(t.started_at, '%H:%M') = ?",
    observations=_observations,
    completions=selected_values("SELECT DISTINCT hour(started_at)::VARCHAR AS hour FROM turns ORDER BY hour DESC"),
)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "FILTERS", (*registry.FILTERS, HOUR))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Session 1 has turns at 9:00 and 9:01, session 2 one at 11:00."""
    folder = tmp_path_factory.mktemp("hours")
    first, second = Script(), Script(OTHER_SESSION, prefix="f")
    first.user("a retry")
    first.count += 5
    first.user("another retry")
    second.count = DAY // 12
    second.user("a retry, too")
    return build(folder / "data", first.write(folder / "src"), second.write(folder / "src"))


@pytest.mark.usefixtures("registered")
def test_its_name_is_part_of_the_query_language() -> None:
    assert parse("retry hour:9 -hour:17 hours:3") == Query(
        terms=("retry", "hours:3"),
        filters=(("hour", "9"),),
        excluded_filters=(("hour", "17"),),
        last_is_prefix=True,
    )


def test_a_name_that_is_not_declared_is_text() -> None:
    assert parse("retry hour:9 ") == Query(terms=("retry", "hour:9"))


@pytest.mark.usefixtures("registered")
def test_it_leaves_what_it_says(index: Index) -> None:
    queries = ("hour:9", "hour:=9", "hour:=09:00", "hour:11 retry", "hour:9 hour:11", "-hour:9", "hour:9 session:2222")
    found = {query: sorted((hit.session_id[:1], hit.turn) for hit in index.search(query).hits) for query in queries}
    assert found == {
        "hour:9": [("1", 1), ("1", 2)],
        "hour:=9": [],
        "hour:=09:00": [("1", 1)],
        "hour:11 retry": [("2", 1)],
        "hour:9 hour:11": [("1", 1), ("1", 2), ("2", 1)],
        "-hour:9": [("2", 1)],
        "hour:9 session:2222": [],
    }
    assert index.search("hour:noon retry").note == "hour:noon is not an hour, such as 9 or 17"


@pytest.mark.usefixtures("registered")
def test_its_name_and_its_values_are_completed(index: Index) -> None:
    values = index.search.filter_values()
    assert values["hour"] == ("9", "11")
    assert [complete(text, values) for text in ("retry ho", "hour:", "-hour:1")] == [
        "retry hour:",
        "hour:9",
        "-hour:11",
    ]


@pytest.mark.usefixtures("registered")
def test_observations_know_it(tmp_path: Path) -> None:
    hours, numbers = iter((9, 17)), iter("12")
    observations = Observations(
        tmp_path, now=lambda: datetime(2026, 11, 1, next(hours), tzinfo=UTC), new_id=lambda: next(numbers)
    )
    for title in ("Early", "Late"):
        observations.save("s1", type="change", title=title, narrative="n")
    search = ObservationSearch(observations)
    answers = {query: search.search(query) for query in ("hour:9", "-hour:9", "hour:9 hour:17", "hour:noon")}
    assert {query: [hit.observation.id for hit in answer.hits] for query, answer in answers.items()} == {
        "hour:9": ["1"],
        "-hour:9": ["2"],
        "hour:9 hour:17": ["2", "1"],
        "hour:noon": ["2", "1"],
    }
    assert answers["hour:noon"].note == "hour:noon is not an hour, such as 9 or 17"


def test_help_and_documents_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    help_text, table = legend(()), filters_table()
    last = f"{registry.FILTERS[-1].name}:{'|'.join(registry.FILTERS[-1].examples)}"
    monkeypatch.setattr(registry, "FILTERS", (*registry.FILTERS, HOUR))
    assert legend(()) == help_text.replace(f"`{last}`;", f"`{last}` `hour:9|17`;")
    assert legend(()) != help_text
    assert filters_table() == f"{table}| `hour:9` `hour:17` | turns that began in an hour of the day, in UTC |\n"


def test_a_declaration_that_lacks_something_fails_when_it_is_imported() -> None:
    with pytest.raises(TypeError, match="missing 2 required positional arguments: 'observations' and 'completions'"):
        Filter(name="hour", leaves="turns", examples=("9",), turns=_turns)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", ["h", "Hour", "has_hour", "hour2", "h" * 13, ""])
def test_a_name_that_no_query_can_have_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no name for a filter"):
        replace(HOUR, name=name)


def test_every_declared_filter_is_listed_once() -> None:
    modules = pkgutil.iter_modules(filters.__path__, f"{filters.__name__}.")
    declared = {
        id(value): value.name
        for module in modules
        for value in vars(importlib.import_module(module.name)).values()
        if isinstance(value, Filter)
    }
    assert sorted(declared.values()) == sorted(one.name for one in registry.FILTERS)
    assert len(registry.filters_by_name()) == len(registry.FILTERS)
