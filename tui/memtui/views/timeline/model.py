"""What the view of the timeline lists: sessions with what they were about and what was written down in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memtui_core.model import Session

if TYPE_CHECKING:
    from memtui_core.memory import Observation, SessionSummary

HERE: Final = "."
"""As the root of a wish: the project of the folder that memtui was started in; all, where nothing was done there."""
FORGOTTEN: Final = "forgotten"
"""As the kind of a wish: what was forgotten, of any type."""
PAGE: Final = 60
"""Rows that are asked for at first."""


@dataclass(frozen=True, slots=True)
class TimelineQuery:
    """What is to be listed."""

    root: str | None = HERE
    """Of a project; None for all."""
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
    """None where no transcript tells of it."""
    observations: tuple[Observation, ...]
    """What was written down in it and not forgotten, in order."""
    summary: SessionSummary | None = None
    summed: bool = False
    """The summary was made, if there is anything to tell."""

    @property
    def name(self) -> str:
        """Its title, else the beginning of its id."""
        return self.session.title if self.session is not None else f"session {self.session_id[:8]}"

    @property
    def project(self) -> str:
        """Name of its project."""
        return name_of(self.root)


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """The answer to a wish, the newest first."""

    wish: TimelineQuery
    root: str | None
    """Of the project that was meant."""
    sessions: tuple[TimelineSession, ...]
    """The sessions that are listed; with a kind those of the observations that are listed."""
    listed: tuple[Observation, ...]
    """With a kind: its observations."""
    total: int
    """Rows there would be without a limit; observations below their session do not count."""
    kinds: tuple[tuple[str, int], ...]
    """The types there are, and `forgotten`, with how many observations each has."""

    @property
    def project(self) -> str:
        """Name of the project; the empty string for all."""
        return name_of(self.root or "")

    @property
    def saved(self) -> int:
        """Observations that are not forgotten."""
        return sum(count for kind, count in self.kinds if kind != FORGOTTEN)


def name_of(root: str) -> str:
    """The name of the project with a root."""
    return root.rstrip("/").rpartition("/")[2]
