"""A line of tabs above a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab with its titles; the short one is for narrow lines."""

    name: str
    title: str
    short_title: str


class TabLine(Widget):
    """The tabs on one line, the chosen one marked; `choose` is called with the name of one that is clicked."""

    DEFAULT_CSS = """
    TabLine { height: 1; color: $text-muted; }
    """

    tab: reactive[str] = reactive("")
    """Name of the chosen tab."""
    tabs: reactive[Sequence[Tab]] = reactive[Sequence[Tab]](())

    def __init__(self, choose: Callable[[str], None]) -> None:
        super().__init__()
        self._choose = choose

    def render(self) -> Content:
        """All tabs, with short titles where the long ones do not fit."""
        line = self._line(short=False)
        return line if line.cell_length <= self.content_size.width else self._line(short=True)

    def _line(self, *, short: bool) -> Content:
        parts = []
        for tab in self.tabs:
            text = Content(tab.short_title if short else tab.title)
            parts.append(
                text.stylize("bold underline $text" if tab.name == self.tab else f"@click=choose('{tab.name}')")
            )
        return Content("  ").join(parts)

    def action_choose(self, name: str) -> None:
        """Choose a tab."""
        self._choose(name)
