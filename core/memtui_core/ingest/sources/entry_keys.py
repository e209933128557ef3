"""The keys by which an entry is recognized in all copies and forks of a transcript: its id and its time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from memtui_core.readers.records import Message

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EntryKey = tuple[int, int]
"""The hash of the uuid, and the time in microseconds, 0 if there is none."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The source to which an entry belongs, and its session."""

    source: int
    session: int


def hashed(text: str) -> int:
    """A signed 64-bit hash."""
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little", signed=True
    )


def microseconds(at: datetime | None) -> int | None:
    """A time as microseconds since 1970; None for None."""
    if at is None:
        return None
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


_hashed_id = lru_cache(maxsize=4096)(hashed)
"""Keeps hashes, because the key of an entry is needed when it is read and when its turn is complete."""


def entry_key(message: Message) -> EntryKey | None:
    """The key of an entry; None if it has no uuid."""
    return None if message.uuid is None else (_hashed_id(message.uuid), microseconds(message.at) or 0)
