"""What a key is called in the status line where it does something else than usual, or nothing."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from textual.widget import Widget


@runtime_checkable
class NamesKeys(Protocol):
    """A widget or a screen some of whose keys do something else at some rows."""

    def key_name(self, action: str) -> str | None:
        """What the key of an action does now; empty if it does nothing; None for what its declaration says."""
        ...


class KeyNames:
    """Lets the status line name the keys of a widget again when one of them has another name."""

    def __init__(self, widget: Widget, action: str) -> None:
        """`widget` is a `NamesKeys`; `action` is the one whose name changes."""
        self._widget = widget
        self._action = action
        self._name: str | None = None

    def update(self) -> None:
        """Compare the name with that of the last time."""
        name = self._widget.key_name(self._action) if isinstance(self._widget, NamesKeys) else None
        if name != self._name:
            self._name = name
            if self._widget.is_attached:
                self._widget.screen.refresh_bindings()
