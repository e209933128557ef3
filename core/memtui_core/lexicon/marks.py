"""Where the words of a query stand in a text: the same words that the index matched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtui_core.lexicon.clauses import Clause, read
from memtui_core.lexicon.tokens import CJK, fold
from memtui_core.model import Span
from memtui_core.query import Query

_CHUNK = 1 << 16
_OVERLAP = 400
_GAP = r"[\W_]{1,16}"
"""What may stand between the words of a phrase."""
_NAME_GAP = r"[\W_]{0,4}"
_LONGEST_WORD = 100
_MOST_MARKS = 5000


@dataclass(frozen=True, slots=True)
class Match:
    """A place in a text and the number of the clause that it answers."""

    start: int
    end: int
    clause: int


@dataclass(frozen=True, slots=True)
class _Needle:
    pattern: re.Pattern[str]
    clause: int
    prefix: bool
    whole: bool
    """The match must begin and end where words or parts of names do."""


class Matcher:
    """Finds clauses in texts of any size; linear in the length of the text."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.size = len(clauses)
        self._needles = [
            _Needle(re.compile(pattern), number, clause.prefix, not clause.run)
            for number, clause in enumerate(clauses)
            if (pattern := _pattern(clause))
        ]

    def chunks(self, text: str) -> Iterator[list[Match]]:
        """The matches of one stretch of the text after the other, each in order."""
        for start in range(0, len(text), _CHUNK):
            end = min(start + _CHUNK, len(text))
            folded = fold(text[start : end + _OVERLAP])
            found = [match for needle in self._needles for match in _found(needle, text, folded, start, end)]
            yield sorted(found, key=lambda match: (match.start, -match.end))

    def spans(self, text: str, most: int = _MOST_MARKS) -> list[Span]:
        """All matches as ranges that do not overlap; of those that begin at one place the longest."""
        found: list[Span] = []
        last = 0
        for matches in self.chunks(text):
            for match in matches:
                if match.start >= last:
                    found.append(Span(match.start, match.end))
                    last = match.end
            if len(found) >= most:
                break
        return found[:most]


def find_spans(text: str, words: Sequence[str]) -> list[Span]:
    """The places of words and phrases in an opened text, at most 5000; never raises.

    Case and accents do not count, and a word is also found as a part of a name: `upload` in `retryUpload`. A text of
    several words is a phrase.
    """
    terms = tuple(word for word in words if len(word.split()) == 1)
    phrases = tuple(word for word in words if len(word.split()) > 1)
    return Matcher(read(Query(terms=terms, phrases=phrases)).clauses).spans(text)


def _pattern(clause: Clause) -> str:
    if clause.run:
        return re.escape(clause.run)
    ways = [re.escape(clause.name)] if clause.name else []
    if len(clause.parts) > 1:
        ways.append(_NAME_GAP.join(map(re.escape, clause.parts)))
    ways.append(_GAP.join(map(re.escape, clause.words)))
    if clause.forms:
        # The longest first: a pattern takes the first way that fits.
        ways += map(re.escape, clause.forms)
        ways.sort(key=len, reverse=True)
    return "|".join(ways)


def _found(needle: _Needle, text: str, folded: str, start: int, end: int) -> Iterator[Match]:
    for match in needle.pattern.finditer(folded):
        first, last = start + match.start(), start + match.end()
        if first >= end:
            break
        if needle.whole:
            if not _is_edge(text, first):
                continue
            if needle.prefix:
                last = _word_end(text, last)
            elif not _is_edge(text, last):
                continue
        yield Match(first, last, needle.clause)


def _is_edge(text: str, place: int) -> bool:
    """Whether a word, or a part of a name, begins or ends at a place."""
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if not before.isalnum() or not after.isalnum() or before.isdigit() != after.isdigit():
        return True
    if after.isupper():
        return not before.isupper() or text[place + 1 : place + 2].islower()
    return CJK.match(before) is not None or CJK.match(after) is not None


def _word_end(text: str, place: int) -> int:
    end = place
    while end < len(text) and end - place < _LONGEST_WORD and text[end].isalnum():
        end += 1
    return end
