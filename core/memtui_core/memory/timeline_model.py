"""The data of the timeline: sessions with their summaries and observations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memtui_core.model import Session

if TYPE_CHECKING:
    from memtui_core.memory.model import Observation
    from memtui_core.memory.summaries import SessionSummary

CURRENT_PROJECT: Final = "."
"""As the root of a query: the project of the current folder, or all projects if that one has no sessions."""
FORGOTTEN: Final = "forgotten"
"""As the kind of a query: the forgotten observations of every type."""
PAGE_SIZE: Final = 60
"""Maximum rows of the first page."""


@dataclass(frozen=True, slots=True)
class TimelineQuery:
    """The part of the timeline to list."""

    root: str | None = CURRENT_PROJECT
    """Root of a project; None for all."""
    kind: str = ""
    """A type of observations or FORGOTTEN, which lists observations; empty to list sessions."""
    limit: int = PAGE_SIZE


@dataclass(frozen=True, slots=True)
class TimelineSession:
    """A session of the timeline."""

    session_id: str
    root: str
    at: datetime | None
    """Time of the last work in it."""
    session: Session | None
    """None if the index has no transcript of it."""
    observations: tuple[Observation, ...]
    """Those that are not forgotten, oldest first."""
    summary: SessionSummary | None = None
    summary_is_known: bool = False
    """False until the summary has been made; it stays None for a session without text."""

    @property
    def name(self) -> str:
        """The title, or the beginning of the id for a session without transcript."""
        return self.session.title if self.session is not None else f"session {self.session_id[:8]}"

    @property
    def project(self) -> str:
        """Name of the project."""
        return project_name(self.root)


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """The result of a query, newest first."""

    query: TimelineQuery
    root: str | None
    """Root of the listed project; None for all."""
    sessions: tuple[TimelineSession, ...]
    """The listed sessions; with a kind, the sessions of the listed observations."""
    observations: tuple[Observation, ...]
    """With a kind, the listed observations; otherwise empty."""
    total: int
    """Number of rows without the limit; observations under a listed session do not count."""
    kinds: tuple[tuple[str, int], ...]
    """The types in use, and FORGOTTEN, with the number of observations of each."""

    @property
    def project(self) -> str:
        """Name of the listed project; empty for all."""
        return project_name(self.root or "")

    @property
    def saved(self) -> int:
        """Number of observations that are not forgotten."""
        return sum(count for kind, count in self.kinds if kind != FORGOTTEN)


@dataclass(frozen=True, slots=True)
class Origin:
    """The session and the turn in which an observation was saved."""

    observation: Observation
    session: Session | None
    """None if the index does not have the session."""
    turn: int | None
    """Number of the turn; None if it is not known."""


def project_name(root: str) -> str:
    """Name of the project with a root folder: the last folder of the path."""
    return root.rstrip("/").rpartition("/")[2]
