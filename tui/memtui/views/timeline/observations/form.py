"""The form for writing or changing an observation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.screens.dialog import Dialog, DialogBox
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from memtui_core.index.observations import Observation, ObservationContent

Write = Callable[[Mapping[str, Any]], "Observation"]
"""Saves the fields of an observation, by name; raises MemtuiError if they are not valid or cannot be saved."""
_UNSAVED: Final = "The changes are not saved: ctrl+s saves them, esc again leaves without saving."
_FIELDS: Final = ("title", "narrative", "files", "facts", "type")
"""Names of the fields in error messages."""


class ObservationForm(Dialog["Observation | None"]):
    """Edits the fields of an observation until they can be saved; its result is the observation, or None."""

    CSS = """
    ObservationForm {
        .field { border: round $panel; background: transparent; padding: 0 1; height: 3; }
        .field { border-title-color: $text-muted; border-subtitle-color: $text-muted; scrollbar-size-vertical: 1; }
        .field:focus { border: heavy $accent; border-title-color: $accent; }
        #narrative { height: 3fr; min-height: 4; }
        #facts { height: 2fr; min-height: 3; max-height: 8; }
        #refused { height: auto; color: $text-error; padding: 0 1; }
    }
    """
    max_height = 30
    BINDINGS = keys(
        "form of an observation",
        Key("ctrl+s", "save", "Save", "Save the observation", "form.save", show=True, priority=True),
        Key("escape", "leave", "Leave", "Leave without saving", "form.leave", show=True),
        HELP_KEY,
    )

    def __init__(self, title: str, write: Write, before: ObservationContent | None) -> None:
        """`before` is the content to change; without it all fields are empty."""
        super().__init__()
        self._title = title
        self._write = write
        self._before = before
        self._saving = False
        self._initial: dict[str, Any] = {}
        """The values of the fields before the user has changed them."""

    def compose(self) -> ComposeResult:
        """The fields."""
        from memtui_core.model import OBSERVATION_TYPES

        before = self._before
        with DialogBox(self._title, classes="-fills"):
            yield TypeChoice(OBSERVATION_TYPES, before.type if before else "")
            yield Input(before.title if before else "", id="title", select_on_focus=False)
            yield TextArea(before.narrative if before else "", id="narrative", highlight_cursor_line=False)
            files = ", ".join(before.files_modified) if before else ""
            yield Input(files, placeholder="src/a.py, src/b.py", id="files", select_on_focus=False)
            yield TextArea("\n".join(before.facts) if before else "", id="facts", highlight_cursor_line=False)
            yield Static("", id="refused", markup=False)

    def on_mount(self) -> None:
        """Set the titles of the fields, and focus the first one that needs a value."""
        for name, title in (("type", "type"), ("title", "title"), ("narrative", "narrative"), ("files", "files")):
            self.query_one(f"#{name}").border_title = title
        self.query_one("#facts").border_title = "facts, a line each"
        for field in self.query("Input, TextArea, TypeChoice"):
            field.add_class("field")
        self._count_title()
        self._initial = self._values()
        self.query_one("#title" if self._before else "#type").focus()

    @on(Input.Changed, "#title")
    def _count_title(self) -> None:
        from memtui_core.index.observations import MAX_TITLE

        title = self.query_one("#title", Input)
        title.border_subtitle = f"{len(title.value.strip())} of {MAX_TITLE}"

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _typed(self) -> None:
        """Remove the warning of unsaved changes: it must appear again for newer ones."""
        if self.query_one("#refused", Static).content == _UNSAVED:
            self._show_message("")

    @on(Input.Submitted)
    def _next(self) -> None:
        self.focus_next()

    def _values(self) -> dict[str, Any]:
        facts = self.query_one("#facts", TextArea).text.splitlines()
        files = self.query_one("#files", Input).value.split(",")
        return {
            "type": self.query_one(TypeChoice).value,
            "title": self.query_one("#title", Input).value,
            "narrative": self.query_one("#narrative", TextArea).text,
            "files_modified": [file.strip() for file in files if file.strip()],
            "facts": [fact.strip() for fact in facts if fact.strip()],
        }

    def action_save(self) -> None:
        """Save the observation; of an existing one only the fields that have changed."""
        fields = self._values()
        if self._before is not None:
            fields = {name: value for name, value in fields.items() if value != self._initial[name]}
            if not fields:
                self.dismiss(None)
                return
        if not self._saving:
            self._saving = True
            self.run_worker(self._save(fields), exit_on_error=False)

    async def _save(self, fields: Mapping[str, Any]) -> None:
        """Save the fields in a thread, and close the form if they could be saved."""
        try:
            observation = await asyncio.to_thread(self._write, fields)
        except MemtuiError as error:
            self._refuse(str(error))
        else:
            self.dismiss(observation)

    def _refuse(self, reason: str) -> None:
        self._saving = False
        self._show_message(reason)
        field = next((name for name in _FIELDS if name in reason.partition(";")[0].lower().split()), None)
        if field is not None:
            self.query_one(f"#{field}").focus()

    def action_leave(self) -> None:
        """Close the form, after a warning if there are unsaved changes."""
        warned = self.query_one("#refused", Static).content == _UNSAVED
        if warned or self._values() == self._initial:
            self.dismiss(None)
        else:
            self._show_message(_UNSAVED)

    def _show_message(self, text: str) -> None:
        self.query_one("#refused", Static).update(text)


class TypeChoice(Widget, can_focus=True):
    """All types on one line, the chosen one highlighted; the first letter of a type chooses it, too."""

    BINDINGS = keys(
        "form of an observation",
        Key("left", "step(-1)", "Left", "Choose the previous type", "type.left"),
        Key("right,space", "step(1)", "Right", "Choose the next type", "type.right"),
        Key("enter,down", "app.focus_next", "Next", "Go to the title", "type.next"),
    )

    DEFAULT_CSS = """
    TypeChoice { height: 1; }
    """

    value: reactive[str] = reactive("")
    """The chosen type."""

    def __init__(self, types: Sequence[str], value: str) -> None:
        super().__init__(id="type")
        self._types = tuple(types)
        self.set_reactive(TypeChoice.value, value or self._types[0])

    def render(self) -> Content:
        """All types."""
        return Content("  ").join(
            Content.styled(name, "bold underline $text-accent")
            if name == self.value
            else Content(name).stylize(f"@click=choose('{name}')")
            for name in self._types
        )

    def action_choose(self, name: str) -> None:
        """Choose a type."""
        self.value = name

    def action_step(self, direction: int) -> None:
        """Choose the next type (1) or the previous one (-1); the first follows the last."""
        self.value = self._types[(self._types.index(self.value) + direction) % len(self._types)]

    def on_key(self, event: events.Key) -> None:
        """Choose the next type that begins with a letter."""
        if event.character is None or not event.character.isalpha():
            return
        current = self._types.index(self.value)
        order = (*self._types[current + 1 :], *self._types[: current + 1])
        match = next((name for name in order if name.startswith(event.character)), None)
        if match is not None:
            event.stop()
            self.value = match
