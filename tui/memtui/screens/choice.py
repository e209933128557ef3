"""A few things to choose one from, in the middle of the screen."""

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

from memtui.widgets.legible_list import LegibleList

T = TypeVar("T")


class ChoiceScreen(ModalScreen[T | None], Generic[T]):
    """Ends with the name that was chosen, or with None; a digit chooses too."""

    CSS = """
    ChoiceScreen { align: center middle; background: transparent; }
    ChoiceScreen OptionList { width: auto; min-width: 30; height: auto; max-height: 80%; background: $surface; }
    ChoiceScreen OptionList, ChoiceScreen OptionList:focus { border: round $accent; border-title-color: $accent; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close", tooltip="Choose nothing", id="choice.close"),
        Binding("j", "move(1)", "Down", tooltip="To the next one", show=False, id="choice.down"),
        Binding("k", "move(-1)", "Up", tooltip="To the one before", show=False, id="choice.up"),
    ]

    def __init__(self, title: str, choices: Sequence[tuple[T, str]]) -> None:
        """`choices` are names and what they say."""
        super().__init__()
        self._title = title
        self._names = [name for name, _ in choices]
        self._says = [says for _, says in choices]

    def compose(self) -> ComposeResult:
        """The list alone."""
        rows = [
            Option(Content.assemble((f"{number} ", "$text-accent"), says, "  "))
            for number, says in enumerate(self._says, 1)
        ]
        listed = LegibleList(*rows)
        listed.border_title = Content(self._title)
        yield listed

    def action_move(self, step: int) -> None:
        """Go to another one."""
        listed = self.query_one(OptionList)
        if step > 0:
            listed.action_cursor_down()
        else:
            listed.action_cursor_up()

    def on_key(self, event: events.Key) -> None:
        """A digit chooses at once."""
        if event.key.isdigit() and 0 < int(event.key) <= len(self._names):
            event.stop()
            self.dismiss(self._names[int(event.key) - 1])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._names[event.option_index])

    def on_click(self, event: events.Click) -> None:
        """A click beside the list closes it."""
        if event.widget is self:
            self.dismiss(None)
