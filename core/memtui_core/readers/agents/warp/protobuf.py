"""Decode the messages of Warp, which are protocol buffers, to JSON values.

A field that the schema does not know is kept under its number, so that a newer version loses no text.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, Final

from memtui_core.readers.agents.warp.schema import IGNORED, field_of
from memtui_core.text.protobuf import fields_in

_DEEPEST: Final = 60
_FIRST_FIELDS: Final = frozenset("\n\r\t")
"""The characters of a text that are tags of the first field, too."""

Value = int | bytes


def decoded(raw: bytes, kind: str, depth: int = 0) -> dict[str, Any]:
    """A message of a kind, with its fields in the order in which they were written last. Raises ValueError."""
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    found: dict[int, list[Value]] = {}
    for number, value in fields_of(raw):
        found[number] = values = found.pop(number, [])
        values.append(value)
    message: dict[str, Any] = {}
    for number, values in found.items():
        name, of, repeated = field_of(kind, number)
        if of == IGNORED:
            continue
        if repeated:
            message[name] = [_converted(value, of, depth + 1) for value in values]
        elif of in _SCALARS:
            message[name] = _SCALARS[of](values[-1])
        else:
            # Several parts of one message are merged.
            message[name] = _converted(b"".join(map(_bytes, values)), of, depth + 1)
    return message


def fields_of(raw: bytes) -> Iterator[tuple[int, Value]]:
    """The numbers and values of the fields of a message. Raises ValueError."""
    for number, value in fields_in(raw, 0, len(raw)):
        yield number, raw[value] if isinstance(value, slice) else value


def _converted(value: Value, of: str, depth: int) -> Any:
    if of in _SCALARS:
        return _SCALARS[of](value)
    return _SPECIAL[of](_bytes(value), depth) if of in _SPECIAL else decoded(_bytes(value), of, depth)


def _bytes(value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    raise ValueError("a number in place of a message")


def _text(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _int(value: Value) -> int:
    number = value if isinstance(value, int) else 0
    return number - 2**64 if number >= 2**63 else number


def _any(value: Value, depth: int = 0) -> Any:
    """The value of an unknown field: a number, a text, a message by its numbers, or the size of other bytes.

    A message can look like a text, but few texts look like a message that begins with one of the first fields.
    """
    if isinstance(value, int):
        return value
    text = _printable(value)
    if text is None or text[:1] in _FIRST_FIELDS:
        try:
            message: dict[str, Any] = {}
            for number, inner in fields_of(value) if depth < _DEEPEST else ():
                message.setdefault(str(number), []).append(_any(inner, depth + 1))
            if message:
                return message
        except ValueError:
            pass
    return f"[{len(value)} bytes]" if text is None else text


def _printable(value: bytes) -> str | None:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return None
    return text if all(character.isprintable() or character in "\n\r\t" for character in text) else None


def _struct(raw: bytes, depth: int) -> dict[str, Any]:
    """A `google.protobuf.Struct`."""
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    pairs = [dict(fields_of(_bytes(pair))) for number, pair in fields_of(raw) if number == 1]
    return {_text(pair.get(1, b"")): _value(_bytes(pair.get(2, b"")), depth + 1) for pair in pairs}


def _value(raw: bytes, depth: int) -> Any:
    """A `google.protobuf.Value`."""
    for number, value in reversed(list(fields_of(raw))):
        if number == 2 and isinstance(value, bytes) and len(value) == 8:
            (real,) = struct.unpack("<d", value)
            return int(real) if real.is_integer() and abs(real) < 2**53 else real
        if number == 3:
            return _text(value)
        if number == 4:
            return bool(_int(value))
        if number == 5:
            return _struct(_bytes(value), depth + 1)
        if number == 6:
            return [_value(_bytes(item), depth + 1) for place, item in fields_of(_bytes(value)) if place == 1]
    return None


def _pair(raw: bytes, depth: int) -> Any:
    """An entry of a map from texts to attachments, without its key."""
    return decoded(_bytes(dict(fields_of(raw)).get(2, b"")), "Attachment", depth + 1)


_SCALARS: Final[dict[str, Callable[[Value], Any]]] = {
    "text": _text,
    "int": _int,
    "bool": lambda value: bool(_int(value)),
    "any": _any,
    "raw": _bytes,
}
_SPECIAL: Final[dict[str, Callable[[bytes, int], Any]]] = {"Struct": _struct, "Attachments": _pair}
