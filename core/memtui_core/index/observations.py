"""Observations and the timeline, as the app reads and writes them."""

from __future__ import annotations

from memtui_core.memory.observations.store import Observations, log_version
from memtui_core.memory.summaries import SessionSummary, summary_of
from memtui_core.memory.timeline.days import (
    DiaryDay,
    DiaryEntry,
    OutcomeSum,
    SimilarSessions,
    diary_days,
    sessions_of,
    sum_of,
)
from memtui_core.memory.timeline.model import (
    FORGOTTEN,
    PAGE_SIZE,
    SLOT,
    EventKind,
    ObservationOrigin,
    SessionOutcome,
    TimelineEvent,
    TimelinePage,
    TimelineQuery,
    TimelineSession,
)
from memtui_core.memory.timeline.pages import Timeline, forgotten_at, origin_of
from memtui_core.queries.activity.working_time import Span
from memtui_core.queries.current_project import project_root
from memtui_core.store.observation import MAX_TITLE, Observation, ObservationContent

__all__ = [
    "FORGOTTEN",
    "MAX_TITLE",
    "PAGE_SIZE",
    "SLOT",
    "DiaryDay",
    "DiaryEntry",
    "EventKind",
    "Observation",
    "ObservationContent",
    "ObservationOrigin",
    "Observations",
    "OutcomeSum",
    "SessionOutcome",
    "SessionSummary",
    "SimilarSessions",
    "Span",
    "Timeline",
    "TimelineEvent",
    "TimelinePage",
    "TimelineQuery",
    "TimelineSession",
    "diary_days",
    "forgotten_at",
    "log_version",
    "origin_of",
    "project_root",
    "sessions_of",
    "sum_of",
    "summary_of",
]
