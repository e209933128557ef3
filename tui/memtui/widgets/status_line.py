"""The line at the bottom: how much is indexed, how far indexing is, and a few keys."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Footer, Static

from memtui import moment
from memtui.present import age, plural, size
from memtui_core.model import Progress, Stats

_BAR = 12
"""Cells of the progress bar."""


class StatusLine(Horizontal):
    """Facts at the left, keys at the right."""

    stats: reactive[Stats | None] = reactive[Stats | None](None)
    progress: reactive[Progress | None] = reactive[Progress | None](None)

    def compose(self) -> ComposeResult:
        """Two parts."""
        yield Static(id="status-text", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Ages grow."""
        self.set_interval(1, self._show)

    def watch_stats(self) -> None:
        """Show the new size."""
        self._show()

    def watch_progress(self) -> None:
        """Show the new progress."""
        self._show()

    def _show(self) -> None:
        if self.is_mounted:
            self.query_one("#status-text", Static).update(self.text())

    def text(self) -> str:
        """What stands at the left."""
        parts = []
        if self.stats is not None and self.stats.turns:
            parts = [plural(self.stats.sessions, "session"), plural(self.stats.turns, "turn")]
        progress = self.progress
        if progress is not None and not progress.finished and progress.total:
            share = progress.done / progress.total
            bar = "█" * round(share * _BAR)
            parts.append(f"indexing {bar:░<{_BAR}} {share * 100:.0f} % of {size(progress.total)}")
        elif self.stats is not None and self.stats.indexed_at:
            parts.append(f"up to date {age(self.stats.indexed_at, moment.now())} ago")
        return " · ".join(parts) or "starting"
