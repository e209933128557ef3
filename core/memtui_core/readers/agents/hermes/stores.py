"""The sessions of Hermes Agent in its database and in the files that older versions wrote."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.base import Transcript
from memtui_core.readers.conversion.json_values import epoch_seconds, from_json, object_from, string, timestamp
from memtui_core.readers.formats.document import lines_in, messages_in, object_in, objects_of
from memtui_core.readers.formats.session_tally import SessionTally
from memtui_core.readers.formats.sqlite import columns_of, opened, values_of
from memtui_core.readers.records import BadLine

_JSON: Final = "\x00json:"
"""The start of a content that is a list of parts."""
_SAID: Final = ("role", "content", "tool_calls", "tool_call_id", "tool_name")
"""The columns in which a message differs from others."""
_KEPT: Final = (*_SAID, "timestamp", "finish_reason", "reasoning", "reasoning_content", "display_kind")
_ZONE: Final = re.compile(r"(?:Z|[+-]\d\d:?\d\d(?::?\d\d)?)\Z")
_NOT_A_MESSAGE: Final = "session_meta"


@dataclass(slots=True)
class StoredSession:
    """A session as the agent stored it."""

    about: dict[str, Any] = field(default_factory=dict)
    """The row of the session, or the fields of its file besides the messages."""
    parent: dict[str, Any] = field(default_factory=dict)
    """The row of the session that this one comes from."""
    messages: list[Any] = field(default_factory=list)
    """Messages as the chat API has them, or BadLines."""
    waiting: bool = False
    """Whether the last message is incomplete."""


def moment(value: Any) -> datetime | None:
    """A time: seconds since 1970, or a text, which is in local time if it does not say otherwise."""
    if isinstance(value, str):
        at = timestamp(value)
        return at if at is None or _ZONE.search(value) else _from_local(at)
    return epoch_seconds(value)


def _from_local(at: datetime) -> datetime | None:
    try:
        return at.replace(tzinfo=None).astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        return None


def sessions_in(connection: sqlite3.Connection, agent: str, path: Path) -> Iterator[Transcript]:
    """The sessions of a database."""
    tally = SessionTally(connection, moment)
    tally.sessions("sessions", ("started_at", "ended_at", "last_activity_at"))
    tally.messages("messages", ("timestamp",))
    if {"id", "title"} <= columns_of(connection, "sessions"):
        # A title is made after the messages, and changes no time.
        tally.query("SELECT id, length(coalesce(title, '')) FROM sessions")
    return tally.transcripts(agent, path)


def load_rows(path: Path, session: str) -> StoredSession:
    """One session of a database. Raises SourceUnreadable."""
    stored = StoredSession()
    with opened(path) as connection:
        stored.about = _row(connection, session)
        if parent := string(stored.about.get("parent_session_id")):
            stored.parent = _row(connection, parent)
        if "session_id" in columns_of(connection, "messages"):
            rows = connection.execute("SELECT * FROM messages WHERE session_id = ? ORDER BY id", [session])
            stored.messages = [_message(row, line) for line, row in enumerate(_once(list(map(values_of, rows))))]
    return stored


def load_lines(transcript: Transcript) -> StoredSession:
    """The session of lines that the gateway wrote. Raises SourceUnreadable."""
    stored = StoredSession()
    entries, stored.waiting = lines_in(transcript)
    for entry in entries:
        if isinstance(entry, BadLine):
            stored.messages.append(BadLine(len(stored.messages), entry.reason))
        elif entry.get("role") == _NOT_A_MESSAGE:
            stored.about |= entry
        else:
            stored.messages.append(entry)
    return stored


def load_document(path: Path) -> StoredSession:
    """The session of a document. Its messages have no times but the first and the last. Raises SourceUnreadable."""
    document = object_in(path)
    messages = objects_of(messages_in(document, path))
    about = {key: value for key, value in document.items() if key != "messages"}
    said = [message for message in messages if isinstance(message, dict) and message.get("role") != _NOT_A_MESSAGE]
    for message, time in zip(said[:1] + said[1:][-1:], ("session_start", "last_updated"), strict=False):
        message.setdefault("timestamp", about.get(time))
    return StoredSession(about, {}, messages)


def _row(connection: sqlite3.Connection, session: str) -> dict[str, Any]:
    if "id" not in columns_of(connection, "sessions"):
        return {}
    rows = connection.execute("SELECT * FROM sessions WHERE id = ?", [session])
    return next(map(values_of, rows), {})


def _once(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows without copies: a compaction writes the messages that it keeps again.

    The rows that it replaces are neither active nor compacted, and so are those of turns that the user took back; only
    the latter have no other row with the same content.
    """
    visible = [row for row in rows if row.get("active", 1) or row.get("compacted")]
    shown = {_content(row) for row in visible}
    seen: set[tuple[Any, ...]] = set()
    for row in rows:
        content = _content(row)
        if not (row.get("active", 1) or row.get("compacted")):
            if content in shown:
                continue
            shown.add(content)
        elif (key := (*content, row.get("timestamp"))) in seen:
            continue
        else:
            seen.add(key)
        yield row


def _content(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _SAID)


def _message(row: dict[str, Any], line: int) -> Any:
    """A row as a message of the chat API, without what changes when it is compacted."""
    if not isinstance(row.get("role"), str):
        return BadLine(line, "a message without a role")
    message = {name: row[name] for name in _KEPT if row.get(name) is not None}
    if "tool_calls" in message:
        message["tool_calls"] = from_json(message["tool_calls"])
    if isinstance(content := message.get("content"), str) and content.startswith(_JSON):
        message["content"] = from_json(content.removeprefix(_JSON))
    return message | ({"_compressed_summary": True} if row.get("_compressed_summary") else {})


def config_of(about: dict[str, Any]) -> dict[str, Any]:
    """The configuration of the model of a session, which says also where it comes from."""
    return object_from(about.get("model_config"))
