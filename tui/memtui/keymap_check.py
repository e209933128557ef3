"""The keys that a person binds anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from textual.binding import Binding
from textual.dom import DOMNode

from memtui import screens, widgets


def unknown_ids(keymap: Mapping[str, str]) -> list[str]:
    """What a keymap names and no key has as its id, in order."""
    if not keymap:
        return []
    for package in (screens, widgets):
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    return sorted(keymap.keys() - set(_ids(DOMNode)))


def _ids(node: type[DOMNode]) -> Iterator[str]:
    for binding in Binding.make_bindings(vars(node).get("BINDINGS", ())):
        if binding.id:
            yield binding.id
    for below in node.__subclasses__():
        yield from _ids(below)
