"""The constants of an ONNX file as arrays that share its memory: a few fields of a protobuf message are enough."""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memtui_core.text.protobuf import fields_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GRAPH: Final = 7
"""The field of a ModelProto with its graph."""
_INITIALIZER: Final = 5
"""The field of a GraphProto with a constant."""
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9
"""The fields of a TensorProto."""
_TYPES: Final[dict[int, np.dtype[Any]]] = {1: np.dtype("<f4"), 3: np.dtype("i1")}
"""The element types that a model of numbers needs, by their codes in ONNX."""


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
