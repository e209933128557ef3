"""The sessions of Goose in its database, and in the JSON lines files that older versions wrote."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui_core.readers.base import START, Transcript
from memtui_core.readers.conversion.json_values import epoch_seconds, from_json, object_from, timestamp
from memtui_core.readers.formats.jsonl import JsonlEntries
from memtui_core.readers.formats.session_tally import SessionTally
from memtui_core.readers.formats.sqlite import opened, values_of
from memtui_core.readers.records import BadLine


@dataclass(slots=True)
class StoredSession:
    """A session as the agent stored it."""

    about: dict[str, Any] = field(default_factory=dict)
    """The row of the session, or the first line of its file."""
    messages: list[Any] = field(default_factory=list)
    """{"id", "role", "created", "content", "metadata"}, or BadLines."""


def moment(value: Any) -> datetime | None:
    """A time: seconds or milliseconds since 1970, or a text in UTC."""
    return timestamp(value) if isinstance(value, str) else epoch_seconds(value)


def sessions_in(connection: sqlite3.Connection, agent: str, path: Path) -> Iterator[Transcript]:
    """The sessions of a database."""
    tally = SessionTally(connection, moment)
    tally.sessions("sessions", ("updated_at", "created_at"))
    tally.messages("messages", ("created_timestamp",))
    return tally.transcripts(agent, path)


def load_rows(path: Path, session: str) -> StoredSession:
    """One session of a database. Raises SourceUnreadable."""
    stored = StoredSession()
    with opened(path) as connection:
        for row in connection.execute("SELECT * FROM sessions WHERE id = ?", [session]):
            stored.about = values_of(row)
        for row in connection.execute("SELECT * FROM messages WHERE session_id = ? ORDER BY id", [session]):
            values = values_of(row)
            content = from_json(values.get("content_json"))
            if not isinstance(content, list):
                stored.messages.append(BadLine(len(stored.messages), "a message is not a list of parts"))
                continue
            stored.messages.append(
                {
                    "id": values.get("message_id") or str(values.get("id")),
                    "role": values.get("role"),
                    "created": values.get("created_timestamp"),
                    "content": content,
                    "metadata": object_from(values.get("metadata_json")),
                    "tokens": object_from(values.get("tokens")),
                }
            )
    return stored


def load_lines(transcript: Transcript) -> StoredSession:
    """The session of a file. Raises SourceUnreadable."""
    stored = StoredSession()
    for item in JsonlEntries(transcript, START, lambda raw: False):
        if isinstance(item, BadLine):
            stored.messages.append(item)
        elif "role" in item[0]:
            stored.messages.append(item[0])
        else:
            stored.about |= item[0]
    return stored
