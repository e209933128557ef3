"""Vectors for the turns that have none, the newest first: it goes on where it was stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from memtui_core.embed import Embedder, Vector, ranges
from memtui_core.ingest.backlog import Backlog
from memtui_core.ingest.entry_keys import hashed
from memtui_core.ingest.speed import Speed
from memtui_core.store import vectors
from memtui_core.store.conversation_text import conversation_texts
from memtui_core.store.presence import TypingPause
from memtui_core.store.vector_files import VectorFiles
from memtui_core.store.work_database import WorkDatabase

_TURNS = 32
"""Turns whose texts are in memory at once."""
_WRITE_EVERY = 5.0
"""Seconds after which what was made is written, so that a stop loses little work."""


@dataclass(slots=True)
class _Made:
    chunks: list[vectors.ChunkRow] = field(default_factory=list)
    vectors: dict[int, Vector] = field(default_factory=dict)
    turns: int = 0
    since: float = field(default_factory=time.monotonic)


class Embedding:
    """Makes vectors with one model for the turns of a backlog; a text that was seen before is not embedded again."""

    def __init__(
        self, work: WorkDatabase, embedder: Embedder, files: VectorFiles, backlog: Backlog, pause: TypingPause
    ) -> None:
        self._work = work
        self.embedder = embedder
        self.files = files
        self.backlog = backlog
        self._pause = pause
        self.speed = Speed()
        """Characters a second, waiting for a person not counted."""
        self.embedded = 0
        """Texts that were given to the model."""
        self._made = _Made()

    def run(self, stopped: Callable[[], bool], leave: Collection[int] = ()) -> Iterator[int]:
        """Work until nothing waits or `stopped` says so; yields the number of turns done each time it wrote some.

        The turns to `leave` go on waiting. What was made of a turn that was not finished is kept.
        """
        self._made = _Made()
        while turns := self._next(leave):
            for turn, text in turns:
                for _ in self._pieces(turn, text, stopped):
                    if time.monotonic() - self._made.since >= _WRITE_EVERY:
                        yield self._write()
                if stopped():
                    break
            if stopped():
                break
        if self._made.chunks or self._made.vectors:
            yield self._write()

    def _write(self) -> int:
        made, self._made = self._made, _Made()
        vectors.put_vectors(self._work, self.files, made.chunks, made.vectors)
        return made.turns

    def _next(self, leave: Collection[int]) -> list[tuple[int, str]]:
        """The newest turns that wait, with the text that stands for each."""
        waiting = self.backlog.newest(_TURNS, leave)
        texts = conversation_texts(self._rows, waiting) if waiting else {}
        return [(turn, texts[turn]) for turn in waiting]

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._work.connection.execute(sql).fetchall()

    def _pieces(self, turn: int, text: str, stopped: Callable[[], bool]) -> Iterator[None]:
        """Make what a turn lacks; yields after each piece and at the end. A turn that is not finished waits on."""
        if stopped():
            return
        places = ranges(text, self.embedder.tokens(text)) if text else []
        hashes = [hashed(text[first:last]) for first, last in places]
        seen = self.files.known(hashes) | self._made.vectors.keys()
        before = 0
        for one, (first, last) in zip(hashes, places, strict=True):
            if one not in seen:
                self._pause.wait_while_typing(stopped)
                if stopped():
                    return
                started = time.monotonic()
                self._made.vectors[one] = self.embedder.embed([text[first:last]])[0]
                self.speed.add(last - before, time.monotonic() - started)
                self.embedded += 1
                seen.add(one)
                self.backlog.reach(turn, last)
                yield
            before = last
        rows = [(turn, seq, one, None, *place) for seq, (one, place) in enumerate(zip(hashes, places, strict=True))]
        self._made.chunks += rows or [(turn, 0, None, None, 0, 0)]
        self._made.turns += 1
        self.backlog.finish(turn, before)
        yield
