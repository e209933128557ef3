"""Vectors of the default model that a run of the tests made before.

The model runs once for each text, also of several processes. The key holds the weights, the options of the session and
the tokens, so nothing in it is older than what it was made of.
"""

from __future__ import annotations

import hashlib
import inspect
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

from memtui_core.search.embed import minilm_files, onnx_options, open_model
from memtui_core.system.startup.numeric import Vector
from support.model_process import ModelProcess

_FOLDER = Path(__file__).parents[2] / ".pytest_cache" / "vectors"
_SESSION = ort.InferenceSession
_WAIT = 60.0
"""Seconds for which a process waits for another one that writes."""


class VectorCache:
    """A file with the means of the states of texts by their tokens; a vector is such a mean with the length 1."""

    def __init__(self, process: ModelProcess) -> None:
        """The process runs the model for texts that are not in the file."""
        self._process = process
        _FOLDER.mkdir(parents=True, exist_ok=True)
        self._file = _FOLDER / f"{_what_makes_a_vector()}.sqlite"
        self._known: dict[bytes, Vector] = {}
        self._rows = 0
        """Rows of the file that were read."""
        with closing(self._open()) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS means (tokens BLOB PRIMARY KEY, mean BLOB NOT NULL)")
        self._read()

    def use(self, patch: pytest.MonkeyPatch) -> None:
        """Answer for the sessions of the default model where the cache can."""

        def session(file: str | bytes, *arguments: Any, **options: Any) -> Any:
            if file == str(minilm_files.weights_file()):
                return _CachedSession(self)
            return _SESSION(file, *arguments, **options)

        patch.setattr(ort, "InferenceSession", session)

    def means(self, inputs: dict[str, Any]) -> list[Vector]:
        """The means of the states that a session gives for texts with the same number of tokens."""
        keys = [row.astype(np.int32).tobytes() for row in inputs["input_ids"]]
        if not self._known.keys() >= set(keys):
            self._read()
        new = [place for place, key in enumerate(keys) if key not in self._known]
        if new:
            (states,) = self._process.run(None, {name: rows[new] for name, rows in inputs.items()})
            self._add({keys[place]: mean for place, mean in zip(new, states.mean(axis=1), strict=True)})
        return [self._known[key] for key in keys]

    def _read(self) -> None:
        """Take what other processes have added."""
        with closing(self._open()) as connection:
            rows = connection.execute(
                "SELECT tokens, mean FROM means ORDER BY rowid LIMIT -1 OFFSET ?", [self._rows]
            ).fetchall()
        self._rows += len(rows)
        self._known.update((tokens, np.frombuffer(mean, np.float32)) for tokens, mean in rows)

    def _add(self, means: dict[bytes, Vector]) -> None:
        self._known.update(means)
        rows = [(tokens, mean.tobytes()) for tokens, mean in means.items()]
        with closing(self._open()) as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO means VALUES (?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=_WAIT)


@dataclass(frozen=True)
class _Named:
    """An input or output of a session."""

    name: str


class _CachedSession:
    """A session of onnxruntime, as far as a model uses it."""

    def __init__(self, cache: VectorCache) -> None:
        self._cache = cache

    def run(self, names: Sequence[str] | None, inputs: dict[str, Any]) -> list[Any]:
        """States with the mean of those that the model gives: the first token has all of it."""
        texts, tokens = inputs["input_ids"].shape
        means = self._cache.means(inputs)
        states = np.zeros((texts, tokens, len(means[0])), np.float32)
        for place, mean in enumerate(means):
            states[place, 0] = mean * np.float32(tokens)
        return [states]

    def get_inputs(self) -> list[_Named]:
        """What the model reads."""
        return [_Named("input_ids"), _Named("attention_mask"), _Named("token_type_ids")]

    def get_outputs(self) -> list[_Named]:
        """What it gives."""
        return [_Named("last_hidden_state")]


def forget_models() -> None:
    """Have models loaded anew when they are opened next."""
    open_model.cache_clear()


def use_the_model(patch: pytest.MonkeyPatch) -> None:
    """Have the model itself answer again, for a test about it."""
    patch.setattr(ort, "InferenceSession", _SESSION)


def _what_makes_a_vector() -> str:
    """A name for the model: its weights and options."""
    parts = [ort.__version__, minilm_files._WEIGHTS, inspect.getsource(onnx_options), inspect.getsource(minilm_files)]
    return hashlib.sha256("\n".join(parts).encode() + minilm_files.TOKENIZER.read_bytes()).hexdigest()[:16]
