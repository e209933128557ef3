"""The card of the first start, with things to try, and its controller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from memtui.browse.controllers import handles
from memtui.render.rows import row, wrap
from memtui.services.index_service import IndexService
from memtui.services.messages import IndexChanged
from memtui.settings.app_state import AppState
from memtui_core.model import Example

NOTICE: Final = "first steps"
"""The name under which the state of the app stores that the card was shown."""
_ASK: Final = "Ask in your own words"
_OR: Final = ", or try "
_SEPARATOR: Final = " · "
_STEPS: Final = (
    ("enter", "Read a session, then } goes from edit to edit"),
    ("3", "See what the summary of a compaction left out"),
    ("?", "See all keys, and what the symbols mean"),
)
_GAP: Final = " " * 7
"""The column of keys, and what is between it and the texts."""


class FirstSteps(Static):
    """Stands above the panes until it is closed; all keys work meanwhile. A click on an example asks it."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    FirstSteps {
        height: auto; padding: 0 1;
        border: round $panel; border-title-color: $accent; border-subtitle-color: $text-muted;
        link-color: $text-accent; link-style: none; link-background-hover: transparent; link-style-hover: underline;
    }
    """

    @dataclass
    class Asked(Message):
        """Search for an example."""

        query: str

    def __init__(self) -> None:
        super().__init__(id="first-steps")
        self.border_title = "Things to try"
        self.border_subtitle = "esc closes this"
        self._queries: list[str] = []

    def show_examples(self, examples: Sequence[Example]) -> None:
        """Name queries that have hits."""
        self._queries = [example.query for example in examples]
        self._draw()

    def on_resize(self) -> None:
        """Draw the texts for the new width."""
        self._draw()

    def _draw(self) -> None:
        """Wrap the texts beside the column of keys."""
        width = self.content_size.width - len(_GAP)
        steps = [("/", self._ask(width)), *((key, _wrapped(text, width)) for key, text in _STEPS)]
        lines = (Content.assemble((f"{key:>5}", "bold $text-accent"), "  ", text) for key, text in steps)
        self.update(Content("\n").join(lines))

    def _ask(self, width: int) -> Content:
        """The invitation to ask, with as many examples as there is room for."""
        shown = Content("")
        for number, query in enumerate(self._queries):
            example = Content(query).stylize(f"@click=ask({number})")
            longer = shown + _SEPARATOR + example if shown else example
            shown = longer if len(_ASK + _OR) + longer.cell_length <= width else shown
        return Content.assemble(_ASK, _OR, shown) if shown else _wrapped(_ASK, width)

    def action_ask(self, number: int) -> None:
        """Search for an example."""
        self.post_message(self.Asked(self._queries[number]))

    def on_click(self) -> None:
        """Close the card."""
        self.remove()


def _wrapped(text: str, width: int) -> Content:
    return Content(f"\n{_GAP}".join(line.text for line in wrap([row(text)], width)))


class FirstStepsController:
    """Shows, once for all starts, what to try, as soon as there are sessions; only if it is `due`."""

    def __init__(self, screen: Screen[None], index: IndexService, state: AppState, *, due: bool) -> None:
        self._screen = screen
        self._index = index
        self._state = state
        self._is_due = due

    @handles(IndexChanged)
    def index_changed(self, message: IndexChanged) -> None:
        """Show the card if the index has sessions."""
        if self._is_due and message.stats.sessions:
            self._is_due = False
            if self._state.first_time(NOTICE):
                card = FirstSteps()
                self._screen.mount(card, before="#panes")
                self._index.query("examples", lambda index: index.search.examples(), card.show_examples)

    def close(self) -> bool:
        """Remove the card; False if it is not shown."""
        cards = self._screen.query(FirstSteps)
        is_shown = bool(cards)
        cards.remove()
        return is_shown
