"""Transcripts of Claude Code for tests, an entry a call, with times and uuids that count up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from memtui_core.readers.agents.claude_code.reader import ClaudeCode
from memtui_core.readers.base import START as START_OF_FILE
from memtui_core.readers.base import Cursor, Reading, Transcript
from memtui_core.readers.records import BadLine, BoundaryRecord, Message, PrRecord, SessionFacts, TitleRecord

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
SESSION = "11111111-1111-4111-8111-111111111111"


OTHER_SESSION = "22222222-2222-4222-8222-222222222222"
DAY = 8640
"""Entries of a script that a day has."""


@dataclass(frozen=True, slots=True)
class ParseResult:
    """The records of a whole transcript, by their kind."""

    messages: list[Message]
    pr_links: list[PrRecord]
    titles: list[TitleRecord]
    boundaries: list[BoundaryRecord]
    bad_lines: list[BadLine]
    facts: SessionFacts


def opened(path: Path, cursor: Cursor = START_OF_FILE) -> Reading:
    """A transcript of Claude Code, to be read from a cursor on."""
    size = path.stat().st_size if path.exists() else 0
    return ClaudeCode().read(Transcript("claude-code", path, size, 0), cursor)


def parse(path: Path) -> ParseResult:
    """All records of a transcript of Claude Code."""
    reading = opened(path)
    result = ParseResult([], [], [], [], [], reading.facts)
    lists: dict[type, list[Any]] = {
        Message: result.messages,
        PrRecord: result.pr_links,
        TitleRecord: result.titles,
        BoundaryRecord: result.boundaries,
        BadLine: result.bad_lines,
    }
    for record in reading:
        lists[type(record)].append(record)
    return result


class Script:
    """Collects the lines of one transcript."""

    def __init__(self, session_id: str = SESSION, cwd: str = "/home/ana/code/shop", prefix: str = "e") -> None:
        self.session_id = session_id
        self.cwd = cwd
        self.prefix = prefix
        self.model = "claude-opus-4-5"
        """What answers from here on."""
        self.lines: list[bytes] = []
        self.count = 0

    def entry(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Add an entry that has the keys which all messages have."""
        at = (START + timedelta(seconds=10 * self.count)).isoformat().replace("+00:00", "Z")
        entry = {
            "parentUuid": f"{self.prefix}{self.count - 1}" if self.count else None,
            "isSidechain": False,
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "version": "2.1.200",
            "gitBranch": "main",
            "type": kind,
            "uuid": f"{self.prefix}{self.count}",
            "timestamp": at,
        }
        self.count += 1
        return self.raw({**entry, **fields})

    def raw(self, value: dict[str, Any]) -> dict[str, Any]:
        """Add a line with exactly these keys."""
        self.lines.append(orjson.dumps(value))
        return value

    def user(self, content: Any, **fields: Any) -> None:
        """A user entry."""
        self.entry("user", message={"role": "user", "content": content}, **fields)

    def says(self, text: str, message_id: str | None = None, **fields: Any) -> None:
        """The assistant says something."""
        self.assistant([{"type": "text", "text": text}], message_id, **fields)

    def thinks(self, text: str, message_id: str | None = None) -> None:
        """The assistant thinks."""
        self.assistant([{"type": "thinking", "thinking": text, "signature": "c2ln"}], message_id)

    def calls(self, name: str | None, arguments: Any, tool_id: str = "t1", message_id: str | None = None) -> None:
        """The assistant calls a tool."""
        self.assistant([{"type": "tool_use", "id": tool_id, "name": name, "input": arguments}], message_id)

    def assistant(self, content: Any, message_id: str | None = None, **fields: Any) -> None:
        """An assistant entry."""
        message: dict[str, Any] = {"role": "assistant", "model": self.model, "content": content}
        message["id"] = message_id or f"m{self.count}"
        message["usage"] = {"input_tokens": 10, "output_tokens": 5}
        self.entry("assistant", message=message, **fields)

    def result(self, content: Any, tool_id: str = "t1", *, error: bool = False, **fields: Any) -> None:
        """A tool's result."""
        item = {"type": "tool_result", "tool_use_id": tool_id, "content": content, "is_error": error}
        self.user([item], **fields)

    def compacts(self, summary: str = "", tokens: int = 150_000) -> None:
        """A compaction boundary and its summary."""
        meta = {"trigger": "auto", "preTokens": tokens}
        self.entry("system", subtype="compact_boundary", content="Conversation compacted", compactMetadata=meta)
        text = "This session is being continued from a previous conversation that ran out of context. " + summary
        self.user(text, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def bytes(self) -> bytes:
        """The whole file."""
        return b"".join(line + b"\n" for line in self.lines)

    def write(self, folder: Path, name: str | None = None) -> Path:
        """Write the file; it is called after its session."""
        path = folder / (name or f"{self.session_id}.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())
        return path


def touched_file(folder: Path) -> list[Path]:
    """Two sessions that edit one file in 2 turns, read it in 3 and mention it in 1, on the first and the 19th day."""
    path = "/home/ana/code/shop/src/upload.py"
    first, second = Script(), Script(OTHER_SESSION, prefix="f")
    for number, tools in enumerate((["Read"], ["Edit", "Edit"], ["Read", "Edit"], ["Read", "Bash"])):
        first.user(f"step {number}")
        for place, tool in enumerate(tools):
            fields = {"Bash": {"command": "make"}}.get(tool, {"file_path": path, "old_string": "a", "new_string": "b"})
            first.calls(tool, fields, f"t{number}.{place}")
            first.result("ok", f"t{number}.{place}")
    second.count = 18 * DAY
    second.user("what became of @src/upload.py?")
    return [first.write(folder), second.write(folder)]
