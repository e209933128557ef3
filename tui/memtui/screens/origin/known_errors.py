"""The cases of an error: where it came up, and what was changed until the same command passed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.render.clean import clean
from memtui.render.known_error import changed_lines, facts, reference, verdict
from memtui.screens.dialog import Dialog, DialogBox
from memtui.system import clock
from memtui.widgets.option_list import ChoiceList
from memtui.wording.formatting import age, cut

if TYPE_CHECKING:
    from memtui_core.index.recall import KnownError

_STYLES: Final = {"+": "$text-success", "-": "$text-error", "…": "dim"}
_ENDS: Final = {
    "fixed": ("✎", "mended"),
    "reworded": ("↻", "run differently"),
    "unchanged": ("↻", "passed again"),
    "unknown": ("?", "not known"),
    "open": ("✗", "no pass known"),
}
"""How a case ended: a sign and words of a row."""
_TURN_WIDTH: Final = 13
_END_WIDTH: Final = max(len(words) for _, words in _ENDS.values())


class KnownErrorsScreen(Dialog["KnownError | None"]):
    """Shows the cases of an error, the one under the cursor in full; its result is the chosen one, or None."""

    max_width, max_height = 120, 30
    CSS = """
    KnownErrorsScreen ChoiceList { max-height: 40%; margin-bottom: 1; }
    KnownErrorsScreen #known-error { height: 1fr; overflow-y: auto; }
    """
    BINDINGS = keys(
        "fixes",
        Key("enter", "choose", "Go to the turn", "Go to the turn that mended it, or else to the error", "fixes.take",
            show=True, priority=True),
        Key("escape,q", "leave", "Close", "Close without going anywhere", "fixes.close", show=True),
        Key("j", "move(1)", "Down", "Go to the next case", "fixes.down", moves=True),
        Key("k", "move(-1)", "Up", "Go to the previous case", "fixes.up", moves=True),
        HELP_KEY,
    )  # fmt: skip

    def __init__(self, errors: Sequence[KnownError]) -> None:
        """With one error at least."""
        super().__init__()
        self._errors = errors
        self._now = clock.now()

    def compose(self) -> ComposeResult:
        """The rows, and the case under the cursor."""
        with DialogBox("errors of this turn", classes="-fills"):
            yield ChoiceList(*(Option(self._row(error)) for error in self._errors))
            yield Static(id="known-error", markup=False)

    def _row(self, error: KnownError) -> Content:
        sign, words = _ENDS[error.end]
        turn = error.mended.turn if error.mended is not None else error.turn
        return Content.assemble(
            (f"{age(error.at, self._now):>5}  ", "dim"),
            f"{sign} {words:<{_END_WIDTH}}  ",
            (f"{cut(reference(error, turn), _TURN_WIDTH):<{_TURN_WIDTH}}  ", "$text-accent"),
            clean(cut(error.text, self.text_width)),
        )

    @on(OptionList.OptionHighlighted)
    def _show(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        error = self._errors[event.option_index]
        lines = [
            Content.styled(clean(error.text), "bold"),
            Content.styled(clean(" · ".join((reference(error, error.turn), *facts(error, self._now)))), "dim"),
            Content(clean(verdict(error))),
        ]
        if error.mended is not None:
            lines += [Content.styled(clean(line), _STYLES.get(line[:1], "")) for line in changed_lines(error.mended)]
        self.query_one("#known-error", Static).update(Content("\n").join(lines))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._errors[event.option_index])

    def action_choose(self) -> None:
        """End with the case under the cursor."""
        self.query_one(ChoiceList).action_select()

    def action_move(self, step: int) -> None:
        """Move the cursor down (1) or up (-1)."""
        rows = self.query_one(ChoiceList)
        if step > 0:
            rows.action_cursor_down()
        else:
            rows.action_cursor_up()
