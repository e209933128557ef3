"""The line at the top: the views by their keys, the one that is shown marked."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.keys import VIEWS

_SHORT = {"Pull requests": "PRs"}


class ViewTabs(Widget):
    """A click goes to a view."""

    view: reactive[str] = reactive("sessions")
    """The one that is shown."""

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
        for view, key, title in VIEWS:
            shown = view == self.view
            text = key if only and not shown else f"{key} {_SHORT.get(title, title) if short else title}"
            style = "bold $text-accent" if shown else f"@click=screen.view('{view}')"
            parts.append(Content(text).stylize(style))
        return Content("  ").join(parts)
