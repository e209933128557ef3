"""What memtui told the agents of a session, on a page: each reminder with the turns that it cites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from memtui.agents.hooks.reminder_words import NOT_KEPT, heading_of, lines_of_reminder, occasion
from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.render.clean import clean, plain_rows
from memtui.screens.dialog import Dialog, DialogBox
from memtui.widgets.option_list import ChoiceList
from memtui.widgets.requests.target import Target
from memtui.wording.formatting import age, cut, padded, plural

if TYPE_CHECKING:
    from memtui_core.index.recall import CitedTurn, Reminder

_AGE = 5
"""Cells of an age."""
_NUMBER = 14
"""Cells of `SESSION:TURN` with the first eight characters of the session."""


class ReminderList(ChoiceList):
    """The reminders, the newest first: a row for each, and one for each turn that it cites."""

    HELP: ClassVar[str] = """\
## Told by memtui

What the hooks of memtui gave the agent of this session, and its subagents, to read: at a start, with a prompt, or
before a file was opened. `enter` on a turn opens it, on a reminder it shows the text, without the notice that begins
it; `v` shows the text in both places.
"""

    def __init__(self, reminders: Sequence[Reminder], now: datetime) -> None:
        super().__init__(markup=False)
        self._now = now
        self._rows: list[tuple[Reminder, CitedTurn | None]] = [
            (one, cited) for one in reversed(reminders) for cited in (None, *one.cited)
        ]

    @property
    def chosen(self) -> tuple[Reminder, CitedTurn | None] | None:
        """The reminder under the cursor, with the cited turn if the cursor is on one."""
        return self._rows[self.highlighted] if self.highlighted is not None else None

    def fill(self, width: int) -> None:
        """Draw the rows for a width in cells; the cursor stays."""
        highlighted = self.highlighted or 0
        self.set_options(Option(row) for row in self._contents(width))
        self.highlighted = highlighted

    def _contents(self, width: int) -> Iterator[Content]:
        for reminder, cited in self._rows:
            if cited is not None:
                yield _cited_row(cited, width)
                continue
            when = f"{age(reminder.at, self._now):>{_AGE}}  "
            why = occasion(reminder.event, reminder.agent)
            about = cut(clean(heading_of(reminder.text) or NOT_KEPT), max(1, width - cell_len(f"{when}{why} · ")))
            yield Content.assemble((when, "$text-muted"), (why, "bold"), (f" · {about}", "$text-muted"))


def _cited_row(cited: CitedTurn, width: int) -> Content:
    """A turn below its reminder."""
    reference = padded(f"{clean(cited.session_id)[:8]}:{cited.turn}", _NUMBER)
    indent = " " * (_AGE + 2)
    about = clean(cited.about) if cited.session is not None else "not in the index any more"
    style = "" if cited.session is not None else "$text-muted"
    room = max(1, width - cell_len(f"{indent}{reference}"))
    return Content.assemble(indent, (reference, "$text-accent"), (cut(about, room), style))


class RemindersScreen(Dialog[Target | None]):
    """Lists reminders; its result is the turn that the user opens, or None."""

    BINDINGS = keys(
        "told by memtui",
        Key("enter", "choose", "Open", "Open the turn, or show the text of the reminder", "told.open", show=True,
            priority=True),
        Key("v", "view", "Text", "Show the text that the agent got", "told.text", show=True),
        Key("escape,q", "leave", "Close", "Go back", "told.close", show=True),
        Key("j", "move(1)", "Down", "Go to the next row", "told.down", moves=True),
        Key("k", "move(-1)", "Up", "Go to the previous row", "told.up", moves=True),
        HELP_KEY,
    )  # fmt: skip

    def __init__(self, reminders: Sequence[Reminder], now: datetime) -> None:
        super().__init__()
        self._title = f"told by memtui · {plural(len(reminders), 'reminder')}"
        self._list = ReminderList(reminders, now)

    def compose(self) -> ComposeResult:
        """The list."""
        with DialogBox(self._title):
            yield self._list

    def on_resize(self) -> None:
        """Draw the rows for the new width."""
        super().on_resize()
        self._list.styles.width = self.text_width
        # The scroll bar comes and goes with the rows.
        self._list.fill(self.text_width - 1)

    def action_choose(self) -> None:
        """Open the turn under the cursor, or show the text of the reminder."""
        self._open()

    def action_move(self, step: int) -> None:
        """Move the cursor down (1) or up (-1)."""
        if step > 0:
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._open()

    def _open(self) -> None:
        chosen = self._list.chosen
        if chosen is None:
            return
        cited = chosen[1]
        if cited is None:
            self.action_view()
        elif cited.session is None:
            self.notify("That session is not in the index any more.")
        else:
            self.dismiss(Target(cited.session, cited.turn))

    def action_view(self) -> None:
        """Show the text of the reminder on the whole screen."""
        if (chosen := self._list.chosen) is None:
            return
        from memtui.screens.pager import PagerScreen

        reminder = chosen[0]
        text = "\n".join(lines_of_reminder(reminder.text)) if reminder.text else NOT_KEPT
        title = f"told by memtui · {occasion(reminder.event, reminder.agent)}"
        self.app.push_screen(PagerScreen(title, lambda _: plain_rows(text), text))
