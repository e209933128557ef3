"""What lies in a data folder, opened when it is first asked for and always as new as it is."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path

from memtui_core.embed import DEFAULT_MODEL, open_model
from memtui_core.errors import IndexMissing, MemtuiError, ModelUnavailable
from memtui_core.index import Index
from memtui_core.meaning import model_of
from memtui_core.observations import Finder, Observations
from memtui_core.store.reader import Snapshot

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class View:
    """The memory as it was when a call began."""

    finder: Finder
    index: Index | None = None
    """None before anything was indexed."""
    snapshot: Snapshot | None = None
    missing: str = ""
    """Why there is no index."""

    @property
    def indexed(self) -> Index:
        """The index. Raises IndexMissing."""
        if self.index is None:
            raise IndexMissing(self.missing)
        return self.index


class Memory:
    """A data folder; every thread may ask. The app and an indexer may work in it at the same time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._finder = Finder(Observations(folder))
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._no_model = False

    def view(self, *, by_meaning: bool = False) -> View:
        """What there is now; with `by_meaning` the model is loaded, which takes a moment for the first time.

        An index that cannot be used counts as none; one that cannot be renewed stays as it was.
        """
        with self._lock:
            missing = self._renew()
            if by_meaning and not self._no_model:
                self._load_model()
            snapshot = self._index.snapshot if self._index is not None else None
            return View(self._finder, self._index, snapshot, missing)

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

    def _load_model(self) -> None:
        """Load the model of the vectors once for turns and observations; without it words are searched all the same."""
        try:
            name = (model_of(self._index.snapshot) if self._index is not None else None) or DEFAULT_MODEL
            self._finder.use(open_model(name, 1))
            if self._index is not None:
                self._index.load_model(1)
        except ModelUnavailable as error:
            self._no_model = True
            _log.warning("%s Words and paths are searched all the same.", error)
