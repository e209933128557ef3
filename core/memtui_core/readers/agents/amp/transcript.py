"""Reading a thread of Amp: a document with messages, which is rewritten with every change.

Amp's source is closed. The format was learned from public descriptions and test data of thread files that versions
0.0.1768 to 0.0.1773 wrote from January to March 2026; newer versions keep threads on a server and write no files. What
was not seen is not read: threads of subagents, files that a prompt mentions, hand-offs between threads.

Prompts have the time at which they were sent, and answers of newer files that of their tokens; all other messages have
the time of the message before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from memtui_core.readers.agents.amp import messages
from memtui_core.readers.conversion.file_uris import path_in
from memtui_core.readers.conversion.json_values import epoch, items, mapping, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.document import DocumentReading, object_in
from memtui_core.readers.records import BadLine, Record, TitleRank

_BRANCH: Final = "refs/heads/"


class AmpReading(DocumentReading):
    """One pass over a thread of Amp."""

    def load(self) -> Sequence[Any]:
        """The messages of the thread; results of calls are apart from the prompt beside them, which opens a turn."""
        path = self.transcript.path
        document = self._thread = object_in(path)
        self._at = epoch(document.get("created"))
        self.facts.session_id = string(document.get("id")) or path.stem
        self._set_facts(mapping(mapping(document.get("env")).get("initial")))
        entries: list[Any] = []
        for message in items(document.get("messages")):
            if isinstance(message, dict):
                entries += messages.split(message)
            else:
                entries.append(BadLine(len(entries), "not a JSON object"))
        return entries

    def _set_facts(self, environment: dict[str, Any]) -> None:
        """The folders, the repository and the version in what Amp knew at the start."""
        trees = [mapping(tree) for tree in items(environment.get("trees"))]
        for tree in trees:
            self.facts.enter(path_in(string(tree.get("uri")) or ""))
        repository = mapping(trees[0].get("repository")) if trees else {}
        self.facts.branch = (string(repository.get("ref")) or "").removeprefix(_BRANCH) or None
        self.facts.repository = string(repository.get("url")) or ""
        self.facts.version = string(mapping(environment.get("platform")).get("clientVersion"))

    def head(self) -> Iterable[Record]:
        """The title."""
        return title_records(self._thread.get("title"), TitleRank.AI) if self.entries else ()

    def follow(self, entry: Any) -> None:
        """The time of the message, or of the one before."""
        self._at = messages.time_of(entry) or self._at

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        return messages.records_of(entry, line, f"{self.facts.session_id}/{line}", self._at)
