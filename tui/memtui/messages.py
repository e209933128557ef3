"""What workers tell the screen. Each carries values only, and says to which question it is the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from memtui.target import Target
from memtui.views.timeline.model import TimelinePage
from memtui_core.model import (
    Block,
    Compaction,
    FileTouch,
    Progress,
    Project,
    SearchResult,
    Session,
    Stats,
    Turn,
)
from memtui_core.queries.rows import CompactionRow, FileRow, PrRow

if TYPE_CHECKING:
    from memtui_core.compaction import Review
    from memtui_core.file_history import Known
    from memtui_core.handoff import Handoff
    from memtui_core.memory import Observation
    from memtui_core.queries.statistics import Statistics


@dataclass
class IndexChanged(Message):
    """A newer snapshot is open: its projects and its size."""

    projects: list[Project]
    stats: Stats


@dataclass
class IndexAbsent(Message):
    """There is no index yet."""


@dataclass
class IndexUnreadable(Message):
    """There is an index that cannot be opened: what to tell the person."""

    text: str


@dataclass
class IndexerStopped(Message):
    """The indexer has ended by itself: the cause and the cure. Empty when it was started again."""

    text: str


@dataclass
class ModelLoaded(Message):
    """From now on searches go by meaning too."""


@dataclass
class ModelMissing(Message):
    """Searches do not go by meaning, and why."""

    text: str


@dataclass
class ValuesLoaded(Message):
    """What filters may be completed with, by their names."""

    values: Mapping[str, Sequence[str]]


@dataclass
class Failed(Message):
    """Something could not be done: what to tell the person."""

    text: str


@dataclass
class Progressed(Message):
    """What the indexer last said; None when it never said anything."""

    progress: Progress | None

    def can_replace(self, message: Message) -> bool:
        """Only the last one counts."""
        return isinstance(message, Progressed)


@dataclass
class SessionsLoaded(Message):
    """The sessions of a project."""

    project: Project
    sessions: list[Session]


@dataclass
class ChildrenLoaded(Message):
    """The subagents and compactions of a session."""

    session: int
    children: list[Session]
    compactions: list[Compaction]


@dataclass
class SessionLoaded(Message):
    """A session to show, as it was asked for."""

    target: Target
    session: Session
    turns: list[Turn]
    blocks: Mapping[int, tuple[Block, ...]]


@dataclass
class SessionGrown(Message):
    """The session that is shown has new turns."""

    session: Session
    turns: list[Turn]


@dataclass
class BlocksLoaded(Message):
    """Blocks by turn number."""

    session: int
    blocks: Mapping[int, tuple[Block, ...]]


@dataclass
class TurnLoaded(Message):
    """A turn in full, for the inspector."""

    session: Session
    turn: Turn
    touches: list[FileTouch]


@dataclass
class ContentLoaded(Message):
    """What a session knew of a file after one of its turns."""

    session: Session
    turn: int
    known: Known


@dataclass
class ReviewMade(Message):
    """A compaction in review, and the heads of its session's turns."""

    review: Review
    turns: Sequence[Turn]


@dataclass
class HandoffMade(Message):
    """What may be handed on, of what, from which folder, and the name of a file for it."""

    made: Handoff
    title: str
    folder: str
    file_name: str


@dataclass
class Exported(Message):
    """A document was written."""

    path: Path


@dataclass
class FilesLoaded(Message):
    """The files that a pattern leaves."""

    pattern: str
    files: list[FileRow]
    note: str = ""
    """What the person is told when no file is called so."""


@dataclass
class TimelineLoaded(Message):
    """Who touched a file."""

    file: FileRow
    touches: list[FileTouch]


@dataclass
class CompactionsLoaded(Message):
    """The compactions that a pattern leaves."""

    pattern: str
    compactions: list[CompactionRow]


@dataclass
class ShareCounted(Message):
    """How much of what it replaced a summary kept, 0 to 1; None when there was nothing to keep."""

    compaction: CompactionRow
    share: float | None


@dataclass
class PullRequestsLoaded(Message):
    """Pull requests with their sessions."""

    pull_requests: list[PrRow]


@dataclass
class StatisticsLoaded(Message):
    """How much was done, in the project with this root or in all."""

    statistics: Statistics
    root: str | None


@dataclass
class TimelineRead(Message):
    """Past sessions with what was written down in them."""

    page: TimelinePage


@dataclass
class OriginFound(Message):
    """Where an observation comes from; None for what the index does not know."""

    observation: Observation
    session: Session | None
    turn: int | None


@dataclass
class NoteMoved(Message):
    """An observation was forgotten, or restored."""

    observation: Observation


@dataclass
class SearchDone(Message):
    """The answer to a query."""

    result: SearchResult
