"""Protocol buffers for the tests of readers: messages written by the numbers of their fields."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

Fields = Mapping[int, Any]
"""The values by the numbers of their fields: a number, a float, a text, bytes, a message, or a list of those."""


def message(fields: Fields) -> bytes:
    """A message in its encoded form."""
    return b"".join(_field(number, value) for number, value in _flat(fields))


def json_struct(values: Mapping[str, Any]) -> Fields:
    """A JSON object as a `google.protobuf.Struct`."""
    return {1: [{1: key, 2: _json_value(value)} for key, value in values.items()]}


def _json_value(value: Any) -> Fields:
    if isinstance(value, bool):
        return {4: value}
    if isinstance(value, int | float):
        return {2: float(value)}
    if isinstance(value, str):
        return {3: value}
    if isinstance(value, list):
        return {6: {1: [_json_value(item) for item in value]}}
    return {5: json_struct(value)} if isinstance(value, dict) else {1: 0}


def _flat(fields: Fields) -> Iterable[tuple[int, Any]]:
    for number, value in fields.items():
        yield from ((number, item) for item in (value if isinstance(value, list) else [value]))


def _field(number: int, value: Any) -> bytes:
    if isinstance(value, float):
        return _varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value & 2**64 - 1)
    raw = message(value) if isinstance(value, Mapping) else value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _varint(value: int) -> bytes:
    raw = b""
    while value > 0x7F:
        raw += bytes([value & 0x7F | 0x80])
        value >>= 7
    return raw + bytes([value])
