"""The vectors of the turns: which turns wait for theirs, what makes them, and those that nothing uses any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from memtui_core.embed import Embedder
from memtui_core.ingest.backlog import Backlog
from memtui_core.ingest.embedding import Embedding
from memtui_core.model import Progress
from memtui_core.store.manifest import VectorsAt
from memtui_core.store.presence import TypingPause
from memtui_core.store.vector_files import VectorFiles, note_generation
from memtui_core.store.vectors import open_vectors, prepare
from memtui_core.store.work import Work


class TurnVectors:
    """The vectors of one work database; `pause` is what they wait for between two pieces."""

    def __init__(self, work: Work, published: VectorsAt | None, pause: TypingPause) -> None:
        self._work = work
        self._pause = pause
        self._files = open_vectors(work, published)
        self._embedding: Embedding | None = None
        self._backlog: Backlog | None = None
        self._written: list[int] = []
        """Turns that the backlog does not know of yet."""
        self._tidied = 0
        """How many vectors there were when unused ones were looked for."""

    @property
    def at(self) -> VectorsAt | None:
        """Where they lie; None when there are none."""
        return self._files.at if self._files else None

    @property
    def counted(self) -> bool:
        """Whether it is known how many turns wait."""
        return self._backlog is not None

    @property
    def uncounted(self) -> bool:
        """Whether turns were written since they were counted."""
        return self._backlog is not None and bool(self._written)

    def add(self, turns: Iterable[int]) -> None:
        """These turns were written, and need vectors."""
        self._written += turns

    def backlog(self) -> Backlog:
        """The turns that wait for vectors, those written since included."""
        if self._backlog is None:
            self._backlog = Backlog(self._work)
        else:
            self._backlog.add(self._written)
        self._written.clear()
        return self._backlog

    def waiting(self, leave: Collection[int]) -> bool:
        """Whether turns wait, other than some; True before vectors were made for the first time."""
        return self._embedding is None or self.backlog().pending(leave) > 0

    def embedding_by(self, embedder: Embedder) -> Embedding:
        """What makes vectors with a model; those of another model are dropped."""
        if self._embedding is None or self._embedding.embedder is not embedder:
            files = prepare(self._work, self._files, embedder.name, embedder.dimension)
            if files is not self._files:
                self._files, self._backlog = files, None
            self._embedding = Embedding(self._work, embedder, files, self.backlog(), self._pause)
        return self._embedding

    def without_unused(self) -> VectorFiles | None:
        """New files without the vectors of texts that stand nowhere any more; None when these are few."""
        if self._files is None or self._files.count == self._tidied:
            return None
        used = self._work.connection.execute("SELECT DISTINCT hash FROM chunks WHERE hash IS NOT NULL").fetchall()
        smaller = self._files.without_unused(one for (one,) in used)
        self._tidied = (smaller or self._files).count
        return smaller

    def replace(self, files: VectorFiles) -> None:
        """Let other files take the place of those held."""
        with self._work.transaction():
            note_generation(self._work.connection, files)
        self._files, self._embedding = files, None

    def report(self, progress: Progress) -> Progress:
        """Progress with how much of the work on all turns is done."""
        if self._backlog is None:
            return progress
        embedded, total = self._backlog.embedded, self._backlog.total
        left = self._embedding.speed.left(total - embedded) if self._embedding is not None else progress.seconds_left
        return replace(progress, embedded=embedded, to_embed=total, seconds_left=left)
