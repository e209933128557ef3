"""The form for a title, for tags or for a note."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.suggester import Suggester
from textual.widgets import Input, Static, TextArea

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.screens.dialog import Dialog, DialogBox
from memtui_core.errors import MemtuiError

_UNSAVED: Final = "The changes are not saved: ctrl+s saves them, esc again leaves without saving."


class LastWordSuggester(Suggester):
    """Completes the last word of a text by the first of some words that begins with it and is not in the text."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._words = words

    async def get_suggestion(self, value: str) -> str | None:
        """The text with its last word completed; None if there is no completion."""
        before, _, last = value.rpartition(" ")
        used = set(before.lower().split())
        for word in self._words:
            if last and word.startswith(last.lower()) and word not in used:
                return f"{value}{word[len(last) :]}"
        return None


class AnnotationLine(Input):
    """A text of one line."""

    BINDING_GROUP_TITLE = "This screen"
    BINDINGS = keys("title, tags, note", Key("enter", "submit", "Save", "Save the line", "form.save-line", show=True))


class AnnotationForm(Dialog[str | None]):
    """Edits one text until it can be saved; its result is the text as it was saved, or None."""

    CSS = """
    AnnotationForm {
        DialogBox { width: 100%; }
        TextArea { border: none; background: transparent; padding: 0; height: 9; }
        #hint { height: auto; color: $text-muted; }
        #refused { height: auto; color: $text-error; }
    }
    """
    max_width = 76
    BINDINGS = keys(
        "title, tags, note",
        Key("ctrl+s", "save", "Save", "Save it", "form.save", show=True, priority=True),
        Key("escape", "leave", "Leave", "Leave without saving", "form.leave", show=True),
        HELP_KEY,
    )

    def __init__(
        self,
        title: str,
        text: str,
        save: Callable[[str], object],
        *,
        hint: str = "",
        lines: bool = False,
        words: Sequence[str] = (),
    ) -> None:
        """`save` raises MemtuiError for a text that cannot be kept; it runs in a thread.

        `lines` is for a text of several lines, `words` are those that are completed.
        """
        super().__init__()
        self._title = title
        self._text = text
        self._save = save
        self._hint = hint
        self._has_lines = lines
        self._words = words
        self._is_saving = False

    def compose(self) -> ComposeResult:
        """The text, what is to be known about it, and why it was refused."""
        with DialogBox(self._title):
            if self._has_lines:
                yield TextArea(self._text, highlight_cursor_line=False)
            else:
                suggester = LastWordSuggester(self._words) if self._words else None
                yield AnnotationLine(self._text, select_on_focus=False, suggester=suggester)
            yield Static(self._hint, id="hint", markup=False)
            yield Static("", id="refused", markup=False)

    def on_mount(self) -> None:
        """Go to the end of the text."""
        self.query_one("#refused").display = False
        self.query_one("#hint").display = bool(self._hint)
        if self._has_lines:
            area = self.query_one(TextArea)
            area.move_cursor(area.document.end)
            area.focus()
        else:
            self.query_one(Input).focus()

    @property
    def value(self) -> str:
        """The text as it is now."""
        return self.query_one(TextArea).text if self._has_lines else self.query_one(Input).value

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _typed(self) -> None:
        """Remove what was said about the text before."""
        if self.value != self._text:
            self._say("")

    @on(Input.Submitted)
    def action_save(self) -> None:
        """Save the text."""
        if not self._is_saving:
            self._is_saving = True
            self.run_worker(self._save_in_thread(self.value), exit_on_error=False)

    async def _save_in_thread(self, text: str) -> None:
        try:
            await asyncio.to_thread(self._save, text)
        except MemtuiError as error:
            self._is_saving = False
            self._say(str(error))
        else:
            self.dismiss(text)

    def action_leave(self) -> None:
        """Close the form; a changed note is lost only after a warning."""
        if not self._has_lines or self.value == self._text or self.query_one("#refused", Static).content == _UNSAVED:
            self.dismiss(None)
        else:
            self._say(_UNSAVED)

    def _say(self, text: str) -> None:
        refused = self.query_one("#refused", Static)
        refused.update(text)
        refused.display = bool(text)
