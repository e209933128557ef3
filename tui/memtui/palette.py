"""The command palette: all actions of the focused pane, of the screen and of the app."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial

from textual.app import App
from textual.binding import ActiveBinding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen


class CommandProvider(Provider):
    """Offers the actions that have a name and an id."""

    async def discover(self) -> Hits:
        """All actions, while nothing is typed."""
        for name, text, action in self._actions():
            yield DiscoveryHit(name, action, help=text)

    async def search(self, query: str) -> Hits:
        """The actions that match what is typed."""
        matcher = self.matcher(query)
        for name, text, action in self._actions():
            if score := matcher.match(f"{name} {text}"):
                yield Hit(score, matcher.highlight(name), action, help=text)

    def _actions(self) -> Iterator[tuple[str, str, Callable[[], Awaitable[bool]]]]:
        seen = {"palette", "force-quit"}
        for active in sorted(self.screen.active_bindings.values(), key=_rank):
            binding = active.binding
            if not active.enabled or not binding.description or not binding.id or binding.id in seen:
                continue
            seen.add(binding.id)
            title = f"{binding.description}  {self.app.get_key_display(binding)}"
            yield title, active.tooltip or binding.tooltip, partial(self.app.run_action, binding.action, active.node)
        yield "Theme", "Change the colours of the app", partial(self.app.run_action, "change_theme")


def _rank(active: ActiveBinding) -> int:
    """Sort the actions of the screen and of the app before those of the focused pane."""
    return 0 if isinstance(active.node, (Screen, App)) else 1
