"""The log of what was forgotten: which sessions, when, and how far forgetting, undoing and purging have come.

One file of JSON lines, which only grows. It has no text and no title: of a session its agent, its id and that of its
parent, and the hashes of its entries, by which a fork or a copy with another id is recognized. Each step is written
before it is done and again when it is done, so that whoever has the lock of the indexer can finish what a process that
died has left.
"""

from __future__ import annotations

import secrets
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import orjson

from memtui_core.store.data_folder import DataDir
from memtui_core.system.line_log import LineLog, LogCursor

_ENTRY_BYTES: Final = 16
"""Of an entry: the hash of its id, and its time in microseconds, 8 bytes each."""


class SessionIdentity(NamedTuple):
    """What tells a session from all others, on every machine."""

    agent: str
    session_id: str
    parent_id: str | None = None
    """The id of the session that started it."""


class Tombstone(NamedTuple):
    """A forgotten session."""

    session: SessionIdentity
    entries: bytes = b""
    """Its entries, as `packed_entries` makes them."""


@dataclass(slots=True)
class Forget:
    """Sessions that were forgotten together."""

    id: str
    at: float
    """Seconds since 1970."""
    tombstones: tuple[Tombstone, ...]
    keeps_away: bool
    """Whether the sessions stay away; False if only the settings keep them away."""
    is_partial: bool = False
    """Whether only a part of each session was dropped: nothing stays away, and nothing can be brought back."""
    is_removed: bool = False
    """Whether they are gone from all files of the index."""
    lifted: set[SessionIdentity] = field(default_factory=set)
    """The sessions that were brought back, or are to be."""
    is_restoring: bool = False
    """Whether some of these may not be in the index again."""
    is_purging: bool = False
    """Whether nothing can be brought back any more."""
    is_purged: bool = False
    """Whether what could be brought back is gone from the disk."""

    @property
    def waiting(self) -> tuple[SessionIdentity, ...]:
        """The sessions that can be brought back."""
        if self.is_purging or self.is_partial:
            return ()
        return tuple(one.session for one in self.tombstones if one.session not in self.lifted)


class Tombstones:
    """The sessions that must not come back, and their entries."""

    def __init__(self, tombstones: Iterable[Tombstone] = ()) -> None:
        self._sessions: set[SessionIdentity] = set()
        self._ids: set[tuple[str, str]] = set()
        self._entries: set[tuple[int, int]] = set()
        for session, entries in tombstones:
            self._sessions.add(session)
            self._ids.add((session.agent, session.session_id))
            self._entries.update(_unpacked(entries))
        self._leaves = {entry for entry, _ in self._entries}

    def __bool__(self) -> bool:
        return bool(self._sessions)

    @property
    def ids(self) -> Collection[tuple[str, str]]:
        """Agent and id of each session."""
        return self._ids

    def forgets(self, agent: str, session_id: str, parent_id: str | None) -> bool:
        """Whether a session was forgotten, or the one that started it."""
        if not self._sessions:
            return False
        own = SessionIdentity(agent, session_id, parent_id)
        return own in self._sessions or (parent_id is not None and (agent, parent_id) in self._ids)

    def entries_among(self, keys: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
        """Those of some entries that belong to forgotten sessions; an entry is the hash of its id and its time."""
        return self._entries.intersection(keys) if self._entries else set()

    def has_entry(self, entry: int) -> bool:
        """Whether an entry belongs to a forgotten session, by the hash of its id alone."""
        return entry in self._leaves


class ForgetLog:
    """The log of a data folder; its methods raise MemtuiError if the file cannot be read or written."""

    def __init__(self, data: DataDir) -> None:
        self._log = LineLog(data.forget_log)
        self._cursor = LogCursor()
        self._forgets: dict[str, Forget] = {}
        self._tombstones: Tombstones | None = None

    def forgets(self) -> dict[str, Forget]:
        """What was forgotten and how far that has come, by its id, the oldest first."""
        new = self._log.read(self._cursor)
        if new is not None:
            if new.restarted:
                self._forgets.clear()
            for line in new.lines:
                self._apply(line.text)
            self._cursor, self._tombstones = new.cursor, None
        return self._forgets

    def tombstones(self) -> Tombstones:
        """The sessions that must not come back."""
        forgets = self.forgets()
        if self._tombstones is None:
            kept = [one for one in forgets.values() if one.keeps_away]
            self._tombstones = Tombstones(
                tombstone for one in kept for tombstone in one.tombstones if tombstone.session not in one.lifted
            )
        return self._tombstones

    def new_id(self) -> str:
        """An id that nothing in the log has."""
        known = self.forgets()
        return next(one for one in _ids() if one not in known)

    def forget(self, name: str, tombstones: Sequence[Tombstone], at: float, *, keeps_away: bool = True) -> None:
        """Record that sessions are forgotten from now on."""
        rows = [[*session, b64encode(entries).decode()] for session, entries in tombstones]
        self._append({"kind": "forget", "id": name, "at": at, "keeps_away": keeps_away, "sessions": rows})

    def shrink(self, name: str, sessions: Collection[SessionIdentity], at: float) -> None:
        """Record that a part of sessions is dropped."""
        rows = [[*session, ""] for session in sessions]
        self._append({"kind": "shrink", "id": name, "at": at, "keeps_away": False, "sessions": rows})

    def removed(self, name: str) -> None:
        """Record that they are gone from the files of the index."""
        self._append({"kind": "removed", "id": name})

    def undo(self, name: str, sessions: Collection[SessionIdentity]) -> None:
        """Record that some of them are to be brought back."""
        self._append({"kind": "undo", "id": name, "sessions": sorted(map(list, sessions), key=str)})

    def restored(self, name: str) -> None:
        """Record that these are in the index again."""
        self._append({"kind": "restored", "id": name})

    def purge(self, name: str) -> None:
        """Record that the others cannot be brought back any more."""
        self._append({"kind": "purge", "id": name})

    def purged(self, name: str) -> None:
        """Record that nothing of them is on the disk any more."""
        self._append({"kind": "purged", "id": name})

    def _append(self, record: Mapping[str, Any]) -> None:
        with self._log.locked():
            self._log.append(orjson.dumps(record))

    def _apply(self, line: bytes) -> None:
        """Apply a line; one that is damaged costs itself."""
        try:
            record = orjson.loads(line)
            kind, name = record["kind"], record["id"]
            if kind in ("forget", "shrink"):
                tombstones = tuple(
                    Tombstone(SessionIdentity(agent, own, parent), b64decode(entries))
                    for agent, own, parent, entries in record["sessions"]
                )
                self._forgets[name] = Forget(
                    name, float(record["at"]), tombstones, bool(record["keeps_away"]), is_partial=kind == "shrink"
                )
                return
            forget = self._forgets[name]
            if kind == "removed":
                forget.is_removed = True
            elif kind == "undo":
                forget.lifted |= {SessionIdentity(*session) for session in record["sessions"]}
                forget.is_restoring = True
            elif kind == "restored":
                forget.is_restoring = False
            elif kind in ("purge", "purged"):
                forget.is_purging = True
                forget.is_purged = kind == "purged"
        except (ValueError, KeyError, TypeError):
            return


def packed_entries(entries: Iterable[tuple[int, int]]) -> bytes:
    """Entries for the log: the hash of the id and the time in microseconds of each."""
    return b"".join(
        entry.to_bytes(8, "little", signed=True) + at.to_bytes(8, "little", signed=True) for entry, at in entries
    )


def _unpacked(entries: bytes) -> Iterator[tuple[int, int]]:
    for first in range(0, len(entries) - len(entries) % _ENTRY_BYTES, _ENTRY_BYTES):
        entry, at = entries[first : first + 8], entries[first + 8 : first + _ENTRY_BYTES]
        yield int.from_bytes(entry, "little", signed=True), int.from_bytes(at, "little", signed=True)


def _ids() -> Iterator[str]:
    while True:
        yield secrets.token_hex(3)
