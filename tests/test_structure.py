"""What classes keep to: composition instead of long chains of bases, no method left to others, a name of their own."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from textual.screen import Screen
from textual.widget import Widget

import memtui
import memtui_core
import memtui_team
from memtui_core.readers.registry import all_readers

SOURCES = Path(memtui.__file__).parent
CORE = Path(memtui_core.__file__).parent
TEAM = Path(memtui_team.__file__).parent


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
        str(path)
        for top in (SOURCES, TEAM)
        for path in sorted(top.rglob("*.py"))
        if "NotImplementedError" in path.read_text("utf-8")
    ] == []


def test_the_app_has_no_sql() -> None:
    """Queries belong to the core: an answer is a value with named fields."""
    statements = re.compile(r"\b(?:SELECT .+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE TABLE)\b", re.DOTALL)
    assert [str(path) for path in sorted(SOURCES.rglob("*.py")) if statements.search(path.read_text("utf-8"))] == []


def is_of_an_agent(path: Path) -> bool:
    """Whether a module is in the package of one agent, whose names are local to it."""
    return CORE / "readers" in path.parents and (path.parent / "reader.py").exists()


def test_a_class_name_has_one_meaning() -> None:
    """Private classes, and classes within others, are local to where they are."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(path for top in (CORE, SOURCES, TEAM) for path in top.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body if not is_of_an_agent(path) else ():
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path))
    assert "SourceIngest" in places
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


MOST_ENTRIES = 14
"""Modules and folders in a folder: as many as a reader can look over."""


def test_a_folder_has_few_enough_entries_to_look_over() -> None:
    root = Path(__file__).parents[1]
    folders = [path.parent for top in ("core", "tui", "team") for path in root.joinpath(top).rglob("__init__.py")]
    entries = {
        str(folder.relative_to(root)): sum(
            not path.name.startswith("__") and path.name != "py.typed" for path in folder.iterdir()
        )
        for folder in folders
    }
    agents = entries.pop("core/memtui_core/readers/agents")
    assert agents == len({type(reader).__module__.rpartition(".")[0] for reader in all_readers()})
    assert {folder: count for folder, count in entries.items() if count > MOST_ENTRIES} == {}


def test_tests_lie_in_the_tree_of_what_they_test() -> None:
    tests = Path(__file__).parent
    unknown = [
        str(folder.relative_to(tests))
        for name, sources in (("core", CORE), ("tui", SOURCES), ("team", TEAM))
        for folder in (tests / name).rglob("*")
        if folder.is_dir()
        and folder.name != "__pycache__"
        and not (sources / folder.relative_to(tests / name)).is_dir()
    ]
    assert unknown == []
