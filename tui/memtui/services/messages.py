"""The messages that services post: the state of the index, of the indexer and of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from memtui_core.model import Progress, Stats

if TYPE_CHECKING:
    from memtui_core.index.vectors import VectorReport


@dataclass
class IndexChanged(Message):
    """A newer snapshot is open, or the user has added something to sessions; `stats` counts what it contains."""

    stats: Stats


@dataclass
class IndexAbsent(Message):
    """There is no index yet."""


@dataclass
class IndexUnreadable(Message):
    """The index cannot be opened; `text` is the reason, for the user."""

    text: str


@dataclass
class ModelLoaded(Message):
    """The model is loaded: searches now use vectors too."""


@dataclass
class ModelMissing(Message):
    """The model cannot be loaded: searches do not use vectors; `text` is the reason, for the user."""

    text: str


@dataclass
class VectorsReported(Message):
    """What answers searches by meaning has changed, or what it knows."""

    report: VectorReport


@dataclass
class JobFailed(Message):
    """A job failed; `text` is the reason, for the user."""

    text: str


@dataclass
class Progressed(Message):
    """The last report of the indexer; None if it has never reported anything."""

    progress: Progress | None

    def can_replace(self, message: Message) -> bool:
        """Replace an earlier report that is still in the queue."""
        return isinstance(message, Progressed)
