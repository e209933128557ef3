"""The card of the first start, with things to try, and its controller."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from memtui.browse.controllers import handles
from memtui.render.rows import row, wrap
from memtui.services.messages import IndexChanged
from memtui.settings.app_state import AppState

NOTICE: Final = "first steps"
"""The name under which the state of the app stores that the card was shown."""
_STEPS: Final = (
    ("/", "Ask in your own words: why did the upload fail?"),
    ("enter", "Read a session, then } goes from edit to edit"),
    ("3", "See what the summary of a compaction left out"),
    ("?", "See all keys, and what the symbols mean"),
)
_GAP: Final = " " * 7
"""The column of keys, and what is between it and the texts."""


class FirstSteps(Static):
    """Stands above the panes until it is closed; all keys work meanwhile."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    FirstSteps {
        height: auto; padding: 0 1;
        border: round $panel; border-title-color: $accent; border-subtitle-color: $text-muted;
    }
    """

    def __init__(self) -> None:
        super().__init__(id="first-steps")
        self.border_title = "Things to try"
        self.border_subtitle = "esc closes this"

    def on_resize(self) -> None:
        """Wrap the texts beside the column of keys."""
        width = self.content_size.width - len(_GAP)
        wrapped = ((key, [line.text for line in wrap([row(text)], width)]) for key, text in _STEPS)
        lines = (
            Content.assemble((f"{key:>5}", "bold $text-accent"), "  ", f"\n{_GAP}".join(texts))
            for key, texts in wrapped
        )
        self.update(Content("\n").join(lines))

    def on_click(self) -> None:
        """Close the card."""
        self.remove()


class FirstStepsController:
    """Shows, once for all starts, what to try, as soon as there are sessions; only if it is `due`."""

    def __init__(self, screen: Screen[None], state: AppState, *, due: bool) -> None:
        self._screen = screen
        self._state = state
        self._is_due = due

    @handles(IndexChanged)
    def index_changed(self, message: IndexChanged) -> None:
        """Show the card if the index has sessions."""
        if self._is_due and message.stats.sessions:
            self._is_due = False
            if self._state.first_time(NOTICE):
                self._screen.mount(FirstSteps(), before="#panes")

    def close(self) -> bool:
        """Remove the card; False if it is not shown."""
        cards = self._screen.query(FirstSteps)
        is_shown = bool(cards)
        cards.remove()
        return is_shown
