"""Vectors of the default model that a run of the tests made before.

The model runs once for each text, also of several processes. The key holds the weights, the code that turns tokens into
a vector and the tokens, so nothing in it is older than what it was made of.
"""

from __future__ import annotations

import hashlib
import inspect
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

from memtui_core.embed import minilm, minilm_files, onnx_options
from memtui_core.embed.minilm import MiniLM
from memtui_core.embed.models import Vector
from support.model_process import ModelProcess

_FOLDER = Path(__file__).parents[2] / ".pytest_cache" / "vectors"
_RUN = MiniLM._run
_WAIT = 60.0
"""Seconds for which a process waits for another one that writes."""


class _Runtime:
    """The module onnxruntime, but one session in a process of its own answers for all."""

    def __init__(self, process: ModelProcess) -> None:
        self._process = process

    def InferenceSession(self, *_: Any, **__: Any) -> ModelProcess:
        """That session."""
        return self._process

    def __getattr__(self, name: str) -> Any:
        return getattr(ort, name)


class VectorCache:
    """A file with vectors by the tokens of their texts."""

    def __init__(self, process: ModelProcess) -> None:
        """The process runs the model for texts that are not in the file."""
        self._process = process
        _FOLDER.mkdir(parents=True, exist_ok=True)
        self._file = _FOLDER / f"{_what_makes_a_vector()}.sqlite"
        self._known: dict[bytes, Vector] = {}
        self._rows = 0
        """Rows of the file that were read."""
        with closing(self._open()) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (tokens BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        self._read()

    def use(self, patch: pytest.MonkeyPatch) -> None:
        """Answer for the model where the cache can."""

        def cached(model: MiniLM, token_ids: Sequence[Sequence[int]]) -> list[Vector]:
            keys = [np.array(ids, np.int32).tobytes() for ids in token_ids]
            if not self._known.keys() >= set(keys):
                self._read()
            new = [place for place, key in enumerate(keys) if key not in self._known]
            if new:
                vectors = _RUN(model, [token_ids[place] for place in new])
                self._add({keys[place]: vector for place, vector in zip(new, vectors, strict=True)})
            # A copy, as of a run: who gets it may write to it.
            return [self._known[key].copy() for key in keys]

        patch.setattr(MiniLM, "_run", cached)
        patch.setattr(minilm, "ort", _Runtime(self._process))

    def _read(self) -> None:
        """Take what other processes have added."""
        with closing(self._open()) as connection:
            rows = connection.execute(
                "SELECT tokens, vector FROM vectors ORDER BY rowid LIMIT -1 OFFSET ?", [self._rows]
            ).fetchall()
        self._rows += len(rows)
        self._known.update((tokens, np.frombuffer(vector, np.float32)) for tokens, vector in rows)

    def _add(self, vectors: dict[bytes, Vector]) -> None:
        self._known.update(vectors)
        rows = [(tokens, vector.tobytes()) for tokens, vector in vectors.items()]
        with closing(self._open()) as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=_WAIT)


def use_the_model(patch: pytest.MonkeyPatch) -> None:
    """Have the model itself answer again, for a test about it."""
    patch.setattr(MiniLM, "_run", _RUN)
    patch.setattr(minilm, "ort", ort)


def _what_makes_a_vector() -> str:
    """A name for the model: its weights and the code around them."""
    modules = (minilm, minilm_files, onnx_options)
    parts = [ort.__version__, minilm_files._WEIGHTS, *(inspect.getsource(module) for module in modules)]
    tokenizer = minilm_files.TOKENIZER.read_bytes()
    return hashlib.sha256("\n".join(parts).encode() + tokenizer).hexdigest()[:16]
