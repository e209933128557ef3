"""Entries that an older fork or a subagent copied from another rollout to its own start.

They belong to the other session, so they are left out if its rollout is there: by the id of their turn, or, without
one, if the other rollout has an entry with the same content. The times cannot be compared: Codex wrote them anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import orjson

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.codex.entries import EVENT, ITEM, RolloutEntry, rollout_entry
from memtui_core.readers.codex.file_names import rollouts_of
from memtui_core.readers.jsonl import LineReader, decode


class Copies:
    """Recognizes the copied entries of a rollout, in file order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._origins: list[str] = []
        self._turns: set[str] = set()
        self._contents: set[bytes] = set()
        self._active = False

    def begin(self, origins: Sequence[str | None]) -> None:
        """Expect copies of these sessions, too."""
        self._origins += [origin for origin in origins if origin]
        self._active = bool(self._origins)

    def contains(self, entry: RolloutEntry, turn: str | None) -> bool:
        """Whether an entry is a copy; `turn` is the id of the current turn. The first turn that is none ends them."""
        if not self._active:
            return False
        self._load()
        named = entry.turn or turn
        if named is not None and self._turns:
            self._active = named in self._turns
            return self._active
        if entry.kind in {ITEM, EVENT, "compacted"}:
            return _content(entry) in self._contents
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
                if entry.kind in {ITEM, EVENT, "turn_context", "compacted"}:
                    if entry.turn is not None:
                        self._turns.add(entry.turn)
                    self._contents.add(_content(entry))


def _content(entry: RolloutEntry) -> bytes:
    try:
        content = orjson.dumps([entry.kind, entry.payload], option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        content = repr(entry.payload).encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=12).digest()
