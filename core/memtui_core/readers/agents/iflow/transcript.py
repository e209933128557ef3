"""Convert a transcript of iFlow CLI to records, line by line.

The entries look like those of Claude Code, and the tool results in them like those of Gemini CLI, of which iFlow CLI is
a fork. Its code is not public: the format was learned from a recorded session of January 2026, whose entries have the
version 1.0.0. How it marks the summary of a compaction is not known, so that such a summary counts as a prompt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memtui_core.readers.agents.iflow.messages import assistant_message, user_message
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.anthropic_parts import parts_of
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import mapping, string
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Record


class IFlowReading(GrowingReading):
    """One pass over a transcript of iFlow CLI."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self._calls: set[str] = set()
        """The ids of the tool calls so far."""
        self._repeated: set[str] = set()
        """Those of the last entry that were in an entry before it."""

    def has_state(self, raw: bytes) -> bool:
        """Whether a line has tool calls, or the metadata that only the entries of the user have."""
        return b'"tool_use"' in raw or b'"cwd"' in raw

    def follow(self, entry: Entry) -> None:
        """Update the metadata and the tool calls."""
        self.facts.follow(entry)
        calls = set(_calls_of(entry))
        self._repeated = calls & self._calls
        self._calls |= calls

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session, whose id is the name of its file."""
        return Identity(self.facts.session_id or self.path.stem, None, self.path.parent.name)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        kind = string(entry.get("type"))
        if not isinstance(entry.get("message"), dict) or kind not in {"user", "assistant"}:
            yield unknown_entry(entry, line)
            return
        if kind == "user":
            message = user_message(entry, line, offset)
        else:
            message = assistant_message(entry, line, offset, self._repeated)
        if message is not None:
            yield message


def _calls_of(entry: Entry) -> Iterator[str]:
    content: Any = mapping(entry.get("message")).get("content")
    for part in parts_of(content) if entry.get("type") == "assistant" else ():
        if part.get("type") == "tool_use" and (tool_id := string(part.get("id"))):
            yield tool_id
