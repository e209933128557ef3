"""The card of the first start: three things to try."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

NOTICE: Final = "first steps"
"""The name under which the state of the app stores that the card was shown."""
_STEPS: Final = (
    ("/", "Ask in your own words: why did the upload fail?"),
    ("enter", "Read a session, then } goes from edit to edit"),
    ("3", "See what the summary of a compaction left out"),
    ("?", "All keys of the pane in focus, and what the symbols mean"),
)


class FirstSteps(Static):
    """Stands above the panes until it is closed; all keys work meanwhile."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    FirstSteps {
        height: auto; padding: 0 1;
        border: round $panel; border-title-color: $accent; border-subtitle-color: $text-muted;
    }
    """

    class Closed(Message):
        """The user has clicked the card."""

    def __init__(self) -> None:
        lines = (Content.assemble((f"{key:>5}", "bold $text-accent"), "  ", text) for key, text in _STEPS)
        super().__init__(Content("\n").join(lines), id="first-steps")
        self.border_title = "Three things to try"
        self.border_subtitle = "esc closes this"

    def on_click(self) -> None:
        """Ask to be closed."""
        self.post_message(self.Closed())
