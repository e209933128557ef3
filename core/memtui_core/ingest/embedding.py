"""Vectors for the turns that have none, the newest first: it goes on where it was stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from memtui_core.conversation import conversations
from memtui_core.embed import Embedder, Vector, split
from memtui_core.ingest.identity import hashed
from memtui_core.store import vectors
from memtui_core.store.work import Work

_TURNS = 32
"""Turns whose texts are in memory at once."""
_WRITE_EVERY = 2.0
"""Seconds after which what was made is written, so that a stop loses little work."""
_PENDING = "FROM turns t JOIN sessions s ON s.key = t.session ANTI JOIN chunks c ON c.turn = t.id WHERE NOT s.hidden"


@dataclass(slots=True)
class _Made:
    chunks: list[vectors.ChunkRow] = field(default_factory=list)
    vectors: dict[int, Vector] = field(default_factory=dict)


class Embedding:
    """Makes vectors with one model; a text that was seen before is not embedded again."""

    def __init__(self, work: Work, embedder: Embedder) -> None:
        self._work = work
        self._embedder = embedder
        self.embedded = 0
        """Texts that were given to the model."""
        vectors.prepare(work, embedder.name, embedder.dimension)

    def pending(self) -> int:
        """How many turns wait."""
        return int(self._work.scalar(f"SELECT count(*) {_PENDING}"))

    def run(self, stopped: Callable[[], bool]) -> Iterator[int]:
        """Work until nothing waits or `stopped` says so; yields the number of turns done each time it wrote some."""
        made, done, since = _Made(), 0, time.monotonic()
        while turns := self._next(made):
            for turn, text in turns:
                if stopped():
                    break
                self._embed(turn, text, made, stopped)
                done += 1
                if time.monotonic() - since >= _WRITE_EVERY:
                    yield self._write(made, done)
                    made, done, since = _Made(), 0, time.monotonic()
            if stopped():
                break
        if made.chunks:
            yield self._write(made, done)

    def _write(self, made: _Made, turns: int) -> int:
        vectors.put(self._work, made.chunks, made.vectors)
        return turns

    def _next(self, made: _Made) -> list[tuple[int, str]]:
        """The newest turns that wait, with the text that stands for each."""
        taken = {chunk[0] for chunk in made.chunks}
        rows = self._rows(
            f"SELECT t.id {_PENDING} ORDER BY t.started_at DESC NULLS LAST, t.id LIMIT {_TURNS + len(taken)}"
        )
        waiting = [turn for (turn,) in rows if turn not in taken][:_TURNS]
        texts = conversations(self._rows, waiting)
        return [(turn, texts[turn]) for turn in waiting]

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._work.connection.execute(sql).fetchall()

    def _embed(self, turn: int, text: str, made: _Made, stopped: Callable[[], bool]) -> None:
        pieces = split(text, self._embedder.tokens(text)) if text else []
        hashes = [hashed(piece) for piece in pieces]
        seen = vectors.known(self._work, hashes) | made.vectors.keys()
        fresh: dict[int, Vector] = {}
        for one, piece in zip(hashes, pieces, strict=True):
            if one in seen or one in fresh:
                continue
            if stopped():
                return
            fresh[one] = self._embedder.embed([piece])[0]
            self.embedded += 1
        made.vectors.update(fresh)
        rows = [(turn, seq, one, piece) for seq, (one, piece) in enumerate(zip(hashes, pieces, strict=True))]
        made.chunks += rows or [(turn, 0, None, "")]
