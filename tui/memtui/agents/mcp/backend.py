"""The index, the observations and the models behind the tools, opened when first needed and kept up to date."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from memtui.agents.mcp.allowed_projects import AllowedProjects
from memtui_core.errors import IndexMissing, MemtuiError, ModelUnavailable
from memtui_core.index.index import Index
from memtui_core.memory.observations.search import ObservationSearch
from memtui_core.memory.observations.store import Observations
from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed import Embedder, open_model
from memtui_core.search.vectors.nearest import model_name
from memtui_core.store.snapshot.reader import Snapshot

_log = logging.getLogger(__name__)
MODEL_IDLE = 300.0
"""Seconds after the last semantic search for which the models are kept."""
DEFAULT_MODEL_WAIT = 2.0
"""Seconds that a search waits for the model while the agent waits for the search."""


@dataclass(frozen=True, slots=True)
class BackendState:
    """The state at the start of a call."""

    observation_search: ObservationSearch
    index: Index | None = None
    """None before anything was indexed."""
    snapshot: Snapshot | None = None
    index_problem: str = ""
    """Why there is no index."""
    model_problem: str = ""
    """Why a requested semantic search is not possible."""
    allowed: str = ""
    """The only projects about which the server may answer, for messages; empty for all."""

    @property
    def required_index(self) -> Index:
        """The index. Raises IndexMissing."""
        if self.index is None:
            raise IndexMissing(self.index_problem)
        return self.index

    @property
    def refusal(self) -> str:
        """What is said of a session that is unknown, or belongs to a project about which the server may not answer."""
        return f"That is not allowed for this server, or there is no such thing: it only answers about {self.allowed}."


class Backend:
    """A data folder; thread-safe. The app and an indexer may use the same folder at the same time.

    A search waits at most `model_wait` seconds for the model. `vectors` is the setting that says what answers searches
    by meaning; what is kept in memory for it is read in a thread, and until then a search reads what it needs. Of other
    projects than the `allowed` ones nothing can be read, and colleagues' sessions neither.
    """

    def __init__(
        self,
        folder: Path,
        model_wait: float = DEFAULT_MODEL_WAIT,
        vectors: str = "auto",
        allowed: AllowedProjects | None = None,
    ) -> None:
        self._folder = folder
        self._allowed = allowed
        self._model_wait = model_wait
        self._vectors = vectors
        self._caching: threading.Thread | None = None
        self._observation_search = ObservationSearch(
            Observations(folder, roots=None if allowed is None else lambda: allowed.current)
        )
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._models: dict[str, Future[Embedder]] = {}
        """The requested models by name."""
        self._idle: threading.Timer | None = None
        """Drops the models after some time without a question."""

    def state(self, *, semantic: bool = False) -> BackendState:
        """The current state; with `semantic` wait for the model, which is loaded only once.

        An index that cannot be opened counts as missing; one that cannot be refreshed stays as it was.
        """
        with self._lock:
            index_problem = self._refresh_index()
        model_problem = self._load_model() if semantic else ""
        with self._lock:
            snapshot = self._index.snapshot if self._index is not None else None
            return BackendState(
                self._observation_search,
                self._index,
                snapshot,
                index_problem,
                model_problem,
                self._allowed.text if self._allowed is not None else "",
            )

    def drop_models(self) -> None:
        """Free the memory of the models until the next question."""
        with self._lock:
            self._models.clear()
            self._observation_search.use(None)
            if self._index is not None:
                self._index.vectors.drop_model()

    def _refresh_index(self) -> str:
        """Open or refresh the index; the reason if there is none, otherwise empty."""
        try:
            if self._index is None:
                self._index = Index.open(self._folder, self._allowed.roots if self._allowed is not None else None)
            else:
                self._index.refresh()
            self._join_team(self._index)
        except IndexMissing as error:
            self._index = None
            if self._allowed is not None:
                self._allowed.roots(None)
            return str(error)
        except MemtuiError as error:
            _log.warning("%s", error)
            if self._index is None:
                return str(error)
        return ""

    def _join_team(self, index: Index) -> None:
        """Let sessions be read that colleagues share, if a team was joined."""
        # Nothing of it is imported before.
        if self._allowed is None and index.guest is None and (self._folder / "team" / "team.json").is_file():
            from memtui_team.search.joined import join

            join(index)

    def _load_model(self) -> str:
        """Use the model of the vectors for turns and observations; the reason if that fails, otherwise empty."""
        with self._lock:
            name = (model_name(self._index.snapshot) if self._index is not None else None) or DEFAULT_MODEL
            if name not in self._models:
                self._models[name] = _start_loading(name)
            loading = self._models[name]
        try:
            model = loading.result(self._model_wait)
        except TimeoutError:
            return "the embedding model is still being loaded, ask again in a moment"
        except ModelUnavailable as error:
            return str(error).rstrip(".")
        with self._lock:
            self._observation_search.use(model)
            if self._index is not None and model_name(self._index.snapshot) == name:
                self._index.vectors.load_model(1)
                self._cache_vectors(self._index)
            self._drop_when_idle()
        return ""

    def _cache_vectors(self, index: Index) -> None:
        """Read the vectors' texts of the current snapshot in a daemon thread, unless one does so already."""
        if self._caching is None or not self._caching.is_alive():
            self._caching = threading.Thread(
                target=index.vectors.cache, args=(self._vectors,), name="memtui-vectors", daemon=True
            )
            self._caching.start()

    def _drop_when_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = threading.Timer(MODEL_IDLE, self.drop_models)
        self._idle.daemon = True
        self._idle.start()


def _start_loading(name: str) -> Future[Embedder]:
    """Load a model in a daemon thread, for which the server does not wait when it exits."""
    loading: Future[Embedder] = Future()

    def load() -> None:
        try:
            loading.set_result(open_model(name, 1))
        except Exception as error:
            # Whatever the error is, no search may wait for a model that never comes.
            reason = error if isinstance(error, ModelUnavailable) else ModelUnavailable(f"It cannot be loaded: {error}")
            _log.warning("%s Words and paths are searched all the same.", reason)
            loading.set_exception(reason)

    threading.Thread(target=load, name="memtui-model", daemon=True).start()
    return loading
