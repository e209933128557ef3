"""The base of all dialogs."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A dialog that ends once: two keys or clicks can arrive before it is gone, and both may end it."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """End the dialog with a result; nothing if it has ended, or if another dialog is above it."""
        return super().dismiss(result) if self.is_current else AwaitComplete()
