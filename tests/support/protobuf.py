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


def fields_of(raw: bytes) -> list[bytes]:
    """The fields of an encoded message, each with its number and its length."""
    fields, place = [], 0
    while place < len(raw):
        first = place
        tag, place = _number(raw, place)
        if tag & 7 == 2:
            length, place = _number(raw, place)
            place += length
        elif tag & 7:
            place += 8 if tag & 7 == 1 else 4
        else:
            _, place = _number(raw, place)
        fields.append(raw[first:place])
    return fields


def length_of_head(field: bytes) -> int:
    """The number of bytes of a field before its content: its number, and its length if it has one."""
    tag, place = _number(field, 0)
    return _number(field, place)[1] if tag & 7 == 2 else place


def _number(raw: bytes, place: int) -> tuple[int, int]:
    """The number at a place, and the place after it."""
    value = shift = 0
    while True:
        byte = raw[place]
        value, shift, place = value | (byte & 0x7F) << shift, shift + 7, place + 1
        if byte < 0x80:
            return value, place
