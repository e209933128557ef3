"""Dataclasses that are quick to define behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any

import pytest

from memtui_core import values


@values.dataclass(frozen=True, slots=True)
class Quick:
    """A value."""

    name: str
    count: int = 3
    tags: list[str] = values.field(default_factory=list)
    note: str = values.field(default="n", compare=False)
    hidden: float = values.field(default=0.5, repr=False)

    @property
    def twice(self) -> int:
        """A method stays."""
        return 2 * self.count


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """A value."""

    name: str
    count: int = 3
    tags: list[str] = dataclasses.field(default_factory=list)
    note: str = dataclasses.field(default="n", compare=False)
    hidden: float = dataclasses.field(default=0.5, repr=False)

    @property
    def twice(self) -> int:
        """A method stays."""
        return 2 * self.count


@values.dataclass(frozen=True, slots=True)
class One:
    """A value of one field."""

    only: Any


@values.dataclass(slots=True)
class Open:
    """A value that can be changed."""

    count: int
    note: str = ""


@values.dataclass(frozen=True, slots=True)
class Nothing:
    """A value without fields."""


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    (("a", 4), {"note": "x"}),
    ((), {"name": "b", "tags": ["t"], "hidden": 1.5}),
    ((), {}),
    (("a", 1, [], "n", 0.1, 9), {}),
    (("a",), {"name": "b"}),
    (("a",), {"other": 1}),
]


def outcome(kind: Any, args: tuple[Any, ...], options: dict[str, Any]) -> object:
    """The value's text and fields, or what it raises."""
    try:
        value = kind(*args, **options)
    except TypeError as error:
        return str(error).replace(kind.__name__, "Kind")
    return repr(value).replace(kind.__name__, "Kind"), dataclasses.asdict(value), value.twice


@pytest.mark.parametrize(("args", "options"), CALLS)
def test_values_are_made_as_by_the_standard_library(args: tuple[Any, ...], options: dict[str, Any]) -> None:
    first, again = outcome(Quick, args, options), outcome(Quick, args, options)
    assert first == again == outcome(Standard, args, options)


def test_equality_and_hash_are_those_of_the_compared_fields() -> None:
    pairs: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = [
        (("a",), ("a",)),
        (("a", 1), ("a", 2)),
        (("a", 1, [], "n"), ("a", 1, [], "m")),
    ]
    assert [Quick(*one) == Quick(*other) for one, other in pairs] == [True, False, True]
    assert [Standard(*one) == Standard(*other) for one, other in pairs] == [True, False, True]
    standard: Any = Standard("a")
    assert (Quick("a") == standard, One(1) == One(1), One(1) == One(2)) == (False, True, False)
    assert (hash(One(1)), Nothing(), hash(Nothing())) == (hash((1,)), Nothing(), hash(()))
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(Quick("a"))
    nan = float("nan")
    assert One(nan) == One(nan)


def test_a_value_cannot_be_changed_and_has_no_other_fields() -> None:
    value: Any = Quick("a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
        value.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'name'"):
        del value.name
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'other'"):
        value.other = 1
    assert not hasattr(value, "__dict__")


def test_a_value_that_is_not_frozen_can_be_changed() -> None:
    value: Any = Open(1)
    value.count += 1
    assert (value, pickle.loads(pickle.dumps(value)), hasattr(value, "__dict__")) == (Open(2), Open(2), False)
    with pytest.raises(TypeError, match="unhashable type: 'Open'"):
        hash(value)
    with pytest.raises(AttributeError):
        value.other = 1


def test_lists_made_for_a_value_are_its_own() -> None:
    one, other = Quick("a"), Quick("b")
    one.tags.append("t")
    assert (one.tags, other.tags) == (["t"], [])


def test_copies_are_equal_and_replace_changes_fields() -> None:
    value = Quick("a", 4, ["t"], "x", 2.0)
    for same in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
        assert dataclasses.astuple(same) == ("a", 4, ["t"], "x", 2.0)
    for replace in (values.replace, dataclasses.replace):
        assert dataclasses.astuple(replace(value, count=5)) == ("a", 5, ["t"], "x", 2.0)
    match value:
        case Quick(name, count):
            assert (name, count) == ("a", 4)


def test_the_fields_are_those_of_the_standard_library() -> None:
    def described(kind: Any) -> list[tuple[object, ...]]:
        return [
            (one.name, one.type, one.default, one.default_factory, one.repr, one.compare)
            for one in dataclasses.fields(kind)
        ]

    assert dataclasses.is_dataclass(Quick)
    assert described(Quick) == described(Standard)
    assert described(Quick("a")) == described(Standard)
    assert (Quick.__doc__, Quick.__qualname__, Quick.__module__) == ("A value.", "Quick", __name__)


def test_a_class_of_the_standard_library_can_be_derived() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Derived(Quick):
        more: int = 1

    value = Derived("a", more=2)
    assert [one.name for one in dataclasses.fields(value)] == ["name", "count", "tags", "note", "hidden", "more"]
    assert (value.count, value.twice, value == Derived("a", more=2), value == Derived("a")) == (3, 6, True, False)
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        dataclasses.dataclass(type("Changing", (Quick,), {}))


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(TypeError, match="only dataclasses with slots"):
        values.dataclass(slots=False)
    with pytest.raises(TypeError, match="Derived must be a dataclass of the standard library"):

        @values.dataclass(frozen=True, slots=True)
        class Derived(Quick):
            more: int = 1

    with pytest.raises(ValueError, match="a default that can change"):

        @values.dataclass(frozen=True, slots=True)
        class Shared:
            tags: list[str] = []  # noqa: RUF012


def test_a_class_and_its_values_load_nothing_of_the_standard_library() -> None:
    code = """
        import sys
        sys.modules["dataclasses"] = None
        from memtui_core.values import dataclass, replace
        @dataclass(frozen=True, slots=True)
        class Point:
            x: int
            y: int = 2
        print(replace(Point(1), y=3), Point(1) == Point(1, 2), "inspect" in sys.modules)
    """
    lines = [line.strip() for line in code.strip().splitlines()]
    lines[5:7] = [f" {line}" for line in lines[5:7]]
    run = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert run.stdout == "Point(x=1, y=3) True False\n"
