"""The line at the bottom: the size of the index, the progress of indexing, and a few keys."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Static

from memtui.system import clock
from memtui.system.timers import call_after
from memtui.widgets.status.key_line import KeyLine
from memtui.wording.formatting import age, cut, indexing_facts, last_seen, plural
from memtui.wording.vector_text import vector_index_text
from memtui_core.model import Progress, Stats

if TYPE_CHECKING:
    from memtui_core.index.vectors import VectorReport

_SEPARATOR = " · "
_PADDING = 2
"""Cells beside the facts, left and right."""
_FOLLOWED = 300.0
"""Seconds after a check of all sources for which the index counts as up to date: an indexer checks more often."""
_REMARK = 10.0
"""Seconds for which a remark is shown."""
_INTERVAL = 10.0
"""Seconds between two updates of an age, which is in minutes or more."""


class StatusFacts(Static):
    """As many facts on one line as fit."""

    facts: reactive[list[str]] = reactive(list)
    """When there is not enough room, the last ones are left out first."""
    least: reactive[int] = reactive(0)
    """How many facts are never left out."""

    def render(self) -> str:
        """The facts on one line."""
        shown = list(self.facts)
        while len(shown) > self.least and cell_len(_SEPARATOR.join(shown)) > self.content_size.width:
            shown.pop()
        return _SEPARATOR.join(shown)


class StatusLine(Horizontal):
    """Facts at the left, keys at the right.

    What the user waits for comes before the keys; whether the index is up to date, and its size, only gets the room
    that the keys leave.
    """

    stats: reactive[Stats | None] = reactive[Stats | None](None)
    progress: reactive[Progress | None] = reactive[Progress | None](None)

    notice: reactive[str] = reactive("")
    """What is shown for a few seconds in the place of the facts; empty for nothing."""
    hint: reactive[str] = reactive("")
    """What comes before all facts; empty for nothing."""
    stopped: reactive[str] = reactive("")
    """The reason why indexing has stopped; empty if it has not."""
    absent: reactive[tuple[tuple[str, datetime | None], ...]] = reactive(())
    """The machines that did not answer, each with the time when it was last seen."""
    vectors: reactive[VectorReport | None] = reactive["VectorReport | None"](None)
    """What answers searches by meaning; None while it is not known."""

    def __init__(self) -> None:
        super().__init__()
        self._notice_timer: Timer | None = None
        self.remarks: list[str] = []
        """What is to be said when there is nothing else to say."""

    def compose(self) -> ComposeResult:
        """The facts and the keys."""
        yield StatusFacts(id="status-text", markup=False)
        yield KeyLine()

    def show_notice(self, text: str, seconds: float) -> bool:
        """Show a notice for some seconds, in the place of the one before; False if it does not fit on the line."""
        if "\n" in text or cell_len(text) > self._room:
            return False
        self._show_for(text, seconds)
        return True

    def add_remark(self, text: str) -> None:
        """Show a line that is not urgent, as much of it as fits, when no indexer works and no notice is shown."""
        self.remarks.append(text)
        self._show()

    def on_resize(self) -> None:
        """Show a remark that had no room yet."""
        if self.remarks:
            self._show()

    @property
    def _room(self) -> int:
        """Cells for a notice, beside the keys that are always shown."""
        return self.size.width - _PADDING - self.query_one(KeyLine).least_width

    def _show_for(self, text: str, seconds: float) -> None:
        if self._notice_timer is not None:
            self._notice_timer.stop()
        self.notice = text
        self._notice_timer = self.set_timer(seconds, self.remove_notice)

    def remove_notice(self) -> None:
        """Show the facts again, or the next remark."""
        self.notice = ""

    def on_mount(self) -> None:
        """Show the facts whenever one changes, and keep their ages up to date."""
        for fact in ("stats", "progress", "notice", "hint", "stopped", "absent", "vectors"):
            self.watch(self, fact, self._show, init=False)
        self._update_ages()

    def _update_ages(self) -> None:
        self._show()
        call_after(self, _INTERVAL, self._update_ages)

    def _show(self) -> None:
        if self.is_mounted:
            rests = self.progress is None or self.progress.finished
            if self.remarks and self.size and rests and not self.notice:
                # The notice shows itself.
                self._show_for(cut(self.remarks.pop(0), self._room), _REMARK)
                return
            first = [text for text in (self.notice or self.hint,) if text]
            urgent = first or self._work()[:1]
            shown, keys = self.query_one(StatusFacts), self.query_one(KeyLine)
            shown.set_class(bool(self.notice), "-notice")
            shown.least = len(urgent)
            shown.facts = first if self.notice else [*first, *self.facts()]
            keys.reserved = _PADDING + sum(map(cell_len, urgent))

    def facts(self) -> list[str]:
        """The indexer's work, whether the index is up to date, its size, absent machines, and the vector index."""
        absent = [last_seen(name, seen_at, clock.now()) for name, seen_at in self.absent]
        facts = [*self._work(), *self._index(), *absent, vector_index_text(self.vectors, clock.now())]
        return [fact for fact in facts if fact]

    def _work(self) -> list[str]:
        """What is going on, or what is wrong; empty if nothing is."""
        if self.stopped:
            return ["indexing has stopped"]
        progress = self.progress
        working = indexing_facts(progress, clock.now())
        if self.stats is not None and self.stats.turns:
            return working
        if progress is None or not progress.finished:
            return working if progress is not None and progress.stage == "reading" and working else ["starting"]
        return ["the index is not open" if progress.to_embed else "nothing is indexed"]

    def _index(self) -> list[str]:
        """Whether the index is up to date, and its size; empty if there is nothing in it."""
        stats, progress = self.stats, self.progress
        if stats is None or not stats.turns:
            return []
        size = [plural(stats.sessions, "session"), plural(stats.turns, "turn")]
        checked_at = datetime.fromtimestamp(progress.at, UTC) if progress is not None else stats.indexed_at
        is_complete = (progress is None or progress.finished) and stats.embedded_turns >= stats.turns
        if checked_at is None or not is_complete or self._work():
            return size
        now = clock.now()
        is_followed = (now - checked_at).total_seconds() < _FOLLOWED
        return ["up to date" if is_followed else f"checked {age(checked_at, now)} ago", *size]
