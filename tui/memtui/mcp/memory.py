"""What lies in a data folder, opened when it is first asked for and always as new as it is."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from memtui_core.embed import DEFAULT_MODEL, Embedder, open_model
from memtui_core.errors import IndexMissing, MemtuiError, ModelUnavailable
from memtui_core.index import Index
from memtui_core.memory.book import Observations
from memtui_core.memory.finder import Finder
from memtui_core.search.vector_search import model_name
from memtui_core.store.reader import Snapshot

_log = logging.getLogger(__name__)
PATIENCE = 2.0
"""Seconds that a search waits for the model: an agent that asks waits too."""


@dataclass(frozen=True, slots=True)
class View:
    """The memory as it was when a call began."""

    finder: Finder
    index: Index | None = None
    """None before anything was indexed."""
    snapshot: Snapshot | None = None
    missing: str = ""
    """Why there is no index."""
    no_model: str = ""
    """Why nothing is found by meaning although that was wanted."""

    @property
    def indexed(self) -> Index:
        """The index. Raises IndexMissing."""
        if self.index is None:
            raise IndexMissing(self.missing)
        return self.index


class Memory:
    """A data folder; every thread may ask. The app and an indexer may work in it at the same time.

    `patience` is for how many seconds a search waits for the model.
    """

    def __init__(self, folder: Path, patience: float = PATIENCE) -> None:
        self._folder = folder
        self._patience = patience
        self._finder = Finder(Observations(folder))
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._models: dict[str, Future[Embedder]] = {}
        """The models that were asked for, by their names."""

    def view(self, *, by_meaning: bool = False) -> View:
        """What there is now; with `by_meaning` it waits a while for the model, which is loaded once.

        An index that cannot be used counts as none; one that cannot be renewed stays as it was.
        """
        with self._lock:
            missing = self._renew()
        no_model = self._load_model() if by_meaning else ""
        with self._lock:
            snapshot = self._index.snapshot if self._index is not None else None
            return View(self._finder, self._index, snapshot, missing, no_model)

    def _renew(self) -> str:
        """Take the newest snapshot; why there is none, else nothing."""
        try:
            if self._index is None:
                self._index = Index.open(self._folder)
            else:
                self._index.refresh()
        except IndexMissing as error:
            self._index = None
            return str(error)
        except MemtuiError as error:
            _log.warning("%s", error)
            if self._index is None:
                return str(error)
        return ""

    def _load_model(self) -> str:
        """Use the model of the vectors for turns and observations; why that does not go, else nothing."""
        with self._lock:
            name = (model_name(self._index.snapshot) if self._index is not None else None) or DEFAULT_MODEL
            if name not in self._models:
                self._models[name] = _begun(name)
            loading = self._models[name]
        try:
            model = loading.result(self._patience)
        except TimeoutError:
            return "the embedding model is still being loaded, ask again in a moment"
        except ModelUnavailable as error:
            return str(error).rstrip(".")
        with self._lock:
            self._finder.use(model)
            if self._index is not None and model_name(self._index.snapshot) == name:
                self._index.load_model(1)
        return ""


def _begun(name: str) -> Future[Embedder]:
    """A model that is being loaded, in a thread that nobody waits for when the server ends."""
    loaded: Future[Embedder] = Future()

    def load() -> None:
        try:
            loaded.set_result(open_model(name, 1))
        except Exception as error:
            # Whatever it is, no search may wait for a model that never comes.
            reason = error if isinstance(error, ModelUnavailable) else ModelUnavailable(f"It cannot be loaded: {error}")
            _log.warning("%s Words and paths are searched all the same.", reason)
            loaded.set_exception(reason)

    threading.Thread(target=load, name="memtui-model", daemon=True).start()
    return loaded
