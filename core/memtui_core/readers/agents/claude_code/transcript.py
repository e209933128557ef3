"""Convert a transcript of Claude Code to records, line by line.

Entries are read in file order, which is the reliable order: `parentUuid` forms a graph with several roots and is used
only to group inline sidechains. A new entry type appears every few weeks: an unknown one is kept as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from mmap import ACCESS_READ, mmap

from memtui_core.readers.agents.claude_code.file_names import identify, is_subagent_file
from memtui_core.readers.agents.claude_code.messages import assistant_message, system_records, user_message
from memtui_core.readers.agents.claude_code.prompt_queue import PromptQueue
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import mapping, string, timestamp
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry, FileLine, LineReader, decode
from memtui_core.readers.records import Message, PrRecord, Record, TitleRank, TitleRecord
from memtui_core.text.redaction import redact

_PROGRESS = b'"type":"progress","data":{"type":"'
_QUEUED, _ATTACHED, _ATTACHMENT = b'"queue-operation"', b'"attachment"', b'"type":"attachment"'
_SIDECHAIN = b'"isSidechain":true'
_SNAPSHOT = b'{"type":"file-history-snapshot"'
_TITLES = {
    "custom-title": ("customTitle", TitleRank.CUSTOM),
    "ai-title": ("aiTitle", TitleRank.AI),
    "agent-name": ("agentName", TitleRank.AGENT_NAME),
    "summary": ("summary", TitleRank.SUMMARY),
    "last-prompt": ("lastPrompt", TitleRank.LAST_PROMPT),
}

_WITHOUT_TEXT = frozenset(
    {
        "atis-latch",
        "bridge-session",
        "file-history-delta",
        "file-history-snapshot",
        "mode",
        "permission-mode",
        "progress",
    }
)
"""Entries about the state of the agent, which contain nothing to read."""


class ClaudeCodeReading(GrowingReading):
    """One pass over a transcript of Claude Code."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self._queue = PromptQueue()
        self._sidechains = None if is_subagent_file(transcript.path) else Sidechains()

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session by its file name and entries, or that of a sidechain."""
        return identify(self.path, self.facts, branch)

    def skips(self, raw: bytes) -> bool:
        """Whether a line contains no conversation."""
        return is_noise(raw)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry; a message of an inline subagent names its branch."""
        for record in self._records(entry, line, offset):
            if self._sidechains is not None and isinstance(record, Message) and record.sidechain:
                record.branch = self._sidechains.session_of(record)
            yield record

    def restore(self, end: int) -> None:
        """Find the id of the session, and rebuild the queue of prompts and the sidechains as of an offset.

        Only old versions have the latter two.
        """
        self._restore_session_id(end)
        try:
            with self.path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
                if self._sidechains is not None and content.find(_SIDECHAIN, 0, end) >= 0:
                    self._restore_sidechains(end, self._sidechains)
                if content.rfind(_ATTACHMENT, 0, end) >= 0:
                    self._queue.expect_attachments()
                    return
                if content.find(_QUEUED, 0, end) < 0:
                    return
        except (OSError, ValueError):
            # A file that cannot be read is reported by the lines that are read next.
            return
        for line in takewhile(lambda line: line.offset < end, LineReader(self.path)):
            if _QUEUED in line.raw or _ATTACHED in line.raw or self._queue.waits:
                for entry in decode(line.raw)[0]:
                    self._follow_queue(entry, line)

    def _restore_session_id(self, end: int) -> None:
        for line in takewhile(lambda line: line.offset < end, LineReader(self.path)):
            for entry in decode(line.raw)[0]:
                self.facts.session_id = self.facts.session_id or string(entry.get("sessionId")) or ""
            if self.facts.session_id:
                return

    def _restore_sidechains(self, end: int, sidechains: Sidechains) -> None:
        for line in takewhile(lambda line: line.offset < end, LineReader(self.path)):
            for entry in decode(line.raw)[0] if _SIDECHAIN in line.raw else ():
                message = self._message(entry, line.number, line.offset)
                if message is not None and message.sidechain:
                    sidechains.session_of(message)

    def _follow_queue(self, entry: Entry, line: FileLine) -> None:
        kind = string(entry.get("type"))
        if kind == "queue-operation":
            self._queue.operation(entry, line.number, line.offset)
        elif kind == "attachment":
            self._queue.expect_attachments()
        elif kind in {"user", "assistant"} and (message := self._message(entry, line.number, line.offset)) is not None:
            self._queue.remove(message.text)

    def _records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        kind = string(entry.get("type"))
        if kind in {"user", "assistant"}:
            message = self._message(entry, line, offset)
            if message is not None:
                self._queue.remove(message.text)
                yield message
        elif kind == "system":
            yield from system_records(entry, line, offset)
        elif kind == "attachment":
            message = self._queue.attachment(entry, line, offset)
            if message is not None:
                yield message
        elif kind == "queue-operation":
            message = self._queue.operation(entry, line, offset)
            if message is not None:
                yield message
        elif kind == "pr-link":
            link = pr_link(entry, line)
            if link is not None:
                yield link
        elif kind in _TITLES:
            key, rank = _TITLES[kind]
            title = entry.get(key)
            if isinstance(title, str) and title.strip():
                leaf = entry.get("leafUuid") if rank is TitleRank.SUMMARY else None
                yield TitleRecord(line, rank, redact(title.strip()), leaf if isinstance(leaf, str) else None)
        elif kind not in _WITHOUT_TEXT and self.facts.session_id:
            yield unknown_entry(entry, line)

    def follow(self, entry: Entry) -> None:
        """Update the facts of the session."""
        facts = self.facts
        facts.follow(entry)
        origin = string(mapping(entry.get("forkedFrom")).get("sessionId"))
        if origin is not None and origin != facts.session_id:
            # In a fork of a fork, the entries of the first session come before those of the second one.
            facts.forked_from = origin
        if facts.agent_id is None and entry.get("isSidechain") is True:
            agent_id = entry.get("agentId")
            facts.agent_id = agent_id if isinstance(agent_id, str) else None

    def _message(self, entry: Entry, line: int, offset: int) -> Message | None:
        kind, body = entry.get("type"), entry.get("message")
        if kind not in ("user", "assistant") or not isinstance(body, dict):
            return None
        make = assistant_message if kind == "assistant" else user_message
        at = timestamp(entry.get("timestamp"))
        message = make(entry, body, line, offset, at)
        if message is None:
            return None
        message.at = at
        message.uuid = string(entry.get("uuid"))
        message.parent_uuid = string(entry.get("parentUuid"))
        message.sidechain = entry.get("isSidechain") is True
        message.agent_id = string(entry.get("agentId"))
        if message.sidechain and message.kind == "human":
            message.kind = "agent"
        return message


def is_noise(raw: bytes) -> bool:
    """Whether a line contains no conversation, determined without decoding it.

    Inside a JSON string the quotes of these markers would be escaped, so they can only be keys of the entry itself or,
    for progress, of its data; every progress entry contains a `parentToolUseID`, and no message entry does.
    """
    return raw.startswith(_SNAPSHOT) or (_PROGRESS in raw and b'"parentToolUseID":"' in raw)


def pr_link(entry: Entry, line: int) -> PrRecord | None:
    """The pull request in a `pr-link` entry; None if one of its five fields is missing or invalid."""
    number = entry.get("prNumber")
    if isinstance(number, str) and number.isascii() and number.isdigit():
        number = int(number)
    url, repository, at = entry.get("prUrl"), entry.get("prRepository"), timestamp(entry.get("timestamp"))
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
        return None
    if not (isinstance(entry.get("sessionId"), str) and isinstance(url, str) and isinstance(repository, str) and at):
        return None
    return PrRecord(line, number, url, repository, at)


class Sidechains:
    """Assigns the entries of one file to sidechains, in file order: subagents as older versions wrote them.

    Such entries have `isSidechain` set, and several conversations can be interleaved. Each starts at an entry whose
    parent is not in a sidechain; the other entries are linked by `parentUuid`.
    """

    def __init__(self) -> None:
        self._by_uuid: dict[str, str] = {}
        self._latest: str | None = None

    def session_of(self, message: Message) -> str:
        """The session id of the subagent to which a message belongs."""
        parent = self._by_uuid.get(message.parent_uuid or "")
        if message.agent_id:
            name = f"agent-{message.agent_id}"
        elif parent is not None:
            name = parent
        elif message.kind == "agent" or self._latest is None:
            name = f"agent-{(message.uuid or str(message.line))[:8]}"
        else:
            name = self._latest
        if message.uuid:
            self._by_uuid[message.uuid] = name
        self._latest = name
        return name
