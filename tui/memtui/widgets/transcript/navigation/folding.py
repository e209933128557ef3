"""Unfolding a part of a turn while a match, passage or edit in it is current."""

from __future__ import annotations

from memtui.widgets.transcript.layout.viewport import Viewport


class TemporaryFold:
    """The part that is unfolded to show the current match, passage or edit, until another one is current."""

    def __init__(self, viewport: Viewport) -> None:
        self._viewport = viewport
        self.opened: tuple[int, tuple[int, ...]] | None = None
        """`Turn.number` and the folds."""

    def open(self, index: int, *folds: int) -> None:
        """Unfold folds of a turn; what was unfolded before stays unfolded."""
        if not folds:
            return
        self.opened = self._viewport.document.turns[index].turn.number, folds
        self._viewport.flip(index, *folds)

    def close(self) -> None:
        """Fold what was unfolded last."""
        opened, self.opened = self.opened, None
        if opened is not None and (index := self._viewport.document.index.get(opened[0])) is not None:
            self._viewport.flip(index, *opened[1])

    def flip(self, index: int, fold: int) -> None:
        """Fold or unfold what the user chose: it stays so."""
        number, folds = self.opened or (0, ())
        if number == self._viewport.document.turns[index].turn.number and fold in folds:
            self.keep_open()
        self._viewport.flip(index, fold)

    def keep_open(self) -> None:
        """Leave the current fold unfolded for good."""
        self.opened = None
