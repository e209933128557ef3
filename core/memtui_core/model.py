"""The values that cross every border: what readers make, the store keeps and screens show.

All are frozen. Times are timezone-aware UTC or None. `line` is always the 0-based physical line of an entry in its
source file; `number` is a turn's 1-based place in its session.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

BlockKind = Literal["user", "text", "thinking", "tool_call", "tool_result", "image", "note"]
TurnKind = Literal["human", "command", "agent", "compaction", "opening"]
TouchKind = Literal["edited", "read", "mentioned"]
Source = Literal["user", "assistant", "thinking", "tool call", "tool output", "note"]
"""Who or what a text comes from."""


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
    """Tool name on calls and results; on a `note` what it is: command, meta, interrupt, reminder, notification, shell,
    recap or error."""
    tool_id: str | None = None
    """Pairs a call with its result."""
    is_error: bool = False
    at: datetime | None = None
    detail: str | None = None
    """JSON of what the text does not say: `{"patch": [hunk, ...]}` of an edit, `{"agentId": ...}` of a subagent."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A person's text and all that the agent did until the next one."""

    id: int
    """Key in the store, unique over all sessions; 0 before it is stored."""
    session: int
    """`Session.key` of the session it belongs to."""
    number: int
    line: int
    end_line: int
    kind: TurnKind
    """human: a person typed it; command: a slash command; agent: the prompt of a parent agent; compaction: the summary
    that replaced what was before; opening: entries before the first prompt."""
    segment: int
    """0 until the first compaction, then one more after each."""
    user_text: str
    tool_summary: tuple[str, ...]
    """One entry a tool call."""
    started_at: datetime | None
    ended_at: datetime | None
    models: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    errors: int = 0
    """Tool results with the error flag."""
    provisional: bool = False
    """The last turn of its source: more may come."""
    blocks: tuple[Block, ...] = ()
    """Empty where only the heads of turns were asked for."""

    @property
    def role(self) -> str:
        """`compaction_summary` or `turn`."""
        return "compaction_summary" if self.kind == "compaction" else "turn"


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation of one agent; a subagent's is a session of its own with a parent."""

    key: int
    """Key in the store."""
    session_id: str
    """The agent's own id; `agent-<id>` for a subagent."""
    agent: str
    parent: int | None
    """`Session.key` of the session whose tool call started it."""
    parent_tool_id: str | None
    """The Task or Agent call that started it, when the transcript says so."""
    project: str
    """Name of the project: the last folder of `root`, worktrees folded into their repository."""
    root: str
    """The project's folder; the empty string when no entry names one."""
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
    """`session_id` of the session whose first turns this one repeated."""
    gone: bool = False
    """No source file of it is left on disk."""


@dataclass(frozen=True, slots=True)
class Project:
    """All sessions of one root folder."""

    name: str
    root: str
    sessions: int
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Compaction:
    """A boundary at which a summary replaced the segment before it."""

    session: int
    line: int
    at: datetime | None
    trigger: str | None
    tokens_before: int | None
    turn: int | None
    """Number of the summary's turn; None while only the boundary is written."""


@dataclass(frozen=True, slots=True)
class FileTouch:
    """One turn that touched one file by one tool."""

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


@dataclass(frozen=True, slots=True)
class PrLink:
    """A pull request that a session is tied to."""

    session_id: str
    number: int
    url: str
    repository: str
    at: datetime | None
    line: int
    title: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class Stats:
    """The size of the index, for the status line."""

    sessions: int
    turns: int
    sources: int
    bad_sources: int
    skipped_lines: int
    indexed_at: datetime | None
    embedded_turns: int = 0
    """Turns that can be found by their meaning."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the indexer is: in reading, and in making vectors, whichever it does now."""

    done: int
    """Bytes read in this run."""
    total: int
    """Bytes to read in this run."""
    sources: int
    session: str = ""
    finished: bool = False
    """Whether all that `stage` names is done, and published."""
    stage: str = "reading"
    """`reading` or `embedding`."""
    embedded: int = 0
    """Characters that can be found by their meaning, of the whole index."""
    to_embed: int = 0
    """Characters that shall be found by it; more than `embedded` as long as a turn has no vectors."""
    seconds_left: float | None = None
    """What the rest of the vectors will take at the speed of this run; None before that is known."""
    at: float = 0.0
    """When this was said, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in a turn that answers a query: a sentence or a few lines of one block."""

    block: int
    """`Block.seq`."""
    first: int
    last: int
    """A half-open range of characters in the block's searched text (`block_text.searched_text`)."""
    source: Source
    text: str
    """The characters themselves."""


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
    """The best passage on one line of at most 240 characters."""
    spans: tuple[Span, ...]
    """The matched words in `snippet`."""
    why: tuple[str, ...]
    """Why it was found: `words: cleanup, workflow`, `title: cleanup`, `meaning 0.62` (cosine similarity), `edited
    src/a.py`."""
    score: float
    path: str | None = None
    """The file that matched, for a path hit."""
    group: int = 0
    """The same for hits of one session, and for those of sessions that start with the same long prompt."""
    passages: tuple[Passage, ...] = ()
    """The passages that answer, the best first; at least one in a turn that has a text."""


@dataclass(frozen=True, slots=True)
class HitGroup:
    """What one session answers: sessions do not crowd each other out of sight."""

    best: Hit
    others: tuple[Hit, ...] = ()
    """The best first."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one query."""

    query: str
    hits: tuple[Hit, ...]
    more: bool = False
    """True when there are more hits than were asked for."""
    elapsed_ms: float = 0.0
    note: str = ""
    """What the person should know: an ignored filter, an index not built yet."""
    words: tuple[str, ...] = field(default=())
    """The words and phrases to mark in an opened turn, as typed; no stop words."""
    prefix: bool = False
    """The last of the words may be the beginning of one: it is still being typed."""
