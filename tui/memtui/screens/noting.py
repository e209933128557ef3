"""What the person does with what was written down: writing by hand, changing, forgetting, bringing back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on

from memtui import messages
from memtui.screens.pager import PagerScreen
from memtui.screens.timeline import TimelineScreen
from memtui.views.timeline.observation_keys import ObservationRequested, What
from memtui.views.timeline.observation_pane import ObservationPane
from memtui.views.timeline.observation_rows import observation_rows, session_rows, text_of
from memtui.views.timeline.rows import Entry
from memtui.views.timeline.timeline_list import TimelineList

if TYPE_CHECKING:
    from memtui.screens.observation_form import Write
    from memtui_core.memory import Content, Observation


class NotingScreen(TimelineScreen):
    """Owns what is written."""

    @on(ObservationRequested)
    def _note_wanted(self, message: ObservationRequested) -> None:
        entry = self.query_one(TimelineList).entry
        if message.what == "write":
            self._write(entry)
        elif message.what == "restore":
            chosen = entry.observation if entry is not None else None
            forgotten = chosen if chosen is not None and chosen.forgotten_at is not None else None
            page = self.query_one(TimelineList).page
            root = page.root if page is not None else None
            self.run_job(lambda: self.notebook.restore(forgotten, root))
        elif message.what == "whole" and entry is not None:
            self._show_whole(entry)
        else:
            self._do(message.what, entry.observation if entry is not None else None)

    def _do(self, what: What, one: Observation | None) -> None:
        if one is None:
            self.notify("Choose an observation first: they stand below their sessions.")
        elif one.forgotten_at is not None:
            self.notify("It is forgotten; u brings it back.")
        elif what == "forget":
            self.go_to(self.query_one(TimelineList))
            self.run_job(lambda: self.notebook.forget(one))
        else:
            self._fill_in("change an observation", partial(self.notebook.edit, one), one.content)

    def _write(self, entry: Entry | None) -> None:
        session, root, name = self.place_of(entry)

        def write(given: Mapping[str, Any]) -> Observation:
            return self.notebook.save(session, root, given)

        self._fill_in(f"an observation{f' in {name}' if name else ''}", write)

    def _fill_in(self, title: str, write: Write, before: Content | None = None) -> None:
        # An editor of text takes a while to import: not before it is wanted.
        from memtui.screens.observation_form import ObservationForm

        self.app.push_screen(ObservationForm(title, write, before), self._written)

    def _written(self, one: Observation | None) -> None:
        if one is not None:
            self._await(one)

    def _await(self, one: Observation) -> None:
        """List anew, with the cursor on an observation."""
        listed = self.query_one(TimelineList)
        listed.awaited = ("observation", one.id)
        if self.view == "timeline" and self.query_one(ObservationPane).key != one.id:
            self.go_to(listed)
        kind = self.wish.kind
        self.ask(replace(self.wish, kind=kind if kind in ("", one.content.type) else ""))

    def _show_whole(self, entry: Entry) -> None:
        make = partial(session_rows, entry.past) if entry.past is not None else None
        if (one := entry.observation) is not None:
            make = partial(observation_rows, one, self.said_origin(entry))
        if make is not None:
            title = entry.past.name if entry.past is not None else ""
            self.app.push_screen(PagerScreen(title, make, text_of(make(80))))

    @on(messages.NoteMoved)
    def _note_moved(self, message: messages.NoteMoved) -> None:
        one = message.observation
        if one.forgotten_at is not None:
            self.notify(f"{one.content.title}\n\nu brings it back.", title="Forgotten", markup=False)
            self.fill_view()
        else:
            self.notify(one.content.title, title="Restored", markup=False)
            self._await(one)
