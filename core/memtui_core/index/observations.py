"""Observations and the timeline, as the app reads and writes them."""

from __future__ import annotations

from memtui_core.memory.observations.store import Observations, log_version
from memtui_core.memory.summaries import SessionSummary
from memtui_core.memory.timeline.model import (
    FORGOTTEN,
    EventKind,
    ObservationOrigin,
    TimelineEvent,
    TimelinePage,
    TimelineQuery,
    TimelineSession,
)
from memtui_core.memory.timeline.pages import Timeline, forgotten_at, origin_of
from memtui_core.queries.current_project import project_root
from memtui_core.store.observation import MAX_TITLE, Observation, ObservationContent

__all__ = [
    "FORGOTTEN",
    "MAX_TITLE",
    "EventKind",
    "Observation",
    "ObservationContent",
    "ObservationOrigin",
    "Observations",
    "SessionSummary",
    "Timeline",
    "TimelineEvent",
    "TimelinePage",
    "TimelineQuery",
    "TimelineSession",
    "forgotten_at",
    "log_version",
    "origin_of",
    "project_root",
]
