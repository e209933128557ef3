"""The controller for redacted copies of the open session."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from memtui.browse.reader.pane import SessionReader
from memtui.services.index_service import IndexService
from memtui.services.job_queue import Result
from memtui.widgets.requests.panes import CopyRequested

if TYPE_CHECKING:
    from memtui.screens.outgoing.handoff.screen import HandoffRange
    from memtui.screens.outgoing.sharing.choices import ShareChoices
    from memtui.screens.outgoing.sharing.screen import TurnsToShare
    from memtui_core.export.redacted.copy import RedactedCopy
    from memtui_core.index.index import Index


class ShareController:
    """Shows what a copy of the open session would say, and writes or copies it."""

    def __init__(self, screen: Screen[None], index: IndexService, reader: SessionReader) -> None:
        self._screen = screen
        self._index = index
        self._reader = reader

    def action_share_session(self) -> None:
        """Show the copy of the open session before it is written."""
        from memtui.screens.outgoing.handoff.screen import turn_ranges

        session = self._reader.session
        if session is None:
            self._screen.notify("No session is open.")
            return
        ranges = turn_ranges(self._reader.transcript.number, session.turns)
        self._index.query(
            "share",
            lambda index: _turns_to_share(index, session.key, ranges[0]),
            partial(self._show, session.key, ranges),
        )

    def _show(self, key: int, ranges: list[HandoffRange], turns: TurnsToShare) -> None:
        from memtui.screens.outgoing.sharing.screen import ShareActions, ShareScreen

        if any(isinstance(each, ShareScreen) for each in self._screen.app.screen_stack):
            # The key was pressed again before the first answer was there.
            return

        def make(shown: TurnsToShare, choices: ShareChoices) -> None:
            self._index.jobs.run(
                lambda: _copy(shown, choices), lambda copy: screen.show_copy(copy, shown, choices), queue="share"
            )

        def load(turn_range: HandoffRange) -> None:
            self._index.query("share", lambda index: _turns_to_share(index, key, turn_range), screen.show_turns)

        def write(copy: RedactedCopy) -> None:
            folder = Path(self._index.folder or Path.home())
            run(lambda: _written(copy, folder), self._report)

        def copy_markdown(copy: RedactedCopy) -> None:
            run(lambda: _document(copy, "markdown"), self._copied)

        def run(job: Callable[[], Result], on_result: Callable[[Result], object]) -> None:
            """Run a job of which the screen tells that it runs, until it is done or has failed."""

            def reported() -> Result:
                try:
                    return job()
                finally:
                    self._index.jobs.deliver(ShareScreen.end_job, screen)

            self._index.jobs.run(reported, on_result)

        screen = ShareScreen(turns, ranges, ShareActions(make, load, write, copy_markdown))
        self._screen.app.push_screen(screen)

    def _report(self, path: Path) -> None:
        self._screen.notify(str(path), title="Written", markup=False)

    def _copied(self, text: str) -> None:
        self._screen.post_message(CopyRequested(text, "The Markdown"))


def _turns_to_share(index: Index, key: int, turn_range: HandoffRange) -> TurnsToShare:
    from memtui.screens.outgoing.sharing.screen import TurnsToShare
    from memtui_core.export.redacted.copy import session_parts

    session = index.sessions.get(key)
    turns = index.sessions.whole_turns(key, turn_range.first or 1, turn_range.last or session.turns)
    return TurnsToShare(session, turns, {turn.number: session_parts(session, turn) for turn in turns}, turn_range)


def _copy(shown: TurnsToShare, choices: ShareChoices) -> RedactedCopy:
    from memtui_core.export.redacted.copy import redacted_copy
    from memtui_core.export.redacted.own_names import own_names

    return redacted_copy(shown.session, shown.turns, choices.options(), own_names())


def _document(copy: RedactedCopy, format_name: str) -> str:
    from memtui_core.export.redacted.documents import redacted_document

    return redacted_document(copy, format_name)


def _written(copy: RedactedCopy, folder: Path) -> Path:
    from memtui_core.export.formats import file_name, format_named, write

    return write(folder / file_name(copy.session, copy.turns, format_named("html")), _document(copy, "html"))
