"""A picker in the middle of the screen, for a few choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.render.clean import clean
from memtui.screens.dialog import Dialog, DialogBox
from memtui.widgets.option_list import ChoiceList
from memtui.wording.path_text import middle_cut

T = TypeVar("T")


class FolderLine(Widget):
    """The folder in which a choice acts; a path that is too long loses its middle."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = clean(folder)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Cells of the whole line."""
        return cell_len(f"in {self._folder}")

    def render(self) -> Content:
        """The line for the current width."""
        return Content(f"in {middle_cut(self._folder, self.size.width - 3)}")


class ChoiceScreen(Dialog[T | None], Generic[T]):
    """Shows numbered choices; its result is the value of the chosen one, or None. A digit chooses, too."""

    CSS = """
    ChoiceScreen ChoiceList { width: auto; max-width: 100%; }
    ChoiceScreen .facts { width: auto; max-width: 100%; height: auto; margin: 0 0 1 0; color: $text-muted; }
    ChoiceScreen FolderLine { width: auto; max-width: 100%; height: 1; color: $text-muted; }
    """
    BINDINGS = keys(
        "choice",
        Key("enter", "choose", "Choose", "Take the choice under the cursor", "choice.take", show=True, priority=True),
        Key("escape,q", "leave", "Close", "Close without a choice", "choice.close", show=True),
        Key("j", "move(1)", "Down", "Go to the next choice", "choice.down", moves=True),
        Key("k", "move(-1)", "Up", "Go to the previous choice", "choice.up", moves=True),
        HELP_KEY,
    )

    def __init__(
        self, title: str, choices: Sequence[tuple[T, str | Content]], folder: str = "", facts: str = ""
    ) -> None:
        """`choices` are values with their labels; `folder` is where they act, if that matters.

        `facts` stand above them.
        """
        super().__init__()
        self._title = title
        self._folder = folder
        self._facts = facts
        self._values = [value for value, _ in choices]
        self._labels = [label for _, label in choices]

    def compose(self) -> ComposeResult:
        """The facts, the list of the choices, and the folder."""
        digits = len(str(len(self._labels)))
        options = [
            Option(Content.assemble((f"{number:>{digits}} ", "$text-accent"), label, "  "))
            for number, label in enumerate(self._labels, 1)
        ]
        with DialogBox(self._title):
            if self._facts:
                yield Static(clean(self._facts), classes="facts", markup=False)
            yield ChoiceList(*options)
            if self._folder:
                yield FolderLine(self._folder)

    def action_choose(self) -> None:
        """End with the choice under the cursor."""
        self.query_one(ChoiceList).action_select()

    def action_move(self, step: int) -> None:
        """Move the cursor down (1) or up (-1)."""
        choices = self.query_one(ChoiceList)
        if step > 0:
            choices.action_cursor_down()
        else:
            choices.action_cursor_up()

    def on_key(self, event: events.Key) -> None:
        """Choose by a digit."""
        if event.key.isdigit() and 0 < int(event.key) <= len(self._values):
            event.stop()
            self.dismiss(self._values[int(event.key) - 1])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._values[event.option_index])
