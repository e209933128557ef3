"""Entries that stand in several files count once.

An entry is known by its uuid and time: forks and copies keep both. Which file owns the entries that two share does not
depend on the order of reading: of copies of one session the one that holds more, of a session and its fork the one
whose own entries begin earlier.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui_core.readers.records import Message
from memtui_core.store.rows import arrow_table
from memtui_core.store.tables import BIG
from memtui_core.store.work import Work

EntryKey = tuple[int, int]
"""Hash of the uuid; time in microseconds, 0 for none."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A source that already holds an entry."""

    source: int
    session: int


def hashed(text: str) -> int:
    """A signed 64-bit hash."""
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little", signed=True
    )


def microseconds(at: datetime | None) -> int | None:
    """Microseconds since 1970, None for no time."""
    return None if at is None else round(at.timestamp() * 1_000_000)


def entry_key(message: Message) -> EntryKey | None:
    """What an entry is known by; None for one without a uuid."""
    return None if message.uuid is None else (hashed(message.uuid), microseconds(message.at) or 0)


def owners(work: Work, keys: Sequence[EntryKey], source: int) -> dict[EntryKey, Owner]:
    """Those of the entries that other sources hold in the store."""
    times = [at for _, at in keys]
    # With both ends of the time only the parts of the table that were written about then are read.
    bounds = (
        f"b.at_time BETWEEN make_timestamp({min(times)}) AND make_timestamp({max(times)})" if all(times) else "TRUE"
    )
    work.connection.register("wanted", arrow_table({"entry": BIG, "moment": BIG}, keys))
    try:
        rows = work.connection.execute(
            "SELECT DISTINCT b.entry, coalesce(epoch_us(b.at_time), 0), t.source, t.session"
            " FROM blocks b JOIN wanted w ON b.entry = w.entry AND coalesce(epoch_us(b.at_time), 0) = w.moment"
            f" JOIN turns t ON t.id = b.turn WHERE t.source <> ? AND {bounds}",
            [source],
        ).fetchall()
    finally:
        work.connection.unregister("wanted")
    return {(entry, at): Owner(owner, session) for entry, at, owner, session in sorted(rows)}


def held_by(work: Work, source: int) -> set[EntryKey]:
    """All entries that a source holds."""
    rows = work.connection.execute(
        "SELECT DISTINCT b.entry, coalesce(epoch_us(b.at_time), 0) FROM blocks b JOIN turns t ON t.id = b.turn"
        " WHERE t.source = ? AND b.entry IS NOT NULL",
        [source],
    ).fetchall()
    return {(entry, at) for entry, at in rows}


@dataclass(frozen=True, slots=True)
class Claim:
    """What a source brings forward for the entries that it shares with another."""

    session_id: str
    path: str
    entries: set[EntryKey]


def newcomer_owns(new: Claim, held: Claim) -> bool:
    """Whether the entries shared by a new source and one that was read before belong to the new one."""
    if new.session_id == held.session_id:
        return (-len(new.entries), new.path) < (-len(held.entries), held.path)
    return _rank(new, held) < _rank(held, new)


def _rank(claim: Claim, other: Claim) -> tuple[int, str]:
    """The source whose own entries begin first comes first."""
    return min((at for _, at in claim.entries - other.entries), default=0), claim.session_id
