"""The constants of an ONNX file as arrays that share its memory: a few fields of a protobuf message are enough."""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GRAPH: Final = 7
"""The field of a ModelProto with its graph."""
_INITIALIZER: Final = 5
"""The field of a GraphProto with a constant."""
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9
"""The fields of a TensorProto."""
_NUMBER, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
"""The wire types of protobuf."""
_TYPES: Final[dict[int, np.dtype[Any]]] = {1: np.dtype("<f4"), 3: np.dtype("i1")}
"""The element types that a model of numbers needs, by their codes in ONNX."""


def read_tensors(data: mmap) -> dict[str, NDArray[Any]]:
    """The constants of 32-bit floats and 8-bit integers by their names. Raises ValueError or IndexError if damaged."""
    tensors: dict[str, NDArray[Any]] = {}
    for field, start, end in _fields(data, 0, len(data)):
        if field == _GRAPH:
            for inner, first, last in _fields(data, start, end):
                if inner == _INITIALIZER:
                    tensors.update(_tensor(data, first, last))
    return tensors


def _tensor(data: mmap, start: int, end: int) -> Iterator[tuple[str, NDArray[Any]]]:
    shape: list[int] = []
    name, code, raw = "", 0, None
    for field, value, last in _fields(data, start, end):
        if field == _DIMS:
            shape.append(value)
        elif field == _DATA_TYPE:
            code = value
        elif field == _NAME:
            name = data[value:last].decode()
        elif field == _RAW_DATA:
            raw = value
    if raw is not None and code in _TYPES:
        yield name, np.ndarray(shape, _TYPES[code], data, raw)


def _fields(data: mmap, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The number of each field with its value, or with the first and the last place of its bytes."""
    while start < end:
        key, start = _number(data, start)
        kind = key & 7
        if kind == _NUMBER:
            value, start = _number(data, start)
            yield key >> 3, value, 0
            continue
        if kind == _BYTES:
            size, start = _number(data, start)
        elif kind in (_FOUR_BYTES, _EIGHT_BYTES):
            size = 4 if kind == _FOUR_BYTES else 8
        else:
            raise ValueError(f"a field of the wire type {kind}")
        yield key >> 3, start, start + size
        start += size


def _number(data: mmap, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place after it."""
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
