"""What the lists show that go over all sessions: a row of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file over all sessions of its project; the counts are turns."""

    path: str
    project: str
    root: str
    edited: int
    read: int
    mentioned: int
    sessions: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class CompactionRow:
    """A compaction among those of all sessions."""

    session: int
    turn: int | None
    """Number of the summary's turn; None while only the boundary is written."""
    title: str
    project: str
    at: datetime | None
    trigger: str | None
    tokens_before: int | None
    turns_before: int
    """Turns of the segment that the summary replaced."""
    seconds: float | None
    """From the first to the last moment of that segment; None without times."""
    summary_length: int
    """Characters of the summary; 0 while only the boundary is written."""
    is_reviewed: bool
    """Whether the indexer has compared the summary with what it replaced."""
    share_kept: float | None
    """How much of what it replaced the summary kept, 0 to 1; None when there was nothing to keep, or no review yet."""


@dataclass(frozen=True, slots=True)
class PrRow:
    """A pull request and one of its sessions, at the turn that tied them."""

    number: int
    url: str
    repository: str
    session: int
    turn: int | None
    title: str
    project: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """What became of one file (`memtui doctor`)."""

    path: str
    agent: str
    session_ids: tuple[str, ...]
    state: str
    """ok, partial (lines skipped), waiting (a half last line), copy (every entry counts elsewhere), empty, ignored,
    error or gone."""
    lines: int
    skipped: tuple[tuple[int, str], ...]
    """(line, reason) of each line that could not be read."""
    error: str | None
