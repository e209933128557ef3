"""Reading a session of OpenCode: from a database, a tree of JSON files, or an export."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from memtui_core.readers.agents.opencode import database, file_names, first, second, tree
from memtui_core.readers.agents.opencode.database import StoredSession
from memtui_core.readers.agents.opencode.first import Progress
from memtui_core.readers.agents.opencode.values import usage_of
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.document import DocumentReading, content_of, object_of
from memtui_core.readers.records import BadLine, Record, TitleRank

_NO_TITLE: Final = re.compile(r"(?:New|Child) session - \d{4}-")
_SUBAGENT: Final = re.compile(r" \(@[^()@]+ subagent\)$")
_FORK: Final = re.compile(r" \(fork #\d+\)$")


class OpenCodeReading(DocumentReading):
    """One pass over a session; an entry is a message with its parts."""

    def load(self) -> Sequence[Any]:
        """The messages of the session."""
        stored = self._stored()
        info = self._info = stored.info
        self.facts.session_id = string(info.get("id")) or self.transcript.part or self.transcript.path.stem
        self.facts.version = string(info.get("version"))
        self.facts.enter(info.get("directory"))
        fork = self._parent if self._is_fork else info.get("forkID")
        self.facts.forked_from = string(fork)
        self._progress = Progress(is_subagent=self.identity().parent_id is not None)
        return stored.entries

    def identity(self, branch: str = "") -> Identity:
        """The session; a subagent of a subagent belongs to the session of the user."""
        parent = None if self._is_fork else string(self._info.get("rootID")) or self._parent
        return Identity(self.facts.session_id, parent)

    def head(self) -> Iterable[Record]:
        """The title, unless the agent has not chosen one yet."""
        title = _SUBAGENT.sub("", string(self._info.get("title")) or "")
        return title_records(title, TitleRank.AI) if self.entries and not _NO_TITLE.match(title) else ()

    def follow(self, entry: Any) -> None:
        """Keep the working directory, the size of the context, and whether the entry repeats a prompt."""
        info = mapping(entry.get("info")) or entry
        self.facts.enter(mapping(info.get("path")).get("cwd"))
        progress = self._progress
        progress.is_repeated = False
        if usage := usage_of(info.get("tokens")):
            progress.tokens = usage.input + usage.cache_read + usage.cache_write + usage.output
        if info.get("role") == "user":
            parts = items(entry.get("parts"))
            text = first.prompt_text(parts)
            progress.is_repeated = bool(text) and progress.overflowed and text == progress.prompt
            if text:
                progress.prompt, progress.overflowed = text, False
            progress.overflowed = progress.overflowed or any(
                mapping(part).get("type") == "compaction" and mapping(part).get("overflow") is True for part in parts
            )

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message of either version."""
        convert = first.records if "info" in entry else second.records
        return convert(entry, line, self._progress)

    @property
    def _parent(self) -> str | None:
        return string(self._info.get("parentID"))

    @property
    def _is_fork(self) -> bool:
        return _FORK.search(string(self._info.get("title")) or "") is not None

    def _stored(self) -> StoredSession:
        path, part = self.transcript.path, self.transcript.part
        if part:
            return database.load(path, part)
        if file_names.is_in_tree(path):
            return tree.load(path)
        return _exported(path)


def _exported(path: Any) -> StoredSession:
    session = object_of(content_of(path), str(path))
    entries = [
        message if isinstance(message, dict) else BadLine(line, "a message is not a JSON object")
        for line, message in enumerate(items(session.get("messages")))
    ]
    return StoredSession(mapping(session.get("info")), entries)
