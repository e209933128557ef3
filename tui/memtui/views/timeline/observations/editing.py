"""The controller for changes of observations by the user: write, change, forget, restore."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from memtui.screens.pager import PagerScreen
from memtui.views.timeline.keys import Action
from memtui.views.timeline.observations.pane import RenderRows
from memtui.views.timeline.observations.rows import observation_rows, session_rows, text_of
from memtui.views.timeline.rows import TimelineEntry
from memtui.views.timeline.timeline_list import TimelineList

if TYPE_CHECKING:
    from memtui.views.timeline.observations.form import Write
    from memtui.views.timeline.view import TimelineView
    from memtui_core.index.observations import Observation, ObservationContent


class ObservationEditing:
    """Performs the actions on observations for the view of the timeline."""

    def __init__(self, view: TimelineView) -> None:
        self._view = view

    def do(self, action: Action) -> None:
        """Perform an action on the chosen row."""
        timeline = self._view.query_one(TimelineList)
        observations = self._view.services.observations
        entry = timeline.entry
        observation = entry.observation if entry is not None else None
        if action == "write":
            self._write(entry)
        elif action == "restore":
            forgotten = observation if observation is not None and observation.forgotten_at is not None else None
            root = timeline.page.root if timeline.page is not None else None
            observations.restore(forgotten, root, self._restored)
        elif action == "view" and entry is not None:
            self._show_full_screen(entry)
        elif observation is None:
            self._view.notify("Choose an observation first: they are listed below their sessions.")
        elif observation.forgotten_at is not None:
            self._view.notify("The observation is forgotten; u restores it.")
        elif action == "forget":
            self._view.request_focus(timeline)
            observations.forget(observation, self._forgotten)
        else:
            self._open_form("change an observation", partial(observations.edit, observation), observation.content)

    def _write(self, entry: TimelineEntry | None) -> None:
        session, root, name = (entry.session_id, entry.root, entry.name) if entry is not None else ("", "", "")

        def write(fields: Mapping[str, Any]) -> Observation:
            return self._view.services.observations.save(session, root, fields)

        self._open_form(f"an observation{f' in {name}' if name else ''}", write)

    def _open_form(self, title: str, write: Write, before: ObservationContent | None = None) -> None:
        # Textual's text editor takes long to import.
        from memtui.views.timeline.observations.form import ObservationForm

        self._view.app.push_screen(ObservationForm(title, write, before), self._written)

    def _written(self, observation: Observation | None) -> None:
        if observation is not None:
            self._view.show_changed(observation)

    def _show_full_screen(self, entry: TimelineEntry) -> None:
        session = entry.timeline_session
        if (observation := entry.observation) is not None:
            self._push(entry.name, partial(observation_rows, observation, self._view.origins.text(entry)))
        elif session is not None:
            self._view.services.observations.summary(
                session, lambda summary: self._push(session.name, partial(session_rows, session, summary))
            )

    def _push(self, title: str, render_rows: RenderRows) -> None:
        self._view.app.push_screen(PagerScreen(title, render_rows, text_of(render_rows(80))))

    def _forgotten(self, observation: Observation) -> None:
        self._view.notify(f"{observation.content.title}\n\nu restores it.", title="Forgotten", markup=False)
        self._view.reload()

    def _restored(self, observation: Observation) -> None:
        self._view.notify(observation.content.title, title="Restored", markup=False)
        self._view.show_changed(observation)
