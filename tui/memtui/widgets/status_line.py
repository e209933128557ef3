"""The line at the bottom: how much is indexed, how far indexing is, and a few keys."""

from __future__ import annotations

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Static

from memtui import moment
from memtui.present import age, plural, size
from memtui.soon import soon
from memtui.widgets.key_line import KeyLine
from memtui_core.model import Progress, Stats

_SEPARATOR = " · "
_BAR = 12
"""Cells of the progress bar."""
_YOUNG = 60.0
"""Seconds for which an age is told in seconds."""
_OLD_EVERY = 10.0
"""Seconds between two looks at an age that is told in minutes."""


class Facts(Static):
    """As many facts as there is room for."""

    parts: reactive[list[str]] = reactive(list)
    """The last ones go first when there is not enough room."""

    def render(self) -> str:
        """The facts on one line."""
        shown = list(self.parts)
        while len(shown) > 1 and cell_len(_SEPARATOR.join(shown)) > self.content_size.width:
            shown.pop()
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
        young = at is None or (moment.now() - at).total_seconds() < _YOUNG
        soon(self, 1.0 if young else _OLD_EVERY, self._grow_older)

    def _show(self) -> None:
        if self.is_mounted:
            self.query_one(Facts).parts = self.facts()

    def facts(self) -> list[str]:
        """What stands at the left, the most telling first."""
        stats, progress = self.stats, None if self.stopped else self.progress
        found = ["indexing has stopped"] if self.stopped else []
        if progress is not None and not progress.finished and progress.total:
            share = progress.done / progress.total
            bar = "█" * round(share * _BAR)
            reads = progress.stage == "reading"
            whole = size(progress.total) if reads else plural(progress.total, "turn")
            found.append(f"{'indexing' if reads else 'meaning'} {bar:░<{_BAR}} {share * 100:.0f} % of {whole}")
        if stats is not None and stats.turns:
            found += [plural(stats.sessions, "session"), plural(stats.turns, "turn")]
            if stats.embedded_turns < stats.turns:
                found.append(f"meaning: {100 * stats.embedded_turns // stats.turns} % of turns")
        if stats is not None and stats.indexed_at and not self.stopped and (progress is None or progress.finished):
            found.append(f"up to date {age(stats.indexed_at, moment.now())} ago")
        return found or ["nothing is indexed" if progress is not None and progress.finished else "starting"]
