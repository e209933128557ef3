"""The keys that work here, on one line."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

BESIDE = 22
"""Cells that are left to what stands beside the keys: the `min-width` of `#status-text`."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key that is shown."""

    name: str
    """As Textual calls it."""
    shown: str
    word: str
    tooltip: str
    works: bool = True

    @property
    def width(self) -> int:
        """Cells of the key, its word and the cell after it."""
        return cell_len(self.shown) + cell_len(self.word) + 2


class KeyLine(Widget):
    """The keys of what is in focus; a click on one presses it.

    One line that is drawn again only when other keys work: Textual's Footer builds a widget for each key anew with each
    change of focus, which takes longer than all else that such a change draws.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"key-line--key", "key-line--word", "key-line--pointed"}  # noqa: RUF012
    DEFAULT_CSS = """
    KeyLine {
        width: auto;
        height: 1;
        text-wrap: nowrap;
        .key-line--key { color: $footer-key-foreground; text-style: bold; }
        .key-line--word { color: $footer-description-foreground; }
        .key-line--pointed { background: $block-hover-background; }
        &:hover { pointer: pointer; }
    }
    """

    keys: reactive[tuple[Key, ...]] = reactive[tuple[Key, ...]]((), layout=True)
    pointed: reactive[Key | None] = reactive[Key | None](None)
    """The one under the mouse."""

    def on_mount(self) -> None:
        """Follow the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def _follow(self, screen: Screen[object]) -> None:
        if screen.is_current and self.app.app_focus:
            self.call_after_refresh(self._read)

    def _read(self) -> None:
        if not self.is_attached:
            return
        found: dict[str, Key] = {}
        for _, binding, works, tooltip in self.screen.active_bindings.values():
            if binding.show and binding.action not in found:
                shown = self.app.get_key_display(binding)
                found[binding.action] = Key(binding.key, shown, binding.description, tooltip, works)
        self.keys = tuple(found.values())

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Cells of the keys that there is room for."""
        return sum(key.width for key in self._fitting(container.width - BESIDE))

    def _fitting(self, width: int) -> list[Key]:
        """The first keys: what a pane is for stands before what works everywhere."""
        ends = accumulate(key.width for key in self.keys)
        return [key for key, end in zip(self.keys, ends, strict=True) if end <= width]

    def render(self) -> Content:
        """The keys one after the other."""
        name, word = (self.get_visual_style(f"key-line--{part}", partial=True) for part in ("key", "word"))
        pointed = self.get_visual_style("key-line--pointed", partial=True)
        parts = []
        for key in self._fitting(self.size.width):
            part = Content.assemble((key.shown, name), " ", (key.word, word))
            part = part if key.works else part.stylize(Style(dim=True))
            parts += [part.stylize(pointed) if key == self.pointed else part, Content(" ")]
        return Content("").join(parts)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The key under the mouse stands out and tells more."""
        self.pointed = self._at(event.x)
        self.tooltip = self.pointed.tooltip or None if self.pointed else None

    def on_leave(self) -> None:
        """No key stands out."""
        self.pointed = None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Press the key."""
        key = self._at(event.x)
        if key is None:
            return
        if key.works:
            self.app.simulate_key(key.name)
        else:
            self.app.bell()

    def _at(self, x: int) -> Key | None:
        for key in self._fitting(self.size.width):
            if x < key.width - 1:
                return key if x >= 0 else None
            x -= key.width
        return None
