"""Chats in the database of the Cursor editor.

The table `cursorDiskKV` has a row `composerData:<chat>` with the order of the messages, and a row
`bubbleId:<chat>:<message>` for each message; older chats contain their messages.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import orjson

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.cursor.bubbles import ChatContext, bubble_records, named_contents, time_of
from memtui_core.readers.agents.cursor.file_names import DATABASE, EDITOR_PATHS
from memtui_core.readers.agents.cursor.workspaces import folder_of
from memtui_core.readers.base import Identity, Transcript
from memtui_core.readers.conversion.json_values import items, mapping, object_from, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.formats.sqlite import columns_of, opened, stamp_of
from memtui_core.readers.records import BadLine, Record, TitleRank

_TABLE: Final = "cursorDiskKV"
_CHATS: Final = (
    f"SELECT key, CAST(value AS TEXT) AS text FROM {_TABLE}"
    " WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL"
)
_AUTOMATIC_MODELS: Final = frozenset({"default", "auto"})


def list_chats(connection: sqlite3.Connection, agent: str, path: Path) -> Iterable[Transcript]:
    """The chats with messages, in a database of any version."""
    if not columns_of(connection, _TABLE) >= {"key", "value"}:
        return
    sql = (
        "SELECT substr(key, 14), length(text), json_extract(text, '$.lastUpdatedAt'), json_extract(text, '$.createdAt')"
        f" FROM ({_CHATS}) WHERE json_valid(text) AND json_type(text) = 'object' AND"
        " (json_array_length(text, '$.fullConversationHeadersOnly') > 0"
        " OR json_array_length(text, '$.conversation') > 0)"
    )
    for chat, size, updated, created in connection.execute(sql):
        at = next((value for value in (updated, created) if isinstance(value, int) and 0 < value < 2**43), 0)
        if chat and "#" not in chat:
            yield Transcript(agent, path, size, at * 1_000_000, chat)


def has_chats(path: Path) -> bool:
    """Whether a file is a database with the table of the chats, which the databases of other editors do not have."""
    try:
        with opened(path) as connection:
            return columns_of(connection, _TABLE) >= {"key", "value"}
    except SourceUnreadable:
        return False


class EditorReading(DocumentReading):
    """One pass over a chat; an entry is a message."""

    def load(self) -> Sequence[Any]:
        """The messages in the order in which the editor shows them."""
        path, chat = self.transcript.path, self.transcript.part
        with opened(path) as connection:
            self._chat = _value_of(connection, f"composerData:{chat}")
            if not self._chat:
                raise SourceUnreadable(f"{path}: no chat {chat}")
            bubbles = list(_bubbles(connection, chat, self._chat))
            contents = _contents(connection, named_contents(bubbles))
        self._parent = _parent_in(self._chat) or _parents(path, stamp_of(path)).get(chat)
        model = string(mapping(self._chat.get("modelConfig")).get("modelName"))
        model = None if model in _AUTOMATIC_MODELS else model
        self._context = ChatContext(model, self._parent is not None, time_of(self._chat), contents)
        self.facts.session_id = chat
        self.facts.enter(folder_of(path, chat, self._chat, bubbles))
        self.facts.branch = _branch_of(self._chat)
        return bubbles

    def head(self) -> Iterable[Record]:
        """The title, which the editor writes by the first prompt, or the user."""
        return title_records(self._chat.get("name"), TitleRank.AI)

    def identity(self, branch: str = "") -> Identity:
        """The chat by its id."""
        return Identity(self.transcript.part, self._parent)

    def follow(self, entry: Any) -> None:
        """Keep the time of a message for those after it that have none."""
        self._context.at = time_of(entry) or self._context.at

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        key = f"{self.transcript.part}/{string(entry.get('bubbleId')) or line}"
        yield from bubble_records(entry, line, key, self._context)


def _value_of(connection: sqlite3.Connection, key: str) -> dict[str, Any]:
    row = connection.execute(f"SELECT value FROM {_TABLE} WHERE key = ?", [key]).fetchone()
    return object_from(row[0]) if row is not None else {}


def _bubbles(connection: sqlite3.Connection, chat: str, data: dict[str, Any]) -> Iterator[dict[str, Any] | BadLine]:
    headers = [header for header in items(data.get("fullConversationHeadersOnly")) if isinstance(header, dict)]
    if not headers:
        inline = items(data.get("conversation"))
        yield from (
            one if isinstance(one, dict) else BadLine(line, "not a JSON object") for line, one in enumerate(inline)
        )
        return
    prefix = f"bubbleId:{chat}:"
    sql = f"SELECT key, value FROM {_TABLE} WHERE key >= ? AND key < ?"
    rows = {row[0]: row[1] for row in connection.execute(sql, [prefix, f"bubbleId:{chat};"])}
    line = 0
    for header in headers:
        key = f"{prefix}{string(header.get('bubbleId'))}"
        if key not in rows:
            continue
        bubble = object_from(rows[key])
        yield (
            {name: header[name] for name in ("createdAt", "type") if name in header} | bubble
            if bubble
            else BadLine(line, "not a JSON object")
        )
        line += 1


def _contents(connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, str]:
    """The contents of files by their names, as far as the database has them."""
    sql = f"SELECT CAST(value AS TEXT) FROM {_TABLE} WHERE key = ?"
    rows = ((name, connection.execute(sql, [name]).fetchone()) for name in sorted(names))
    return {name: row[0] for name, row in rows if row is not None and isinstance(row[0], str)}


def _parent_in(chat: dict[str, Any]) -> str | None:
    return string(mapping(chat.get("subagentInfo")).get("parentComposerId"))


@lru_cache(maxsize=1)
def _parents(path: Path, _stamp: object) -> dict[str, str]:
    """The chat that started each subagent: a chat has the ids of its subagents."""
    parents: dict[str, str] = {}
    with opened(path) as connection:
        sql = (
            f"SELECT substr(key, 14), json_extract(text, '$.subagentComposerIds') FROM ({_CHATS})"
            " WHERE json_valid(text) AND json_array_length(text, '$.subagentComposerIds') > 0"
        )
        for chat, children in connection.execute(sql):
            for child in orjson.loads(children):
                if isinstance(child, str) and child != chat:
                    parents[child] = chat
    return parents


def _branch_of(chat: dict[str, Any]) -> str | None:
    if branch := string(mapping(chat.get("activeBranch")).get("branchName")):
        return branch
    for repository in map(mapping, items(chat.get("trackedGitRepos"))):
        for item in map(mapping, items(repository.get("branches"))):
            if name := string(item.get("branchName")):
                return name
    return None


def is_in_editor(settings: Path | None, session_id: str) -> bool:
    """Whether the database of the same user has messages of a chat, which is also in a transcript.

    The editor writes each chat twice. The transcript has neither times nor results, so the database counts.
    """
    if settings is None:
        return False
    for folder in EDITOR_PATHS:
        database = settings.parent / folder / DATABASE
        if (stamp := stamp_of(database)) and session_id in _chats_in(database, stamp):
            return True
    return False


@lru_cache(maxsize=1)
def _chats_in(database: Path, _stamp: object) -> frozenset[str]:
    """The ids of the chats with messages; none if the database cannot be read."""
    try:
        with opened(database) as connection:
            if not columns_of(connection, "cursorDiskKV") >= {"key", "value"}:
                return frozenset()
            keys = connection.execute("SELECT key FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;'")
            with_messages = {str(row[0]).split(":")[1] for row in keys}
            keys = connection.execute(
                "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
            )
            return frozenset(with_messages & {str(row[0]).partition(":")[2] for row in keys})
    except SourceUnreadable:
        return frozenset()
