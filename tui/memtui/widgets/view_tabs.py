"""The line at the top: the views by their keys, the one that is shown marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class ViewTab:
    """A view as the line names it."""

    name: str
    key: str
    title: str
    short_title: str


class ViewTabs(Widget):
    """A click goes to a view."""

    view: reactive[str] = reactive("")
    """Name of the view that is shown."""

    def __init__(self, tabs: Sequence[ViewTab], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._tabs = tabs

    def render(self) -> Content:
        """All views on one line; with too little room for that, shorter names."""
        for name, short in (("memtui", False), ("memtui", True), ("", True)):
            line = self._line(name, short=short)
            if line.cell_length <= self.content_size.width:
                return line
        return self._line("", short=True, only=True)

    def _line(self, name: str, *, short: bool, only: bool = False) -> Content:
        """With `only`, of the views that are not shown no more than their keys."""
        parts = [Content.styled(name, "bold")] if name else []
        for tab in self._tabs:
            shown = tab.name == self.view
            title = tab.short_title if short else tab.title
            text = tab.key if only and not shown else f"{tab.key} {title}"
            style = "bold $text-accent" if shown else f"@click=screen.view('{tab.name}')"
            parts.append(Content(text).stylize(style))
        return Content("  ").join(parts)
