"""The index of a command."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui_core.index.index import Index


def open_index(data_dir: Path | None) -> Index:
    """The index of a data folder, or of the default one. Raises IndexMissing, IndexBroken or IndexTooNew."""
    from memtui_core.index.index import Index
    from memtui_core.system import locations

    return Index.open(locations.data_dir(data_dir))


def load_model(index: Index) -> None:
    """Load the model of an index, unless it cannot be loaded: then `Index.vector_gap` says why."""
    from memtui_core.errors import ModelUnavailable

    with suppress(ModelUnavailable):
        index.vectors.load_model(threads=2, briefly=True)
