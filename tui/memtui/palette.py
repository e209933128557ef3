"""The command palette: every action of what is in focus, of the screen and of the app."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial

from textual.app import App
from textual.binding import ActiveBinding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen


class CommandProvider(Provider):
    """The palette: every action of what is in focus, and of the screen and the app behind it."""

    async def discover(self) -> Hits:
        """All of them, while nothing is typed."""
        for name, text, action in self._actions():
            yield DiscoveryHit(name, action, help=text)

    async def search(self, query: str) -> Hits:
        """Those that match."""
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
        yield "Theme", "Other colours; the choice is kept", partial(self.app.run_action, "change_theme")


def _rank(active: ActiveBinding) -> int:
    """What can be done anywhere stands before what the pane in focus can do."""
    return 0 if isinstance(active.node, (Screen, App)) else 1
