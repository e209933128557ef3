"""What an entry is known by: its id and its time, which forks and copies of a transcript keep."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from memtui_core.readers.records import Message

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
