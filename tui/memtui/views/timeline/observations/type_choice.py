"""The field of the observation form that chooses the type."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.keys.declarations import Key, keys


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

    def __init__(self, types: Sequence[str], value: str = "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
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
