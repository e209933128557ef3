"""Vectors for the turns that have none, the newest first: it goes on where it was stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from memtui_core.conversation import conversations
from memtui_core.embed import Embedder, Vector, ranges
from memtui_core.ingest.identity import hashed
from memtui_core.store import vectors
from memtui_core.store.tables import among
from memtui_core.store.vector_files import VectorFiles
from memtui_core.store.work import Work

_TURNS = 32
"""Turns whose texts are in memory at once."""
_WRITE_EVERY = 5.0
"""Seconds after which what was made is written, so that a stop loses little work."""
_PENDING = "FROM turns t JOIN sessions s ON s.key = t.session ANTI JOIN chunks c ON c.turn = t.id WHERE NOT s.hidden"


@dataclass(slots=True)
class _Made:
    chunks: list[vectors.ChunkRow] = field(default_factory=list)
    vectors: dict[int, Vector] = field(default_factory=dict)


class Embedding:
    """Makes vectors with one model; a text that was seen before is not embedded again.

    All turns of the store that have none wait at first; `add` says of later ones.
    """

    def __init__(self, work: Work, embedder: Embedder, files: VectorFiles) -> None:
        self._work = work
        self.embedder = embedder
        self.files = files
        self.embedded = 0
        """Texts that were given to the model."""
        oldest_first = f"SELECT t.id {_PENDING} ORDER BY t.started_at NULLS FIRST, t.id DESC"
        self._waiting = dict.fromkeys(turn for (turn,) in self._rows(oldest_first))
        """The turns that wait, the newest last."""

    def add(self, turns: Iterable[int]) -> None:
        """These turns were written, and come next."""
        for turn in turns:
            self._waiting.pop(turn, None)
            self._waiting[turn] = None

    def pending(self, leave: Collection[int] = ()) -> int:
        """How many turns wait, but for some."""
        return len(self._waiting) - sum(turn in self._waiting for turn in leave)

    def run(self, stopped: Callable[[], bool], leave: Collection[int] = ()) -> Iterator[int]:
        """Work until nothing waits or `stopped` says so; yields the number of turns done each time it wrote some.

        The turns to `leave` go on waiting. What was made of a turn that was not finished is kept.
        """
        made, done, since = _Made(), 0, time.monotonic()
        while turns := self._next(leave):
            for turn, text in turns:
                if stopped() or not self._embed(turn, text, made, stopped):
                    break
                del self._waiting[turn]
                done += 1
                if time.monotonic() - since >= _WRITE_EVERY:
                    yield self._write(made, done)
                    made, done, since = _Made(), 0, time.monotonic()
            if stopped():
                break
        if made.chunks or made.vectors:
            yield self._write(made, done)

    def _write(self, made: _Made, turns: int) -> int:
        vectors.put(self._work, self.files, made.chunks, made.vectors)
        return turns

    def _next(self, leave: Collection[int]) -> list[tuple[int, str]]:
        """The newest turns that wait, with the text that stands for each; those that are not there wait no more."""
        while chosen := list(islice((turn for turn in reversed(self._waiting) if turn not in leave), _TURNS)):
            there = {turn for (turn,) in self._rows(f"SELECT t.id {_PENDING} AND {among('t.id', chosen)}")}
            for turn in chosen:
                if turn not in there:
                    del self._waiting[turn]
            waiting = [turn for turn in chosen if turn in there]
            if waiting:
                texts = conversations(self._rows, waiting)
                return [(turn, texts[turn]) for turn in waiting]
        return []

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._work.connection.execute(sql).fetchall()

    def _embed(self, turn: int, text: str, made: _Made, stopped: Callable[[], bool]) -> bool:
        """Make what a turn lacks; False when that was stopped between two pieces."""
        places = ranges(text, self.embedder.tokens(text)) if text else []
        hashes = [hashed(text[first:last]) for first, last in places]
        seen = self.files.known(hashes) | made.vectors.keys()
        for one, (first, last) in zip(hashes, places, strict=True):
            if one in seen or one in made.vectors:
                continue
            if stopped():
                return False
            made.vectors[one] = self.embedder.embed([text[first:last]])[0]
            self.embedded += 1
        rows = [(turn, seq, one, None, *place) for seq, (one, place) in enumerate(zip(hashes, places, strict=True))]
        made.chunks += rows or [(turn, 0, None, None, 0, 0)]
        return True
