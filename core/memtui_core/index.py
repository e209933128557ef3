"""The index as every process but the indexer sees it: the newest snapshot and the lexicon beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.embed import Embedder, Vector, open_model
from memtui_core.errors import ModelUnavailable
from memtui_core.lexicon import Lexicon
from memtui_core.memory import recall
from memtui_core.memory.recall import EVERYBODY, Asker, Memory
from memtui_core.model import (
    Block,
    Compaction,
    FileTouch,
    PrLink,
    Project,
    SearchResult,
    Session,
    Stats,
    Turn,
)
from memtui_core.queries import lists, transcripts
from memtui_core.queries.current_project import Here, project_at
from memtui_core.queries.rows import CompactionRow, FileRow, PrRow, SourceRow
from memtui_core.queries.statistics import Statistics, statistics
from memtui_core.search import path_search
from memtui_core.search.completion import Values, values_of
from memtui_core.search.path_search import FilesFound, FilesMeant, TouchesFound
from memtui_core.search.run import ENGINES, Early, search
from memtui_core.search.vector_coverage import MeaningGap, asks_for_meaning, missing_vectors
from memtui_core.search.vector_search import model_of
from memtui_core.store.files import DataDir
from memtui_core.store.manifest import read_manifest
from memtui_core.store.presence import Presence
from memtui_core.store.reader import Snapshot
from memtui_core.store.storage import Storage, storage_of

if TYPE_CHECKING:
    from memtui_core.compaction import Review
    from memtui_core.file_history import Known
    from memtui_core.handoff import Handoff, HandoffOptions
    from memtui_core.search.vector_matrix import HeldVectors

_QUERIES = 64
"""Queries whose vectors are kept: a query is searched again with each new snapshot and each wish for more hits."""


class Index:
    """Reads only and never waits for the indexer; every thread may call it.

    `refresh` takes a newer snapshot; a query that is running finishes on the old one.
    """

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._presence = Presence(data)
        self._presence.touch()
        self._snapshot = Snapshot(data)
        self._lexicon = Lexicon(data.lexicon)
        self._model = model_of(self._snapshot)
        self._embedder: Embedder | None = None
        self._unavailable = ""
        """Why the model could not be loaded."""
        self._held: HeldVectors | None = None
        self._vector = lru_cache(_QUERIES)(self._embed)

    @classmethod
    def open(cls, data_dir: Path) -> Index:
        """Open the index of a data folder. Raises IndexMissing, IndexBroken or IndexTooNew."""
        return cls(DataDir(data_dir))

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot that answers now, for what is asked of it together with other sources."""
        return self._snapshot

    def refresh(self) -> bool:
        """Take the newest snapshot; True when it is another one than before."""
        self._presence.touch()
        manifest = read_manifest(self._data)
        if manifest is not None and manifest.batch == self._snapshot.number:
            return False
        self._snapshot = Snapshot(self._data)
        self._model = model_of(self._snapshot)
        self._lexicon.refresh()
        return True

    def stats(self) -> Stats:
        """The size of the index."""
        return transcripts.stats(self._snapshot)

    def projects(self) -> list[Project]:
        """All projects, the one last worked in first."""
        return transcripts.projects(self._snapshot)

    def sessions(self, project: Project | None = None) -> list[Session]:
        """The sessions that no other session started, of one project or of all, newest first."""
        return transcripts.sessions(self._snapshot, project)

    def children(self, session: int) -> list[Session]:
        """The subagents of a session in the order in which they began."""
        return transcripts.children(self._snapshot, session)

    def compactions(self, session: int) -> list[Compaction]:
        """The compactions of a session in order."""
        return transcripts.compactions(self._snapshot, session)

    def session(self, key: int) -> Session:
        """One session by its key. Raises SessionUnknown."""
        return transcripts.session(self._snapshot, key)

    def find_session(self, session_id: str) -> Session:
        """One session by its id or the beginning of it. Raises SessionUnknown."""
        return transcripts.find_session(self._snapshot, session_id)

    def turns(self, session: int) -> list[Turn]:
        """The heads of a session's turns."""
        return transcripts.turns(self._snapshot, session)

    def blocks(self, session: int, first: int, last: int) -> dict[int, tuple[Block, ...]]:
        """The blocks of a range of turns by their number, both ends included."""
        return transcripts.blocks(self._snapshot, session, first, last)

    def whole_turn(self, session: int, number: int) -> Turn | None:
        """One turn with its blocks; None when the session has no such turn."""
        blocks = self.blocks(session, number, number)
        heads = [turn for turn in self.turns(session) if turn.number == number]
        return replace(heads[0], blocks=blocks[number]) if heads else None

    def touches(self, session: int, turn: int) -> list[FileTouch]:
        """The files that one turn edited, read or mentioned."""
        return transcripts.touches(self._snapshot, session, turn)

    def files(self, pattern: str = "") -> list[FileRow]:
        """Files over all sessions, the last touched first."""
        return self.find_files(pattern).rows

    def find_files(self, pattern: str) -> FilesFound:
        """The same, and what a person is told when no file is called so."""
        return path_search.files(self._snapshot, pattern)

    def file_touches(self, pattern: str, root: str | None = None) -> TouchesFound:
        """The turns that touched the files of a pattern, edits first; of one project or of all."""
        return path_search.file_touches(self._snapshot, pattern, root)

    def files_meant(self, path: str, here: Here | None, *, mistyped: bool = False) -> FilesMeant:
        """The files that stand for a path in a project, or in all; see `path_search.files_meant`."""
        return path_search.files_of_project(self._snapshot, path, here.root if here else None, mistyped=mistyped)

    def timeline(self, file: FileRow) -> list[FileTouch]:
        """The turns that touched one file, the newest first."""
        return lists.timeline(self._snapshot, file)

    def known_at(self, session: int, path: str, turn: int) -> Known:
        """What a session knew of a file at the end of one of its turns. Raises SessionUnknown."""
        from memtui_core.file_history import known_at

        return known_at(self._snapshot, session, path, turn)

    def handoff(
        self, session: int, first: int | None = None, last: int | None = None, options: HandoffOptions | None = None
    ) -> Handoff:
        """What a session did in some of its turns, for another agent to go on from. Raises SessionUnknown."""
        from memtui_core.handoff import HandoffOptions, handoff

        return handoff(self._snapshot, session, first=first, last=last, options=options or HandoffOptions())

    def file_handoff(self, path: str, root: str | None = None, options: HandoffOptions | None = None) -> Handoff:
        """What became of a file over all sessions. Raises MemtuiError for no such file, and for several."""
        from memtui_core.handoff import HandoffOptions, file_handoff

        return file_handoff(self._snapshot, path, root=root, options=options or HandoffOptions())

    def review(self, session: int, turn: int) -> Review:
        """What the compaction whose summary is a turn kept and lost. Raises CompactionUnknown."""
        from memtui_core.compaction import review

        return review(self._snapshot, session, turn)

    def reviews(self, session: int | None = None) -> Iterator[Review]:
        """The reviews of a session's compactions in order, or of all, the newest first; each made when asked for."""
        from memtui_core.compaction import reviews

        return reviews(self._snapshot, session)

    def all_compactions(self, pattern: str = "") -> list[CompactionRow]:
        """The compactions of all sessions, the newest first; with a pattern those that have its words."""
        return lists.compactions(self._snapshot, pattern)

    def pull_requests(self) -> list[PrRow]:
        """Every pull request with its sessions, the one last worked on first."""
        return lists.pull_requests(self._snapshot)

    def statistics(self, root: str | None = None, days: int | None = None, now: datetime | None = None) -> Statistics:
        """How much was done in one project or in all, on the last days before `now` or ever."""
        return statistics(self._snapshot, root, days, now=now)

    def prs(self, number: int | None = None, session: int | None = None) -> list[PrLink]:
        """Pull requests and their sessions: all, those of one number, or those of one session by number."""
        return transcripts.pr_links(self._snapshot, number, session)

    def filter_values(self) -> Values:
        """What the filters of a query may be completed with."""
        return values_of(self._snapshot)

    def sources(self) -> list[SourceRow]:
        """What became of every file."""
        return transcripts.sources(self._snapshot)

    def storage(self) -> Storage:
        """What the snapshot is made of on disk."""
        return storage_of(self._data, self._snapshot.manifest)

    @property
    def by_meaning(self) -> bool:
        """Whether searches go by meaning: the model of the vectors is loaded."""
        return self._embedder is not None and self._embedder.name == self._model

    def load_model(self, threads: int = 1) -> bool:
        """Load the model that the vectors were made with, so that searches go by meaning too; blocks for a while.

        False when there are no vectors. Raises ModelUnavailable.
        """
        if self._model is not None and (self._embedder is None or self._embedder.name != self._model):
            try:
                self._embedder = open_model(self._model, threads)
            except ModelUnavailable as error:
                self._unavailable = str(error)
                raise
            self._unavailable = ""
            self._vector.cache_clear()
        return self._model is not None

    def meaning_gap(self, text: str | None = None) -> MeaningGap | None:
        """What is not found by meaning; None when all is, and for a query that says what must stand there.

        A model that was not asked for is no gap.
        """
        if text is not None and not asks_for_meaning(text):
            return None
        if self._unavailable and not self.by_meaning:
            return MeaningGap(self._unavailable.rstrip("."))
        return missing_vectors(self._snapshot)

    def hold_vectors(self) -> None:
        """Keep all vectors in memory from now on, and take in those of a newer snapshot; for who searches much."""
        from memtui_core.search.vector_matrix import hold

        if self._model is not None:
            self._held = hold(self._snapshot, self._model, self._held)

    def search(
        self,
        text: str,
        limit: int = 50,
        *,
        live: bool = False,
        engines: Collection[str] = ENGINES,
        here: str = "",
        early: Early | None = None,
        still: Callable[[], object] = lambda: None,
    ) -> SearchResult:
        """The turns that answer a query; `live` takes its last word for the beginning of one. Never raises.

        What was done in the project of the folder `here` stands a little before the rest. `early` is called before
        turns are looked for by their meaning, and may ask for what words and paths found; `still` before each step, and
        may raise to give the search up.

        It goes by meaning once `load_model` was called, and only while the model is that of the vectors.
        """
        embed = self._vector if self.by_meaning else None
        matrix = self._held.matrix if self._held and self._held.model == self._model else None
        return search(
            self._snapshot, self._lexicon, text, limit, live=live, embed=embed, matrix=matrix, engines=engines,
            here=here, early=early, still=still,
        )  # fmt: skip

    def recall(
        self, prompt: str, limit: int = 5, asker: Asker = EVERYBODY, files: Sequence[str] | None = None
    ) -> list[Memory]:
        """Earlier turns that are near to an agent's prompt or touched its files; see `recall.search_context`."""
        embed = self._vector if self.by_meaning else None
        return recall.search_context(self._snapshot, prompt, limit, asker, embed, files)

    def recall_file(self, path: str, limit: int = 5, asker: Asker = EVERYBODY) -> list[Memory]:
        """Earlier turns that touched a file; needs no model."""
        return recall.search_file_context(self._snapshot, path, limit, asker)

    def recent_files(self, session_id: str, limit: int = 10) -> list[str]:
        """The files that a session touched, the last one first."""
        return recall.recent_file_mentions(self._snapshot, session_id, limit)

    def project_at(self, folder: str) -> Here | None:
        """The project that a folder is in."""
        return project_at(self._snapshot, folder)

    def _embed(self, text: str) -> Vector:
        assert self._embedder is not None
        return self._embedder.embed([text])[0]

    def close(self) -> None:
        """Close the files."""
        self._snapshot.close()
