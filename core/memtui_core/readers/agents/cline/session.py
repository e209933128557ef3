"""Convert a session of the program for the terminal, or one of its subagents, to records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.cline.file_names import MESSAGES, SUMMARY
from memtui_core.readers.agents.cline.messages import MessageContext, model_of, records_of, usage_of
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.json_values import epoch, items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.beside import object_beside
from memtui_core.readers.formats.document import DocumentReading, objects_of, value_in
from memtui_core.readers.records import Record, TitleRank


class SessionReading(DocumentReading):
    """One pass over a session or a subagent."""

    def load(self) -> Sequence[Any]:
        """The messages, and the summary of a compaction where it was written."""
        folder, agent = self.transcript.path, self.transcript.part
        path = folder / f"{agent or folder.name}{MESSAGES}"
        content = value_in(path)
        messages = content if isinstance(content, list) else mapping(content).get("messages")
        if not isinstance(messages, list):
            raise SourceUnreadable(f"{path}: no list of messages")
        self._about = object_beside(folder / f"{folder.name}.json")
        own = mapping(self._about.get("metadata"))
        self._parent = folder.name if agent else string(self._about.get("parent_session_id"))
        self._title = "" if agent else (string(own.get("title")) or "").strip()
        self.facts.session_id = agent or folder.name
        self.facts.enter(string(self._about.get("cwd")) or self._about.get("workspace_root"))
        self.facts.branch = string(self._about.get("branch")) or string(own.get("branch"))
        entries = objects_of(messages)
        return entries if agent else _with_summaries(entries, object_beside(folder / f"{folder.name}{SUMMARY}"))

    def head(self) -> Iterable[Record]:
        """The title of the session."""
        return title_records(self._title, TitleRank.AI)

    def identity(self, branch: str = "") -> Identity:
        """The session by the name of its folder, a subagent by that of its file."""
        name = self.facts.session_id
        return Identity(name, self._parent if self._parent != name else None)

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        at = epoch(entry.get("ts")) or timestamp(entry.get("ts")) or timestamp(entry.get("timestamp"))
        key = f"{self.facts.session_id}/{string(entry.get('id')) or line}"
        model = model_of(entry) or string(self._about.get("model"))
        yield from records_of(
            entry, line, MessageContext(at, key, usage_of(entry), model, is_subagent=self._parent is not None)
        )


def _with_summaries(entries: list[Any], compaction: dict[str, Any]) -> list[Any]:
    """The messages with the summaries of the compacted history, each before the first message after its time."""
    known = {string(entry.get("id")) for entry in entries if isinstance(entry, dict)}
    for message in map(mapping, items(compaction.get("messages"))):
        if mapping(message.get("metadata")).get("kind") != "compaction_summary" or string(message.get("id")) in known:
            continue
        at = message.get("ts")
        later = (
            place
            for place, entry in enumerate(entries)
            if isinstance(entry, dict) and isinstance(at, int) and _is_later(entry.get("ts"), at)
        )
        entries.insert(next(later, len(entries)), message)
    return entries


def _is_later(value: Any, at: int) -> bool:
    return isinstance(value, int) and value > at
