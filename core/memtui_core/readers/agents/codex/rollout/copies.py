"""Entries that an older fork or a subagent copied from another rollout to its own start.

They belong to the other session, so they are left out if its rollout is there: by the id of their turn, or, without
one, if the other rollout has the same entries in the same order. The times cannot be compared: Codex wrote them anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import orjson

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.codex.file_names import rollouts_of
from memtui_core.readers.agents.codex.rollout.entries import EVENT, ITEM, RolloutEntry, rollout_entry
from memtui_core.readers.formats.jsonl import LineReader, decode

_COPIED: Final = frozenset({ITEM, EVENT, "turn_context", "compacted"})
"""Types of entries that are compared; others may be missing in the copy."""
_LONGEST_GAP: Final = 200
"""The most entries in a row that a copy can leave out."""


class Copies:
    """Recognizes the copied entries of a rollout, in file order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._origins: list[str] = []
        self._turns: set[str] = set()
        self._contents: list[bytes] = []
        """The digests of the entries that can be copied, in file order."""
        self._next = 0
        """The index of the first of them that can follow."""
        self._active = False

    def begin(self, origins: Sequence[str | None]) -> None:
        """Expect copies of these sessions, too."""
        self._origins += [origin for origin in origins if origin]
        self._active = bool(self._origins)

    def contains(self, entry: RolloutEntry) -> bool:
        """Whether an entry is a copy. The first one that is none ends them."""
        if not self._active:
            return False
        self._load()
        if entry.kind not in _COPIED:
            return False
        follows = self._follows(_content(entry))
        self._active = self._active and (follows if entry.turn is None else entry.turn in self._turns)
        return self._active

    def _follows(self, content: bytes) -> bool:
        """Whether an entry is among the next ones of the other rollout."""
        for at in range(self._next, min(self._next + _LONGEST_GAP, len(self._contents))):
            if self._contents[at] == content:
                self._next = at + 1
                return True
        return False

    def _load(self) -> None:
        origins, self._origins = self._origins, []
        for origin in origins:
            for path in rollouts_of(origin, self._path):
                try:
                    self._add(path)
                except SourceUnreadable:
                    # That rollout is reported by its own reading.
                    continue
        if origins:
            self._active = bool(self._turns or self._contents)

    def _add(self, path: Path) -> None:
        for line in LineReader(path):
            for raw in decode(line.raw)[0]:
                entry = rollout_entry(raw)
                if entry.kind in _COPIED:
                    if entry.turn is not None:
                        self._turns.add(entry.turn)
                    self._contents.append(_content(entry))


def _content(entry: RolloutEntry) -> bytes:
    try:
        content = orjson.dumps([entry.kind, entry.payload], option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        content = repr(entry.payload).encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=12).digest()
