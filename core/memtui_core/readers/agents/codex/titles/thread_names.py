"""The names of threads, from a database or from the list of older versions: each is a transcript with only a title."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from memtui_core.readers.agents.codex.file_names import ARCHIVE, SESSIONS
from memtui_core.readers.agents.codex.titles.name_files import NAME_LIST
from memtui_core.readers.base import PART_MARK, Cursor, Identity, Transcript
from memtui_core.readers.conversion.json_values import string
from memtui_core.readers.formats.jsonl import LineReader, decode
from memtui_core.readers.formats.sqlite import DatabaseListing, columns_of, opened, values_of
from memtui_core.readers.records import Message, Record, SessionFacts, TitleRank, TitleRecord
from memtui_core.text.redaction import redact


class ThreadName(NamedTuple):
    """The name of a thread."""

    name: str
    cwd: str
    rank: TitleRank


class ThreadNames:
    """Lists the names in files, and reads them; what was listed last is kept."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._databases = DatabaseListing(
            lambda connection, path: self._list(path, _names_in_database(connection, path))
        )
        self._names: dict[Path, dict[str, ThreadName]] = {}

    def transcripts(self, path: Path) -> Iterable[Transcript]:
        """A transcript for each thread with a name. Raises SourceUnreadable."""
        if path.name != NAME_LIST:
            return self._databases.transcripts(path)
        return self._list(path, _names_in_list(path)) if path.exists() else []

    def read(self, transcript: Transcript) -> NameReading:
        """The name in a transcript. Raises SourceUnreadable."""
        if transcript.path not in self._names:
            if transcript.path.name == NAME_LIST:
                self._list(transcript.path, _names_in_list(transcript.path))
            else:
                with opened(transcript.path) as connection:
                    self._list(transcript.path, _names_in_database(connection, transcript.path))
        return NameReading(transcript, self._names[transcript.path].get(transcript.part))

    def _list(self, path: Path, names: dict[str, ThreadName]) -> list[Transcript]:
        self._names[path] = names
        return [
            Transcript(self._agent, path, 1, _number(thread), part)
            for part, thread in names.items()
            if part and PART_MARK not in part
        ]


class NameReading:
    """A pass over a transcript that contains only the name of a thread."""

    from_start = True
    lines = 1
    waiting = False
    can_continue = False

    def __init__(self, transcript: Transcript, thread: ThreadName | None) -> None:
        self._thread = thread
        self.facts = SessionFacts(session_id=transcript.part)
        if thread is not None:
            self.facts.enter(thread.cwd)

    def __iter__(self) -> Iterator[Record]:
        if self._thread is not None:
            yield TitleRecord(0, self._thread.rank, redact(self._thread.name))

    def identity(self, branch: str = "") -> Identity:
        """The thread."""
        return Identity(self.facts.session_id)

    def cursor(self, first: Message | None) -> Cursor:
        """The end."""
        return Cursor(1, 1)

    def resume(self, transcript: Transcript) -> bool:
        """False: the name must be read again."""
        return False


def _names_in_database(connection: sqlite3.Connection, path: Path) -> dict[str, ThreadName]:
    """The names that users gave to threads. A title that repeats the first prompt is none; subagents are left out."""
    columns = columns_of(connection, "threads")
    if not {"id", "name"} <= columns and not {"id", "title"} <= columns:
        return {}
    names: dict[str, ThreadName] = {}
    for row in connection.execute("SELECT * FROM threads"):
        values = values_of(row)
        thread, first = string(values.get("id")), (string(values.get("first_user_message")) or "").strip()
        name = (string(values.get("name")) or "").strip()
        title = (string(values.get("title")) or "").strip()
        if not name and "first_user_message" in columns and not _repeats(title, first):
            name = title
        if thread and name and not _is_subagent(values) and _has_rollout(values.get("rollout_path"), path):
            names[thread] = ThreadName(name, string(values.get("cwd")) or "", TitleRank.CUSTOM)
    return names


def _repeats(title: str, prompt: str) -> bool:
    """Whether a title is a part of the first prompt: versions cut it at its end, or begin in the middle of a text."""
    return " ".join(title.rstrip("…. ").split()) in " ".join(prompt.split())


def _is_subagent(values: dict[str, object]) -> bool:
    return bool(values.get("parent_thread_id")) or "subagent" in str(values.get("source") or "")


def _has_rollout(value: object, database: Path) -> bool:
    """Whether the rollout of a thread exists, also if the folder of Codex was moved; True if it is not named."""
    rollout = Path(path) if (path := string(value)) else None
    if rollout is None:
        return True
    for at, part in enumerate(rollout.parts):
        if part in {SESSIONS, ARCHIVE}:
            moved = database.parent.joinpath(*rollout.parts[at:])
            archived = database.parent / ARCHIVE / rollout.name
            if _is_there(moved) or _is_there(archived):
                return True
    return _is_there(rollout)


def _is_there(rollout: Path) -> bool:
    """Whether there is a file of this name, also a compressed one; False for a name that no file can have."""
    return any(os.path.exists(f"{rollout}{suffix}") for suffix in ("", ".zst"))  # noqa: PTH110 (raises for such names)


def _names_in_list(path: Path) -> dict[str, ThreadName]:
    """The names in `session_index.jsonl`, of which the last of a thread counts."""
    names: dict[str, ThreadName] = {}
    for line in LineReader(path):
        for entry in decode(line.raw)[0]:
            thread, name = string(entry.get("id")), (string(entry.get("thread_name")) or "").strip()
            if thread and name:
                names[thread] = ThreadName(name, "", TitleRank.AGENT_NAME)
    return names


def _number(thread: ThreadName) -> int:
    """A number that changes with a name."""
    text = "\0".join((thread.name, thread.cwd))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).digest(), "big")
