"""The small files that hooks read instead of the index, kept up to date with what was published."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from typing import Final

from memtui_core.errors import MemtuiError
from memtui_core.ingest.writing.digest_file import write_digests
from memtui_core.ingest.writing.mended_file import write_mended
from memtui_core.ingest.writing.touched_files import write_touched
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.publisher import Publisher

EVERY: Final = 30.0
"""Seconds between two updates of a running indexer."""


class HookFiles:
    """Keeps the files up to date."""

    def __init__(self, data: DataDir, publisher: Publisher) -> None:
        self._data, self._publisher = data, publisher
        self._batch: int | None = None
        """The batch up to which they are, after the first update."""
        self._mended = 0
        """The batch up to which the errors that were mended are."""
        self._updated_at = -math.inf

    @property
    def due_at(self) -> float:
        """When the next update is due, in seconds of the monotonic clock; infinite if there is nothing new."""
        return math.inf if self._publisher.batch == self._batch else self._updated_at + EVERY

    def update(self) -> None:
        """Write what changed since the last time; nothing if nothing did.

        Errors of the index and the file system are ignored: the files are never needed.
        """
        published = self._publisher.batch
        if published is None or published == self._batch:
            return
        self._batch, self._updated_at = published, time.monotonic()
        with suppress(OSError, MemtuiError):
            write_digests(self._data)
        with suppress(OSError, MemtuiError):
            self._mended = write_mended(self._data, self._mended)
        with suppress(OSError, MemtuiError):
            write_touched(self._data)
