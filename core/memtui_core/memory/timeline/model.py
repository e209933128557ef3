"""The data of the timeline: the days of sessions with what came out of them, and their observations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from memtui_core.model import Session, SessionEnd

if TYPE_CHECKING:
    from memtui_core.memory.timeline.days import DiaryDay
    from memtui_core.queries.activity.working_time import Span
    from memtui_core.store.observation import Observation

CURRENT_PROJECT: Final = "."
"""As the root of a query: the project of the current folder, or all projects if that one has no sessions."""
FORGOTTEN: Final = "forgotten"
"""As the kind of a query: the forgotten observations of every type."""
EventKind = Literal["session", "compaction", "pull request", "observation"]
PAGE_SIZE: Final = 60
"""Rows of the first page; of the last day all sessions are listed."""
SLOT: Final = 900
"""Seconds for which activity is counted: no time zone begins its hours within a quarter of an hour."""


@dataclass(frozen=True, slots=True)
class TimelineQuery:
    """The part of the timeline to list."""

    root: str | None = CURRENT_PROJECT
    """Root of a project; None for all."""
    kind: str = ""
    """A type of observations or FORGOTTEN, which lists observations; empty to list sessions."""
    limit: int = PAGE_SIZE
    first: int = 0
    """Rows that are left out, the newest ones; the whole day of the first one that is not is listed."""
    since: datetime | None = None
    """Only rows with work from then on."""
    before: datetime | None = None
    """Only rows whose last work was before."""


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """What came out of a session on one day, those of its subagents included, as far as the transcript tells."""

    asked: str = ""
    """The first request of the day on one line without markup, and what others like it say, too; empty for none."""
    prompt: str = ""
    """The beginning of the first request of the session, as it is."""
    files: tuple[str, ...] = ()
    """The files that were edited: those of the project first, and the most often edited first."""
    added: int = 0
    """Lines that edits added, as far as the transcript shows them."""
    removed: int = 0
    commits: tuple[str, ...] = ()
    """The subjects of the commits that were made, in order; empty for one whose subject is not known."""
    commit_ids: tuple[str, ...] = ()
    """The beginnings of the ids of these commits; empty for one whose id git did not print."""
    pull_requests: tuple[int, ...] = ()
    active: timedelta = timedelta()
    """The time in which the agent worked, see `SessionUsage`; none if the transcript has no times."""
    end: SessionEnd | None = None
    """How the session ended; None before its last day, and without turns."""
    turns: int = 0
    """The turns of the session itself that began on the day."""
    first_turn: int | None = None
    """The number of the first of them, or of the turn that went on over midnight; None without a turn."""
    compactions: int = 0
    """Those of the session itself."""


@dataclass(frozen=True, slots=True)
class TimelineSession:
    """A session on one of the days on which it worked: a row of the timeline."""

    session_id: str
    root: str
    project: str
    """Name of the project, as lists show it."""
    at: datetime | None
    """Time of the last work of the day in it."""
    session: Session | None
    """None if the index has no transcript of it."""
    observations: tuple[Observation, ...]
    """Those that are not forgotten, oldest first: of the day, and of later ones without work."""
    outcome: SessionOutcome | None = None
    """None until it has been read, and for a session without a transcript."""
    began: datetime | None = None
    """Time of the first work of the day in it, if `spans` are known."""
    spans: tuple[Span, ...] = ()
    """When its agents worked on the day, in order, in seconds since 1970; none if that is not known."""
    days: tuple[date, ...] = ()
    """All days on which there was work in the session, in order; none if they are not known."""

    @property
    def day(self) -> date | None:
        """The day, in the time zone of this machine; None if it is not known."""
        return self.at.astimezone().date() if self.at is not None else None

    @property
    def place(self) -> int:
        """The index of the day among all days of the session."""
        return self.days.index(self.day) if len(self.days) > 1 and self.day is not None else 0

    @property
    def since(self) -> date | None:
        """The first day of the session, if that was an earlier one."""
        return self.days[0] if self.place else None

    @property
    def goes_on(self) -> date | None:
        """The next day on which there was work in it; None on the last one."""
        following = self.days[self.place + 1 :]
        return following[0] if following else None

    @property
    def row_id(self) -> str:
        """Identifies the row: the id of the session, and the day unless that is the first one."""
        return f"{self.session_id} {self.day}" if self.place else self.session_id

    @property
    def name(self) -> str:
        """The title, or the beginning of the id for a session without transcript."""
        return self.session.title if self.session is not None else f"session {self.session_id[:8]}"


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """Something with a time: a session on one day, or a compaction, a pull request or an observation in one."""

    kind: EventKind
    first: datetime
    last: datetime
    """The same as `first`, unless the event is a session."""
    session: TimelineSession
    turn: int | None = None
    """Number of the turn with the compaction or the pull request; None if it is not known."""
    label: str = ""
    """Of a compaction its trigger and tokens, of a pull request its number and repository."""
    observation: Observation | None = None

    @property
    def root(self) -> str:
        """Root of the project."""
        return self.session.root

    @property
    def key(self) -> tuple[str, ...]:
        """Identifies the event when the timeline is loaded again."""
        if self.observation is not None:
            return self.kind, self.observation.id
        return self.kind, self.session.row_id, self.label, "" if self.turn is None else str(self.turn)


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """The result of a query, newest first."""

    query: TimelineQuery
    root: str | None
    """Root of the listed project; None for all."""
    sessions: tuple[TimelineSession, ...]
    """The listed rows; with a kind, those of the sessions of the listed observations."""
    observations: tuple[Observation, ...]
    """With a kind, the listed observations; otherwise empty."""
    total: int
    """Number of rows without the limit; observations under a listed session do not count."""
    kinds: tuple[tuple[str, int], ...]
    """The types in use, and FORGOTTEN, with the number of observations of each."""
    events: tuple[TimelineEvent, ...] = ()
    """All events without the limit, oldest first; with a kind, only its observations and their sessions."""
    activity: Mapping[int, int] = field(default_factory=dict)
    """The turns that began in each `SLOT` since 1970, those of subagents included; none for slots without turns."""
    first: int = 0
    """The number of rows that are newer than the listed ones."""
    days: tuple[DiaryDay, ...] = ()
    """The listed rows by day, the newest first; without a kind."""
    session_count: int = 0
    """The number of sessions of all rows, without the limit; 0 with a kind."""

    @property
    def project(self) -> str:
        """Name of the listed project; empty for all."""
        own = (session.project for session in self.sessions if session.root == self.root)
        return next(own, project_name(self.root or ""))

    @property
    def saved(self) -> int:
        """Number of observations that are not forgotten."""
        return sum(count for kind, count in self.kinds if kind != FORGOTTEN)


@dataclass(frozen=True, slots=True)
class ObservationOrigin:
    """The session and the turn in which an observation was saved."""

    observation: Observation
    session: Session | None
    """None if the index does not have the session."""
    turn: int | None
    """Number of the turn; None if it is not known."""


def project_name(root: str) -> str:
    """Name of the project with a root folder: the last folder of the path."""
    return root.rstrip("/").rpartition("/")[2]
