"""The vectors of the turns: the backlog of turns without vectors, the model that embeds them, and unused vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from memtui_core.embed import Embedder
from memtui_core.ingest.backlog import Backlog, work_done, work_left
from memtui_core.ingest.embedding import Embedding
from memtui_core.model import Progress
from memtui_core.store.manifest import SnapshotVectors
from memtui_core.store.presence import TypingPause
from memtui_core.store.vector_files import VectorFiles, write_generation
from memtui_core.store.vectors import open_vectors, prepare_vectors
from memtui_core.store.work_database import WorkDatabase


class TurnVectors:
    """The vectors of one work database; those of the project that contains `folder` are made first.

    `reported` is the progress that the process before has reported last; None if that does not hold for the index.
    """

    def __init__(
        self,
        work: WorkDatabase,
        published: SnapshotVectors | None,
        folder: str = "",
        reported: Progress | None = None,
    ) -> None:
        self._work = work
        self._folder = folder
        self._files = open_vectors(work, published)
        self._embedding: Embedding | None = None
        self._backlog: Backlog | None = None
        self._written: list[int] = []
        """Turns that are not in the backlog yet."""
        self._figures: tuple[int, int] | None = None
        """The work that is done and all work while there is no backlog; None until they are counted."""
        # What an interrupted process reported last need not be all that it wrote.
        if reported is not None and reported.finished:
            self._figures = reported.embedded, reported.to_embed
        self._tidied = 0
        """The number of vectors when unused ones were searched for."""

    @property
    def at(self) -> SnapshotVectors | None:
        """The vectors to publish; None if there are none."""
        return self._files.current if self._files else None

    @property
    def counted(self) -> bool:
        """Whether `report` has figures."""
        return self._backlog is not None or self._figures is not None

    @property
    def uncounted(self) -> bool:
        """Whether turns were written that the figures of `report` do not count."""
        return self.counted and bool(self._written)

    def add(self, turns: Iterable[int]) -> None:
        """Add turns that were written to the backlog."""
        self._written += turns

    def backlog(self) -> Backlog:
        """The current backlog of turns without vectors."""
        if self._backlog is None:
            self._backlog = Backlog(self._work, self._folder)
        else:
            self._backlog.add(self._written)
        self._written.clear()
        return self._backlog

    def count(self) -> None:
        """Bring the figures of `report` up to date.

        Without a backlog, which takes memory for each turn, the turns that were written are added to what was reported
        last, so that this costs no more in a long history; a turn that had vectors counts twice until there is a
        backlog.
        """
        if self._backlog is not None:
            self.backlog()
        elif self._figures is None:
            done = work_done(self._work)
            self._figures = done, done + work_left(self._work)
        elif self._written:
            done, total = self._figures
            self._figures = done, total + work_left(self._work, self._written)
        self._written.clear()

    def has_pending(self, embedder: Embedder, excluded: Collection[int]) -> bool:
        """Whether turns except the excluded ones may have no vectors of a model."""
        is_of_model = self._files is not None and self._files.model == embedder.name
        return not is_of_model or self.backlog().pending(excluded) > 0

    def embedding_by(self, embedder: Embedder, pause: TypingPause) -> Embedding:
        """The embedding with a model, which pauses between two chunks; vectors of another model are dropped."""
        if self._embedding is None or self._embedding.embedder is not embedder:
            files = prepare_vectors(self._work, self._files, embedder.name, embedder.dimension)
            if files is not self._files:
                self._files, self._backlog = files, None
            self._embedding = Embedding(self._work, embedder, files, self.backlog(), pause)
        return self._embedding

    def without_unused(self, *, all_of_them: bool = False) -> VectorFiles | None:
        """New files without the vectors that no chunk uses; None if only a few are unused.

        With `all_of_them`, None only if all vectors are used.
        """
        if self._files is None or (self._files.count == self._tidied and not all_of_them):
            return None
        used = self._work.connection.execute("SELECT DISTINCT hash FROM chunks WHERE hash IS NOT NULL").fetchnumpy()
        smaller = self._files.without_unused(used["hash"], at_least=1 if all_of_them else None)
        self._tidied = (smaller or self._files).count
        return smaller

    def replace(self, files: VectorFiles) -> None:
        """Use other vector files from now on."""
        with self._work.transaction():
            write_generation(self._work.connection, files)
        self._files, self._embedding = files, None

    def report(self, progress: Progress) -> Progress:
        """Progress with the state of the embedding."""
        if self._backlog is None:
            embedded, total = self._figures or (0, 0)
            return replace(progress, embedded=embedded, to_embed=total)
        embedded, total = self._backlog.embedded, self._backlog.total
        left = (
            self._embedding.speed.seconds_left(total - embedded)
            if self._embedding is not None
            else progress.seconds_left
        )
        return replace(progress, embedded=embedded, to_embed=total, seconds_left=left)
