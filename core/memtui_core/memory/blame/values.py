"""What is known of the lines of files and of commits: values without the code that finds them out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from memtui_core.compaction.checks.last_runs import Check
    from memtui_core.queries.file_history.hunks import DiffHunk

Evidence = Literal["wrote", "committed"]
CommitProof = Literal["made", "same changes", "wrote"]


@dataclass(frozen=True, slots=True)
class WritingSession:
    """A session that wrote lines or made commits."""

    key: int
    session_id: str
    title: str
    agent: str
    """The id of the agent."""


@dataclass(frozen=True, slots=True)
class SessionCommit:
    """A commit of which git said in a session that it was made."""

    id: str
    """The beginning of its id, 7 characters or more; empty if git did not name it."""
    subject: str
    """The first line of its message; empty if it is not known."""
    session: int
    """`Session.key`."""
    session_id: str
    turn: int
    """`Turn.number`."""
    at: datetime | None
    """None if the transcript does not tell."""
    seq: int
    """`Block.seq` of the call that made it."""
    line: int
    """`Block.line` of that call."""
    turn_id: int
    """The key of the turn in the index."""
    amends: bool = False
    """Whether it replaced the commit before it."""
    amended: bool = False
    """Whether the session replaced it later."""

    def is_commit(self, whole_id: str) -> bool:
        """Whether it is the commit with an id."""
        return bool(self.id) and whole_id.startswith(self.id)


@dataclass(frozen=True, slots=True)
class LineWriter:
    """The turn of a session that wrote lines of a file."""

    session: int
    """Its key."""
    session_id: str
    title: str
    agent: str
    """The id of the agent."""
    turn: int
    at: datetime | None
    """When it was written; None if the transcript does not tell."""
    seq: int
    """`Block.seq` of the tool call that wrote it."""
    path: str
    """The file, as the agent wrote its path; empty for a commit."""


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line of a file, and who wrote it."""

    number: int
    """From 1."""
    text: str
    writer: LineWriter | None = None
    """None if nothing proves who wrote it."""
    evidence: Evidence | None = None
    """wrote: an edit of the turn has the line in its new text, and no later edit took it out; committed: git names a
    commit of the turn for the line, or one that did what an edit of the turn did."""
    commit: str = ""
    """The id of that commit; empty if the turn wrote the line."""


@dataclass(frozen=True, slots=True)
class LineReason:
    """What a transcript says about an edit."""

    request: str
    """The last prompt until then, of the user or of a parent agent; empty if there is none."""
    request_turn: int
    """The number of the turn of the prompt: after a compaction it is an earlier one."""
    reasoning: str
    """What the agent said last before the edit, in the same turn, else what it thought; empty if it did neither."""
    hunks: tuple[DiffHunk, ...]
    """The edit."""
    checks: tuple[Check, ...]
    """The tests and other checks that were run next, with their outcome."""


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """A commit."""

    id: str
    subject: str
    at: datetime
    """When it was committed: after a rebase or a cherry-pick later than it was written."""
    written_at: datetime
    author: str


@dataclass(frozen=True, slots=True)
class CommitTurn:
    """A turn behind a commit."""

    session: WritingSession
    turn: int
    at: datetime | None
    """When its last edit or its commit was made; None if the transcript does not tell."""
    proofs: tuple[CommitProof, ...]
    """made: git told the session that it made the commit; same changes: one with the same changes; wrote: its edits
    brought lines of the commit."""
    lines: int
    """How many of the added lines its edits brought."""
    files: tuple[str, ...]
    """The files of these lines, relative to the top of the repository."""
    amended: bool = False
    """Whether it made the commit, and its session replaced that later."""


@dataclass(frozen=True, slots=True)
class RequestTurn:
    """A turn behind a pull request."""

    session: WritingSession
    turn: int
    at: datetime | None
    """When it worked on it; None if the transcript does not tell."""
    opened: bool
    """Whether it made the pull request, by what `gh` printed."""
    named: bool
    """Whether it named the pull request, by its address, by repository and number, or in a command of `gh`; or a record
    of its agent links it."""
    made: tuple[str, ...]
    """The ids of the commits of the pull request that it made, or of which it made one with the same changes."""
    lines: int
    """How many of the lines that the commits added its edits brought."""
    files: tuple[str, ...]
    """The files of these lines, relative to the top of the repository."""


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """A pull request, and the turns behind it."""

    number: int
    repository: str
    """`owner/name`; empty if no session names it."""
    url: str
    title: str
    state: str
    """As far as the transcripts tell; empty if they do not."""
    found_by: str
    """What names its commits: `merge commit a1b2c3d4e5`; empty if no repository on this disk does."""
    other_remote: str | None
    """The remote, as in `github.com/ana/shop`, of the repository that contains the folder, if that was not asked, as it
    is not the one of the pull request, and no other was found; empty if it has none on a server."""
    commits: tuple[str, ...]
    """The ids of its commits, the oldest first."""
    unread: int
    """The number of its commits that were too many to be read, the newest."""
    added: int
    """The lines that its commits added."""
    claimed: int
    """Those of them that edits of sessions brought."""
    turns: tuple[RequestTurn, ...]
    """In the order of time."""


@dataclass(frozen=True, slots=True)
class CommitOrigin:
    """A commit, and the turns behind it."""

    facts: CommitFacts
    added: int
    """The lines that it added."""
    claimed: int
    """Those of them that edits of sessions brought."""
    turns: tuple[CommitTurn, ...]
    """Those that brought most lines come first, then the earliest."""
