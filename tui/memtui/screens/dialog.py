"""The base of all dialogs: their frame, their title, their keys, and how they end."""

from __future__ import annotations

from typing import Final, TypeVar

from rich.cells import cell_len
from textual import events
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from memtui.keys.actions import key_label
from memtui.keys.declarations import key_of

T = TypeVar("T")
_BESIDE, _ABOVE = 4, 2
"""Cells of the screen beside a dialog, and above and below it."""
_FRAME: Final = 4
"""Cells of a dialog beside its text."""
_CORNERS: Final = 6
"""Cells of the frame beside a title, or beside the keys."""


class DialogBox(Vertical):
    """The frame of a dialog, as large as what is in it; with `-fills` as large as it may be."""

    DEFAULT_CSS = """
    DialogBox {
        width: auto; height: auto; margin: 1 2; padding: 0 1;
        background: $surface; border: round $accent;
        border-title-color: $accent; border-title-style: bold; border-subtitle-color: $text-muted;
        &.-fills { width: 100%; height: 100%; }
        &.-warns { border: round $error; border-title-color: $text-error; }
        Input, Input:focus { border: none; height: 1; padding: 0; background: transparent; }
        OptionList, OptionList:focus {
            height: auto; border: none; padding: 0; background: transparent;
            text-wrap: nowrap; text-overflow: ellipsis; scrollbar-size-vertical: 1;
        }
        OptionList > .option-list--option-highlighted {
            color: $block-cursor-foreground; background: $block-cursor-background; text-style: $block-cursor-text-style;
        }
        OptionList:nocolor > .option-list--option-highlighted { text-style: reverse; }
    }
    """

    def __init__(self, title: str, *, classes: str = "") -> None:
        super().__init__(classes=classes)
        self.title = title
        self.hints = Content("")
        """The keys in the lower border."""

    @property
    def title(self) -> str:
        """What stands in the upper border."""
        return self._title

    @title.setter
    def title(self, title: str) -> None:
        self._title = title
        self.border_title = Content(title)

    def show_keys(self, hints: Content) -> None:
        """Show keys in the lower border."""
        self.hints = self.border_subtitle = hints

    def fit(self, width: int, height: int) -> None:
        """Take at most some cells; within them the box is wide enough for its title and its keys."""
        least = max(cell_len(self.title), self.hints.cell_length) + _CORNERS
        self.styles.min_width, self.styles.max_width, self.styles.max_height = min(least, width), width, height


class Dialog(ModalScreen[T]):
    """A dialog that ends once: two keys or clicks can arrive before it is gone, and both may end it.

    Subclasses compose a `DialogBox`. Those of their keys that have `show` stand in its lower border.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; background: transparent; }
    """
    max_width: int = 100
    max_height: int = 44
    """The largest size of the box in cells, where the terminal is larger."""

    def on_mount(self) -> None:
        """Show the keys."""
        self.show_keys()

    def on_resize(self) -> None:
        """Keep the box within the terminal."""
        height = max(1, min(self.max_height, self.app.size.height - _ABOVE))
        for box in self.query(DialogBox):
            box.fit(self.text_width + _FRAME, height)

    @property
    def text_width(self) -> int:
        """Cells of the longest line of text in the box."""
        return max(1, min(self.max_width, self.app.size.width - _BESIDE) - _FRAME)

    def show_keys(self) -> None:
        """Show the keys that work now."""
        for box in self.query(DialogBox):
            box.show_keys(self._hints())
        self.on_resize()

    def _hints(self) -> Content:
        """The shown keys of a line to type into and of the dialog, as in `enter choose · esc close`."""
        labels: dict[str, list[str]] = {}
        for node in (*(line for line in self.query(Input) if line.display), self):
            bindings = node._bindings.copy()
            bindings.apply_keymap(self.app._keymap)
            for _, binding in bindings:
                key = key_of(binding)
                if key is not None and key.show and node.check_action(key.action_name, ()):
                    labels.setdefault(key.description.lower(), []).append(key_label(self.app, binding))
        return Content(" · ").join(Content.assemble((keys[0], "$text"), f" {name}") for name, keys in labels.items())

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """End the dialog with a result; nothing if it has ended, or if another dialog is above it."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def action_leave(self) -> None:
        """End the dialog without a result."""
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """Leave the dialog on a click beside its box."""
        if event.widget is self:
            self.action_leave()
