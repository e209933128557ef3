"""What the classes of the app keep to: composition instead of long chains of bases, and no method left to others."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

from textual.screen import Screen
from textual.widget import Widget

import memtui

SOURCES = Path(memtui.__file__).parent


def own_classes() -> Iterator[type]:
    for module in pkgutil.walk_packages(memtui.__path__, "memtui."):
        if module.name != "memtui.__main__":
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, type) and value.__module__ == module.name:
                    yield value


def depth(cls: type) -> int:
    """How many of a class and its bases are memtui's own."""
    return sum(base.__module__.startswith("memtui") for base in cls.__mro__)


def test_no_screen_stands_on_more_than_one_class_of_ours() -> None:
    screens = {cls.__name__: depth(cls) for cls in own_classes() if issubclass(cls, Screen)}
    assert "BrowseScreen" in screens
    assert {name: count for name, count in screens.items() if count > 2} == {}


def test_no_widget_stands_on_more_than_two_classes_of_ours() -> None:
    widgets = {cls.__name__: depth(cls) for cls in own_classes() if issubclass(cls, Widget)}
    assert {name: count for name, count in widgets.items() if count > 3} == {}


def test_no_class_inherits_from_two_of_ours() -> None:
    """Mixins are objects that a class owns instead."""
    mixed = [
        cls.__name__
        for cls in own_classes()
        if issubclass(cls, Widget) and sum(base.__module__.startswith("memtui") for base in cls.__bases__) > 1
    ]
    assert mixed == []


def test_no_method_is_left_to_subclasses_by_an_error() -> None:
    assert [
        str(path) for path in sorted(SOURCES.rglob("*.py")) if "NotImplementedError" in path.read_text("utf-8")
    ] == []


def test_the_app_has_no_sql() -> None:
    """Queries belong to the core: an answer is a value with named fields."""
    statements = re.compile(r"\b(?:SELECT .+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE TABLE)\b", re.DOTALL)
    assert [str(path) for path in sorted(SOURCES.rglob("*.py")) if statements.search(path.read_text("utf-8"))] == []
