"""A model that is loaded when a text is embedded, for a process that mostly waits."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from memtui_core.errors import ModelUnavailable
from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed.models import DEFAULT_DIMENSION, Embedder, open_model, open_model_by
from memtui_core.search.embed.ways import (
    PLAIN,
    Choice,
    Measured,
    fastest,
    read_choice,
    runtime_name,
    ways_here,
    write_choice,
)
from memtui_core.system.startup.numeric import Vector

BACKLOG: Final = 32
"""Texts after which the ways are measured: fewer are made sooner than that."""
_TEXTS: Final = 4
"""Texts that each way embeds, the last ones of these."""
_ROUNDS: Final = 2
"""How often it does after the first time; the fastest time counts."""
_log = logging.getLogger(__name__)


class OnDemandModel:
    """An `Embedder` that can be dropped; each method raises ModelUnavailable if the model cannot be loaded.

    With a file `choice`, the default model is run in the fastest way, which is measured once: see `ways`.
    """

    def __init__(self, name: str, threads: int, choice: Path | None = None) -> None:
        self.name = name
        self._threads = threads
        self._choice = choice if name == DEFAULT_MODEL else None
        self._recent: list[str] | None = None
        """The texts that were embedded, until there is a choice; None if no choice is due."""
        self._plain: OnDemandModel | None = None
        self._way: str | None = None
        """The way in which the model runs; None if it was not chosen."""
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
        return self._model is not None or (self._plain is not None and self._plain.is_loaded)

    @property
    def plain(self) -> OnDemandModel:
        """The same model in the plain way, whatever was chosen: what is ranked by it is then the same everywhere."""
        if self._choice is None:
            return self
        if self._plain is None:
            self._plain = OnDemandModel(self.name, self._threads)
        # One model at a time is in memory.
        self._model = None
        return self._plain

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text, in order."""
        vectors = self._loaded().embed(texts)
        if self._recent is not None:
            self._recent += texts
            if len(self._recent) >= BACKLOG:
                self._choose(self._recent[-_TEXTS:])
        return vectors

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The model's tokens of a text as ranges of characters, in order."""
        return self._loaded().tokens(text)

    def idle_since(self, now: float) -> float:
        """Seconds since it was last used."""
        return now - max(self._used_at, self._plain._used_at if self._plain is not None else 0.0)

    def drop(self) -> None:
        """Free its memory until it is used again."""
        self._model = self._plain = None
        open_model.cache_clear()

    def _loaded(self) -> Embedder:
        self._used_at = time.monotonic()
        if self._model is None:
            self._model = self._opened()
        return self._model

    def _opened(self) -> Embedder:
        if self._choice is not None and self._way is None:
            choice = read_choice(self._choice)
            if choice is None or choice.runtime != runtime_name():
                self._recent = self._recent or []
            else:
                self._way = choice.way
        if self._way is not None and self._way != PLAIN:
            try:
                return open_model_by(self._way, self.name, self._threads)
            except ModelUnavailable as error:
                # What was there when it was chosen, such as a driver, is gone.
                _log.warning("The plain way is used instead of %s: %s", self._way, error)
        return open_model(self.name, self._threads)

    def _choose(self, texts: Sequence[str]) -> None:
        """Measure all ways with some texts, and go on with the fastest."""
        assert self._choice is not None
        plain = self._loaded()
        tokens = sum(len(plain.tokens(text)) for text in texts)
        expected = plain.embed(texts)
        measured = [Measured(PLAIN, tokens / _seconds(plain, texts), 1.0)]
        # One model at a time is in memory.
        del plain
        self.drop()
        measured += [measure(way, texts, tokens, expected, self._threads) for way in ways_here() if way != PLAIN]
        choice = Choice(fastest(measured), runtime_name(), tuple(measured))
        self._recent, self._way = None, choice.way
        try:
            write_choice(self._choice, choice)
        except OSError as error:
            _log.warning("The way to run the model could not be remembered: %s", error)


def measure(way: str, texts: Sequence[str], tokens: int, expected: Sequence[Vector], threads: int) -> Measured:
    """Run the default model in a way; the rate is 0 if that fails. `expected` are the vectors of the plain way."""
    try:
        model = open_model_by(way, DEFAULT_MODEL, threads)
        vectors = model.embed(texts)
        seconds = _seconds(model, texts)
    except Exception as error:  # A provider raises what it likes.
        _log.info("the model does not run by %s: %s", way, error)
        return Measured(way, 0.0, 0.0)
    likeness = min(float(one @ other) for one, other in zip(vectors, expected, strict=True))
    return Measured(way, tokens / seconds, likeness)


def _seconds(model: Embedder, texts: Sequence[str]) -> float:
    """The time that some texts take, the least of several."""
    spent = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        model.embed(texts)
        spent.append(time.perf_counter() - started)
    return min(spent)
