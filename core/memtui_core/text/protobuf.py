"""Read and write the fields of messages in the format of protocol buffers, without knowing their definitions."""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap
from typing import Final

_NUMBER, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
"""The wire types."""
_SIZES: Final = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}
_MOST_BITS: Final = 64


def fields_in(data: bytes | mmap, start: int, end: int) -> Iterator[tuple[int, int | slice]]:
    """The number of each field of a message with its value: a number, or where its bytes are. Raises ValueError."""
    while start < end:
        key, start = _number(data, start, end)
        field, kind = key >> 3, key & 7
        if field == 0:
            raise ValueError("a field without a number")
        if kind == _NUMBER:
            value, start = _number(data, start, end)
            yield field, value
            continue
        if kind == _BYTES:
            size, start = _number(data, start, end)
        elif (size := _SIZES.get(kind, -1)) < 0:
            raise ValueError(f"a field of the type {kind}")
        if start + size > end:
            raise ValueError("it ends within a field")
        yield field, slice(start, start + size)
        start += size


def field_of(number: int, value: int | bytes) -> bytes:
    """A field of a message: a number of at least 0, or bytes."""
    if isinstance(value, int):
        return _written(number << 3 | _NUMBER) + _written(value)
    return _written(number << 3 | _BYTES) + _written(len(value)) + value


def four_bytes(number: int, value: bytes) -> bytes:
    """A field with four bytes, such as a 32-bit float."""
    return _written(number << 3 | _FOUR_BYTES) + value


def _written(value: int) -> bytes:
    """A number with seven bits a byte."""
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*written, value))


def _number(data: bytes | mmap, place: int, end: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place after it."""
    value = 0
    for shift in range(0, _MOST_BITS + 6, 7):
        if place >= end:
            raise ValueError("it ends within a number")
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << _MOST_BITS) - 1, place
    raise ValueError("a number is too long")
