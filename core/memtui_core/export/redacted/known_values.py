"""Private values that are known, wherever and however they are written in a text."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from html import escape
from typing import Final, NamedTuple
from urllib.parse import quote, quote_plus

from ahocorasick_rs import AhoCorasick

from memtui_core.export.redacted.spans import PrivateKind, PrivateSpan

_WRAP: Final = re.compile(r"(?:\\?\r?\n|(?:\\r)?\\n)[ \t]*(?:[+\-|>│#*]|//)?[ \t]*")
"""Where a line goes on in the next one: with its indent, and the sign of a diff, a quotation or a comment."""
_LEAST_WRAPPED: Final = 8
"""Characters of a value that is looked for over the end of a line."""
_LEAST_ENCODED: Final = 6
"""Characters of a value that is looked for within base64."""
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_BASE64_BEFORE: Final = re.compile(r"[A-Za-z0-9+/_-]*\Z")


class KnownValue(NamedTuple):
    """A private value, and what takes its place."""

    text: str
    kind: PrivateKind
    replacement: str
    is_word: bool = True
    """Whether no letter may be beside it."""


class _Form(NamedTuple):
    value: KnownValue
    is_base64: bool = False


class KnownValues:
    """Finds values as they are, in any case, escaped for JSON, HTML or a URL, within base64, and over line ends."""

    def __init__(self, values: Iterable[KnownValue]) -> None:
        forms: dict[str, _Form] = {}
        encoded: dict[str, _Form] = {}
        for value in values:
            for form in _forms(value.text):
                forms.setdefault(_lower(form), _Form(value))
            for form in _base64_forms(value.text):
                encoded.setdefault(form, _Form(value, is_base64=True))
        self._forms, self._encoded = list(forms.values()), list(encoded.values())
        self._automaton = AhoCorasick(list(forms)) if forms else None
        self._base64_automaton = AhoCorasick(list(encoded)) if encoded else None

    def spans(self, text: str) -> Iterator[PrivateSpan]:
        """Where the values are in a text."""
        if self._automaton is None:
            return
        lowered = _lower(text)
        for number, start, end in _matches(self._automaton, lowered):
            yield from self._span(text, start, end, self._forms[number].value)
        if self._base64_automaton is not None:
            for number, start, end in _matches(self._base64_automaton, text):
                first = start - len(_found(_BASE64_BEFORE, text[max(0, start - 4096) : start], -1))
                last = end + len(_found(_BASE64, text, end))
                value = self._encoded[number].value
                yield PrivateSpan(first, last, value.kind, value.replacement)
        if "\n" in text or "\\n" in text:
            yield from self._wrapped(lowered)

    def _span(self, text: str, start: int, end: int, value: KnownValue) -> Iterator[PrivateSpan]:
        if not (value.is_word and (_is_letter(text, start - 1, start) or _is_letter(text, end, end - 1))):
            yield PrivateSpan(start, end, value.kind, value.replacement)

    def _wrapped(self, text: str) -> Iterator[PrivateSpan]:
        """The values that begin in one line and end in another one."""
        if self._automaton is None:
            return
        pieces, starts, places, at, size = [], [0], [0], 0, 0
        for wrap in _WRAP.finditer(text):
            pieces.append(text[at : wrap.start()])
            size += wrap.start() - at
            at = wrap.end()
            starts.append(size)
            places.append(at)
        pieces.append(text[at:])
        joined = "".join(pieces)
        for number, start, end in _matches(self._automaton, joined):
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
            if first != last and end - start >= _LEAST_WRAPPED:
                begins, ends = places[first] + start - starts[first], places[last] + end - starts[last]
                yield from self._span(text, begins, ends, self._forms[number].value)


def _matches(automaton: AhoCorasick, text: str) -> list[tuple[int, int, int]]:
    try:
        return automaton.find_matches_as_indexes(text, overlapping=True)
    except UnicodeEncodeError:
        # Half a character, as in a name that is not UTF-8.
        return automaton.find_matches_as_indexes(text.encode("utf-8", "replace").decode(), overlapping=True)


def _forms(text: str) -> set[str]:
    """The ways in which a text may be written."""
    inner = {json.dumps(text, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False)}
    forms = {text, *inner, *(json.dumps(each)[1:-1] for each in inner), escape(text), escape(text, quote=False)}
    forms |= {quote(text, safe=""), quote(text), quote_plus(text)}
    if "\\" in text:
        forms |= {text.replace("\\", "/"), quote(text.replace("\\", "/"))}
    return {form for form in forms if form}


def _base64_forms(text: str) -> Iterator[str]:
    """What a text becomes within base64, without the characters that depend on what is beside it."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) < _LEAST_ENCODED:
        return
    for offset in range(3):
        coded = b64encode(bytes(offset) + raw).decode()
        first, bits = -(-offset * 8 // 6), (offset + len(raw)) * 8
        form = coded[first : bits // 6]
        yield form
        if form != (url_safe := form.replace("+", "-").replace("/", "_")):
            yield url_safe


def _lower(text: str) -> str:
    """The text in small letters, character for character."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(one if len(one := each.lower()) == 1 else each for each in text)


def _is_letter(text: str, at: int, inside: int) -> bool:
    """Whether a letter is beside a value whose end is a letter, too."""
    if not 0 <= at < len(text) or not (text[at].isalpha() and text[inside].isalpha()):
        return False
    # The letter of an escape, such as `\n`.
    return not (at < inside and text[at] in "nrtbf" and at and text[at - 1] == "\\")


def _found(pattern: re.Pattern[str], text: str, at: int) -> str:
    match = pattern.search(text) if at < 0 else pattern.match(text, at)
    return match[0] if match else ""
