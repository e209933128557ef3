"""The vectors of the turns: which turns have none yet, with which model they are made, and which are not used."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from memtui_core.ingest.vectors.backlog import Backlog, work_done, work_left
from memtui_core.ingest.vectors.embedding import Embedding
from memtui_core.model import Progress
from memtui_core.search.embed import Embedder
from memtui_core.store.processes import TypingPause
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.vectors.access import open_vectors, prepare_vectors
from memtui_core.store.vectors.files import VectorFiles, write_generation
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system.fault_points import fault_point


class TurnVectors:
    """The vectors of one work database; those of the project that contains `folder` are made first.

    `reported` is the last progress that the previous indexer reported; None if it does not describe this index.
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
        """The work that is done, and all work, while there is no backlog; None until they are counted."""
        # A process that was interrupted may have written more than it reported.
        if reported is not None and reported.finished:
            self._figures = reported.embedded, reported.to_embed
        self._tidied = 0
        """The number of vectors when unused ones were searched for."""

    @property
    def at(self) -> SnapshotVectors | None:
        """The vectors to publish; None if there are none."""
        return self._files.current if self._files else None

    def files_of(self, model: str, dimension: int) -> VectorFiles | None:
        """The files for vectors of a model; None if the index has vectors of another one."""
        if self._files is None:
            self._files = prepare_vectors(self._work, None, model, dimension)
        return self._files if (self._files.model, self._files.dimension) == (model, dimension) else None

    @property
    def has_figures(self) -> bool:
        """Whether `report` has figures."""
        return self._backlog is not None or self._figures is not None

    @property
    def has_uncounted_turns(self) -> bool:
        """Whether turns were written that the figures of `report` do not count."""
        return self.has_figures and bool(self._written)

    def add(self, turns: Iterable[int]) -> None:
        """Add written turns to the backlog, when it is needed."""
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

        A backlog needs memory for each turn. Without one, the turns that were written are added to the last figures, so
        that this takes no longer in a long history. A turn that had vectors counts twice until there is a backlog.
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
        """Whether turns, except the excluded ones, may lack vectors of a model."""
        is_of_model = self._files is not None and self._files.model == embedder.name
        return not is_of_model or self.backlog().pending(excluded) > 0

    def embedding_by(self, embedder: Embedder, pause: TypingPause) -> Embedding:
        """The embedding with a model, which `pause` may stop between two chunks; drops the vectors of other models."""
        if self._embedding is None or self._embedding.embedder is not embedder:
            files = prepare_vectors(self._work, self._files, embedder.name, embedder.dimension)
            if files is not self._files:
                self._files, self._backlog = files, None
            self._embedding = Embedding(self._work, embedder, files, self.backlog(), pause)
        return self._embedding

    def without_unused(self, *, even_few: bool = False) -> VectorFiles | None:
        """New files without the vectors that no chunk uses; None if only a few are unused.

        With `even_few`, None only if all vectors are used.
        """
        if self._files is None or (self._files.count == self._tidied and not even_few):
            return None
        used = self._work.connection.execute("SELECT DISTINCT hash FROM chunks WHERE hash IS NOT NULL").fetchnumpy()
        smaller = self._files.without_unused(used["hash"], at_least=1 if even_few else None)
        self._tidied = (smaller or self._files).count
        return smaller

    def replace(self, files: VectorFiles) -> None:
        """Use these vector files from now on."""
        with self._work.transaction():
            write_generation(self._work.connection, files)
        fault_point("vectors-replaced")
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
        pending = self._backlog.pending()
        return replace(progress, embedded=embedded, to_embed=total, seconds_left=left, turns_left=pending)
