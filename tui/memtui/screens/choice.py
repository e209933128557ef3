"""A picker in the middle of the screen, for a few choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from memtui.keys import HELP_KEYS

T = TypeVar("T")


class ChoiceScreen(ModalScreen[T | None], Generic[T]):
    """Shows numbered choices; its result is the value of the chosen one, or None. A digit chooses, too."""

    CSS = """
    ChoiceScreen { align: center middle; background: transparent; }
    ChoiceScreen OptionList { width: auto; min-width: 30; height: auto; max-height: 80%; background: $surface; }
    ChoiceScreen OptionList, ChoiceScreen OptionList:focus { border: round $accent; border-title-color: $accent; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter", "choose", "Choose", tooltip="Take the choice under the cursor", id="choice.take", priority=True
        ),
        Binding("escape,q", "dismiss(None)", "Close", tooltip="Close without a choice", id="choice.close"),
        Binding("j", "move(1)", "Down", tooltip="Go to the next choice", show=False, id="choice.down"),
        Binding("k", "move(-1)", "Up", tooltip="Go to the previous choice", show=False, id="choice.up"),
        HELP_KEYS,
    ]

    def __init__(self, title: str, choices: Sequence[tuple[T, str]]) -> None:
        """`choices` are values with their labels."""
        super().__init__()
        self._title = title
        self._values = [value for value, _ in choices]
        self._labels = [label for _, label in choices]

    def compose(self) -> ComposeResult:
        """The list of the choices."""
        options = [
            Option(Content.assemble((f"{number} ", "$text-accent"), label, "  "))
            for number, label in enumerate(self._labels, 1)
        ]
        choices = OptionList(*options)
        choices.border_title = Content(self._title)
        yield choices

    def action_choose(self) -> None:
        """End with the choice under the cursor."""
        self.query_one(OptionList).action_select()

    def action_move(self, step: int) -> None:
        """Move the cursor down (1) or up (-1)."""
        choices = self.query_one(OptionList)
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

    def on_click(self, event: events.Click) -> None:
        """Close the picker on a click beside the list."""
        if event.widget is self:
            self.dismiss(None)
