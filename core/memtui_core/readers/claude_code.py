"""One transcript of Claude Code, line by line, to records.

Entries come in file order, which is the safe order: `parentUuid` makes a graph with several roots and is used only to
group inline sidechains. Unknown entry types and keys are passed over: a new one appears every few weeks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from mmap import ACCESS_READ, mmap
from pathlib import Path

from memtui_core.readers.claude_messages import assistant_message, system_records, user_message
from memtui_core.readers.entries import Entry, decode
from memtui_core.readers.fields import string, timestamp
from memtui_core.readers.lines import Line, LineReader
from memtui_core.readers.queue import PromptQueue
from memtui_core.readers.records import (
    BadLine,
    BoundaryRecord,
    Facts,
    Message,
    ParseResult,
    PrRecord,
    Record,
    TitleRank,
    TitleRecord,
)
from memtui_core.text.redaction import redact

_PROGRESS = b'"type":"progress","data":{"type":"'
_QUEUED, _ATTACHED, _ATTACHMENT = b'"queue-operation"', b'"attachment"', b'"type":"attachment"'
_SNAPSHOT = b'{"type":"file-history-snapshot"'
_TITLES = {
    "custom-title": ("customTitle", TitleRank.CUSTOM),
    "ai-title": ("aiTitle", TitleRank.AI),
    "agent-name": ("agentName", TitleRank.AGENT_NAME),
    "summary": ("summary", TitleRank.SUMMARY),
    "last-prompt": ("lastPrompt", TitleRank.LAST_PROMPT),
}


class ClaudeCodeReader:
    """Iterates over the records of `path` from a byte offset and line number.

    `facts` fill while it reads; `lines` is the number of physical lines seen and `waiting` is True when the last one is
    a half line, which is left for later. Raises SourceUnreadable.
    """

    def __init__(self, path: Path, offset: int = 0, line: int = 0) -> None:
        self._lines = LineReader(path, offset, line)
        self._queue = PromptQueue()
        self._skipped = offset
        """Bytes before the first line read, in which prompts may have been queued."""
        self.facts = Facts()
        self.waiting = False

    @property
    def lines(self) -> int:
        """How many physical lines the file has so far, a half last one included."""
        return self._lines.lines

    @property
    def offset(self) -> int:
        """Byte offset up to which the file was read."""
        return self._lines.offset

    @property
    def whole(self) -> tuple[int, int]:
        """Byte offset and number of the first line that has no newline yet, or of the end."""
        return self._lines.whole

    @property
    def at_border(self) -> bool:
        """Whether no line without a newline was read: what is appended begins a new line, or ends one that waits."""
        return self.waiting or self.offset == self.whole[0]

    def go_on(self) -> None:
        """Iterate next over what was appended since."""
        self._lines = LineReader(self._lines.path, *self.whole)
        self.waiting = False

    def __iter__(self) -> Iterator[Record]:
        if self._skipped:
            self._follow_queue(self._skipped)
            self._skipped = 0
        for line in self._lines:
            if line.too_long:
                yield BadLine(line.number, "longer than 256 MB")
                continue
            if is_noise(line.raw):
                continue
            entries, reason = decode(line.raw)
            if reason and not line.whole:
                self.waiting = True
                return
            if reason:
                yield BadLine(line.number, reason)
            for entry in entries:
                yield from self._records(entry, line.number, line.offset)

    def _follow_queue(self, end: int) -> None:
        """Bring the queue to where it stood at an offset: only old versions tell by it what was said."""
        try:
            with self._lines.path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
                if content.rfind(_ATTACHMENT, 0, end) >= 0:
                    self._queue.told_by_attachments()
                    return
                if content.find(_QUEUED, 0, end) < 0:
                    return
        except (OSError, ValueError):
            # A file that cannot be read is reported by the lines that are read next.
            return
        for line in takewhile(lambda line: line.offset < end, LineReader(self._lines.path)):
            if _QUEUED in line.raw or _ATTACHED in line.raw or self._queue.waits:
                for entry in decode(line.raw)[0]:
                    self._follow(entry, line)

    def _follow(self, entry: Entry, line: Line) -> None:
        kind = string(entry.get("type"))
        if kind == "queue-operation":
            self._queue.operation(entry, line.number, line.offset)
        elif kind == "attachment":
            self._queue.told_by_attachments()
        elif kind in {"user", "assistant"} and (message := self._message(entry, line.number, line.offset)) is not None:
            self._queue.said(message.text)

    def _records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        kind = string(entry.get("type"))
        self._note_facts(entry)
        if kind in {"user", "assistant"}:
            message = self._message(entry, line, offset)
            if message is not None:
                self._queue.said(message.text)
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

    def _note_facts(self, entry: Entry) -> None:
        facts = self.facts
        session_id = entry.get("sessionId")
        if not facts.session_id and isinstance(session_id, str):
            facts.session_id = session_id
        cwd = entry.get("cwd")
        if isinstance(cwd, str) and cwd and cwd not in facts.cwds:
            facts.cwds.append(cwd)
            facts.cwd = facts.cwd or cwd
        if isinstance(branch := entry.get("gitBranch"), str) and branch:
            facts.branch = branch
        if isinstance(version := entry.get("version"), str) and version:
            facts.version = version
        if facts.agent_id is None and entry.get("isSidechain") is True:
            agent_id = entry.get("agentId")
            facts.agent_id = agent_id if isinstance(agent_id, str) else None

    def _message(self, entry: Entry, line: int, offset: int) -> Message | None:
        body = entry.get("message")
        if not isinstance(body, dict):
            return None
        make = assistant_message if entry["type"] == "assistant" else user_message
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


def parse(path: Path) -> ParseResult:
    """Read a whole transcript into memory."""
    reader = ClaudeCodeReader(path)
    result = ParseResult([], [], [], [], [], reader.facts)
    for record in reader:
        if isinstance(record, Message):
            result.messages.append(record)
        elif isinstance(record, PrRecord):
            result.pr_links.append(record)
        elif isinstance(record, TitleRecord):
            result.titles.append(record)
        elif isinstance(record, BoundaryRecord):
            result.boundaries.append(record)
        else:
            result.bad_lines.append(record)
    return result


def is_noise(raw: bytes) -> bool:
    """True for a line that never holds conversation, told without decoding it.

    Inside a JSON string the quotes of these marks would be escaped, so they can only be keys of the entry itself or,
    for progress, of the data it carries; a progress entry names its `parentToolUseID` and no message entry does.
    """
    return raw.startswith(_SNAPSHOT) or (_PROGRESS in raw and b'"parentToolUseID":"' in raw)


def pr_link(entry: Entry, line: int) -> PrRecord | None:
    """A `pr-link` with all five fields, else None."""
    number = entry.get("prNumber")
    if isinstance(number, str) and number.isascii() and number.isdigit():
        number = int(number)
    url, repository, at = entry.get("prUrl"), entry.get("prRepository"), timestamp(entry.get("timestamp"))
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
        return None
    if not (isinstance(entry.get("sessionId"), str) and isinstance(url, str) and isinstance(repository, str) and at):
        return None
    return PrRecord(line, number, url, repository, at)
