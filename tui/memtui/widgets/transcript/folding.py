"""Folds that open by themselves."""

from __future__ import annotations

from memtui.widgets.transcript.viewport import Viewport


class TemporaryFold:
    """What was opened to show the current match or passage, until one goes on to another."""

    def __init__(self, viewport: Viewport) -> None:
        self._viewport = viewport
        self._opened: tuple[int, int] | None = None
        """`Turn.number` and fold."""

    def open(self, index: int, fold: int) -> None:
        """Open something in a turn; what was opened before stays open."""
        self._opened = self._viewport.document.turns[index].turn.number, fold
        self._viewport.flip(index, fold)

    def close(self) -> None:
        """Fold what was opened last."""
        opened, self._opened = self._opened, None
        if opened is not None and (index := self._viewport.document.index.get(opened[0])) is not None:
            self._viewport.flip(index, opened[1])

    def keep_open(self) -> None:
        """Leave open what is open."""
        self._opened = None
