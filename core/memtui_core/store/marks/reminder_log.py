"""The reminders that hooks gave the agents of sessions: a file of JSON lines for each conversation.

It keeps a hook from saying the same again, and shows the user what an agent got to read. Hooks of one session run
at the same time and only append, so a line that was not written whole costs that line. Nobody waits for a lock: a text
is removed where it stands, and its line keeps its length, so what is appended meanwhile is not touched. A hook reads
it, so nothing heavy is imported.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from memtui_core.store.data_folder import DataDir

SUBAGENT_PREFIX = "agent-"
"""With it begins, in the index, the id of a subagent that a hook knows without it."""
MAX_AGE = 90 * 86400
"""Seconds after which the reminders of a conversation are deleted."""
_MAX_TEXTS = 256_000
"""Bytes of a file from which on it takes no more texts."""
_MAX_BYTES = 512_000
"""Bytes of a file from which on it takes nothing."""
_REMOVALS = "+removals"
"""A file that grows with each removal of texts; no conversation has this name."""
_END_OF_TIME = 253_402_300_800
"""Seconds since 1970 for which there is no date any more."""


class SentReminder(NamedTuple):
    """A text that a hook gave an agent to read."""

    at: float
    """Seconds since 1970."""
    event: str
    """The event of the hook."""
    agent: str
    """The id of the subagent that got it, without SUBAGENT_PREFIX; empty for the agent of the session."""
    references: tuple[str, ...]
    """The turns that it cites, as `SESSION:TURN`, in order."""
    text: str
    """Empty if it was not kept: the file was full, or its text was removed."""


class ReminderLog:
    """The reminders of a data folder, as they are when they are asked for.

    A conversation is a session, by its id, and one of its subagents, or "" for the agent of the session.

    A hook makes it before it reads what it may record: that may be of a session that is forgotten meanwhile.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        """`clock` returns seconds since 1970."""
        self._folder = DataDir(folder).reminders
        self._clock = clock
        self._removals = self._count_removals()

    def keys(self, session: str, agent: str = "") -> set[str]:
        """The keys of the reminders that a conversation has in its context."""
        keys: set[str] = set()
        for record in _records(self._path(session, agent)) if session else ():
            # The agent has none of the earlier ones in its context any more.
            if "cleared" in record:
                keys.clear()
            keys.update(_strings(record, "keys"))
        return keys

    def record(
        self,
        session: str,
        agent: str = "",
        *,
        keys: Iterable[str] = (),
        event: str = "",
        references: Iterable[str] = (),
        text: str = "",
    ) -> None:
        """Record a reminder; one that cannot be recorded is given again.

        `keys` stand for what shall not be given again: references of turns, or words of a hook. `references` are the
        turns that the text cites. Without a text it is a note of a hook for itself.
        """
        record = {"at": round(self._clock(), 3), "event": event, "keys": list(keys), "references": list(references)}
        if record["keys"] or record["references"] or text:
            self._append(session, agent, {**record, "text": text} if text else record)

    def clear(self, session: str) -> None:
        """Note that the agent of a session has lost its context: its reminders may be given again."""
        if self.keys(session):
            self._append(session, "", {"cleared": True})

    def remove_old(self) -> None:
        """Delete the reminders of conversations that got the last one MAX_AGE ago.

        What is as far in the future as what is old is in the past is old, too: the clock was set back.
        """
        now = self._clock()
        for path in self._folder.glob("*"):
            with suppress(OSError):
                if abs(now - path.stat().st_mtime) > MAX_AGE:
                    path.unlink()

    def reminders(self, session: str) -> list[SentReminder]:
        """What a session and its subagents got, or only a subagent, by its id in the index; the oldest first."""
        found = [
            SentReminder(record["at"], str(record.get("event")), path.suffix[1:], _strings(record, "references"), text)
            for path in self._paths(session)
            for record in _records(path)
            if isinstance(record.get("at"), int | float)
            and 0 <= record["at"] < _END_OF_TIME
            and ((text := str(record.get("text", ""))) or record.get("references") or "text" in record)
        ]
        return sorted(found, key=lambda reminder: reminder.at)

    def forget(self, sessions: Collection[str]) -> None:
        """Remove the reminders of forgotten sessions, and the texts that cite one of them. Raises OSError."""
        self._announce_removal()
        for session in sessions:
            for path in self._paths(session):
                path.unlink(missing_ok=True)
        gone = set(sessions)
        self._remove(lambda record: any(one.rpartition(":")[0] in gone for one in _strings(record, "references")))

    def remove_texts(self) -> None:
        """Remove all texts; no reminder is given again for that. Raises OSError."""
        self._announce_removal()
        self._remove(lambda record: True)

    def _remove(self, loses_text: Callable[[dict[str, Any]], bool]) -> None:
        """Take the texts out of some records."""
        for path in self._folder.glob("*"):
            with suppress(FileNotFoundError):
                _take_texts(path, loses_text)

    def _announce_removal(self) -> None:
        """Let the hooks that run now remove the texts that they write later than these are removed."""
        self._folder.mkdir(exist_ok=True)
        with (self._folder / _REMOVALS).open("ab") as file:
            file.write(b"{}\n")

    def _count_removals(self) -> int:
        try:
            return (self._folder / _REMOVALS).stat().st_size
        except OSError:
            return 0

    def _append(self, session: str, agent: str, record: dict[str, Any]) -> None:
        if not session:
            return
        path = self._path(session, agent)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                if file.tell() >= _MAX_BYTES:
                    return
                if file.tell() >= _MAX_TEXTS and "text" in record:
                    record["text"] = ""
                line = _line(record)
                file.write(line)
            # Looked at last: a removal is announced before the records are read for it.
            if record.get("text") and self._count_removals() != self._removals:
                written = _record(line)
                _take_texts(path, lambda other: other == written)

    def _paths(self, session: str) -> list[Path]:
        own = self._path(session, "")
        if session.startswith(SUBAGENT_PREFIX):
            return sorted(self._folder.glob(f"*.{_safe(session.removeprefix(SUBAGENT_PREFIX))}"))
        return [path for path in (own, *sorted(self._folder.glob(f"{own.name}.*"))) if session and path.is_file()]

    def _path(self, session: str, agent: str) -> Path:
        return self._folder / ".".join(_safe(name) for name in (session, agent) if name)


def _safe(name: str) -> str:
    """A part of the name of a file."""
    return "".join(char for char in name if char.isalnum() or char in "-_")[:80]


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _take_texts(path: Path, loses_text: Callable[[dict[str, Any]], bool]) -> None:
    """Empty the texts of some records of a file; each line keeps its length. Raises OSError."""
    with path.open("r+b") as file:
        place = 0
        for line in file.read().splitlines(keepends=True):
            record = _record(line)
            if record.get("text") and loses_text(record):
                shorter = json.dumps({**record, "text": ""}, ensure_ascii=False, separators=(",", ":")).encode()
                content = line.rstrip(b"\r\n")
                file.seek(place)
                # What another program wrote may be longer than before.
                file.write((shorter if len(shorter) <= len(content) else b"").ljust(len(content)))
            place += len(line)


def _strings(record: dict[str, Any], name: str) -> tuple[str, ...]:
    values = record.get(name)
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def _records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return
    yield from filter(None, map(_record, lines))


def _record(line: bytes) -> dict[str, Any]:
    """The record of a line; empty if it has none."""
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}
