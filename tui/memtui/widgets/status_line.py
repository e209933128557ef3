"""The line at the bottom: how much is indexed, how far indexing is, and a few keys."""

from __future__ import annotations

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Static

from memtui import clock
from memtui.formatting import age, plural, work
from memtui.timers import call_after
from memtui.widgets.key_line import KeyLine
from memtui_core.model import Progress, Stats

_SEPARATOR = " · "
_DONE = "up to date"
_YOUNG = 60.0
"""Seconds for which an age is told in seconds."""
_OLD_EVERY = 10.0
"""Seconds between two looks at an age that is told in minutes."""


class Facts(Static):
    """As many facts as there is room for."""

    parts: reactive[list[str]] = reactive(list)
    """The last ones go first when there is not enough room."""
    stays: reactive[str] = reactive("")
    """The one of them that goes last."""

    def render(self) -> str:
        """The facts on one line."""
        shown = list(self.parts)
        while len(shown) > 1 and cell_len(_SEPARATOR.join(shown)) > self.content_size.width:
            shown.pop(-2 if shown[-1] == self.stays else -1)
        return _SEPARATOR.join(shown)


class StatusLine(Horizontal):
    """Facts at the left, keys at the right."""

    stats: reactive[Stats | None] = reactive[Stats | None](None)
    progress: reactive[Progress | None] = reactive[Progress | None](None)

    stopped: reactive[str] = reactive("")
    """Why indexing has stopped; empty while it has not."""

    def compose(self) -> ComposeResult:
        """Two parts."""
        yield Facts(id="status-text", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        """Ages grow."""
        self._grow_older()

    def watch_stats(self) -> None:
        """Show the new size."""
        self._show()

    def watch_progress(self) -> None:
        """Show the new progress."""
        self._show()

    def watch_stopped(self) -> None:
        """Show that indexing has stopped, or goes on."""
        self._show()

    def _grow_older(self) -> None:
        self._show()
        at = self.stats.indexed_at if self.stats is not None else None
        young = at is None or (clock.now() - at).total_seconds() < _YOUNG
        call_after(self, 1.0 if young else _OLD_EVERY, self._grow_older)

    def _show(self) -> None:
        if self.is_mounted:
            parts = self.facts()
            facts = self.query_one(Facts)
            facts.stays = next((part for part in parts if part.startswith(_DONE)), parts[0])
            facts.parts = parts

    def facts(self) -> list[str]:
        """What stands at the left: what is being done, how much there is, and whether all is done."""
        stats, progress, now = self.stats, None if self.stopped else self.progress, clock.now()
        at_work = ["indexing has stopped"] if self.stopped else work(progress, now)
        if stats is None or not stats.turns:
            if self.stopped:
                return at_work
            if progress is None or not progress.finished:
                return at_work if progress is not None and progress.stage == "reading" and at_work else ["starting"]
            return ["the index is not open" if progress.to_embed else "nothing is indexed"]
        found = [*at_work, plural(stats.sessions, "session"), plural(stats.turns, "turn")]
        done = not at_work and (progress is None or progress.finished) and stats.embedded_turns >= stats.turns
        if stats.indexed_at and done:
            found.append(f"{_DONE} {age(stats.indexed_at, now)} ago")
        return found
