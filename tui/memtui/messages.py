"""What the services post: the state of the index, of the indexer and of the model."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from memtui_core.model import Progress, Stats


@dataclass
class IndexChanged(Message):
    """A newer snapshot is open; `stats` is its size."""

    stats: Stats


@dataclass
class IndexAbsent(Message):
    """There is no index yet."""


@dataclass
class IndexUnreadable(Message):
    """There is an index that cannot be opened; `text` says why, for the user."""

    text: str


@dataclass
class IndexerStopped(Message):
    """The indexer has ended by itself; `text` names the cause and the cure, empty when it was started again."""

    text: str


@dataclass
class ModelLoaded(Message):
    """From now on searches go by meaning too."""


@dataclass
class ModelMissing(Message):
    """Searches do not go by meaning; `text` says why."""

    text: str


@dataclass
class Failed(Message):
    """A job failed; `text` says why, for the user."""

    text: str


@dataclass
class Progressed(Message):
    """What the indexer reported last; None when it has never reported anything."""

    progress: Progress | None

    def can_replace(self, message: Message) -> bool:
        """Only the newest counts."""
        return isinstance(message, Progressed)
