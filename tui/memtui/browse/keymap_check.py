"""The keys that are declared, of all parts or of one view, and the check of the keymap of the settings against them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pkgutil import walk_packages

from textual.screen import Screen

from memtui import browse, screens, widgets
from memtui.keys.declarations import APP_KEYS, BROWSE_KEYS, Key, read_keys
from memtui.settings.declared import BY_KEYS
from memtui.views import registry
from memtui.wording.suggestion import suggestion


def keymap_warnings(keymap: Mapping[str, str]) -> list[str]:
    """A sentence for each id of a keymap that no key has, and for each keyboard key that does not exist."""
    return [text for _, text in wrong_entries(keymap)]


def wrong_entries(keymap: Mapping[str, str]) -> list[tuple[str, str]]:
    """What `keymap_warnings` says, each sentence after the id of its entry."""
    if not keymap:
        return []
    known = sorted({key.id for key in declared_keys()})
    unknown_ids = [
        (unknown, f"[keymap]: there is no id {unknown!r}; it is ignored.{_meant(unknown, known)}")
        for unknown in sorted(keymap.keys() - set(known))
    ]
    return unknown_ids + [
        (name, f"[keymap] {name}: there is no key {key!r}; it is ignored.")
        for name, keys in keymap.items()
        if (name,) not in BY_KEYS
        for key in read_keys(keys).unknown
    ]


def _meant(unknown: str, known: Sequence[str]) -> str:
    """What an unknown id probably means."""
    if (unknown,) in BY_KEYS:
        return " It is a setting of its own: write it above the first line in brackets."
    return suggestion(unknown, known)


def declared_keys() -> list[Key]:
    """All keys: those that work everywhere, then those of lists and panes, view by view, and of the other screens.

    A key that several widgets share is listed once. What is not made by `keys` is refused.
    """
    views = [import_module(view.package) for view in registry.VIEWS]
    found = dict.fromkeys([*(view.shows for view in registry.VIEWS), *BROWSE_KEYS, *APP_KEYS])
    for package in (browse, widgets, *views, screens):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            found.update(dict.fromkeys(_keys_of(module.name)))
    return list(found)


def view_keys(package: str) -> list[Key]:
    """The keys that the status line shows in the panes of a view; dialogs are not among them."""
    modules = walk_packages(import_module(package).__path__, f"{package}.")
    return [key for module in modules for key in _keys_of(module.name, of_screens=False) if key.show]


def _keys_of(module: str, *, of_screens: bool = True) -> Iterator[Key]:
    """The keys of the widgets of a module."""
    for name, value in vars(import_module(module)).items():
        if isinstance(value, type) and value.__module__ == module and (of_screens or not issubclass(value, Screen)):
            for key in vars(value).get("BINDINGS", ()):
                if not (isinstance(key, Key) and key.where):
                    raise TypeError(f"{module}.{name}: {key} is not made by memtui.keys.declarations.keys")
                yield key
