"""A form for one observation: to write one down, or to change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from memtui.widgets.type_choice import TypeChoice
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from memtui_core.memory.model import Observation, ObservationContent

Write = Callable[[Mapping[str, Any]], "Observation"]
"""Writes what was given of the fields of an observation; raises MemtuiError for what makes none."""
_HINTS: Final = "tab next · ctrl+s save · esc leave"
_LOSES: Final = "This is not saved: ctrl+s saves it, esc again leaves without it."
_FIELDS: Final = ("title", "narrative", "files", "facts", "type")
"""Names of the fields as refusals name them."""


class ObservationForm(ModalScreen["Observation | None"]):
    """Ends with what was written, or with None; what was refused can be mended."""

    CSS = """
    ObservationForm {
        align: center middle;
        background: transparent;
        #form { width: 100%; max-width: 90; height: 100%; max-height: 30; background: $surface; }
        #form { border: round $accent; border-title-color: $accent; border-subtitle-color: $text-muted; padding: 0 1; }
        .field { border: round $panel; background: transparent; padding: 0 1; height: 3; }
        .field { border-title-color: $text-muted; border-subtitle-color: $text-muted; scrollbar-size-vertical: 1; }
        .field:focus { border: round $accent; border-title-color: $accent; }
        #narrative { height: 3fr; min-height: 4; }
        #facts { height: 2fr; min-height: 3; max-height: 8; }
        #refused { height: auto; color: $text-error; padding: 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", tooltip="Leave without saving", id="form.leave"),
        Binding("ctrl+s", "save", "Save", tooltip="Save the observation", id="form.save", priority=True),
    ]

    @dataclass
    class Refused(Message):
        """It could not be written: why."""

        why: str

    @dataclass
    class Written(Message):
        """It was written."""

        observation: Observation

    def __init__(self, title: str, write: Write, before: ObservationContent | None = None) -> None:
        """`before` is what is changed; without it all fields are empty."""
        super().__init__()
        self._title = title
        self._write = write
        self._before = before
        self._saving = False
        self._first: dict[str, Any] = {}
        """The fields as they were filled."""

    def compose(self) -> ComposeResult:
        """The fields."""
        from memtui_core.memory.model import TYPES

        before = self._before
        with Vertical(id="form"):
            yield TypeChoice(TYPES, before.type if before else "", id="type")
            yield Input(before.title if before else "", id="title", select_on_focus=False)
            yield TextArea(before.narrative if before else "", id="narrative", highlight_cursor_line=False)
            files = ", ".join(before.files_modified) if before else ""
            yield Input(files, placeholder="src/a.py, src/b.py", id="files", select_on_focus=False)
            yield TextArea("\n".join(before.facts) if before else "", id="facts", highlight_cursor_line=False)
            yield Static("", id="refused", markup=False)

    def on_mount(self) -> None:
        """Name the fields, and begin with the first that is empty."""
        form = self.query_one("#form")
        form.border_title, form.border_subtitle = Content(self._title), _HINTS
        for name, title in (("type", "type"), ("title", "title"), ("narrative", "narrative"), ("files", "files")):
            self.query_one(f"#{name}").border_title = title
        self.query_one("#facts").border_title = "facts, a line each"
        for field in form.query("Input, TextArea, TypeChoice"):
            field.add_class("field")
        self._count()
        self._first = self._filled()
        self.query_one("#title" if self._before else "#type").focus()

    @on(Input.Changed, "#title")
    def _count(self) -> None:
        from memtui_core.memory.model import MAX_TITLE

        title = self.query_one("#title", Input)
        title.border_subtitle = f"{len(title.value.strip())} of {MAX_TITLE}"

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _typed(self) -> None:
        """What was typed since is not what the person was warned of."""
        if self.query_one("#refused", Static).content == _LOSES:
            self._say("")

    @on(Input.Submitted)
    def _next(self) -> None:
        self.focus_next()

    def _filled(self) -> dict[str, Any]:
        facts = self.query_one("#facts", TextArea).text.splitlines()
        files = self.query_one("#files", Input).value.split(",")
        return {
            "type": self.query_one(TypeChoice).value,
            "title": self.query_one("#title", Input).value,
            "narrative": self.query_one("#narrative", TextArea).text,
            "files_modified": [one.strip() for one in files if one.strip()],
            "facts": [one.strip() for one in facts if one.strip()],
        }

    def action_save(self) -> None:
        """Write it; of what is changed only the fields that are not as they were."""
        given = self._filled()
        if self._before is not None:
            given = {name: value for name, value in given.items() if value != self._first[name]}
            if not given:
                self.dismiss(None)
                return
        if not self._saving:
            self._saving = True
            self.run_worker(partial(self._try, given), thread=True, exit_on_error=False)

    def _try(self, given: Mapping[str, Any]) -> None:
        try:
            self.post_message(self.Written(self._write(given)))
        except MemtuiError as error:
            self.post_message(self.Refused(str(error)))

    @on(Written)
    def _written(self, message: Written) -> None:
        self.dismiss(message.observation)

    @on(Refused)
    def _refused(self, message: Refused) -> None:
        self._saving = False
        self._say(message.why)
        field = next((name for name in _FIELDS if name in message.why.partition(";")[0].lower().split()), None)
        if field is not None:
            self.query_one(f"#{field}").focus()

    def action_leave(self) -> None:
        """Leave; what was typed is lost only when that was said."""
        said = self.query_one("#refused", Static).content
        if self._filled() == self._first or said == _LOSES:
            self.dismiss(None)
        else:
            self._say(_LOSES)

    def _say(self, text: str) -> None:
        self.query_one("#refused", Static).update(text)
