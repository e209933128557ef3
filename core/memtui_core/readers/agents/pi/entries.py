"""Convert the entries of a session of Pi, or of an agent that writes the same entries, to records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memtui_core.readers.agents.pi.file_names import session_of_reference
from memtui_core.readers.agents.pi.messages import message_of, text_of
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import count, mapping, string, timestamp
from memtui_core.readers.conversion.messages import note, prompt, title_records
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import BoundaryRecord, Record, SessionFacts, TitleRank, TitleRecord

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


class SessionEntries:
    """Converts the entries of a session in their order, and collects its facts.

    `named` is the session id in the name of its file. `is_subagent` is whether an agent writes the prompts.
    """

    def __init__(self, facts: SessionFacts, named: str, *, is_subagent: bool, has_parent: bool) -> None:
        self._facts = facts
        self._named = named
        self._is_subagent = is_subagent
        self._has_parent = has_parent
        """Whether the session that the header names is the one that started this one."""

    @property
    def session_id(self) -> str:
        """The session id in the header, or else in the name of the file."""
        return self._facts.session_id or self._named

    def follow(self, entry: Entry) -> None:
        """Update the facts from the header."""
        kind = entry.get("type")
        if kind == "session_init":
            self._is_subagent = True
        if kind != "session":
            return
        facts = self._facts
        facts.session_id = facts.session_id or string(entry.get("id")) or ""
        facts.enter(entry.get("cwd"))
        # Old versions named the field differently.
        source = string(entry.get("parentSession")) or string(entry.get("branchedFrom"))
        if source and not self._has_parent:
            facts.forked_from = facts.forked_from or session_of_reference(source) or None

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        kind, at = string(entry.get("type")), timestamp(entry.get("timestamp"))
        if kind == "message":
            message = message_of(entry, line, offset, self.session_id, self._is_subagent)
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
            yield from title_records(entry.get("name"), TitleRank.CUSTOM, line)
        elif kind in {"session", "title_change"}:
            yield from titles_by(entry.get("titleSource", entry.get("source")), entry.get("title"), line)
        elif kind != "session_init" and kind not in _WITHOUT_TEXT:
            yield unknown_entry(entry, line)


def titles_by(source: Any, text: Any, line: int) -> Iterator[TitleRecord]:
    """The title in a text, given who wrote it; none if it is blank."""
    return title_records(text, TitleRank.CUSTOM if source == "user" else TitleRank.AI, line)


def _note(entry: Entry) -> tuple[str, str]:
    """The label and the text of an entry that is a note."""
    kind = entry["type"]
    if kind == "branch_summary":
        return "recap", string(entry.get("summary")) or ""
    if kind == "label":
        name = string(entry.get("label"))
        return "meta", f"Label: {name}" if name else ""
    return "notification" if entry.get("display") is True else "reminder", text_of(entry.get("content"))
