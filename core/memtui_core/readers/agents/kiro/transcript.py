"""Reading a conversation of Kiro: a JSON document in a row of a database."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agents.kiro import messages
from memtui_core.readers.base import Transcript, is_part
from memtui_core.readers.conversion.json_values import epoch, items, mapping, nanoseconds, string
from memtui_core.readers.formats.document import DocumentReading, object_of
from memtui_core.readers.formats.jsonl import decode
from memtui_core.readers.formats.sqlite import bytes_of, columns_of, opened
from memtui_core.readers.records import Record

_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+")
"""An id that JSON writes in one way only."""


def conversations_in(connection: sqlite3.Connection, agent: str, path: Path) -> Iterator[Transcript]:
    """The conversations of a database, the newest version of each; their size is always the same.

    An older table has one conversation for each folder without a time, so that the content must be compared.
    """
    found: dict[str, int] = {}
    if {"conversation_id", "updated_at"} <= columns_of(connection, "conversations_v2"):
        for session, updated in connection.execute("SELECT conversation_id, updated_at FROM conversations_v2"):
            at = epoch(updated)
            if is_part(session):
                found[session] = max(found.get(session, 0), nanoseconds(at))
    for session, _, raw in _older(connection):
        if session not in found:
            found[session] = int.from_bytes(hashlib.blake2b(raw, digest_size=7).digest())
    for session, changed in found.items():
        yield Transcript(agent, path, 1, changed, session)


class KiroReading(DocumentReading):
    """One pass over a conversation; an entry is a prompt or results with the answer to it."""

    def load(self) -> Sequence[Any]:
        """The entries of the conversation, after the summary of those before them."""
        path, part = self.transcript.path, self.transcript.part
        with opened(path) as connection:
            folder, raw = _row(connection, part)
        self._conversation = object_of(raw, f"{path}: {part}")
        self.facts.session_id = part
        self.facts.cwds = list(dict.fromkeys([folder, *_folders(self._conversation)]))
        self.facts.cwd = folder
        summary = self._conversation.get("latest_summary")
        text = string(summary) or next((text for text in map(string, items(summary)) if text), None)
        return [*([{"summary": text}] if text else []), *items(self._conversation.get("history"))]

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of an entry."""
        info = mapping(self._conversation.get("model_info"))
        model = string(info.get("model_id")) or string(self._conversation.get("model"))
        return messages.records(entry, line, model)


def _row(connection: sqlite3.Connection, session: str) -> tuple[str, bytes]:
    if {"key", "conversation_id", "value", "updated_at"} <= columns_of(connection, "conversations_v2"):
        sql = "SELECT key, value FROM conversations_v2 WHERE conversation_id = ? ORDER BY updated_at DESC LIMIT 1"
        for folder, value in connection.execute(sql, [session]):
            return str(folder), bytes_of(value)
    # The id is in the document, so that few are decoded, unless the document has none.
    for part in (session, ""):
        for found, folder, raw in _older(connection, part):
            if found == session:
                return folder, raw
    return "", b""


def _older(connection: sqlite3.Connection, part: str = "") -> Iterator[tuple[str, str, bytes]]:
    """The conversations of the older table that contain a text, or all: the id, the folder and the content."""
    if {"key", "value"} <= columns_of(connection, "conversations"):
        sql = "SELECT key, value FROM conversations WHERE instr(CAST(value AS TEXT), ?)"
        for folder, value in connection.execute(sql, [part if _PLAIN.fullmatch(part) else ""]):
            objects, _ = decode(bytes_of(value))
            if objects:
                found = objects[0].get("conversation_id")
                # There is one for each folder.
                spare_id = hashlib.blake2b(str(folder).encode("utf-8", "replace"), digest_size=8).hexdigest()
                yield found if is_part(found) else spare_id, str(folder), bytes_of(value)


def _folders(conversation: dict[str, Any]) -> Iterator[str]:
    for entry in items(conversation.get("history")):
        user = mapping(messages.halves(entry)[0])
        state = mapping(mapping(user.get("env_context")).get("env_state"))
        if folder := string(state.get("current_working_directory")):
            yield folder
