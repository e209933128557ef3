"""Reading a session of Auggie: a document with exchanges, which is rewritten with every change.

Auggie's source is closed. The format was learned from a session of version 0.32.0, and from public descriptions of the
protocol between Augment's extension and its service, whose exchanges a session contains. What was not seen is not read:
the changed files of an exchange, checkpoints, the list of tasks in files of its own, the sessions of subagents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtui_core.readers.agents.augment import exchanges
from memtui_core.readers.agents.augment.nodes import folders_in
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.document import DocumentReading, object_in
from memtui_core.readers.records import BadLine, Record, TitleRank


class AugmentReading(DocumentReading):
    """One pass over a session of Auggie."""

    def load(self) -> Sequence[Any]:
        """The exchanges in pieces."""
        path = self.transcript.path
        document = self._session = object_in(path)
        self._commands: set[str] = set()
        self.facts.session_id = string(document.get("sessionId")) or path.stem
        history = items(document.get("chatHistory"))
        named = (folder for entry in map(mapping, history) for folder in folders_in(mapping(entry.get("exchange"))))
        for folder in (document.get("workspaceRoot"), *named):
            self.facts.enter(folder)
        entries: list[Any] = []
        created = timestamp(document.get("created"))
        for number, entry in enumerate(history):
            if not isinstance(entry, dict):
                entries.append(BadLine(len(entries), "not a JSON object"))
            elif isinstance(exchange := entry.get("exchange"), dict):
                key = f"{self.facts.session_id}/{string(exchange.get('request_id')) or number}"
                entries += exchanges.pieces_of(entry, key, created if number == 0 else None)
            else:
                entries.append({"unknown": entry})
        return entries

    def head(self) -> Iterable[Record]:
        """The title that the user gave the session."""
        return title_records(self._session.get("customTitle"), TitleRank.CUSTOM) if self.entries else ()

    def follow(self, entry: Any) -> None:
        """Note the calls that run commands."""
        self._commands.update(exchanges.commands_in(entry))

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a piece of an exchange."""
        if "unknown" in entry:
            yield unknown_entry(entry["unknown"], line)
        else:
            yield from exchanges.records_of(entry, line, self._commands)
