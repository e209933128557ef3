"""The records of a transcript, the same for every agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from memtui_core.model import Block
from memtui_core.text.names import TitleRank as TitleRank

MessageKind = Literal["human", "command", "agent", "compaction", "assistant", "results", "note"]
OPENS_TURN: frozenset[MessageKind] = frozenset({"human", "command", "agent", "compaction"})
"""A message of these kinds starts a turn; all others belong to the open turn."""


@dataclass(slots=True)
class Usage:
    """The tokens of one API message."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(slots=True)
class Message:
    """One entry of a conversation. The `seq` of its blocks is 0: the turn numbers them."""

    line: int
    offset: int
    """Where it starts in its container, in the unit of the reader."""
    kind: MessageKind
    role: Literal["user", "assistant", "system"]
    blocks: list[Block] = field(default_factory=list)
    tool_summary: list[str] = field(default_factory=list)
    """One line for each tool call with a name; only in messages of the assistant."""
    at: datetime | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    message_id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    sidechain: bool = False
    """Whether a subagent wrote it, so that it is not part of the conversation with the user."""
    branch: str = ""
    """The session id of the subagent, if its conversation is inside the transcript of another session."""
    agent_id: str | None = None
    agent_calls: list[AgentCall] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of a prompt; empty for other messages."""
        return next((block.text for block in self.blocks if block.kind == "user"), "")


@dataclass(slots=True)
class AgentCall:
    """A tool call that started a subagent. The call and its result each have some of the fields.

    `agent_id` is the session id of the subagent, with or without the prefix `agent-`.
    """

    tool_id: str
    agent_id: str | None = None
    agent_type: str | None = None
    description: str | None = None
    prompt: str | None = None


@dataclass(slots=True)
class PrRecord:
    """A pull request of the session."""

    line: int
    number: int
    url: str
    repository: str
    at: datetime


@dataclass(slots=True)
class TitleRecord:
    """A title of this session, or of the session that contains the entry `leaf`."""

    line: int
    rank: TitleRank
    text: str
    leaf: str | None = None


NO_SUMMARY: Final = "Compacted. The transcript has no summary."
"""The note of a reader after a boundary without a summary,"""
ENCRYPTED_SUMMARY: Final = "Compacted. The summary is encrypted: only the model can read it."
"""and after one with a summary that is encrypted."""


@dataclass(slots=True)
class BoundaryRecord:
    """A compaction boundary: the segment before it is complete."""

    line: int
    at: datetime | None
    trigger: str | None
    tokens_before: int | None


@dataclass(slots=True)
class BadLine:
    """An entry that could not be read, and the reason."""

    line: int
    reason: str


@dataclass(slots=True)
class UnknownEntry:
    """An entry of a type that the reader does not know, kept as it is."""

    line: int
    kind: str
    """The type, as the agent names it."""
    raw: str
    """The entry as compact JSON, redacted."""


@dataclass(slots=True)
class SessionFacts:
    """Session metadata from the entries read so far: the first cwd, the last branch and the last version."""

    session_id: str = ""
    cwd: str = ""
    cwds: list[str] = field(default_factory=list)
    branch: str | None = None
    version: str | None = None
    agent_id: str | None = None
    repository: str = ""
    """The address of the repository."""
    forked_from: str | None = None
    """The id of the session that this one continues, if its first turns are only in that session's transcript."""

    def enter(self, folder: Any) -> None:
        """Note a working directory, unless the value is none or the folder is known; the first one is the cwd."""
        if isinstance(folder, str) and folder and folder not in self.cwds:
            self.cwds.append(folder)
            self.cwd = self.cwd or folder

    def follow(self, entry: Mapping[str, Any]) -> None:
        """Note what an entry of Claude Code, or of an agent that writes the same fields, says about its session."""
        session_id, branch, version = entry.get("sessionId"), entry.get("gitBranch"), entry.get("version")
        if not self.session_id and isinstance(session_id, str):
            self.session_id = session_id
        self.enter(entry.get("cwd"))
        if isinstance(branch, str) and branch:
            self.branch = branch
        if isinstance(version, str) and version:
            self.version = version


Record = Message | PrRecord | TitleRecord | BoundaryRecord | BadLine | UnknownEntry
