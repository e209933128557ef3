"""What the timeline of past work lists: sessions with their summaries and observations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memtui_core.model import Session

if TYPE_CHECKING:
    from memtui_core.memory.summaries import SessionSummary
    from memtui_core.memory.values import Observation

CURRENT_PROJECT: Final = "."
"""As the root of a query: the project of the current folder; all projects, where no session belongs to it."""
FORGOTTEN: Final = "forgotten"
"""As the kind of a query: forgotten observations of any type."""
PAGE: Final = 60
"""Rows of the first page."""


@dataclass(frozen=True, slots=True)
class TimelineQuery:
    """What to list."""

    root: str | None = CURRENT_PROJECT
    """Root of a project; None for all."""
    kind: str = ""
    """Observations of one type, or the forgotten ones, without their sessions; the empty string for all sessions."""
    limit: int = PAGE


@dataclass(frozen=True, slots=True)
class TimelineSession:
    """A session of the timeline."""

    session_id: str
    root: str
    at: datetime | None
    """When it was last worked on."""
    session: Session | None
    """None where the index has no transcript of it."""
    observations: tuple[Observation, ...]
    """Those of the session that are not forgotten, in order."""
    summary: SessionSummary | None = None
    summary_is_known: bool = False
    """False while the summary is still to be made; a session without text has none."""

    @property
    def name(self) -> str:
        """Its title, else the beginning of its id."""
        return self.session.title if self.session is not None else f"session {self.session_id[:8]}"

    @property
    def project(self) -> str:
        """Name of its project."""
        return project_name(self.root)


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """The answer to a query, the newest first."""

    query: TimelineQuery
    root: str | None
    """Root of the project that is listed; None for all."""
    sessions: tuple[TimelineSession, ...]
    """The sessions that are listed; with a kind those of the observations that are listed."""
    listed: tuple[Observation, ...]
    """With a kind: its observations."""
    total: int
    """Rows there would be without a limit; observations below their session do not count."""
    kinds: tuple[tuple[str, int], ...]
    """The types there are, and `forgotten`, with the number of observations of each."""

    @property
    def project(self) -> str:
        """Name of the project; the empty string for all."""
        return project_name(self.root or "")

    @property
    def saved(self) -> int:
        """Observations that are not forgotten."""
        return sum(count for kind, count in self.kinds if kind != FORGOTTEN)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an observation comes from, as far as the index knows."""

    observation: Observation
    session: Session | None
    turn: int | None
    """Number of the turn in which it was written."""


def project_name(root: str) -> str:
    """The name of the project with a root."""
    return root.rstrip("/").rpartition("/")[2]
