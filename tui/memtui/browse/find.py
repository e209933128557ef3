"""Finding in the session that is read: what is typed is marked and gone to while it is typed."""

from __future__ import annotations

from memtui.widgets.find_bar import FindBar
from memtui.widgets.transcript import Transcript


class FindController:
    """Joins the find bar and the transcript."""

    def __init__(self, transcript: Transcript, bar: FindBar) -> None:
        self._transcript = transcript
        self._bar = bar
        self._words_before: tuple[str, ...] = ()
        """What a search had marked."""
        self._words: tuple[str, ...] = ()
        """What was typed last."""

    def open(self) -> None:
        """Show the bar and go there."""
        words = self._transcript.matches.words
        if words != self._words:
            self._words_before = words
        self._bar.add_class("-open")
        self._bar.focus()
        self._bar.select_all()

    def find(self, text: str) -> None:
        """Mark a text and go to its first match from here."""
        self._words = (text,) if text.strip() else ()
        # What a longer or shorter text leads away from is folded again.
        self._transcript.fold_opened()
        self._transcript.mark(self._words)
        self._transcript.action_match(1)

    def step(self, direction: int) -> None:
        """Go to the next match, or the one before."""
        self._transcript.action_match(direction)

    def close(self, *, keep: bool) -> None:
        """Back to the text; with `keep` what was found stays marked."""
        if not keep:
            self._transcript.mark(self._words_before)
        self._transcript.focus()
        self._bar.remove_class("-open")
