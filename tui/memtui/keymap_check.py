"""Checks the keymap of the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages

from textual.binding import Binding
from textual.dom import DOMNode

from memtui import browse, screens, views, widgets
from memtui.keys import COMMANDS
from memtui.views.registry import commands


def unknown_ids(keymap: Mapping[str, str]) -> list[str]:
    """Return the ids of a keymap that no binding has, sorted."""
    if not keymap:
        return []
    for package in (browse, screens, views, widgets):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    known = {command.id for command in (*COMMANDS, *commands())}
    return sorted(keymap.keys() - known - set(_ids(DOMNode)))


def _ids(node: type[DOMNode]) -> Iterator[str]:
    for binding in Binding.make_bindings(vars(node).get("BINDINGS", ())):
        if binding.id:
            yield binding.id
    for subclass in node.__subclasses__():
        yield from _ids(subclass)
