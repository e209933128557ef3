"""The hashes of all entries in the index, in 8 bytes each: a set of Python would take ten times as much."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_RECENT = 50_000
"""Hashes that are kept in a set until they are sorted."""


class KnownEntries:
    """A set of signed 64-bit hashes to which hashes are only added; `len` counts a repeated one each time."""

    def __init__(self, hashes: NDArray[np.int64]) -> None:
        self._parts = [np.sort(hashes)]
        """Sorted hashes, each part at least twice as long as the next one."""
        self._recent: set[int] = set()

    def __len__(self) -> int:
        return sum(map(len, self._parts)) + len(self._recent)

    def add(self, entry: int) -> None:
        """Add a hash."""
        self._recent.add(entry)
        if len(self._recent) >= MOST_RECENT:
            part = np.fromiter(self._recent, np.int64, len(self._recent))
            while self._parts and len(self._parts[-1]) < 2 * len(part):
                part = np.concatenate((self._parts.pop(), part))
            part.sort()
            self._parts.append(part)
            self._recent = set()

    def among(self, entries: Iterable[int]) -> set[int]:
        """Those of some hashes that were added."""
        queried = set(entries)
        known = queried & self._recent
        hashes = np.fromiter(queried, np.int64, len(queried))
        for part in self._parts:
            if len(part):
                places = np.minimum(np.searchsorted(part, hashes), len(part) - 1)
                known.update(hashes[part[places] == hashes].tolist())
        return known
