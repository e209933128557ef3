"""Embedding models: the default one, which is installed with memtui, and those that fastembed lists.

| process | opens its model by | the default model is run by |
|---|---|---|
| an indexer, the app or an MCP server | `open_model` | a session of onnxruntime |
| a command, which has one question | `open_brief_model` | numpy |

fastembed runs every other model. It is a part of memtui[models], because it takes 50 MB with what it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from typing import Protocol

from memtui_core.errors import ModelUnavailable
from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed.ways import PLAIN
from memtui_core.system.startup.numeric import Vector, import_numpy

DEFAULT_DIMENSION = 384
"""The length of its vectors."""


class QueryEmbedder(Protocol):
    """A loaded model for questions; its vectors have length 1. Any thread may call it."""

    name: str

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text, in order; a text is cut after what the model reads."""
        ...


class Embedder(QueryEmbedder, Protocol):
    """A loaded model."""

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        ...

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The model's tokens of a text as ranges of characters, in order."""
        ...


@lru_cache(1)
def open_model(name: str = DEFAULT_MODEL, threads: int = 1) -> Embedder:
    """Load a model that makes vectors for minutes, once in a process. Raises ModelUnavailable."""
    return open_model_by(PLAIN, name, threads)


def open_brief_model(name: str = DEFAULT_MODEL, threads: int = 1) -> QueryEmbedder:
    """Load a model in a process that ends after a few questions. Raises ModelUnavailable."""
    if name != DEFAULT_MODEL:
        return open_model_by(PLAIN, name, threads)
    with _unavailable(name):
        import_numpy()
        from memtui_core.search.embed.numpy_model import NumpyModel

        return NumpyModel()


def open_model_by(way: str, name: str = DEFAULT_MODEL, threads: int = 1) -> Embedder:
    """Load a model in one of the ways to run the default one, see `ways`. Raises ModelUnavailable."""
    with _unavailable(name):
        if name == DEFAULT_MODEL:
            from memtui_core.search.embed.session_model import SessionModel

            return SessionModel(threads, way)
        if find_spec("fastembed") is None:
            raise ModelUnavailable(f"The embedding model {name} needs fastembed: install memtui[models].")
        from memtui_core.search.embed.fastembed_model import FastembedModel

        return FastembedModel(name, threads)


@contextmanager
def _unavailable(name: str) -> Iterator[None]:
    """Raise ModelUnavailable for every failure of a model."""
    try:
        yield
    except ModelUnavailable:
        raise
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelUnavailable(f"The embedding model {name} cannot be loaded: {reason}") from error
