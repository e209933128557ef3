"""The controller for finding text in the open session, while it is typed."""

from __future__ import annotations

from memtui.browse.controllers import handles
from memtui.widgets.find_bar import FindBar
from memtui.widgets.transcript.widget import TranscriptPane


class FindController:
    """Finds in the transcript what is typed in its find bar."""

    def __init__(self, transcript: TranscriptPane) -> None:
        self._transcript = transcript
        self.bar = FindBar("session", self, id="find")
        self._words_before: tuple[str, ...] = ()
        """The words that were marked before the bar was opened."""
        self._words: tuple[str, ...] = ()
        """The text in the bar; empty if it is blank."""

    @property
    def is_active(self) -> bool:
        """Whether the text in the bar is marked."""
        return bool(self._words) and self._transcript.matches.words == self._words

    def end(self) -> None:
        """Mark what was marked before the find."""
        self._transcript.mark(self._words_before)

    @handles(TranscriptPane.FindRequested)
    def open(self) -> None:
        """Show the find bar and focus it."""
        words = self._transcript.matches.words
        if words != self._words:
            self._words_before = words
        self.bar.open()

    def find(self, text: str) -> None:
        """Mark a text and go to its first match from the current position."""
        self._words = (text,) if text.strip() else ()
        # Fold again what was unfolded for a match of the previous text.
        self._transcript.fold_opened()
        self._transcript.mark(self._words)
        self._transcript.action_match(1)

    def step_match(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        self._transcript.action_match(direction)

    def leave_find(self, *, keep: bool) -> None:
        """Focus the transcript; with `keep` the matches stay marked."""
        if not keep:
            self.end()
        self._transcript.focus()
