"""The model: sessions, turns and search results, as readers make them, the store keeps them and screens show them.

All classes are frozen. Times are timezone-aware UTC, or None if unknown. `line` is the 0-based line of an entry in its
source, `number` the 1-based number of a turn in its session, and `session` the `Session.key` of a session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

BlockKind = Literal["user", "text", "thinking", "tool_call", "tool_result", "image", "note"]
TurnKind = Literal["human", "command", "agent", "compaction", "opening"]
PROMPTS: Final[frozenset[TurnKind]] = frozenset({"human", "command"})
"""The kinds of turns that begin with a prompt of the user."""
TouchKind = Literal["edited", "read", "mentioned"]
Source = Literal["user", "assistant", "thinking", "tool call", "tool output", "note", "aside"]
"""Who or what a text comes from; aside: a note that only the model got, which is searched only if asked for."""
OBSERVATION_TYPES: Final = ("decision", "bugfix", "feature", "refactor", "discovery", "change")
Retention = Literal["full", "text", "titles"]
"""How much of a session is kept."""
RETENTIONS: Final[tuple[Retention, ...]] = ("full", "text", "titles")
"""All levels, the one that keeps the most first."""
KEPT: Final = "kept"
"""The name in the detail of a block of which not everything is kept; its value is the level."""
_KEPT_BEGINS: Final = f'{{"{KEPT}":"'
DEFAULT_MODEL: Final = "all-MiniLM-L6-v2-int8"
"""The model of the vectors. Its files are installed with memtui, so nothing is downloaded."""
ENGINES: Final = ("lexicon", "meaning", "paths")
"""The engines of the search by name; `meaning` is semantic search."""
CLOCK_TOLERANCE: Final = timedelta(days=1)
"""Clocks of other machines, and wrong time zones, may be ahead by less than this."""

Grouping = Literal["", "agent", "machine"]
"""What the projects of a list are grouped by; empty for nothing."""
Status = Literal["active", "idle", "completed"]
TurnState = Literal["running", "unanswered", "interrupted"]
ACTIVE: Final = timedelta(minutes=5)
"""A session is active for this long after the last write to its transcript."""
_IDLE: Final = timedelta(hours=1)
EndKind = Literal["clean", "question", "unanswered", "interrupted", "stopped", "error", "unknown"]
"""clean: the agent said something last, which is no question. question: it asked the user, by a tool without a result
or with the last sentences of its text. unanswered: a prompt, and nothing after it. interrupted: the user stopped the
agent. stopped: it had something left to do. error: its program, or the API, failed last. unknown: none of these."""
OPEN_ENDS: Final[frozenset[EndKind]] = frozenset({"question", "unanswered", "interrupted", "stopped", "error"})
"""The ends at which something is left to do."""
SessionState = Literal["running", "waiting", "failed", "ended"]
WAITS: Final = timedelta(days=3)
"""A session waits for an answer for this long, over a weekend; after that it has ended with a question."""


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a turn, in file order."""

    seq: int
    """Order in the turn, from 0."""
    line: int
    kind: BlockKind
    text: str
    """The text; for `tool_call` the whole input as compact JSON; for `image` a placeholder: `[image/png 12 kB]`."""
    tool: str | None = None
    """The tool of a call or result; of a note its kind: command, meta, interrupt, reminder, notification, shell, recap
    or error."""
    tool_id: str | None = None
    """Pairs a call with its result."""
    is_error: bool = False
    at: datetime | None = None
    detail: str | None = None
    """JSON of what the text does not say: `{"patch": [hunk, ...]}` of an edit, `{"exit": 1}` of a command,
    `{"agentId": ...}` of a subagent. It begins with `{"kept": level` if not everything of the block is kept."""

    @property
    def retention(self) -> Retention:
        """How much of the block is kept."""
        detail = self.detail or ""
        if not detail.startswith(_KEPT_BEGINS):
            return "full"
        return "text" if detail.startswith(f'{_KEPT_BEGINS}text"') else "titles"


@dataclass(frozen=True, slots=True)
class UserNote:
    """A note that the user, or an agent for the user, wrote on a session or a turn."""

    id: str
    text: str
    created_at: datetime
    changed_at: datetime | None = None
    """None if it is as it was written first."""
    by: str = ""
    """With what it was written: the app, the shell, or the tool of an agent."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """What the user has added to a session or to a turn; false if that is nothing."""

    title: str = ""
    """The user's title of a session; empty if it has the agent's."""
    pinned: bool = False
    archived: bool = False
    tags: tuple[str, ...] = ()
    """In the order in which they were added."""
    notes: tuple[UserNote, ...] = ()
    """The oldest first."""

    def __bool__(self) -> bool:
        return bool(self.title or self.pinned or self.archived or self.tags or self.notes)


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt and everything that the agent did until the next prompt."""

    id: int
    """Key in the index, unique over all sessions; 0 before it is stored."""
    session: int
    """`Session.key` of the session it belongs to."""
    number: int
    line: int
    end_line: int
    kind: TurnKind
    """human: the user typed it; command: a slash command; agent: the prompt of a parent agent; compaction: the summary
    that replaced what was before; opening: entries before the first prompt."""
    segment: int
    """0 until the first compaction, then one more after each."""
    user_text: str
    tool_summary: tuple[str, ...]
    """One line for each tool call."""
    started_at: datetime | None
    ended_at: datetime | None
    """The time of the last entry, which may be a recap."""
    models: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    errors: int = 0
    """Number of tool results with the error flag."""
    provisional: bool = False
    """Whether it is the last turn of its source, which may still grow."""
    blocks: tuple[Block, ...] = ()
    """Empty in lists of turns without their blocks."""
    pinned: bool = False
    """Whether the user has pinned the turn itself."""
    tags: tuple[str, ...] = ()
    """The user's tags of the turn itself."""
    notes: tuple[str, ...] = ()
    """The user's notes on the turn itself, the oldest first."""
    active: timedelta | None = None
    """How long the agent worked, without pauses, and without the recap that it writes when the user is away; None if
    the transcript has no times."""

    @property
    def role(self) -> str:
        """`compaction_summary` or `turn`."""
        return "compaction_summary" if self.kind == "compaction" else "turn"


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """How a session ended, as of its last turn."""

    session: int
    """`Session.key` of the session."""
    kind: EndKind
    turn: int
    """The number of its last turn."""
    line: int
    """The line of the entry that tells."""
    at: datetime | None
    """When it, or one of its subagents, wrote last; None if the transcript does not say."""
    quote: str
    """What tells, on one line of at most 240 characters: the question, the error, the last call of one that stopped,
    the prompt that was interrupted or has no answer. Empty for clean and unknown ends."""

    def state(self, now: datetime) -> SessionState:
        """What the session is at, at a time.

        running: the agent has something left to do, and wrote less than 5 minutes ago. waiting: it asked the user less
        than three days ago. failed: an error ended it. ended: every other one.
        """
        if self.kind == "error":
            return "failed"
        if self.kind == "question":
            return "waiting" if was_within(WAITS, self.at, now) else "ended"
        is_at_work = self.kind in {"unanswered", "stopped"} and was_within(ACTIVE, self.at, now)
        return "running" if is_at_work else "ended"


def state_of(end: SessionEnd | None, now: datetime) -> SessionState:
    """What a session is at, at a time; one of which nothing is said has ended."""
    return "ended" if end is None else end.state(now)


@dataclass(frozen=True, slots=True)
class Session:
    """One run of an agent; a subagent's is a session of its own with a parent."""

    key: int
    """Key in the index."""
    session_id: str
    """The agent's own id; `agent-<id>` for a subagent."""
    agent: str
    parent: int | None
    """`Session.key` of the session whose tool call started it."""
    parent_tool_id: str | None
    """Id of the tool call that started it, if the transcript contains it."""
    project: str
    """Name of the project: the last folder of `root`, worktrees folded into their repository."""
    root: str
    """The project's folder; empty if no entry names one."""
    cwd: str
    branch: str | None
    version: str | None
    models: tuple[str, ...]
    title: str
    started_at: datetime | None
    ended_at: datetime | None
    turns: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    children: int = 0
    compactions: int = 0
    forked_from: str | None = None
    """`session_id` of the session whose first turns this one repeats."""
    gone: bool = False
    """Whether none of its sources is left on disk."""
    worktree: str | None = None
    """The folder of the worktree in which it was started; None in the repository itself."""
    only_prompts: bool = False
    """Whether only its prompts are known: there is no transcript on the disk."""
    member: str = ""
    """The colleague whose session it is; empty for one's own."""
    machine: str = ""
    """The other machine on which it ran; empty for this one."""
    agent_title: str = ""
    """The title without the user's, if `title` is the user's; otherwise empty."""
    pinned: bool = False
    """Whether the user has pinned the session itself."""
    archived: bool = False
    """Whether the user has archived it."""
    tags: tuple[str, ...] = ()
    """The user's tags of the session itself."""
    notes: tuple[str, ...] = ()
    """The user's notes on the session itself, the oldest first."""
    end: SessionEnd | None = None
    """How it ended; None for a subagent, and for one that can no longer run, wait or have failed."""

    @property
    def branch_or_worktree(self) -> str | None:
        """The branch, or what tells the worktree from others if the agent wrote no branch; None for neither."""
        if self.worktree is None or self.branch not in (None, "", "HEAD"):
            return self.branch
        *_, outer, inner = ("", *self.worktree.split("/"))
        if inner != self.root.rpartition("/")[2]:
            return inner
        # The repository on the other machine is no worktree.
        return self.branch if self.machine else outer


@dataclass(frozen=True, slots=True)
class Project:
    """All sessions of one root folder, or those of one agent."""

    name: str
    root: str
    sessions: int
    last: datetime | None
    newest: int | None = None
    """`Session.key` of the session with the last activity."""
    agent: str = ""
    """The agent whose sessions these are; empty for those of all agents."""
    machine: str | None = None
    """The machine whose sessions these are, empty for this one; None for those of all machines."""


@dataclass(frozen=True, slots=True)
class SelectedSessions:
    """What is selected of one project and agent."""

    project: str
    agent: str
    sessions: int
    """Without subagents."""
    subagents: int
    turns: int
    compactions: int
    first: datetime | None
    """When the first turn began."""
    last: datetime | None
    """When the last turn ended."""


@dataclass(frozen=True, slots=True)
class SessionsToForget:
    """Sessions that the user may forget, and how much they are."""

    identities: tuple[tuple[str, str, str | None], ...]
    """Agent, id and the id of the parent of each, subagents included."""
    rows: Sequence[SelectedSessions]


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction: a boundary at which a summary replaced the segment before it."""

    session: int
    line: int
    at: datetime | None
    trigger: str | None
    tokens_before: int | None
    turn: int | None
    """Number of the summary's turn; None while only the boundary is written."""


@dataclass(frozen=True, slots=True)
class FileTouch:
    """A turn that touched a file with a tool."""

    path: str
    """Relative to the project's root, with forward slashes."""
    kind: TouchKind
    tool: str
    session: int
    session_id: str
    title: str
    project: str
    turn: int
    line: int
    at: datetime | None
    machine: str = ""
    """The other machine on which the session ran; empty for this one."""


@dataclass(frozen=True, slots=True)
class PrLink:
    """A pull request that a session worked on."""

    session_id: str
    number: int
    url: str
    repository: str
    at: datetime | None
    line: int
    title: str = ""
    """That of the session."""
    project: str = ""
    pr_title: str = ""
    """That of the pull request; empty if its sessions do not say it."""
    pr_title_turn: str = ""
    """The turn that says it, as `SESSION:TURN`; empty if there is none."""
    state: str | None = None
    """The last one that its sessions say: created, draft, open, merged or closed; None if they say none."""
    state_turn: str = ""
    """The turn that says it, as `SESSION:TURN`; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Stats:
    """The size of the index."""

    sessions: int
    """Sessions with turns; subagents are not counted."""
    turns: int
    sources: int
    bad_sources: int
    skipped_lines: int
    indexed_at: datetime | None
    embedded_turns: int = 0
    """Turns that have vectors."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of the indexer in one of its stages."""

    done: int
    """Bytes read in this run, or compactions reviewed."""
    total: int
    """Bytes to read in this run, compactions to review, or vectors of which the index is built."""
    sources: int
    """Files read in this run."""
    session: str = ""
    finished: bool = False
    """Whether this stage is done and published."""
    stage: str = "reading"
    """`reading`, `reviewing`, `embedding`, or `vector index` while that is built."""
    embedded: int = 0
    """Characters of the turns that have vectors, in the whole index."""
    to_embed: int = 0
    """Characters of all turns that are to have vectors."""
    seconds_left: float | None = None
    """Estimated time for the rest of this stage; None while it is not known."""
    at: float = 0.0
    """When it was reported, in seconds since 1970."""
    bytes_per_second: float | None = None
    """How fast sources are read; None while it is not known."""
    files: int = 0
    """Files to read in this run; 0 if it is not known."""
    turns_left: int = 0
    """Turns without vectors; 0 if it is not known."""


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a turn that answers a query: a sentence or a few lines of one block."""

    block: int
    """`Block.seq`."""
    first: int
    last: int
    """A half-open range of characters in the block's searched text (`block_text.searched_text`)."""
    source: Source
    text: str
    """The text of that range."""
    is_cut: bool = False
    """Whether its last sentence, or line of what is not prose, goes on behind it."""

    @property
    def excerpt(self) -> str:
        """The text, which ends with `…` if it is cut."""
        return f"{self.text}…" if self.is_cut else self.text


@dataclass(frozen=True, slots=True)
class Hit:
    """A turn that answers a query."""

    turn_id: int
    session: int
    session_id: str
    agent: str
    project: str
    title: str
    turn: int
    line: int
    role: str
    """`turn` or `compaction_summary`."""
    started_at: datetime | None
    snippet: str
    """The best passage as one line of at most 240 characters, without the markup of Markdown."""
    spans: tuple[Span, ...]
    """The matches in `snippet`."""
    why: tuple[str, ...]
    """Why it is a hit: `words: cleanup, workflow`, `title: cleanup`, `meaning 0.62` (cosine similarity), `edited
    src/a.py`, `yours` for a note, a tag or a title of the user."""
    score: float
    path: str | None = None
    """The touched file, if its path matches the query."""
    notable: tuple[str, ...] = ()
    """What `why` says beyond the query itself, for people: `in thinking`, `in a tool result`, `in the title`, `2 of 5
    words`, `edited src/a.py`, `yours`, and if not all words match `meaning 62 %`."""
    group: int = 0
    """The same for hits of one session, and for those of sessions that start with the same long prompt."""
    passages: tuple[Passage, ...] = ()
    """The passages that answer, the best first; at least one if the turn has a text."""
    member: str = ""
    """The colleague whose session it is; empty for one's own."""
    machine: str = ""
    """The other machine on which the session ran; empty for this one."""
    agent_title: str = ""
    """The title without the user's, if `title` is the user's; otherwise empty."""
    pinned: bool = False
    """Whether the user has pinned the session or the turn."""
    archived: bool = False
    """Whether the user has archived the session."""
    tags: tuple[str, ...] = ()
    """The user's tags of the session and of the turn."""
    notes: tuple[str, ...] = ()
    """The user's notes on the session and on the turn."""
    end: SessionEnd | None = None
    """How the session ended, if the app has looked."""


@dataclass(frozen=True, slots=True)
class Example:
    """A query that has hits."""

    query: str
    finds: str
    """What it finds, in a few words: `edited in 7 turns`."""


@dataclass(frozen=True, slots=True)
class HitGroup:
    """The hits of one session, or of sessions that start with the same long prompt."""

    best: Hit
    others: tuple[Hit, ...] = ()
    """The best first."""


@dataclass(frozen=True, slots=True)
class Variety:
    """Of what there are several in an index, whatever a query finds."""

    agents: bool = False
    projects: bool = False


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a query."""

    query: str
    hits: tuple[Hit, ...]
    more: bool = False
    """Whether there are more hits than the limit."""
    elapsed_ms: float = 0.0
    note: str = ""
    """A message for the user, such as an ignored filter; otherwise empty."""
    words: tuple[str, ...] = field(default=())
    """The words and phrases to highlight in an opened turn, as typed, without stop words."""
    prefix: bool = False
    """Whether the last of the words is still being typed, and may be the beginning of one."""


def was_within(span: timedelta, at: datetime | None, now: datetime) -> bool:
    """Whether a time is less than a span ago; a time in the future, from a wrong clock, says nothing, and is not."""
    return at is not None and at - now <= CLOCK_TOLERANCE and now - at < span


def session_status(last_write: datetime | None, now: datetime) -> Status:
    """Active for 5 minutes after the last write, idle for an hour, then completed."""
    if was_within(ACTIVE, last_write, now):
        return "active"
    return "idle" if was_within(_IDLE, last_write, now) else "completed"


def turn_state(turn: Turn, blocks: Sequence[Block], now: datetime) -> TurnState | None:
    """How far a turn has come; None if it ended with an answer, and if the transcript does not say.

    interrupted: the last entry tells that the user stopped the agent. running: it is the last turn, the agent has
    something left to do, and wrote less than 5 minutes ago. unanswered: it is the last turn, and its prompt was
    followed by nothing.
    """
    last = next((block for block in reversed(blocks) if block.kind != "note" or block.tool == "interrupt"), None)
    if last is None:
        return None
    if last.kind == "note":
        return "interrupted"
    if not turn.provisional or last.kind == "text":
        return None
    if session_status(turn.ended_at or turn.started_at, now) == "active":
        return "running"
    is_only_asked = all(block.kind in {"user", "image", "note"} for block in blocks)
    return "unanswered" if turn.kind == "human" and is_only_asked else None
