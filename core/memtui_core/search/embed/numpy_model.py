"""The default model for a process that embeds one or two questions: numpy computes it from the mapped weights.

To make a session of onnxruntime takes a quarter of a second, because it turns all weights into floats. Here a question
takes 10 ms, and with a session 4. The numbers of a vector differ by less than 1e-6. The constants of the ONNX file are
arrays that share its memory: a few fields of a protobuf message are enough to find them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed.minilm_files import cut, load_tokenizer, weights_file
from memtui_core.text.protobuf import fields_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memtui_core.system.startup.numeric import Vector

    Floats = NDArray[np.float32]

_GRAPH: Final = 7
"""The field of a ModelProto with its graph."""
_INITIALIZER: Final = 5
"""The field of a GraphProto with a constant."""
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9
"""The fields of a TensorProto."""
_TYPES: Final[dict[int, np.dtype[Any]]] = {1: np.dtype("<f4"), 3: np.dtype("i1")}
"""The element types that a model of numbers needs, by their codes in ONNX."""
LAYERS: Final = 6
HEADS: Final = 12
_EPSILON: Final = np.float32(1e-12)
"""Added to a variance, as the model was trained."""
MATRIX: Final = re.compile(r"val_(\d+)_q")
"""The names of the matrices of the layers; the numbers are in the order in which they are used."""
EMBEDDINGS: Final = "inner.embeddings."
_ERF: Final = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
"""The coefficients of Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: an error of at most 1.5e-7."""
_ERF_SCALE: Final = np.float32(0.3275911)
"""The parameter of that formula."""


class NumpyModel:
    """The model for texts that are embedded one by one."""

    name = DEFAULT_MODEL

    def __init__(self) -> None:
        self._tokenizer = load_tokenizer()
        self._tensors = mapped_tensors()
        self._matrices = matrices_of(self._tensors)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector of length 1 for each text: the mean over its tokens."""
        return [self._vector(cut(self._tokenizer.ids(text))) for text in texts]

    def _vector(self, ids: Sequence[int]) -> Vector:
        states = self._rows("word_embeddings", ids) + self._rows("position_embeddings", range(len(ids)))
        states = self._normed(states + self._of(f"{EMBEDDINGS}token_type_embeddings.weight")[0], EMBEDDINGS)
        for layer in range(LAYERS):
            states = self._layer(states, layer)
        mean = states.mean(axis=0)
        vector: Vector = mean / np.linalg.norm(mean)
        return vector

    def _layer(self, states: Floats, layer: int) -> Floats:
        """What a layer of the transformer makes of the states of all tokens, which are the rows."""
        name = f"inner.encoder.layer.{layer}."
        query, key, value, output, wider, narrower = self._matrices[6 * layer : 6 * layer + 6]

        def heads(matrix: str, part: str) -> Floats:
            rows = self._linear(states, matrix, f"{name}attention.self.{part}")
            return rows.reshape(len(states), HEADS, -1).transpose(1, 0, 2)

        queries, keys = heads(query, "query"), heads(key, "key")
        scores = queries @ keys.transpose(0, 2, 1) * np.float32(1 / math.sqrt(queries.shape[2]))
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        mixed = (weights @ heads(value, "value")).transpose(1, 0, 2).reshape(states.shape)
        attended = self._linear(mixed, output, f"{name}attention.output.dense")
        states = self._normed(states + attended, f"{name}attention.output.")
        hidden = _gelu(self._linear(states, wider, f"{name}intermediate.dense"))
        return self._normed(states + self._linear(hidden, narrower, f"{name}output.dense"), f"{name}output.")

    def _of(self, name: str) -> NDArray[Any]:
        return self._tensors[name]

    def _rows(self, table: str, rows: Sequence[int]) -> Floats:
        """Some rows of a table of 8-bit numbers, which has a factor for each row."""
        name, places = f"{EMBEDDINGS}{table}.weight", list(rows)
        floats: Floats = self._of(f"{name}_q")[places].astype(np.float32) * self._of(f"{name}_scale")[places]
        return floats

    def _linear(self, states: Floats, matrix: str, name: str) -> Floats:
        """The product with a matrix of 8-bit numbers, which has a factor for each column, and the bias."""
        product = states @ self._of(f"{matrix}_q").astype(np.float32)
        floats: Floats = product * self._of(f"{matrix}_scale") + self._of(f"{name}.bias")
        return floats

    def _normed(self, states: Floats, name: str) -> Floats:
        """Each row with the mean and the variance of the layer norm `name`."""
        centred = states - states.mean(axis=1, keepdims=True)
        variance = (centred * centred).mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt(variance + _EPSILON)
        floats: Floats = scaled * self._of(f"{name}LayerNorm.weight") + self._of(f"{name}LayerNorm.bias")
        return floats


def _gelu(values: Floats) -> Floats:
    half: Floats = values * np.float32(0.5)
    return half * (np.float32(1) + _erf(values * np.float32(1 / math.sqrt(2))))


def _erf(values: Floats) -> Floats:
    """The error function, which numpy lacks."""
    size = np.abs(values)
    part = np.float32(1) / (np.float32(1) + _ERF_SCALE * size)
    polynomial: Any = np.float32(0)
    for coefficient in _ERF:
        polynomial = (polynomial + coefficient) * part
    floats: Floats = np.copysign(np.float32(1) - polynomial * np.exp(-size * size), values)
    return floats


def mapped_tensors() -> dict[str, NDArray[Any]]:
    """The constants of the default model by their names. Raises as `weights_file`, ValueError if damaged."""
    with weights_file().open("rb") as file:
        return read_tensors(mmap(file.fileno(), 0, access=ACCESS_READ))


def matrices_of(tensors: Collection[str]) -> list[str]:
    """The names of the matrices, without an ending: query, key, value, output, wider and narrower of each layer."""
    numbers = sorted(int(match[1]) for name in tensors if (match := MATRIX.fullmatch(name)))
    return [f"val_{number}" for number in numbers]


def read_tensors(data: mmap) -> dict[str, NDArray[Any]]:
    """The constants of 32-bit floats and 8-bit integers by their names. Raises ValueError if damaged."""
    tensors: dict[str, NDArray[Any]] = {}
    for graph in _messages(data, slice(0, len(data)), _GRAPH):
        for initializer in _messages(data, graph, _INITIALIZER):
            tensors.update(_tensor(data, initializer))
    return tensors


def _messages(data: mmap, part: slice, number: int) -> Iterator[slice]:
    """Where the messages in a field of a message are."""
    for field, value in fields_in(data, part.start, part.stop):
        if field == number and isinstance(value, slice):
            yield value


def _tensor(data: mmap, part: slice) -> Iterator[tuple[str, NDArray[Any]]]:
    shape: list[int] = []
    name, code, raw = "", 0, None
    for field, value in fields_in(data, part.start, part.stop):
        if isinstance(value, slice):
            if field == _NAME:
                name = data[value].decode()
            elif field == _RAW_DATA:
                raw = value.start
        elif field == _DIMS:
            shape.append(value)
        elif field == _DATA_TYPE:
            code = value
    if raw is not None and code in _TYPES:
        yield name, np.ndarray(shape, _TYPES[code], data, raw)
