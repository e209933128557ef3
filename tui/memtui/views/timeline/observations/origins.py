"""The controller that finds the turns in which observations were saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.views.timeline.rows import TimelineEntry
from memtui.widgets.requests.target import Target

if TYPE_CHECKING:
    from memtui.views.timeline.view import TimelineView
    from memtui_core.index.observations import Observation, ObservationOrigin

_NO_TRANSCRIPT: Final = "There is no transcript of the session of this observation."


class Origins:
    """Loads the origin of an observation, names it, and goes there."""

    def __init__(self, view: TimelineView) -> None:
        self._view = view
        self._origin: ObservationOrigin | None = None
        """Origin of the observation that was shown last."""
        self._requested = ""
        """Id of the observation to whose turn the user wants to go."""

    def text(self, entry: TimelineEntry) -> str:
        """The session and turn in which an observation was saved; only the session while the origin is not loaded."""
        observation, origin = entry.observation, self._origin
        if observation is None or origin is None or origin.observation.id != observation.id:
            return entry.timeline_session.name if entry.timeline_session is not None else ""
        if origin.session is None:
            return "a session without a transcript"
        return origin.session.title + (f" · turn {origin.turn}" if origin.turn is not None else "")

    def load(self, observation: Observation) -> None:
        """Load the origin of an observation, unless it is the one that was loaded last."""
        if self._origin is None or self._origin.observation.id != observation.id:
            self._view.services.observations.origin(observation, self._loaded)

    def go_to(self, entry: TimelineEntry) -> None:
        """Go to the turn in which the observation of an entry was saved."""
        if (observation := entry.observation) is not None:
            self._requested = observation.id
            self._view.services.observations.origin(observation, self._loaded)
        else:
            self._view.notify("There is no transcript of this session.")

    def _loaded(self, origin: ObservationOrigin) -> None:
        self._origin, observation = origin, origin.observation
        self._view.refresh_text(observation.id)
        if self._requested != observation.id:
            return
        self._requested = ""
        if origin.session is None:
            self._view.notify(_NO_TRANSCRIPT)
            return
        # The title is in the tool call that saved the observation, unless it was changed later.
        by_call = observation.tool_name.endswith("mem-save") and observation.revision == 1 and origin.turn is not None
        words = (observation.content.title,) if by_call else ()
        self._view.shows_text = False
        self._view.request_turn(Target(origin.session.key, origin.turn, words), read=True)
