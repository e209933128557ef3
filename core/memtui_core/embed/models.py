"""Which model turns texts into vectors: the one that comes with memtui, or any that fastembed knows by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from memtui_core.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    Vector = Any

DEFAULT_MODEL = "all-MiniLM-L6-v2-int8"
"""384 dimensions; its files come with the installation, nothing is ever downloaded for it."""


class Embedder(Protocol):
    """A loaded model; vectors have the length 1. Any thread may call it."""

    name: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector a text, in the order given; what is longer than the model reads is cut."""
        ...

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The model's tokens of a text as ranges of characters, in order."""
        ...


@lru_cache(1)
def open_model(name: str = DEFAULT_MODEL, threads: int = 1) -> Embedder:
    """Load a model, once in a process. Raises ModelUnavailable, which says what to do.

    The default one is run without fastembed, whose import alone takes longer than a whole search.
    """
    try:
        if name == DEFAULT_MODEL:
            from memtui_core.embed.minilm import MiniLM

            return MiniLM(threads)
        from memtui_core.embed.fast import FastembedModel

        return FastembedModel(name, threads)
    except ModelUnavailable:
        raise
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelUnavailable(f"The embedding model {name} cannot be loaded: {reason}") from error
