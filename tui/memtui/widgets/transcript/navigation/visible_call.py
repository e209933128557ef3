"""The tool call on which a key acts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memtui.render.tools.calls import RenderedCall
from memtui.widgets.transcript.layout.viewport import Viewport
from memtui.widgets.transcript.navigation.calls import CallNavigator
from memtui.widgets.transcript.navigation.matches import MatchList
from memtui.widgets.transcript.navigation.passages import PassageNavigator


class VisibleCall:
    """Finds, on the screen, the call where the user is, or else the first one."""

    def __init__(
        self, viewport: Viewport, calls: CallNavigator, matches: MatchList, passages: PassageNavigator
    ) -> None:
        self._viewport = viewport
        self._calls = calls
        self._matches = matches
        self._passages = passages

    def find(self, accept: Callable[[RenderedCall], bool] = lambda _: True) -> RenderedCall | None:
        """The current call, or that of the current match or passage, or the first call on the screen.

        Only calls that `accept` accepts count.
        """
        candidates = (*self._current(), *self._on_screen()) if self._viewport.ready else ()
        return next(filter(accept, candidates), None)

    def _current(self) -> Iterator[RenderedCall]:
        """The current call, and those of the current match and passage, that are on the screen."""
        document, match = self._viewport.document, self._matches.current
        of_match = (match.number, match.seq) if match is not None else None
        for number, seq in filter(None, (self._calls.current, of_match, self._passages.call())):
            if self._viewport.shows(number, seq) and (call := document.calls(document.index[number]).get(seq)):
                yield call

    def _on_screen(self) -> Iterator[RenderedCall]:
        document, top, bottom = self._viewport.document, self._viewport.place, self._viewport.bottom
        for index in range(top.turn, bottom.turn + 1):
            box, calls = document.turns[index], document.calls(index)
            first = top.part if index == top.turn else 0
            end = bottom.part + 1 if index == bottom.turn else len(box.boxes)
            for visible in box.boxes[first:end]:
                yield from (call for seq, call in calls.items() if seq in visible.part.blocks)
