"""Reading a thread of Zed: a JSON document in a row of a database, which may be compressed."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.zed import messages
from memtui_core.readers.base import Identity, Transcript
from memtui_core.readers.conversion.json_values import items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.document import DocumentReading, object_of
from memtui_core.readers.formats.session_tally import SessionTally
from memtui_core.readers.formats.sqlite import bytes_of, columns_of, opened, values_of
from memtui_core.readers.records import Record, TitleRank

_NO_TITLES: Final = frozenset({"New Thread", "New Agent Thread"})
_LARGEST: Final = 1 << 30
"""Bytes of a thread after decompression."""


def threads_in(connection: sqlite3.Connection, agent: str, path: Path) -> Iterator[Transcript]:
    """The threads of a database; their size is always the same, because only the document is rewritten."""
    tally = SessionTally(connection, timestamp)
    tally.sessions("threads", ("updated_at",))
    if {"id", "data"} <= columns_of(connection, "threads"):
        tally.also_talking("SELECT id FROM threads WHERE length(data) > 0")
    return tally.transcripts(agent, path)


class ZedReading(DocumentReading):
    """One pass over a thread.

    Messages have no times: the first one has that of the thread's beginning, and the last one that of its last change.
    """

    def load(self) -> Sequence[Any]:
        """The messages of the thread."""
        path, part = self.transcript.path, self.transcript.part
        self._row: dict[str, Any] = {}
        with opened(path) as connection:
            for row in connection.execute("SELECT * FROM threads WHERE id = ?", [part]):
                self._row = values_of(row)
        name = f"{path}: {part}"
        self._thread = object_of(_document(self._row, name), name)
        self.facts.session_id = part
        self.facts.cwds = _folders(self._row) or _snapshot_folders(self._thread)
        self.facts.cwd = self.facts.cwds[0] if self.facts.cwds else ""
        entries: list[Any] = [{"message": message} for message in items(self._thread.get("messages"))]
        if entries:
            entries[-1]["at"] = string(self._row.get("updated_at"))
            entries[0]["at"] = string(self._row.get("created_at")) or entries[0].get("at")
        return _with_usage(entries, self._thread)

    def identity(self, branch: str = "") -> Identity:
        """The thread."""
        context = mapping(self._thread.get("subagent_context"))
        parent = string(self._row.get("parent_id")) or string(context.get("parent_thread_id"))
        return Identity(self.facts.session_id, parent)

    def head(self) -> Iterable[Record]:
        """The title, unless the agent has not chosen one yet."""
        names = (self._thread.get("title"), self._row.get("summary"), self._thread.get("summary"))
        title = next((name for value in names if (name := string(value))), "")
        return title_records(title, TitleRank.AI) if self.entries and title not in _NO_TITLES else ()

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        model = string(mapping(self._thread.get("model")).get("model"))
        return messages.records(entry, line, model, is_subagent=self.identity().parent_id is not None)


def _document(row: dict[str, Any], name: str) -> bytes:
    data = bytes_of(row.get("data"))
    if row.get("data_type") != "zstd":
        return data
    from memtui_core.system.compression import zstd

    try:
        with zstd.ZstdFile(io.BytesIO(data)) as stream:
            content = stream.read(_LARGEST)
    except (zstd.ZstdError, EOFError) as error:
        raise SourceUnreadable(f"{name}: cannot be decompressed: {error}") from error
    if len(content) == _LARGEST:
        raise SourceUnreadable(f"{name}: larger than 1 GB")
    return content


def _snapshot_folders(thread: dict[str, Any]) -> list[str]:
    """The folders of the project as they were when the thread began, which also threads without a list of them have."""
    snapshot = mapping(thread.get("initial_project_snapshot"))
    paths = (mapping(tree).get("worktree_path") for tree in items(snapshot.get("worktree_snapshots")))
    return [path for path in map(string, paths) if path]


def _folders(row: dict[str, Any]) -> list[str]:
    """The folders of the project, the first one of the editor's list first."""
    folders = (string(row.get("folder_paths")) or "").split("\n")
    order = (string(row.get("folder_paths_order")) or "").split(",")
    ranks = [int(rank) if rank.isascii() and rank.isdigit() and len(rank) < 9 else 0 for rank in order]
    ranked = sorted(enumerate(folders), key=lambda one: ranks[one[0]] if one[0] < len(ranks) else one[0])
    return [folder for _, folder in ranked if folder]


def _with_usage(entries: list[Any], thread: dict[str, Any]) -> list[Any]:
    """Give the tokens of a prompt to its last answer, and those of the thread to the last answer of all."""
    by_prompt = mapping(thread.get("request_token_usage"))
    answers: dict[str, Any] = {}
    prompt = ""
    for entry in entries:
        message = mapping(entry["message"])
        if user := mapping(message.get("User")):
            prompt = string(user.get("id")) or ""
        elif "Agent" in message or message.get("role") == "assistant":
            answers[prompt if by_prompt else ""] = entry
    for prompt, answer in answers.items():
        answer["usage"] = by_prompt.get(prompt) if by_prompt else thread.get("cumulative_token_usage")
    return entries
