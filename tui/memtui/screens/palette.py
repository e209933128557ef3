"""The command palette: all actions of the focused pane, of the screen and of the app, and by name those elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Final

from rich.cells import cell_len
from textual.content import Content
from textual.screen import Screen

from memtui.keys.actions import Action, actions_of
from memtui.keys.declarations import Key
from memtui.screens.filtered import Offer
from memtui.settings.app_state import AppState
from memtui.wording.formatting import fitted

_THEME: Final = Key(
    "", "change_theme", "Theme", "Change the colours of the app", "theme",
    synonyms="dark light colour color scheme style background contrast", likely=5,
)  # fmt: skip
"""An action without a key."""
_MATCH: Final = "bold $text-accent"


class ActionOffer(Offer[Action]):
    """The actions of the screen below, the likely ones first; the chosen one is to be run.

    A screen can have more than those with keys: those that its method `more_actions` returns. What its method
    `actions_elsewhere` returns is only found by a query, after all others.
    """

    title = "Palette"
    prompt = "type what you want to do"
    nothing = "No action is called that. Other words may find it."

    def __init__(self, below: Screen[Any], state: AppState) -> None:
        more: Sequence[Action] = getattr(below, "more_actions", list)()
        found = (*actions_of(below), Action(_THEME, below.app), *more)
        self._find_elsewhere: Callable[[], Sequence[Action]] = getattr(below, "actions_elsewhere", list)
        unique = {action.key.id: action for action in found if action.key.id != "palette"}
        self._actions = sorted(unique.values(), key=partial(_likelihood, state.recent_actions))
        self._name_width = max(cell_len(action.key.description) for action in self._actions if action.labels)

    def find(self, query: str) -> Sequence[Action]:
        """The actions that match; of those that match equally well, the likelier first."""
        if not query:
            return self._actions
        return [*_matching(self._actions, query), *_matching(self._elsewhere, query)]

    @cached_property
    def _elsewhere(self) -> Sequence[Action]:
        here = {action.key.id for action in self._actions}
        found = [action for action in self._find_elsewhere() if action.key.id not in here]
        # Several panes of a view may have the same.
        return list({(action.key.description, action.key.tooltip): action for action in found}.values())

    def row(self, value: Action, query: str, width: int) -> Content:
        """The name of an action, what it does, and its keys at the right end."""
        labels = " ".join(value.labels)
        words = value.key.tooltip
        # Why it is there, if nothing that is shown says so.
        shown = f"{value.key.description} {words} {labels}".lower()
        others = [
            next((other for other in value.key.synonyms.split() if word in other), "")
            for word in query.lower().split()
            if word not in shown
        ]
        if any(others):
            words = f"{' '.join(filter(None, others))} · {words}"
        room = width - self._name_width - 2 - (cell_len(labels) + 2 if labels else 0)
        name = matched(fitted(value.key.description, self._name_width), query)
        text = matched(fitted(words, room), query).stylize_before("dim")
        return Content.assemble(name, "  ", text, (f"  {labels}" if labels else "", "dim"))


def _matching(actions: Sequence[Action], query: str) -> list[Action]:
    scores = ((action, action.relevance(query)) for action in actions)
    matching = sorted((pair for pair in scores if pair[1]), key=lambda pair: -pair[1])
    return [action for action, _ in matching]


def matched(text: str, query: str) -> Content:
    """A text in which the words of a query stand out: where they begin a word, or else wherever they are."""
    content = Content(text)
    for word in query.split():
        places = [*re.finditer(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE)]
        for place in places or re.finditer(re.escape(word), text, re.IGNORECASE):
            content = content.stylize(_MATCH, *place.span())
    return content


def _likelihood(recent: tuple[str, ...], action: Action) -> tuple[int, int]:
    """A number that is lower for likelier actions: used before, of the pane, of the app; last those that only move."""
    key = action.key
    if key.id in recent:
        return 0, recent.index(key.id)
    if key.moves:
        return 5, 0
    if action.in_pane:
        return (1 if action.is_frequent else 3), 0
    return (2, key.likely) if key.likely else (4, 0)
