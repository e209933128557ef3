"""The line at the bottom: the size of the index, the progress of indexing, and a few keys."""

from __future__ import annotations

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Static

from memtui import clock
from memtui.formatting import age, indexing_facts, plural
from memtui.timers import call_after
from memtui.widgets.key_line import KeyLine
from memtui_core.model import Progress, Stats

_SEPARATOR = " · "
_DONE = "up to date"
_YOUNG = 60.0
"""Seconds up to which an age is shown in seconds."""
_OLD_INTERVAL = 10.0
"""Seconds between two updates of an age in minutes or more."""


class StatusFacts(Static):
    """As many facts on one line as fit."""

    facts: reactive[list[str]] = reactive(list)
    """When there is not enough room, the last ones are left out first."""
    essential: reactive[str] = reactive("")
    """The fact that is left out last."""

    def render(self) -> str:
        """The facts on one line."""
        shown = list(self.facts)
        while len(shown) > 1 and cell_len(_SEPARATOR.join(shown)) > self.content_size.width:
            shown.pop(-2 if shown[-1] == self.essential else -1)
        return _SEPARATOR.join(shown)


class StatusLine(Horizontal):
    """Facts at the left, keys at the right."""

    stats: reactive[Stats | None] = reactive[Stats | None](None)
    progress: reactive[Progress | None] = reactive[Progress | None](None)

    hint: reactive[str] = reactive("")
    """What comes before all facts; empty for nothing."""
    stopped: reactive[str] = reactive("")
    """The reason why indexing has stopped; empty if it has not."""

    def compose(self) -> ComposeResult:
        """The facts and the keys."""
        yield StatusFacts(id="status-text", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        """Show the facts, and keep their ages up to date."""
        self._update_ages()

    def watch_stats(self) -> None:
        """Show the new size."""
        self._show()

    def watch_progress(self) -> None:
        """Show the new progress."""
        self._show()

    def watch_stopped(self) -> None:
        """Show that indexing has stopped, or runs again."""
        self._show()

    def watch_hint(self) -> None:
        """Show the hint."""
        self._show()

    def _update_ages(self) -> None:
        self._show()
        at = self.stats.indexed_at if self.stats is not None else None
        is_young = at is None or (clock.now() - at).total_seconds() < _YOUNG
        call_after(self, 1.0 if is_young else _OLD_INTERVAL, self._update_ages)

    def _show(self) -> None:
        if self.is_mounted:
            facts = self.facts()
            shown = self.query_one(StatusFacts)
            shown.essential = next((fact for fact in facts if fact.startswith(_DONE)), facts[0])
            shown.facts = [self.hint, *facts] if self.hint else facts

    def facts(self) -> list[str]:
        """The progress of indexing, the size of the index, and whether it is up to date."""
        stats, progress, now = self.stats, None if self.stopped else self.progress, clock.now()
        indexing = ["indexing has stopped"] if self.stopped else indexing_facts(progress, now)
        if stats is None or not stats.turns:
            if self.stopped:
                return indexing
            if progress is None or not progress.finished:
                return indexing if progress is not None and progress.stage == "reading" and indexing else ["starting"]
            return ["the index is not open" if progress.to_embed else "nothing is indexed"]
        facts = [*indexing, plural(stats.sessions, "session"), plural(stats.turns, "turn")]
        is_done = not indexing and (progress is None or progress.finished) and stats.embedded_turns >= stats.turns
        if stats.indexed_at and is_done:
            facts.append(f"{_DONE} {age(stats.indexed_at, now)} ago")
        return facts
