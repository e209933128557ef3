"""Finding in the session that is read: what is typed is marked and gone to while it is typed."""

from __future__ import annotations

from pathlib import Path

from textual import on

from memtui.screens.reading import ReadingScreen
from memtui.services.preload import IndexPreload
from memtui.widgets.find_bar import FindBar
from memtui.widgets.transcript import Transcript


class FindingScreen(ReadingScreen):
    """Owns what is found."""

    def __init__(self, data_dir: Path, opening: IndexPreload | None = None) -> None:
        super().__init__(data_dir, opening)
        self._marked_before: tuple[str, ...] = ()
        """What a search had marked."""
        self._found: tuple[str, ...] = ()
        """What was found last."""

    @on(Transcript.FindRequested)
    def _find_wanted(self) -> None:
        words = self.query_one(Transcript).matches.words
        if words != self._found:
            self._marked_before = words
        bar = self.query_one(FindBar)
        bar.add_class("-open")
        bar.focus()
        bar.select_all()

    @on(FindBar.Typed)
    def _find(self, message: FindBar.Typed) -> None:
        transcript = self.query_one(Transcript)
        self._found = (message.text,) if message.text.strip() else ()
        # What one letter more or less leads away from closes again.
        transcript.conceal()
        transcript.mark(self._found)
        transcript.action_match(1)

    @on(FindBar.MatchRequested)
    def _match_wanted(self, message: FindBar.MatchRequested) -> None:
        self.query_one(Transcript).action_match(message.direction)

    @on(FindBar.Left)
    def _find_left(self, message: FindBar.Left) -> None:
        transcript = self.query_one(Transcript)
        if not message.keep:
            transcript.mark(self._marked_before)
        transcript.focus()
        self.query_one(FindBar).remove_class("-open")
