"""Make vectors for the turns that have none, the newest first. Can be cancelled and continued."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from memtui_core.ingest.machines.vectors import OtherVectors
from memtui_core.ingest.sources.entries import hashed
from memtui_core.ingest.speed import Speed
from memtui_core.ingest.vectors.backlog import Backlog
from memtui_core.search.embed import Embedder, ranges
from memtui_core.store.conversation_text import conversation_texts
from memtui_core.store.processes import TypingPause
from memtui_core.store.vectors import access
from memtui_core.store.vectors.files import VectorFiles
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system.startup.numeric import Vector

_TURNS = 32
"""The number of turns whose texts are in memory at once."""
_WRITE_EVERY = 5.0
"""Seconds after which new vectors are written, so that cancelling loses little work."""


@dataclass(slots=True)
class _Unwritten:
    """Vectors and chunks that are not written yet, and the number of finished turns among them."""

    chunks: list[access.ChunkRow] = field(default_factory=list)
    vectors: dict[int, Vector] = field(default_factory=dict)
    turns: int = 0
    since: float = field(default_factory=time.monotonic)


class Embedding:
    """Embeds the turns of a backlog with one model; each text once, unless another machine has its vector."""

    def __init__(
        self, work: WorkDatabase, embedder: Embedder, files: VectorFiles, backlog: Backlog, pause: TypingPause
    ) -> None:
        self._work = work
        self.embedder = embedder
        self.files = files
        self._others = OtherVectors(work.data, embedder.name, embedder.dimension)
        self.backlog = backlog
        self._pause = pause
        self.speed = Speed()
        """Characters of conversations per second; texts that had a vector already count too. The time includes reading
        and writing, but not the pauses while the user types."""
        self._measured_at = 0.0
        self.embedded = 0
        """The number of texts that the model has embedded."""
        self._unwritten = _Unwritten()

    def run(self, stopped: Callable[[], bool], excluded: Collection[int] = ()) -> Iterator[int]:
        """Embed until no turns are pending or `stopped` returns True; after each write, yields the turns finished.

        The excluded turns stay pending. The vectors of a turn that was not finished are kept.
        """
        self._unwritten = _Unwritten()
        self._measured_at = time.monotonic()
        while turns := self._next_turns(excluded):
            for turn, text in turns:
                for _ in self._embed_turn(turn, text, stopped):
                    if time.monotonic() - self._unwritten.since >= _WRITE_EVERY:
                        yield self._write()
                if stopped():
                    break
            if stopped():
                break
        if self._unwritten.chunks or self._unwritten.vectors:
            yield self._write()

    def _write(self) -> int:
        unwritten, self._unwritten = self._unwritten, _Unwritten()
        access.put_vectors(self._work, self.files, unwritten.chunks, unwritten.vectors)
        return unwritten.turns

    def _next_turns(self, excluded: Collection[int]) -> list[tuple[int, str]]:
        """The newest pending turns with their conversations."""
        self._others.refresh()
        pending = self.backlog.newest(_TURNS, excluded)
        texts = conversation_texts(self._rows, pending) if pending else {}
        return [(turn, texts[turn]) for turn in pending]

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._work.connection.execute(sql).fetchall()

    def _embed_turn(self, turn: int, text: str, stopped: Callable[[], bool]) -> Iterator[None]:
        """Embed a turn, and yield after each new vector and at the end. If it is cancelled, the turn stays pending."""
        if stopped():
            return
        spans = ranges(text, self.embedder.tokens(text)) if text else []
        hashes = [hashed(text[first:last]) for first, last in spans]
        known = self.files.known(hashes) | self._unwritten.vectors.keys()
        before = 0
        for text_hash, (first, last) in zip(hashes, spans, strict=True):
            if text_hash not in known:
                self._wait_while_typing(stopped)
                if stopped():
                    return
                vector = self._others.find(text_hash)
                if vector is None:
                    vector = self.embedder.embed([text[first:last]])[0]
                    self.embedded += 1
                self._unwritten.vectors[text_hash] = vector
                self._measure(last - before)
                known.add(text_hash)
                self.backlog.advance(turn, last)
                yield
            else:
                self._measure(last - before)
            before = last
        rows = [
            (turn, seq, text_hash, None, *span) for seq, (text_hash, span) in enumerate(zip(hashes, spans, strict=True))
        ]
        self._unwritten.chunks += rows or [(turn, 0, None, None, 0, 0)]
        self._unwritten.turns += 1
        self.backlog.finish(turn, before)
        yield

    def _wait_while_typing(self, stopped: Callable[[], bool]) -> None:
        started = time.monotonic()
        self._pause.wait_while_typing(stopped)
        self._measured_at += time.monotonic() - started

    def _measure(self, characters: int) -> None:
        """Add characters to the speed, which were done in the time since the last call."""
        now = time.monotonic()
        self.speed.add(characters, now - self._measured_at)
        self._measured_at = now
