"""The panes for the open session: its transcript, and the inspector beside it or in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widget import AwaitMount, Widget

from memtui.browse.reader.inspector_feed import InspectorFeed
from memtui.browse.reader.reading import ReadingPlaces
from memtui.browse.reader.session_loader import SessionLoader
from memtui.services.index_service import IndexService
from memtui.system import clock
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.inspector.rail import InspectorRail
from memtui.widgets.pane_visibility import set_pane_class
from memtui.widgets.requests.pane_widths import PaneWidths
from memtui.widgets.splitter import Splitter
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.model import ACTIVE, Session


class SessionReader(Horizontal):
    """Shows the open session; `reading` decides which one that is, `loader` loads it, `feed` fills the inspector.

    A view can show a detail pane in the place of the transcript: `add_details`, `show_detail`.
    """

    def __init__(self, index: IndexService, shown: Callable[[], None]) -> None:
        """`shown` is called when another session is shown, or the same one has grown."""
        super().__init__(id="reader")
        self._call_shown = shown
        self.transcript = TranscriptPane()
        self.line = Splitter(id="inspector-line")
        self.inspector = Inspector()
        self.rail = InspectorRail(id="rail")
        self.detail: Widget | None = None
        """The detail pane in the place of the transcript."""
        self._details: list[Widget] = []
        """The detail panes of all views."""
        self.loader = SessionLoader(index, self.transcript)
        self.reading = ReadingPlaces(self.transcript, self.loader, self._session_shown)
        self.feed = InspectorFeed(index, self.transcript, self.inspector, self.rail)
        self._rest: Timer | None = None
        """Goes off when the open session no longer counts as active."""

    def compose(self) -> ComposeResult:
        """The transcript, and the inspector with the rail in its place."""
        yield self.transcript
        yield self.line
        yield self.inspector
        yield self.rail

    def on_mount(self) -> None:
        """Show nothing of a turn beside a session that is being loaded."""
        self.watch(self.transcript, "expected", self.feed.update, init=False)

    @property
    def session(self) -> Session | None:
        """The open session."""
        return self.transcript.session

    # -- visible panes -----------------------------------------------------------------------------------------

    @property
    def has_details(self) -> bool:
        """Whether the open session has something that only the inspector shows."""
        return self.loader.has_details(self.session)

    @property
    def is_peeking(self) -> bool:
        """Whether the inspector is shown in the place of the transcript."""
        return self.inspector.display and self.has_class("-peeking")

    def add_details(self, panes: Iterable[Widget]) -> AwaitMount:
        """Mount detail panes of a view, which are not shown yet."""
        details = list(panes)
        for pane in details:
            pane.add_class("detail")
        self._details += details
        return self.mount(*details, after=self.transcript)

    def show_detail(self, pane: Widget | None) -> None:
        """Show a detail pane in the place of the transcript, also one that was made just now; None for the transcript.

        A view makes one later if most users never see it.
        """
        self.detail = pane
        set_pane_class(self, pane is not None, "-detail")
        for detail in self._details:
            set_pane_class(detail, detail is pane, "-shown")
        if pane is not None and pane not in self._details:
            pane.add_class("-shown")
            self.add_details([pane])

    def set_widths(self, widths: PaneWidths) -> None:
        """Show the text, the inspector or its rail in their widths."""
        set_pane_class(self, not widths.text, "-peeking")
        inspector, rail = self.inspector, self.rail
        was_shown = inspector.display, rail.display
        self.line.display = widths.text > 0 and widths.inspector + widths.rail > 0
        inspector.display, rail.display = widths.inspector > 0, widths.rail > 0
        inspector.styles.width, rail.styles.width = widths.inspector, widths.rail
        if (inspector.display, rail.display) != was_shown:
            self.feed.update()

    # -- the open session --------------------------------------------------------------------------------------

    def _session_shown(self, session: Session) -> None:
        self.feed.update()
        self._draw_again_at_rest(session)
        self._call_shown()

    def _draw_again_at_rest(self, session: Session) -> None:
        """Draw the last turn again when nothing was written for so long that it no longer counts as running."""
        if self._rest is not None:
            self._rest.stop()
        left = session.ended_at + ACTIVE - clock.now() if session.ended_at is not None else timedelta()
        seconds = left.total_seconds()
        self._rest = self.set_timer(seconds, partial(self._draw_at_rest, session)) if seconds > 0 else None

    def _draw_at_rest(self, session: Session) -> None:
        self.transcript.draw_last_turn()
        # The clock may have been set back, or be behind the timer.
        self._draw_again_at_rest(session)
