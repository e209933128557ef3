"""What the user does with observations: write one by hand, change, forget or restore one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from memtui.screens.pager import PagerScreen
from memtui.views.timeline.observation_keys import Action
from memtui.views.timeline.observation_rows import observation_rows, session_rows, text_of
from memtui.views.timeline.rows import Entry
from memtui.views.timeline.timeline_list import TimelineList

if TYPE_CHECKING:
    from memtui.screens.observation_form import Write
    from memtui.views.timeline.view import TimelineView
    from memtui_core.memory.model import Observation, ObservationContent


class ObservationEditing:
    """Changes the observations of the timeline's view."""

    def __init__(self, view: TimelineView) -> None:
        self._view = view

    def do(self, action: Action) -> None:
        """Do something with the chosen row."""
        listed = self._view.query_one(TimelineList)
        entry = listed.entry
        one = entry.observation if entry is not None else None
        if action == "write":
            self._write(entry)
        elif action == "restore":
            forgotten = one if one is not None and one.forgotten_at is not None else None
            root = listed.page.root if listed.page is not None else None
            self._view.services.observations.restore(forgotten, root, self._restored)
        elif action == "view" and entry is not None:
            self._show_whole(entry)
        elif one is None:
            self._view.notify("Choose an observation first: they stand below their sessions.")
        elif one.forgotten_at is not None:
            self._view.notify("It is forgotten; u brings it back.")
        elif action == "forget":
            self._view.request_focus(listed)
            self._view.services.observations.forget(one, self._forgotten)
        else:
            self._open_form("change an observation", partial(self._view.services.observations.edit, one), one.content)

    def _write(self, entry: Entry | None) -> None:
        session, root, name = (entry.session_id, entry.root, entry.name) if entry is not None else ("", "", "")

        def write(fields: Mapping[str, Any]) -> Observation:
            return self._view.services.observations.save(session, root, fields)

        self._open_form(f"an observation{f' in {name}' if name else ''}", write)

    def _open_form(self, title: str, write: Write, before: ObservationContent | None = None) -> None:
        # Textual's text editor takes a while to import: not before it is needed.
        from memtui.screens.observation_form import ObservationForm

        self._view.app.push_screen(ObservationForm(title, write, before), self._written)

    def _written(self, one: Observation | None) -> None:
        if one is not None:
            self._view.show_changed(one)

    def _show_whole(self, entry: Entry) -> None:
        make = partial(session_rows, entry.past) if entry.past is not None else None
        if (one := entry.observation) is not None:
            make = partial(observation_rows, one, self._view.origin_text(entry))
        if make is not None:
            title = entry.past.name if entry.past is not None else ""
            self._view.app.push_screen(PagerScreen(title, make, text_of(make(80))))

    def _forgotten(self, one: Observation) -> None:
        self._view.notify(f"{one.content.title}\n\nu brings it back.", title="Forgotten", markup=False)
        self._view.reload()

    def _restored(self, one: Observation) -> None:
        self._view.notify(one.content.title, title="Restored", markup=False)
        self._view.show_changed(one)
