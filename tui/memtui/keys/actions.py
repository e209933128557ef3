"""The actions that can be run on a screen, with their keys and texts: what help and palette list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode
from textual.screen import Screen

from memtui.keys.declarations import Key, key_of

_NAME, _SYNONYM, _TEXT, _INSIDE = 8.0, 4.0, 2.0, 1.0
"""How much a word of a query counts at the beginning of a word of these, or inside of any."""


@dataclass(frozen=True, slots=True)
class Action:
    """A key on a node of the screen, as help and palette list it."""

    key: Key
    """Its declaration."""
    node: DOMNode
    labels: tuple[str, ...] = ()
    """The keys of the user's keymap, as they are shown."""
    is_frequent: bool = False
    """Whether the status line shows one of its keys."""

    @property
    def in_pane(self) -> bool:
        """Whether it belongs to the focused pane, not to the screen or the app."""
        return not isinstance(self.node, Screen | App)

    @property
    def group(self) -> str:
        """The pane, or the part of the app, to which it belongs: the title of its help, or what its class says."""
        title = str(getattr(self.node, "HELP", "") or "").partition("\n")[0].removeprefix("## ")
        return title or self.node.BINDING_GROUP_TITLE or "This screen"

    def relevance(self, query: str) -> float:
        """How well the action answers a query: each word of it must match, 0 for none."""
        return word_relevance(query, self.key.description, self.key.synonyms, self.key.tooltip, self.labels)

    async def run(self, app: App[Any]) -> None:
        """Run the action."""
        await app.run_action(self.key.action, self.node)


def word_relevance(query: str, name: str, synonyms: str, text: str, keys: tuple[str, ...] = ()) -> float:
    """How well texts answer a query: 0 if a word of the query matches none of them."""
    fields = ((_NAME, name), (_SYNONYM, synonyms), (_TEXT, text))
    total = 0.0
    for word in query.lower().split():
        values = [
            (weight + (word == found)) if found.startswith(word) else _INSIDE
            for weight, field in fields
            for found in field.lower().split()
            if word in found
        ]
        values += [_NAME for key in keys if key.lower() == word]
        if not values:
            return 0.0
        total += max(values)
    return total


_BY_ARROW: Final = {"row_up": "cursor_up"}
"""Actions of letters, and those of the arrows that do the same except on the first row."""


def actions_of(screen: Screen[Any]) -> list[Action]:
    """All actions of a screen that have words of ours: those of the focused pane, of the screen, then of the app."""
    grouped: dict[DOMNode, dict[str, list[ActiveBinding]]] = {}
    for active in sorted(screen.active_bindings.values(), key=_distance):
        if active.enabled:
            action = active.binding.action
            grouped.setdefault(active.node, {}).setdefault(_BY_ARROW.get(action, action), []).append(active)
    by_node = ([_action(screen, same) for same in actions.values()] for actions in grouped.values())
    return [action for actions in by_node for action in sorted(filter(None, actions), key=_rank)]


def _action(screen: Screen[Any], same: Sequence[ActiveBinding]) -> Action | None:
    """The action of bindings that do the same; None if all of them are Textual's own, which have no words for users."""
    declared = [key for active in same if (key := key_of(active.binding)) is not None]
    if not declared:
        return None
    # A key that works while typing, too, is the other key of the same action.
    key = min(declared, key=lambda key: key.priority)
    labels = dict.fromkeys(key_label(screen.app, active.binding) for active in same)
    is_frequent = any(active.binding.show for active in same)
    return Action(key, same[0].node, tuple(sorted(labels, key=_is_letter, reverse=True)), is_frequent)


def _rank(action: Action) -> int:
    """The place of an action in its group: frequent ones first, those that only move last."""
    return 0 if action.is_frequent else 2 if action.key.moves else 1


def key_label(app: App[Any], binding: Binding) -> str:
    """A key as it is shown."""
    return app.get_key_display(binding).replace("⏎", "enter")


def _is_letter(label: str) -> bool:
    return len(label) == 1 and label.isascii()


def _distance(active: ActiveBinding) -> int:
    """How far an action is from the focus: in a pane, on the screen, or in the app."""
    return 2 if isinstance(active.node, App) else 1 if isinstance(active.node, Screen) else 0
