"""Convert a transcript of Pi or Oh My Pi to records, line by line.

The entries form a tree: going back in a session starts another branch. All branches are kept in file order, which is
the order in which the user saw them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import Identity
from memtui_core.readers.content import unknown_entry
from memtui_core.readers.growing import GrowingReading
from memtui_core.readers.json_values import count, mapping, string, timestamp
from memtui_core.readers.jsonl import Entry, LineReader, decode
from memtui_core.readers.messages import note, prompt
from memtui_core.readers.pi.file_names import (
    parent_in_path,
    project_folder,
    session_in_name,
    session_of_reference,
    subagent_in_path,
)
from memtui_core.readers.pi.messages import message_of, text_of
from memtui_core.readers.pi.subagents import subagent_session
from memtui_core.readers.records import BoundaryRecord, Record, TitleRank, TitleRecord
from memtui_core.text.redaction import redact

_TITLE: Final = b'{"type":"title"'
"""The start of the line with the title, which is padded with blanks and rewritten in place."""
_HEADER: Final = re.compile(rb'"type"\s*:\s*"session')
_WITHOUT_TEXT: Final = frozenset(
    {
        "context_edit",
        "credential_pin",
        "custom",
        "mode_change",
        "model_change",
        "reset_boundary",
        "service_tier_change",
        "thinking_level_change",
        "title",
        "ttsr_injection",
        "usage",
    }
)
"""Entries about the state of the agent or of an extension, which contain nothing to read."""


_NOTES: Final = frozenset({"branch_summary", "custom_message", "label"})


class PiReading(GrowingReading):
    """One pass over a transcript of Pi or Oh My Pi."""

    _is_subagent = False
    """Whether an agent wrote the prompts."""

    def rewritten(self) -> int:
        """The length of the line with the title."""
        try:
            first = next(iter(LineReader(self.path)), None)
        except SourceUnreadable:
            return 0
        return len(first.raw) + 1 if first is not None and first.raw.startswith(_TITLE) else 0

    def head(self) -> Iterable[Record]:
        """The title, which may have changed since."""
        first = next(iter(LineReader(self.path)), None)
        if first is not None and first.raw.startswith(_TITLE):
            for entry in decode(first.raw)[0]:
                yield from _title(entry.get("title"), entry.get("source", entry.get("titleSource")), 0)

    def has_state(self, raw: bytes) -> bool:
        """Whether it is the header of the session, or that of a subagent."""
        return _HEADER.search(raw) is not None

    def follow(self, entry: Entry) -> None:
        """Update the facts from the header."""
        kind = entry.get("type")
        if kind == "session_init":
            self._is_subagent = True
        if kind != "session":
            return
        facts = self.facts
        facts.session_id = facts.session_id or string(entry.get("id")) or ""
        cwd = string(entry.get("cwd"))
        if cwd and cwd not in facts.cwds:
            facts.cwds.append(cwd)
            facts.cwd = facts.cwd or cwd
        # Old versions named the field differently.
        source = string(entry.get("parentSession")) or string(entry.get("branchedFrom"))
        if source and not parent_in_path(self.path):
            facts.forked_from = facts.forked_from or session_of_reference(source) or None

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session; a subagent's file is in the folder of its parent."""
        own, parent = self.facts.session_id or session_in_name(self.path), parent_in_path(self.path)
        if parent:
            return Identity(subagent_session(parent, subagent_in_path(self.path)), parent, project_folder(self.path))
        return Identity(own or self.path.stem, None, project_folder(self.path))

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        kind, at = string(entry.get("type")), timestamp(entry.get("timestamp"))
        if kind == "message":
            own = self.facts.session_id or session_in_name(self.path)
            message = message_of(entry, line, offset, own, self._is_subagent)
            role = string(mapping(entry.get("message")).get("role"))
            yield message if message is not None else unknown_entry(entry, line, role and f"message {role}")
        elif kind == "compaction":
            yield BoundaryRecord(line, at, None, count(entry.get("tokensBefore")) or None)
            # Kept messages that the entry repeats are not read again.
            if (summary := string(entry.get("summary"))) is not None:
                yield prompt(line, offset, summary, at, kind="compaction", uuid=string(entry.get("id")))
        elif kind in _NOTES:
            label, text = _note(entry)
            if text.strip():
                yield note(line, offset, text, label, at, uuid=string(entry.get("id")))
        elif kind == "session_info":
            yield from _title(entry.get("name"), "user", line)
        elif kind in {"session", "title_change"}:
            yield from _title(entry.get("title"), entry.get("titleSource", entry.get("source")), line)
        elif kind != "session_init" and kind not in _WITHOUT_TEXT:
            yield unknown_entry(entry, line)


def _note(entry: Entry) -> tuple[str, str]:
    """The label and the text of an entry that is a note."""
    kind = entry["type"]
    if kind == "branch_summary":
        return "recap", string(entry.get("summary")) or ""
    if kind == "label":
        name = string(entry.get("label"))
        return "meta", f"Label: {name}" if name else ""
    return "notification" if entry.get("display") is True else "reminder", text_of(entry.get("content"))


def _title(text: Any, source: Any, line: int) -> Iterator[TitleRecord]:
    if isinstance(text, str) and text.strip():
        rank = TitleRank.CUSTOM if source == "user" else TitleRank.AI
        yield TitleRecord(line, rank, redact(text.strip()))
