"""The command palette: all actions of the focused pane, of the screen and of the app."""

from __future__ import annotations

from functools import partial
from typing import Final, Protocol, cast

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette, Hit, Hits, Provider
from textual.content import Content

from memtui.keys.actions import Action, actions_of
from memtui.keys.declarations import Key
from memtui.settings.app_state import AppState
from memtui_core.text.characters import lowered

_THEME: Final = Key(
    "", "change_theme", "Theme", "Change the colours of the app", "theme",
    synonyms="dark light colour color scheme style background contrast", likely=5,
)  # fmt: skip
"""An action without a key."""


class ActionPalette(CommandPalette):
    """The palette of Textual, which ends once, and whose list can be moved through at any size of the terminal."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """End the palette; nothing if it has ended."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def _action_command_list(self, action: str) -> None:
        # A list without room has no lines, and Textual looks for that of the command under the cursor.
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)


class _HasState(Protocol):
    state: AppState


class CommandProvider(Provider):
    """Offers all actions, the likely ones first, and stores which were used."""

    async def discover(self) -> Hits:
        """All actions, while nothing is typed."""
        actions = self._actions()
        for rank, action in enumerate(actions):
            yield self._hit(action, 1 - rank / len(actions), "")

    async def search(self, query: str) -> Hits:
        """The actions that match what is typed; of those that match equally well, the likelier first."""
        actions = self._actions()
        for rank, action in enumerate(actions):
            if relevance := action.relevance(query):
                yield self._hit(action, relevance - rank / len(actions), query)

    def _hit(self, action: Action, score: float, query: str) -> Hit:
        name = Content(action.key.description)
        start = lowered(name.plain).find(lowered(query)) if query else -1
        if start >= 0 and self.match_style is not None:
            name = name.stylize(self.match_style, start, start + len(query))
        title = Content.assemble(name, "  ", (" ".join(action.labels), "not bold"))
        return Hit(score, title, partial(self._run, action), text=name.plain, help=action.key.tooltip)

    async def _run(self, action: Action) -> None:
        self._state.use_action(action.key.id)
        await action.run(self.app)

    @property
    def _state(self) -> AppState:
        return cast("_HasState", self.app).state

    def _actions(self) -> list[Action]:
        """The actions by how likely they are: used before, of the pane, of the app; last those that only move."""
        found = (*actions_of(self.screen), Action(_THEME, self.app))
        recent = self._state.recent_actions
        unique = {action.key.id: action for action in found if action.key.id != "palette"}
        return sorted(unique.values(), key=partial(_likelihood, recent))


def _likelihood(recent: tuple[str, ...], action: Action) -> tuple[int, int]:
    """A number that is lower for likelier actions."""
    key = action.key
    if key.id in recent:
        return 0, recent.index(key.id)
    if key.moves:
        return 5, 0
    if action.in_pane:
        return (1 if action.is_frequent else 3), 0
    return (2, key.likely) if key.likely else (4, 0)
