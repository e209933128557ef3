"""Entries and their owners: what copies and forks of a transcript have in common.

An entry is recognized by its id and its time. The owners of all entries in the index take 16 bytes for each entry: a
dictionary of Python would take ten times as much.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from memtui_core.readers.records import Message
from memtui_core.system.startup.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


MOST_RECENT = 50_000
"""The most entries in the dictionary; then they are moved to a sorted array."""
_SESSION_BITS: Final = 32
SELECT: Final = (
    "SELECT DISTINCT xor(b.entry, coalesce(epoch_us(b.at_time), 0)) AS entry,"
    f" (t.source::BIGINT << {_SESSION_BITS}) | t.session AS owner"
    " FROM blocks b JOIN turns t ON t.id = b.turn WHERE b.entry IS NOT NULL"
)
"""The query for the entries of an index, with their owners, as `KnownEntries` takes them."""


class KnownEntries:
    """The owner of each entry: the one that was added last. `len` counts an entry each time it was added.

    `entries` and `owners` are those of the index, see `SELECT`: the hash of an entry mixed with its time, and its
    source and session in one number; without them the index is empty.
    """

    def __init__(self, entries: NDArray[np.int64] | None = None, owners: NDArray[np.int64] | None = None) -> None:
        self._parts = [] if entries is None or owners is None else [_sorted(entries, owners)]
        """Sorted entries with their owners, in arrays at least twice as long as the next one, which is newer."""
        self._recent: dict[int, int] = {}
        self._uncertain: set[int] = set()

    def __len__(self) -> int:
        return sum(len(entries) for entries, _ in self._parts) + len(self._recent)

    def add(self, keys: Iterable[EntryKey], owner: Owner) -> None:
        """Add entries that belong to an owner from now on."""
        packed = owner.source << _SESSION_BITS | owner.session
        self._recent.update((entry ^ at, packed) for entry, at in keys)
        if len(self._recent) >= MOST_RECENT:
            count = len(self._recent)
            part = np.fromiter(self._recent, np.int64, count), np.fromiter(self._recent.values(), np.int64, count)
            while self._parts and len(self._parts[-1][0]) < 2 * len(part[0]):
                older = self._parts.pop()
                part = np.concatenate((older[0], part[0])), np.concatenate((older[1], part[1]))
            self._parts.append(_sorted(*part))
            self._recent = {}

    def mark_uncertain(self, source: int) -> None:
        """Record that a source may have lost some of its entries."""
        self._uncertain.add(source)

    def is_certain(self, owner: Owner) -> bool:
        """Whether an owner has lost none of its entries."""
        return owner.source not in self._uncertain

    def owners(self, keys: Iterable[EntryKey]) -> dict[EntryKey, Owner]:
        """The owners of entries, without entries that were never added."""
        mixed = {key: key[0] ^ key[1] for key in keys}
        recent, known = self._recent, self._in_parts(mixed.values()) if self._parts else {}
        made: dict[int, Owner] = {}
        result: dict[EntryKey, Owner] = {}
        for key, entry in mixed.items():
            packed = recent.get(entry, known.get(entry))
            if packed is not None:
                if packed not in made:
                    made[packed] = Owner(packed >> _SESSION_BITS, packed & (1 << _SESSION_BITS) - 1)
                result[key] = made[packed]
        return result

    def _in_parts(self, mixed: Collection[int]) -> dict[int, int]:
        """The owners of entries, without those that are not in the sorted arrays."""
        queried = np.fromiter(mixed, np.int64, len(mixed))
        known: dict[int, int] = {}
        for entries, owners in self._parts:
            if len(entries):
                places = np.minimum(np.searchsorted(entries, queried), len(entries) - 1)
                found = entries[places] == queried
                known.update(zip(queried[found].tolist(), owners[places[found]].tolist(), strict=True))
        return known


def _sorted(entries: NDArray[Any], owners: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Entries in order with their owners; of a repeated entry only the last one."""
    order = np.argsort(entries, kind="stable")
    entries, owners = entries[order], owners[order]
    is_last = np.append(entries[1:] != entries[:-1], True)[: len(entries)]
    return entries[is_last], owners[is_last]
