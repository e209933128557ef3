"""A model that is loaded when a text is embedded, for a process that mostly waits."""

from __future__ import annotations

import time
from collections.abc import Sequence

from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed.models import DEFAULT_DIMENSION, Embedder, open_model
from memtui_core.system.startup.numeric import Vector


class OnDemandModel:
    """An `Embedder` that can be dropped; each method raises ModelUnavailable if the model cannot be loaded."""

    def __init__(self, name: str, threads: int) -> None:
        self.name = name
        self._threads = threads
        self._model: Embedder | None = None
        self._used_at = 0.0
        """When it was last used, in seconds of the monotonic clock."""

    @property
    def dimension(self) -> int:
        """The length of its vectors; that of the default model is known without loading it."""
        return DEFAULT_DIMENSION if self.name == DEFAULT_MODEL else self._loaded().dimension

    @property
    def is_loaded(self) -> bool:
        """Whether it takes memory."""
        return self._model is not None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text, in order."""
        return self._loaded().embed(texts)

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The model's tokens of a text as ranges of characters, in order."""
        return self._loaded().tokens(text)

    def idle_since(self, now: float) -> float:
        """Seconds since it was last used."""
        return now - self._used_at

    def drop(self) -> None:
        """Free its memory until it is used again."""
        self._model = None
        open_model.cache_clear()

    def _loaded(self) -> Embedder:
        self._used_at = time.monotonic()
        if self._model is None:
            self._model = open_model(self.name, self._threads)
        return self._model
