"""The line at the top: the views with their keys, the chosen one highlighted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class ViewTab:
    """The key and the titles of a view."""

    name: str
    key: str
    title: str
    short_title: str


class ViewTabs(Widget):
    """The tabs of the views; a click on one shows its view."""

    view: reactive[str] = reactive("")
    """Name of the chosen view."""

    def __init__(self, tabs: Sequence[ViewTab], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._tabs = tabs

    def render(self) -> Content:
        """All views on one line, with shorter titles if the line is too narrow."""
        for name, short in (("memtui", False), ("memtui", True), ("", True)):
            line = self._line(name, short=short)
            if line.cell_length <= self.content_size.width:
                return line
        return self._line("", short=True, only=True)

    def _line(self, name: str, *, short: bool, only: bool = False) -> Content:
        """The line; with `only`, just the chosen view has a title, and the others only their keys."""
        parts = [Content.styled(name, "bold")] if name else []
        for tab in self._tabs:
            is_chosen = tab.name == self.view
            title = tab.short_title if short else tab.title
            text = tab.key if only and not is_chosen else f"{tab.key} {title}"
            style = "bold $text-accent" if is_chosen else f"@click=screen.view('{tab.name}')"
            parts.append(Content(text).stylize(style))
        return Content("  ").join(parts)
