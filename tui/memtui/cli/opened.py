"""The index of a command: opened by itself, or that of a process that answers for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui_core.index import Index


class NotAnswerable(Exception):
    """Raised in a process that answers for a command: the command has to answer for itself."""


class SharedIndex:
    """The index of a process that answers for commands: that of the data folder `folder`, seen from `started_in`."""

    def __init__(self, folder: Path, started_in: str, index: Index) -> None:
        self._folder = folder
        self._started_in = started_in
        self._index = index
        self.lacks_model = False
        """Whether a command needed the model."""

    def opened(self, data_dir: Path | None) -> Index:
        """The index, if it is that of the command. Raises NotAnswerable."""
        from memtui_core.system import locations

        named = os.path.join(self._started_in, locations.data_dir(data_dir))  # noqa: PTH118
        with suppress(OSError):
            if os.path.samefile(named, self._folder):  # noqa: PTH121
                return self._index
        raise NotAnswerable

    def load_model(self, index: Index) -> None:
        """Raise NotAnswerable if the model has to be loaded first: that takes as long as in the command."""
        if index.needs_model:
            self.lacks_model = True
            raise NotAnswerable


_shared: ContextVar[SharedIndex | None] = ContextVar("shared", default=None)


@contextmanager
def sharing(index: SharedIndex) -> Iterator[None]:
    """Let commands in this thread use an index that is open."""
    before = _shared.set(index)
    try:
        yield
    finally:
        _shared.reset(before)


def is_shared() -> bool:
    """Whether this process answers for a command, which reports its errors itself."""
    return _shared.get() is not None


def open_index(data_dir: Path | None) -> Index:
    """The index of a data folder, or of the default one. Raises IndexMissing, IndexBroken or IndexTooNew."""
    if (shared := _shared.get()) is not None:
        return shared.opened(data_dir)
    from memtui_core.index import Index
    from memtui_core.system import locations

    return Index.open(locations.data_dir(data_dir))


def load_model(index: Index) -> None:
    """Load the model of an index, unless it cannot be loaded: then `Index.vector_gap` says why."""
    if (shared := _shared.get()) is not None:
        shared.load_model(index)
        return
    from memtui_core.errors import ModelUnavailable

    with suppress(ModelUnavailable):
        index.load_model(threads=2, briefly=True)
