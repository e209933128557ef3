"""The line at the top: the views with their keys, the chosen one highlighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

_NAME = "memtui"


@dataclass(frozen=True)
class ViewTab:
    """What the tabs show of a view."""

    name: str
    """Name in widget ids and settings, and in the id `view-<name>` of its key."""
    key: str
    titles: tuple[str, ...]
    """Titles in the tabs, from long to short; the first one is also that of the palette."""


class ViewTabs(Widget):
    """The tabs of the views; a click on one shows its view.

    Where not all fits, the name of the app goes first; then step by step the longest title becomes shorter, at last
    only the key is left of it. The chosen view keeps a title.
    """

    view: reactive[str] = reactive("")
    """Name of the chosen view."""

    def __init__(self, tabs: Sequence[ViewTab]) -> None:
        super().__init__(id="header")
        self._tabs = tabs

    def render(self) -> Content:
        """All views on one line, with the longest titles that fit."""
        *longer, shortest = self._lines()
        return next((line for line in longer if line.cell_length <= self.content_size.width), shortest)

    def _lines(self) -> Iterator[Content]:
        """The line in each of its lengths, the longest first."""
        titles = [tab.titles if tab.name == self.view else (*tab.titles, "") for tab in self._tabs]
        yield self._line(_NAME, titles)
        while True:
            yield self._line("", titles)
            shortenable = [left for left in titles if len(left) > 1]
            if not shortenable:
                return
            longest = max(shortenable, key=lambda left: cell_len(left[0]))
            titles[titles.index(longest)] = longest[1:]

    def _line(self, name: str, titles: Sequence[Sequence[str]]) -> Content:
        """The line with the first of the titles of each view."""
        parts = [Content.styled(name, "bold")] if name else []
        for tab, (title, *_) in zip(self._tabs, titles, strict=True):
            style = "bold $text-accent" if tab.name == self.view else f"@click=screen.view('{tab.name}')"
            parts.append(Content(f"{tab.key} {title}".rstrip()).stylize(style))
        return Content("  ").join(parts)
