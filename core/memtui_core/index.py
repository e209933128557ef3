"""The index as every process except the indexer uses it: the newest snapshot and the lexicon beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.errors import ModelUnavailable
from memtui_core.model import Block, Compaction, FileTouch, PrLink, Project, SearchResult, Session, Stats, Turn
from memtui_core.search import ENGINES
from memtui_core.search.vectors.nearest import model_name
from memtui_core.store.data_folder import DataDir
from memtui_core.store.presence import Presence
from memtui_core.store.review_marks import ReviewMarks, row_key
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Snapshot

if TYPE_CHECKING:
    from memtui_core.compaction import Review, ReviewItem
    from memtui_core.memory.handoff import Handoff, HandoffOptions
    from memtui_core.memory.recall.recalled_turn import RecalledTurn
    from memtui_core.memory.recall.similar_turns import RecallScope
    from memtui_core.queries.compactions import CompactionRow
    from memtui_core.queries.current_project import CurrentProject
    from memtui_core.queries.file_history import FileContent, TouchDetails, TurnTouch
    from memtui_core.queries.files import FileRow
    from memtui_core.queries.pull_requests import PrRow
    from memtui_core.queries.sources import AgentCounts, SourceRow
    from memtui_core.queries.statistics.counts import Statistics
    from memtui_core.readers.new_session import NewSession
    from memtui_core.search.completion import FilterValues
    from memtui_core.search.embed import QueryEmbedder, Vector
    from memtui_core.search.path_search import FileResults, ResolvedFiles, TouchResults
    from memtui_core.search.pipeline import OnFirstHits, OnScreen
    from memtui_core.search.vectors.chunks import CachedVectors
    from memtui_core.search.vectors.coverage import VectorGap
    from memtui_core.search.vectors.hnsw import IndexLoader
    from memtui_core.search.vectors.nearest import NearestTurns
    from memtui_core.search.vectors.report import VectorReport
    from memtui_core.store.lexicon import Lexicon
    from memtui_core.store.snapshot.storage import Storage

_CACHED_QUERIES = 64
"""Queries whose vectors are cached: a query runs again with each new snapshot, and for more hits."""


CHOSEN_ROWS = "What Its Summary Lacks, Chosen by the User"
"""The heading of the rows of a review that a person sent to the agent."""


class Index:
    """A read-only index, for searches and lists. Any thread may call it, and no call waits for the indexer.

    All calls read the same snapshot until `refresh` opens a newer one; a query that is running finishes on the old one.
    Sessions are named by `Session.key`, turns by their number in the session, from 1.
    """

    # The snapshot

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._presence = Presence(data)
        self._presence.touch()
        self._snapshot = Snapshot(data)
        self._model = model_name(self._snapshot)
        self._embedder: QueryEmbedder | None = None
        self._unavailable = ""
        """Why the model could not be loaded."""
        self._cached: CachedVectors | None = None
        self._loader: IndexLoader | None = None
        self._vector: Callable[[str], Vector] | None = None
        """Returns the vector of a query, while the model is loaded."""

    @classmethod
    def open(cls, data_dir: Path) -> Index:
        """Open the index of a data folder. Raises IndexMissing, IndexBroken or IndexTooNew."""
        return cls(DataDir(data_dir))

    @property
    def snapshot(self) -> Snapshot:
        """The current snapshot, for queries that join it with other sources."""
        return self._snapshot

    def refresh(self) -> bool:
        """Open the newest snapshot; False if it is the current one.

        Raises the errors of `open`, and keeps the current snapshot then.
        """
        self._presence.touch()
        manifest = read_manifest(self._data)
        if manifest is not None and manifest.batch == self._snapshot.number:
            return False
        self._snapshot = Snapshot(self._data)
        self._model = model_name(self._snapshot)
        if "_lexicon" in vars(self):
            self._lexicon.refresh()
        return True

    def close(self) -> None:
        """Close the files. The index cannot be used again."""
        self._snapshot.close()
        if self._loader is not None:
            self._loader.close()

    @cached_property
    def _lexicon(self) -> Lexicon:
        """The lexicon, opened by the first search."""
        from memtui_core.store.lexicon import Lexicon

        return Lexicon(self._data.lexicon)

    # Sessions and turns

    def projects(self, *, by_agent: bool = False) -> list[Project]:
        """All projects, the most recently used first; with `by_agent` one of each agent that worked on it."""
        from memtui_core.queries import sessions

        return sessions.list_projects(self._snapshot, by_agent=by_agent)

    def agents(self) -> list[str]:
        """The ids of the agents that have sessions."""
        from memtui_core.queries import sessions

        return sessions.list_agents(self._snapshot)

    def sessions(self, project: Project | None = None) -> list[Session]:
        """The sessions of a project, or all, without subagents, newest first.

        A subagent whose parent is not in the index is listed as a session.
        """
        from memtui_core.queries import sessions

        return sessions.list_sessions(self._snapshot, project)

    def subagents(self, session: int) -> list[Session]:
        """The subagents of a session in the order in which they started."""
        from memtui_core.queries import sessions

        return sessions.list_subagents(self._snapshot, session)

    def calling_turn(self, session: int) -> int | None:
        """The number of the turn in which the parent of a subagent started it; None if the transcript does not say."""
        from memtui_core.queries import sessions

        return sessions.calling_turn(self._snapshot, session)

    def session(self, key: int) -> Session:
        """One session by its key. Raises SessionUnknown."""
        from memtui_core.queries import sessions

        return sessions.read_session(self._snapshot, key)

    def session_ids(self, keys: Collection[int]) -> dict[int, str]:
        """The agent's own ids of sessions by their keys; unknown keys are left out."""
        from memtui_core.queries import sessions

        return sessions.session_ids(self._snapshot, keys)

    def find_session(self, session_id: str) -> Session:
        """The session with this id, or the only one whose id starts with it. Raises SessionUnknown."""
        from memtui_core.queries import sessions

        return sessions.find_session(self._snapshot, session_id)

    def turns(self, session: int) -> list[Turn]:
        """The turns of a session in order, without their blocks; empty for an unknown session."""
        from memtui_core.queries import turns

        return turns.read_turns(self._snapshot, session)

    def blocks(self, session: int, first: int, last: int) -> dict[int, tuple[Block, ...]]:
        """The blocks of the turns from number `first` to `last`, both included, by the number of the turn."""
        from memtui_core.queries import turns

        return turns.read_blocks(self._snapshot, session, first, last)

    def has_thinking(self, session: int) -> bool:
        """Whether a turn of a session has thinking."""
        from memtui_core.queries import turns

        return turns.has_thinking(self._snapshot, session)

    def turn(self, session: int, number: int) -> Turn | None:
        """One turn with its blocks; None if the session has no such turn."""
        return next(iter(self.whole_turns(session, number, number)), None)

    def whole_turns(self, session: int, first: int, last: int) -> list[Turn]:
        """The turns from number `first` to `last`, both included, with their blocks."""
        from memtui_core.queries import turns

        return turns.read_whole_turns(self._snapshot, session, first, last)

    def handoff(
        self, session: int, first: int | None = None, last: int | None = None, options: HandoffOptions | None = None
    ) -> Handoff:
        """The hand-off of a session, or of its turns from number `first` to `last`. Raises SessionUnknown."""
        from memtui_core.memory.handoff import HandoffOptions, handoff
        from memtui_core.memory.handoff.model import lead_section

        made = handoff(self._snapshot, session, first=first, last=last, options=options or HandoffOptions())
        rows = self.review_marks.waiting(made.session_id)
        return replace(made, lead=(*made.lead, lead_section(CHOSEN_ROWS, "\n".join(rows)))) if rows else made

    def conversation(
        self, session: int, first: int | None = None, last: int | None = None, options: HandoffOptions | None = None
    ) -> NewSession | None:
        """The texts of a session or of some turns as a new session for another agent. Raises SessionUnknown.

        None if there are no texts.
        """
        from memtui_core.memory.handoff import HandoffOptions, conversation

        return conversation(self._snapshot, session, first=first, last=last, options=options or HandoffOptions())

    # Files

    def find_files(self, pattern: str = "") -> FileResults:
        """The files of all projects whose path contains a pattern, the last touched first.

        If none does, the result is the files of the same name in other folders, the closest first, with a note for the
        user, or else files with a similar path.
        """
        from memtui_core.search import path_search

        return path_search.find_files(self._snapshot, pattern)

    def file_touches(self, pattern: str, root: str | None = None) -> TouchResults:
        """The turns that touched the files of a pattern, edits first, newest first; of one project or of all."""
        from memtui_core.search import path_search

        return path_search.find_touches(self._snapshot, pattern, root)

    def resolve_file(self, path: str, project: CurrentProject | None, *, mistyped: bool = False) -> ResolvedFiles:
        """The indexed files that a path stands for in a project, or in all: itself, or the closest of that name.

        With `mistyped`, files with a similar name count too. The result is empty if there are none.
        """
        from memtui_core.search import path_search

        root = project.root if project else None
        return path_search.resolve_project_files(self._snapshot, path, root, mistyped=mistyped)

    def touches(self, session: int, turn: int) -> list[FileTouch]:
        """The files that one turn touched: edited, then read, then mentioned."""
        from memtui_core.queries import files

        return files.turn_touches(self._snapshot, session, turn)

    def file_history(self, file: FileRow) -> list[TurnTouch]:
        """What the turns of all sessions did to one file, with the lines that edits added and removed, newest first."""
        from memtui_core.queries.file_history import file_history

        return file_history(self._snapshot, file)

    def touch_details(self, touch: TurnTouch) -> TouchDetails:
        """The tool calls with which a turn touched a file, and their changes. Raises SessionUnknown."""
        from memtui_core.queries.file_history import touch_details

        return touch_details(self._snapshot, touch)

    def file_content_at(self, session: int, path: str, turn: int) -> FileContent:
        """What a session knew of a file at the end of one of its turns. Raises SessionUnknown."""
        from memtui_core.queries.file_history import file_content_at

        return file_content_at(self._snapshot, session, path, turn)

    def file_handoff(self, path: str, root: str | None = None, options: HandoffOptions | None = None) -> Handoff:
        """The history of a file over all sessions as a hand-off. Raises MemtuiError unless exactly one file matches."""
        from memtui_core.memory.handoff import HandoffOptions, file_handoff

        return file_handoff(self._snapshot, path, root=root, options=options or HandoffOptions())

    # Compactions

    def compactions(self, session: int) -> list[Compaction]:
        """The compactions of a session in order."""
        from memtui_core.queries import compactions

        return compactions.session_compactions(self._snapshot, session)

    def all_compactions(self, pattern: str = "") -> list[CompactionRow]:
        """The compactions of all sessions, newest first; with a pattern those that contain all of its words.

        The words are looked for in the title, the project, the trigger and the summary, in any case and order.
        """
        from memtui_core.queries import compactions

        rows = compactions.list_compactions(self._snapshot, pattern)
        if not (known := self.review_marks.known()):
            return rows
        ids = self.session_ids({item.session for row in rows for item in row.lost})
        return [
            replace(
                row,
                lost=tuple(item for item in row.lost if row_key(ids.get(item.session, ""), item.text) not in known),
            )
            for row in rows
        ]

    def review(self, session: int, turn: int) -> Review:
        """The review of the compaction whose summary is this turn, without known rows. Raises CompactionUnknown."""
        from memtui_core.compaction import review

        return self._without_known(review(self._snapshot, session, turn), self.review_marks.known())

    def reviews(self, session: int | None = None) -> Iterator[Review]:
        """The reviews of a session's compactions in order, or of all, newest first, without known rows; lazy."""
        from memtui_core.compaction import reviews

        known = self.review_marks.known()
        return (self._without_known(review, known) for review in reviews(self._snapshot, session))

    @property
    def review_marks(self) -> ReviewMarks:
        """Which rows of reviews are known, and which ones agents shall get."""
        return ReviewMarks(self._data.path)

    def set_known(self, item: ReviewItem, *, known: bool) -> None:
        """Mark an item of a review as known, so that no review lists it any more, or take the mark away.

        Raises MemtuiError.
        """
        self.review_marks.set_known(row_key(self.session_ids([item.session])[item.session], item.text), known=known)

    def send_row(self, review: Review, item: ReviewItem) -> None:
        """Give an item to the agent of a review's session with its next hook call. Raises MemtuiError."""
        self.review_marks.send(review.session_id, self._brief_line(item))

    def prompt_of(self, item: ReviewItem) -> str:
        """An item of a review as a prompt for the agent, with its `SESSION:TURN`."""
        return f"The summary of your last compaction lacks this:\n{self._brief_line(item)}"

    def _brief_line(self, item: ReviewItem) -> str:
        from memtui_core.memory.compaction_brief import BriefItem, brief_line

        session_id = self.session_ids([item.session])[item.session]
        return brief_line(BriefItem(item.kind, item.text, session_id, item.turn))

    def brief(self, review: Review) -> str:
        """What an agent gets of what a summary lacks, cited, in at most 2,000 bytes; empty if there is nothing."""
        from memtui_core.memory.compaction_brief import BriefItem, brief_text

        ids = self.session_ids({item.session for item in review.main})
        return brief_text(
            BriefItem(item.kind, item.text, ids[item.session], item.turn) for item in review.main if item.session in ids
        )

    def _without_known(self, review: Review, known: Mapping[str, int]) -> Review:
        from memtui_core.compaction import without_known

        if not known:
            return review
        ids = self.session_ids({item.session for item in (*review.lost, *review.changed_after)})
        return without_known(review, lambda item: known.get(row_key(ids.get(item.session, ""), item.text)))

    # Pull requests

    def pull_requests(self) -> list[PrRow]:
        """Every pull request with each of its sessions, the last worked on first."""
        from memtui_core.queries import pull_requests

        return pull_requests.list_pull_requests(self._snapshot)

    def pr_links(self, number: int | None = None, session: int | None = None) -> list[PrLink]:
        """Pull requests and their sessions: all, those of one number, or those of one session ordered by number."""
        from memtui_core.queries import pull_requests

        return pull_requests.select_pr_links(self._snapshot, number, session)

    # The index itself

    def stats(self) -> Stats:
        """The size of the index."""
        from memtui_core.queries import sources

        return sources.read_stats(self._snapshot)

    def statistics(self, root: str | None = None, days: int | None = None, now: datetime | None = None) -> Statistics:
        """Statistics of the project with this root, or of all, over the last `days` days up to `now`, or all time."""
        from memtui_core.queries.statistics.counts import statistics

        return statistics(self._snapshot, root, days, now=now)

    def sources(self) -> list[SourceRow]:
        """Every source with the state in which it was last read, by path."""
        from memtui_core.queries import sources

        return sources.list_sources(self._snapshot)

    def counts_by_agent(self) -> dict[str, AgentCounts]:
        """What the index has of each agent, by its id."""
        from memtui_core.queries import sources

        return sources.count_by_agent(self._snapshot)

    def storage(self) -> Storage:
        """The files of the current snapshot and their sizes."""
        from memtui_core.store.snapshot.storage import storage_of

        return storage_of(self._data, self._snapshot.manifest)

    def project_at(self, folder: str) -> CurrentProject | None:
        """The project that contains a folder, the innermost if there are several; None if there is none."""
        from memtui_core.queries.current_project import project_at

        return project_at(self._snapshot, folder)

    # Search

    def search(
        self,
        text: str,
        limit: int = 50,
        *,
        live: bool = False,
        grouped: bool = False,
        engines: Collection[str] = ENGINES,
        current_folder: str = "",
        on_first_hits: OnFirstHits | None = None,
        screen: int = 0,
        on_screen: OnScreen | None = None,
        check_cancelled: Callable[[], object] = lambda: None,
    ) -> SearchResult:
        """Return the best `limit` turns for a query. Any text is a query, so none raises.

        Semantic search is used after `load_model`, as long as the snapshot's vectors are of that model.

        `live`: the query is still being typed, so its last word may be the beginning of one.
        `grouped`: `limit` counts groups of hits (`Hit.group`), of which only the best hits get passages.
        `engines`: the names of the engines that may be used.
        `current_folder`: turns of the project that contains this folder rank a little higher.
        `on_first_hits`: called before the semantic search with a function that returns the hits by words and paths.
        `on_screen`: called with the result when only the best hits of the first `screen` groups have passages.
        `check_cancelled`: called after each step; an exception that it raises ends the search.
        """
        from memtui_core.search.pipeline import search

        embed = self._vector if self.has_model else None
        return search(
            self._snapshot,
            self._lexicon,
            text,
            limit,
            live=live,
            grouped=grouped,
            embed=embed,
            matrix=self._matrix(),
            engines=engines,
            current_folder=current_folder,
            on_first_hits=on_first_hits,
            screen=screen,
            on_screen=on_screen,
            check_cancelled=check_cancelled,
        )

    def prepare_search(self) -> None:
        """Do once what would make the first search slower than the next ones."""
        from memtui_core.queries.naming.session_names import session_folders
        from memtui_core.search.hits import read_groups

        # Nothing has this word, so that no text is read.
        self.search("\ue000", 1, engines=("lexicon", "paths"))
        session_folders(self._snapshot)
        read_groups(self._snapshot)

    def filter_values(self) -> FilterValues:
        """The values with which the filters of a query can be completed."""
        from memtui_core.search.completion import read_filter_values

        return read_filter_values(self._snapshot)

    # Vectors

    @property
    def has_model(self) -> bool:
        """Whether searches use vectors: the model of the snapshot's vectors is loaded."""
        return self._embedder is not None and self._embedder.name == self._model

    @property
    def needs_model(self) -> bool:
        """Whether there are vectors, but `load_model` was not called, or failed."""
        return self._model is not None and not self.has_model

    def load_model(self, threads: int = 1, *, briefly: bool = False) -> bool:
        """Load the model of the snapshot's vectors for semantic search, which takes up to seconds.

        `briefly`: for a process that ends after a few searches; the default model then takes a tenth of the time to
        load, and more to answer. False if there are no vectors. Raises ModelUnavailable.
        """
        if self._model is not None and (self._embedder is None or self._embedder.name != self._model):
            from memtui_core.search.embed import open_brief_model, open_query_model

            try:
                embedder = (open_brief_model if briefly else open_query_model)(self._model, threads)
            except ModelUnavailable as error:
                self._unavailable = str(error)
                raise
            self._unavailable = ""
            self._vector = lru_cache(_CACHED_QUERIES)(lambda text: embedder.embed([text])[0])
            self._embedder = embedder
        return self._model is not None

    def drop_model(self) -> None:
        """Free the memory of the model and of the vectors, until `load_model`; a search that runs keeps them."""
        from memtui_core.search.embed import open_query_model
        from memtui_core.system.memory import release_memory

        self._embedder = self._vector = self._cached = self._loader = None
        open_query_model.cache_clear()
        release_memory()

    def cache_vectors(self, answer: str = "auto") -> None:
        """Read which texts the turns of the current snapshot have, which makes each search by meaning faster.

        Call it again after `refresh`: it reads only what changed. `answer` is the setting `vectors`: with "auto" the
        HNSW index of the vectors answers unfiltered queries from 20,000 vectors on, with "hnsw" wherever there is one,
        with "exact" never. It is loaded in a thread; until then the answers are exact.
        """
        from memtui_core.search.vectors.chunks import cache_vectors
        from memtui_core.search.vectors.hnsw import IndexLoader

        if self._model is not None:
            self._cached = cache_vectors(self._snapshot, self._model, self._cached)
            self._loader = self._loader or IndexLoader(self._data, answer)
            self._matrix()

    def wait_for_vector_index(self) -> None:
        """Wait until the HNSW index is loaded, if one is being loaded."""
        if (loader := self._loader) is not None:
            loader.wait()

    def vector_report(self, answer: str = "auto") -> VectorReport:
        """What answers searches by meaning in an app or a server that uses this index, and why."""
        from memtui_core.search.vectors.report import report_vectors

        return report_vectors(self._snapshot, answer)

    def vector_gap(self, text: str | None = None) -> VectorGap | None:
        """The turns that semantic search does not cover; None if it covers all, or does not apply to a query `text`.

        A model that was never loaded is no gap, but one that could not be loaded is.
        """
        from memtui_core.search.vectors.coverage import VectorGap, missing_vectors, uses_vectors

        if text is not None and not uses_vectors(text):
            return None
        if self._unavailable and not self.has_model:
            return VectorGap(self._unavailable.rstrip("."))
        return missing_vectors(self._snapshot)

    # Recall

    def recall(
        self, prompt: str, limit: int = 5, scope: RecallScope | None = None, files: Sequence[str] | None = None
    ) -> list[RecalledTurn]:
        """Earlier turns that are similar to an agent's prompt or touched its files; see `recall.search_context`."""
        from memtui_core.memory.recall import similar_turns as recall

        embed = self._vector if self.has_model else None
        return recall.search_context(self._snapshot, prompt, limit, scope or recall.EVERYTHING, embed, files)

    def recall_file(self, path: str, limit: int = 5, scope: RecallScope | None = None) -> list[RecalledTurn]:
        """Earlier turns that touched a file; needs no model."""
        from memtui_core.memory.recall import similar_turns as recall

        return recall.search_file_context(self._snapshot, path, limit, scope or recall.EVERYTHING)

    def _matrix(self) -> NearestTurns | None:
        """The vectors in memory, if they were read for the current model."""
        cached, loader = self._cached, self._loader
        if cached is None or cached.model != self._model or loader is None:
            return None
        return loader.matrix(cached)
