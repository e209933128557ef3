"""One of a few words, chosen by a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget


class TypeChoice(Widget, can_focus=True):
    """All words on one line, the chosen one marked; the first letter of a word chooses it too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Left", tooltip="To the type before", show=False, id="type.left"),
        Binding("right,space", "step(1)", "Right", tooltip="To the next type", show=False, id="type.right"),
        Binding("enter,down", "app.focus_next", "Next", tooltip="To the title", show=False, id="type.next"),
    ]

    DEFAULT_CSS = """
    TypeChoice {
        height: 1; link-style: none; link-color: $text-muted; link-style-hover: bold;
        link-background-hover: transparent; link-color-hover: $text;
    }
    """

    value: reactive[str] = reactive("")
    """The chosen word."""

    def __init__(self, words: Sequence[str], value: str = "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._words = tuple(words)
        self.set_reactive(TypeChoice.value, value or self._words[0])

    def render(self) -> Content:
        """The words."""
        return Content("  ").join(
            Content.styled(word, "bold underline $text-accent")
            if word == self.value
            else Content(word).stylize(f"@click=choose('{word}')")
            for word in self._words
        )

    def action_choose(self, word: str) -> None:
        """Choose a word."""
        self.value = word

    def action_step(self, direction: int) -> None:
        """Choose the next word; after the last comes the first."""
        self.value = self._words[(self._words.index(self.value) + direction) % len(self._words)]

    def on_key(self, event: events.Key) -> None:
        """A letter chooses the next word that begins with it."""
        if event.character is None or not event.character.isalpha():
            return
        here = self._words.index(self.value)
        order = (*self._words[here + 1 :], *self._words[: here + 1])
        found = next((word for word in order if word.startswith(event.character)), None)
        if found is not None:
            event.stop()
            self.value = found
