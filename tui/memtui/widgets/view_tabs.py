"""The line at the top: the views by their keys, the one that is shown marked."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.commands import VIEWS


class ViewTabs(Widget):
    """A click goes to a view."""

    view: reactive[str] = reactive("sessions")
    """The one that is shown."""

    def render(self) -> Content:
        """All views on one line."""
        parts: list[Content | tuple[str, str] | str] = [("memtui", "bold")]
        for name, key, title in VIEWS:
            text = f"{key} {title}"
            if name == self.view:
                parts += ["  ", (text, "bold $text-accent")]
            else:
                parts += ["  ", Content(text).stylize(f"@click=screen.view('{name}')")]
        return Content.assemble(*parts)
