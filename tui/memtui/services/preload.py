"""The index, opened in a thread of its own while the app is still being imported."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui_core.index import Index


class IndexPreload:
    """Starts to open an index at once."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._index: Index | None = None
        self._thread = threading.Thread(target=self._open, name="memtui-preload", daemon=True)
        self._thread.start()

    def _open(self) -> None:
        from memtui_core.index import Index

        # Whoever tries again reports why it cannot be opened.
        with suppress(Exception):
            self._index = Index.open(self._data_dir)

    def index(self) -> Index | None:
        """Wait for the index; None when it could not be opened, for a reason that the next attempt reports."""
        self._thread.join()
        return self._index
