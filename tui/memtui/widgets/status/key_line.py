"""One line with the keys of the focused pane."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input

from memtui.keys.declarations import key_of
from memtui.keys.names import NamesKeys

_FACTS: Final = 48
"""Cells that the keys for spare room leave to the text beside the keys."""


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key with the name of its action."""

    key: str
    """The key as Textual names it."""
    label: str
    """The key as it is shown."""
    name: str
    tooltip: str
    enabled: bool = True
    stays: bool = False
    """Whether it is shown in any width."""
    spare: int = 0
    """Its place, from 1, among those that are shown only where there is room for all others."""

    @property
    def width(self) -> int:
        """Cells of the key, the name and the blank after it."""
        return cell_len(self.label) + cell_len(self.name) + 2


class KeyLine(Widget):
    """The keys of the focused pane; a click on a key presses it.

    Keys that do not fit are left out: those of the focused pane come before those that work everywhere. A key is
    named by what it does now, and left out where it does nothing (`NamesKeys`).

    A single widget that is drawn again only when the keys change: Textual's Footer creates a widget for each key
    whenever the focus changes, which takes longer than everything else that is drawn then.
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

    keys: reactive[tuple[KeyHint, ...]] = reactive[tuple[KeyHint, ...]]((), layout=True)
    reserved: reactive[int] = reactive(0, layout=True)
    """Cells that are left for the text beside the keys."""
    hovered: reactive[KeyHint | None] = reactive[KeyHint | None](None)
    """The key under the mouse."""

    def on_mount(self) -> None:
        """Follow the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def _bindings_updated(self, screen: Screen[object]) -> None:
        if screen.is_current and self.app.app_focus:
            self.call_after_refresh(self._read_bindings)

    def _read_bindings(self) -> None:
        if not self.is_attached:
            return
        own: dict[str, KeyHint] = {}
        everywhere: dict[str, KeyHint] = {}
        spare: dict[str, KeyHint] = {}
        is_typing = isinstance(self.screen.focused, Input)
        for node, binding, enabled, tooltip in self.screen.active_bindings.values():
            if is_typing and binding.key == "slash":
                # It is typed, but Textual knows no character for the name of this key.
                continue
            named = node.key_name(binding.action) if isinstance(node, NamesKeys) else None
            if named == "":
                continue
            name = binding.description if named is None else named
            hint = partial(KeyHint, binding.key, self.app.get_key_display(binding), name, tooltip)
            key = key_of(binding)
            if binding.show and binding.action not in own:
                hints = everywhere if node in {self.screen, self.app} else own
                hints.setdefault(binding.action, hint(enabled, key is not None and key.stays))
            elif key is not None and key.spare and enabled:
                spare.setdefault(key.id, hint(spare=key.spare))
        extra = sorted(spare.values(), key=lambda hint: hint.spare)
        self.keys = (*own.values(), *extra, *everywhere.values())

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Cells of the keys that fit."""
        return sum(hint.width for hint in self._fitting(container.width - self.reserved, _FACTS))

    @property
    def least_width(self) -> int:
        """Cells of the keys that are shown in any width."""
        return sum(hint.width for hint in self.keys if hint.stays)

    def _fitting(self, width: int, facts: int = 0) -> list[KeyHint]:
        """The keys that fit, in their order; those for spare room leave some cells to the facts."""
        left = width - self.least_width
        fitting = {hint for hint in self.keys if hint.stays}
        for hint in sorted(self.keys, key=lambda hint: hint.spare > 0):
            if not hint.stays and hint.width <= left - (facts if hint.spare else 0):
                left -= hint.width
                fitting.add(hint)
        return [hint for hint in self.keys if hint in fitting]

    def render(self) -> Content:
        """The keys, one after the other."""
        key_style, name_style = (self.get_visual_style(f"key-line--{part}", partial=True) for part in ("key", "word"))
        hovered = self.get_visual_style("key-line--pointed", partial=True)
        parts = []
        for hint in self._fitting(self.size.width):
            part = Content.assemble((hint.label, key_style), " ", (hint.name, name_style))
            part = part if hint.enabled else part.stylize(Style(dim=True))
            parts += [part.stylize(hovered) if hint == self.hovered else part, Content(" ")]
        return Content("").join(parts)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Highlight the key under the mouse, and show its tooltip."""
        self.hovered = self._at(event.x)
        self.tooltip = self.hovered.tooltip or None if self.hovered else None

    def on_leave(self) -> None:
        """Highlight no key."""
        self.hovered = None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Press the key under the mouse."""
        hint = self._at(event.x)
        if hint is None:
            return
        if hint.enabled:
            self.app.simulate_key(hint.key)
        else:
            self.app.bell()

    def _at(self, x: int) -> KeyHint | None:
        for hint in self._fitting(self.size.width):
            if x < hint.width - 1:
                return hint if x >= 0 else None
            x -= hint.width
        return None
