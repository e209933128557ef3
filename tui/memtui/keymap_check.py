"""Checks the keymap of the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages

from textual.binding import Binding
from textual.dom import DOMNode

from memtui import browse, screens, views, widgets
from memtui.keys import COMMANDS, read_keys
from memtui.suggestion import suggestion
from memtui.views.registry import commands


def keymap_warnings(keymap: Mapping[str, str]) -> list[str]:
    """A sentence for each id of a keymap that no binding has, and for each key that does not exist."""
    if not keymap:
        return []
    known = _known_ids()
    warnings = [
        f"[keymap]: there is no id {unknown!r}; it is ignored.{suggestion(unknown, known)}"
        for unknown in sorted(keymap.keys() - set(known))
    ]
    return warnings + [
        f"[keymap] {name}: there is no key {key!r}; it is ignored."
        for name, keys in keymap.items()
        for key in read_keys(keys).unknown
    ]


def _known_ids() -> list[str]:
    """The ids of all bindings, sorted."""
    for package in (browse, screens, views, widgets):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    return sorted({command.id for command in (*COMMANDS, *commands())} | set(_ids(DOMNode)))


def _ids(node: type[DOMNode]) -> Iterator[str]:
    for binding in Binding.make_bindings(vars(node).get("BINDINGS", ())):
        if binding.id:
            yield binding.id
    for subclass in node.__subclasses__():
        yield from _ids(subclass)
