"""Opens the index in a thread while the app is being imported."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui_core.index.index import Index


class IndexPreload:
    """An index that is being opened from the moment this object is created."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._index: Index | None = None
        self._thread = threading.Thread(target=self._open, name="memtui-preload", daemon=True)
        self._thread.start()

    def _open(self) -> None:
        from memtui_core.index.index import Index

        # The next attempt to open it reports the reason.
        with suppress(Exception):
            self._index = Index.open(self._data_dir)

    def index(self) -> Index | None:
        """Wait for the index and return it; None if it could not be opened."""
        self._thread.join()
        return self._index
