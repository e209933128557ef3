"""Where the words of a query stand in a text: the same words that the index matched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from os.path import commonprefix
from typing import NamedTuple

from memtui_core.lexicon.clauses import Clause, read
from memtui_core.lexicon.tokens import CJK, fold
from memtui_core.model import Span
from memtui_core.query import Query

_FIRST_CHUNK = 1 << 11
_LARGEST_CHUNK = 1 << 16
_OVERLAP = 400
_GAP = r"[\W_]{1,16}"
"""What may stand between the words of a phrase."""
_NAME_GAP = r"[\W_]{0,4}"
_LONGEST_WORD = 100
_MOST_MARKS = 5000


class Match(NamedTuple):
    """A place in a text and the number of the clause that it answers."""

    start: int
    end: int
    clause: int


@dataclass(frozen=True, slots=True)
class _Needle:
    pattern: re.Pattern[str]
    pieces: tuple[str, ...]
    """What every match holds: a text without them is told far faster than by the pattern."""
    instead: re.Pattern[str] | None
    """What counts in a stretch of text in which the pattern is nowhere."""
    clause: int
    prefix: bool
    whole: bool
    """The match must begin and end where words or parts of names do."""


class Matcher:
    """Finds clauses in texts of any size; linear in the length of the text."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = tuple(clauses)
        self.size = len(clauses)
        self._needles = [_needle(number, clause) for number, clause in enumerate(clauses)]

    def chunks(self, text: str, most: int, folded_text: str = "") -> Iterator[tuple[int, list[Match]]]:
        """The matches of one stretch of the text after the other, at most `most` for each clause, in order.

        The number with each is where the stretch ends. The first is short: most words stand early. `folded_text` is the
        text, or the beginning of it, as `tokens.fold` makes it: for who searches a text again.
        """
        size = _FIRST_CHUNK
        start, end = 0, min(size, len(text))
        while start < end:
            near = slice(start, min(end + _OVERLAP, len(text)))
            folded = folded_text[near] if near.stop <= len(folded_text) else fold(text[near])
            found = [
                match for needle in self._needles for match in islice(_found(needle, text, folded, start, end), most)
            ]
            yield end, sorted(found)
            size = min(4 * size, _LARGEST_CHUNK)
            start, end = end, min(end + size, len(text))

    def clauses_in(self, text: str) -> set[int]:
        """The numbers of the clauses that a text holds."""
        held: set[int] = set()
        for _, matches in self.chunks(text, 1):
            held.update(match.clause for match in matches)
            if len(held) == self.size:
                break
        return held

    def spans(self, text: str) -> list[Span]:
        """The first 5000 matches as ranges that do not overlap; of those that begin at one place the longest."""
        found: list[Span] = []
        last = 0
        for _, matches in self.chunks(text, _MOST_MARKS):
            for match in matches:
                if match.start >= last:
                    found.append(Span(match.start, match.end))
                elif found[-1].start == match.start and match.end > last:
                    found[-1] = Span(match.start, match.end)
                else:
                    continue
                last = match.end
            if len(found) >= _MOST_MARKS:
                break
        return found[:_MOST_MARKS]


def matcher_of(words: Sequence[str], *, prefix: bool = False) -> Matcher:
    """What finds words and phrases in an opened text; a text of several words is a phrase.

    Case and accents do not count, and a word is also found as a part of a name: `upload` in `retryUpload`. With
    `prefix` the last word may be the beginning of one.
    """
    terms = tuple(word for word in words if len(word.split()) == 1)
    phrases = tuple(word for word in words if len(word.split()) > 1)
    return Matcher(read(Query(terms=terms, phrases=phrases, last_is_prefix=prefix), live=prefix).clauses)


def _needle(number: int, clause: Clause) -> _Needle:
    if clause.run:
        return _Needle(re.compile(re.escape(clause.run)), (clause.run,), None, number, clause.prefix, whole=False)
    pattern = re.compile(_pattern(clause))
    pieces = (_stem([clause.words[0], *clause.forms]),) if clause.forms else clause.parts or clause.words
    if clause.name and not clause.name[-1].isalnum():
        # Of `C++` the letter alone says nothing where the whole stands.
        return _Needle(re.compile(re.escape(clause.name)), pieces, pattern, number, clause.prefix, whole=True)
    return _Needle(pattern, pieces, None, number, clause.prefix, whole=True)


def _pattern(clause: Clause) -> str:
    first = clause.words[0]
    if len(clause.words) == 1 and len(first) == 1 and not clause.prefix:
        # A single letter stands in most words: it is looked for as a word of its own only.
        return rf"(?<![^\W_]){re.escape(first)}(?![^\W_])"
    if clause.forms:
        # It begins with what all forms share: such a pattern is searched twice as fast as one that begins with `|`.
        forms = [first, *clause.forms]
        stem = _stem(forms)
        endings = sorted((form[len(stem) :] for form in forms), key=len, reverse=True)
        return f"{stem}(?:{'|'.join(endings)})"
    ways = [_GAP.join(map(re.escape, clause.words))]
    if len(clause.parts) > 1:
        ways.append(_NAME_GAP.join(map(re.escape, clause.parts)))
    # The longest first: a pattern takes the first way that fits.
    return "|".join(sorted(ways, key=len, reverse=True))


def _stem(forms: Sequence[str]) -> str:
    return commonprefix(forms)  # noqa: RUF071 - letter by letter is what is wanted


def _found(needle: _Needle, text: str, folded: str, start: int, end: int) -> Iterator[Match]:
    if not all(piece in folded for piece in needle.pieces):
        return
    nowhere = True
    for match in needle.pattern.finditer(folded):
        nowhere = False
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
    if nowhere and needle.instead is not None:
        yield from _found(replace(needle, pattern=needle.instead, instead=None), text, folded, start, end)


def _is_edge(text: str, place: int) -> bool:
    """Whether a word, or a part of a name, begins or ends at a place."""
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if not before.isalnum() or not after.isalnum() or before.isdigit() != after.isdigit():
        return True
    if after.isupper():
        return not before.isupper() or text[place + 1 : place + 2].islower()
    if after < "\u0e00" and before < "\u0e00":
        return False
    return CJK.match(before) is not None or CJK.match(after) is not None


def _word_end(text: str, place: int) -> int:
    end = place
    while end < len(text) and end - place < _LONGEST_WORD and text[end].isalnum():
        end += 1
    return end
