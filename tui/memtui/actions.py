"""The actions that can be run on a screen, with their keys and texts: what help and palette list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.binding import ActiveBinding
from textual.dom import DOMNode
from textual.screen import Screen

from memtui.keys import SYNONYMS

_NAME, _SYNONYM, _TEXT, _INSIDE = 8.0, 4.0, 2.0, 1.0
"""How much a word of a query counts at the beginning of a word of these, or inside of any."""

_MOVES = frozenset({"down", "up", "top", "bottom", "half-down", "half-up", "page-down", "page-up"})
"""The last parts of the ids of actions that only move."""


@dataclass(frozen=True, slots=True)
class Action:
    """What a key does on a node of the screen."""

    id: str
    keys: tuple[str, ...]
    """The keys of the user's keymap, as they are shown."""
    name: str
    text: str
    """What it does, in a sentence."""
    group: str
    """The pane, or the part of the app, to which it belongs."""
    in_pane: bool
    """Whether it belongs to the focused pane, not to the screen or the app."""
    is_frequent: bool
    """Whether the status line shows its key."""
    node: DOMNode
    action: str

    @property
    def is_move(self) -> bool:
        """Whether it only moves the cursor or scrolls."""
        return self.id.rpartition(".")[2] in _MOVES

    def relevance(self, query: str) -> float:
        """How well the action answers a query: each word of it must match, 0 for none."""
        return word_relevance(query, self.name, SYNONYMS.get(self.id, ""), self.text, self.keys)

    async def run(self, app: App[Any]) -> None:
        """Run the action."""
        await app.run_action(self.action, self.node)


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


def actions_of(screen: Screen[Any]) -> list[Action]:
    """All actions of a screen that have words of ours: those of the focused pane, of the screen, then of the app."""
    grouped: dict[DOMNode, dict[str, list[ActiveBinding]]] = {}
    for active in sorted(screen.active_bindings.values(), key=_distance):
        if active.enabled:
            grouped.setdefault(active.node, {}).setdefault(active.binding.action, []).append(active)
    by_node = ([_action(screen, same) for same in actions.values()] for actions in grouped.values())
    return [action for actions in by_node for action in sorted(filter(None, actions), key=_rank)]


def _action(screen: Screen[Any], same: Sequence[ActiveBinding]) -> Action | None:
    """The action of bindings that do the same; None if all of them are Textual's own, which have no words for users."""
    with_words = [active for active in same if active.binding.id and active.binding.tooltip]
    if not with_words:
        return None
    # A key that works while typing, too, is the other key of the same action.
    own = min(with_words, key=lambda active: active.binding.priority)
    node, binding = own.node, own.binding
    labels = dict.fromkeys(_label(screen.app, active) for active in same)
    return Action(
        id=binding.id or "",
        keys=tuple(sorted(labels, key=_is_letter, reverse=True)),
        name=binding.description,
        text=own.tooltip or binding.tooltip,
        group=_group(node),
        in_pane=not isinstance(node, Screen | App),
        is_frequent=any(active.binding.show for active in same),
        node=node,
        action=binding.action,
    )


def _rank(action: Action) -> int:
    """The place of an action in its group: frequent ones first, those that only move last."""
    return 0 if action.is_frequent else 2 if action.is_move else 1


def _label(app: App[Any], active: ActiveBinding) -> str:
    return app.get_key_display(active.binding).replace("⏎", "enter")


def _is_letter(label: str) -> bool:
    return len(label) == 1 and label.isascii()


def _distance(active: ActiveBinding) -> int:
    """How far an action is from the focus: in a pane, on the screen, or in the app."""
    return 2 if isinstance(active.node, App) else 1 if isinstance(active.node, Screen) else 0


def _group(node: DOMNode) -> str:
    """The title of the help of a pane, or what its class says."""
    title = str(getattr(node, "HELP", "") or "").partition("\n")[0].removeprefix("## ")
    return title or node.BINDING_GROUP_TITLE or "This screen"
