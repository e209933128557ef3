"""What is kept of a line or a text that would not fit into memory once it is decoded.

A text keeps its beginning and its end. Of a list or an object with very many values, the rest is left out; what the
entry itself says of its session, such as its id and its time, stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

LONG_LINE: Final = 8_000_000
"""Bytes of the longest line that is decoded as it is."""
LONGEST_TEXT: Final = 2_000_000
"""Characters of the longest text that is kept whole."""
_SHORT: Final = 10_000
"""Bytes of the longest text that is kept whole in a line of which `LONG_LINE` bytes of texts were kept."""
_MOST_TOKENS: Final = 200_000
"""Texts, brackets and what is between them, in a line that is cut: decoded they take 30 MB."""
_TEXT: Final = rb'"(?:[^"\\]++|\\.)*+"'
_BETWEEN: Final = rb'[^"{}\[\]]++'
_TOKEN: Final = re.compile(_TEXT + rb"|[{\[}\]]|" + _BETWEEN, re.DOTALL)
_INNER: Final = rb"[{\[](?:" + _TEXT + rb"|" + _BETWEEN + rb")*+[}\]]"
_OUTER: Final = rb"[{\[](?:" + _TEXT + rb"|" + _BETWEEN + rb"|" + _INNER + rb")*+[}\]]"
_LEFT_OUT_VALUES: Final = re.compile(rb"(?:" + _TEXT + rb"|" + _BETWEEN + rb"|" + _OUTER + rb")*+", re.DOTALL)
"""Values up to the next bracket of a value that is nested more deeply than most: one match for a million of them."""
_UNIT: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
"""An escape sequence, with the second half of its character, or a byte."""
_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C
_WINDOW: Final = 12
"""Bytes of the longest escape sequence: half of a character in two parts."""
_LEFT_OUT: Final = re.compile(r"… \[(\d+) characters left out\] …")


def shortened_text(text: str) -> str:
    """A text of at most `LONGEST_TEXT` characters and the note between its beginning and its end."""
    if len(text) <= LONGEST_TEXT:
        return text
    half = LONGEST_TEXT // 2
    return f"{text[:half]}{_note(len(text) - 2 * half)}{text[-half:]}"


def whole_length(text: str) -> int:
    """The characters that a text had before it was shortened."""
    left_out = _LEFT_OUT.search(text, LONGEST_TEXT // 2 - _WINDOW) if len(text) >= _SHORT else None
    return len(text) if left_out is None else len(text) - len(left_out[0]) + int(left_out[1])


def shortened(raw: bytes) -> bytes:
    """A JSON value of which long texts are cut and of which the rest of very long lists and objects is left out.

    The result is JSON if the value is. It takes time in proportion to the length.
    """
    return b"".join(_kept(raw))


def _kept(raw: bytes) -> Iterator[bytes]:
    depth, tokens, texts, place = 0, 0, 0, 0
    skipped_to = 0
    """The depth of the container whose other values are left out; 0 if none are."""
    while place < len(raw):
        if skipped_to and (values := _LEFT_OUT_VALUES.match(raw, place)) is not None and values.end() > place:
            place = values.end()
            continue
        if (match := _TOKEN.match(raw, place)) is None:
            # A text without an end: the line is not complete.
            yield raw[place : place + _SHORT]
            return
        start, place = match.span()
        first, end = raw[start], place
        if first in b"{[":
            depth += 1
        elif first in b"}]":
            if depth == skipped_to:
                skipped_to = 0
            depth -= 1
        if skipped_to:
            continue
        tokens += 1
        # The entry's own fields are few, and say to which session it belongs.
        is_full = tokens > _MOST_TOKENS and (depth > 1 or tokens > 2 * _MOST_TOKENS)
        if first == _QUOTE:
            yield _text(raw, start, end, LONGEST_TEXT if texts < LONG_LINE else _SHORT)
            texts += min(end - start, LONGEST_TEXT)
        elif first in b"{[}]" or not (is_full or end - start > _SHORT):
            yield raw[start:end]
        else:
            # Between two values of a list there can be thousands of numbers.
            piece = raw[start : min(end, start + _SHORT)]
            comma = piece.find(b",") if is_full else piece.rfind(b",")
            if comma < 0:
                yield raw[start:end]
            else:
                yield piece[:comma]
                skipped_to = depth


def _text(raw: bytes, start: int, end: int, longest: int) -> bytes:
    """A string with its quotes, cut if it has more bytes."""
    if end - start <= longest:
        return raw[start:end]
    first, last = _border(raw, start + 1, start + longest // 2), _border(raw, start + 1, end - longest // 2)
    return raw[start:first] + _note(last - first).encode() + raw[last:end]


def _border(raw: bytes, start: int, at: int) -> int:
    """The first place from about `at` on at which no character and no escape sequence is torn."""
    while raw[at] & 0xC0 == 0x80:
        at -= 1
    escape = raw.rfind(b"\\", max(start, at - _WINDOW), at)
    if escape < 0:
        return at
    while escape > start and raw[escape - 1] == _BACKSLASH:
        escape -= 1
    return next(unit.end() for unit in _UNIT.finditer(raw, escape) if unit.end() >= at)


def _note(characters: int) -> str:
    return f"… [{characters} characters left out] …"
