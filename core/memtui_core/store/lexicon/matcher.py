"""The matches of a query in a text, by the same rules as in the lexicon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from os.path import commonprefix
from typing import NamedTuple

from memtui_core.model import Span
from memtui_core.store.lexicon.expressions import MARK, compiled, is_entry, normalized
from memtui_core.store.lexicon.query import Clause, Query, read_clauses
from memtui_core.store.lexicon.tokens import CJK, fold

_FIRST_SLICE = 1 << 11
_MAX_SLICE = 1 << 16
_OVERLAP = 400
_GAP = r"[\W_]{1,16}"
"""What may be between the words of a phrase."""
_NAME_GAP = r"[\W_]{0,4}"
_MAX_WORD = 100
_MAX_SPANS = 5000


class Match(NamedTuple):
    """A range of a text, and the number of the clause that matches there."""

    start: int
    end: int
    clause: int


@dataclass(frozen=True, slots=True)
class _Needle:
    pattern: re.Pattern[str]
    pieces: tuple[str, ...]
    """Texts that every match contains: looking for them first is far faster than the pattern."""
    fallback: re.Pattern[str] | None
    """The pattern that counts in a slice of text without a match of the first one."""
    clause: int
    prefix: bool
    whole: bool
    """Whether a match must start and end where words or parts of names do."""


class Matcher:
    """Finds clauses in texts of any size, in linear time."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = tuple(clauses)
        self.size = len(clauses)
        self._needles = [_needle(number, clause) for number, clause in enumerate(clauses) if not clause.expression]
        self._expressions = [(number, clause.expression) for number, clause in enumerate(clauses) if clause.expression]

    @property
    def has_expressions(self) -> bool:
        """Whether a clause is a regular expression."""
        return bool(self._expressions)

    def scan(
        self, text: str, limit: int, folded_text: str = "", starts: Sequence[int] = (0,)
    ) -> Iterator[tuple[int, list[Match]]]:
        """The end of each slice of the text with its matches in order, at most `limit` for each clause.

        The first slice is short, because most matches are near the beginning. A caller that searches a text again can
        pass it, or its beginning, as `folded_text`, the result of `tokens.fold`. A regular expression is matched in
        each part of the text by itself, of which `starts` are the beginnings.
        """
        # All at once: a slice does not tell where a line begins.
        expressions = [
            list(islice(_expression_matches(number, expression, text, starts), _MAX_SPANS))
            for number, expression in self._expressions
        ]
        size = _FIRST_SLICE
        start, end = 0, min(size, len(text))
        while start < end:
            current = slice(start, min(end + _OVERLAP, len(text)))
            folded = folded_text[current] if current.stop <= len(folded_text) else fold(text[current])
            matches = [
                match for needle in self._needles for match in islice(_find(needle, text, folded, start, end), limit)
            ]
            for found in expressions:
                matches += islice((match for match in found if start <= match.start < end), limit)
            yield end, sorted(matches)
            size = min(4 * size, _MAX_SLICE)
            start, end = end, min(end + size, len(text))

    def clauses_in(self, text: str) -> set[int]:
        """The numbers of the clauses that match in a text."""
        clauses: set[int] = set()
        for _, matches in self.scan(text, 1):
            clauses.update(match.clause for match in matches)
            if len(clauses) == self.size:
                break
        return clauses

    def spans(self, text: str) -> list[Span]:
        """The first 5000 matches as ranges that do not overlap; of several at the same start the longest."""
        spans: list[Span] = []
        last = 0
        for _, matches in self.scan(text, _MAX_SPANS):
            for match in matches:
                if match.start >= last:
                    spans.append(Span(match.start, match.end))
                elif spans[-1].start == match.start and match.end > last:
                    spans[-1] = Span(match.start, match.end)
                else:
                    continue
                last = match.end
            if len(spans) >= _MAX_SPANS:
                break
        return spans[:_MAX_SPANS]


def matcher_of(words: Sequence[str], *, prefix: bool = False) -> Matcher:
    """A matcher for words and phrases; an entry of several words is a phrase, one after `re:` a regular expression.

    Case and accents do not count, and a word also matches as a part of a name: `upload` in `retryUpload`. With `prefix`
    the last word may be the beginning of one.
    """
    expressions = [word.removeprefix(MARK) for word in words if is_entry(word)]
    words = [word for word in words if not is_entry(word)]
    terms = tuple(word for word in words if len(word.split()) == 1)
    phrases = tuple(word for word in words if len(word.split()) > 1)
    clauses = read_clauses(Query(terms=terms, phrases=phrases, last_is_prefix=prefix), live=prefix).clauses
    return Matcher([*clauses, *(Clause(expression=one) for one in expressions)])


def _expression_matches(number: int, expression: str, text: str, starts: Sequence[int]) -> Iterator[Match]:
    pattern = compiled(normalized(expression))
    for start, end in pairwise((*starts, len(text))):
        for found in pattern.finditer(text[start:end].rstrip()):
            if found.end() > found.start():
                yield Match(start + found.start(), start + found.end(), number)


def _needle(number: int, clause: Clause) -> _Needle:
    if clause.run:
        return _Needle(re.compile(re.escape(clause.run)), (clause.run,), None, number, clause.prefix, whole=False)
    pattern = re.compile(_pattern(clause))
    pieces = (_stem([clause.words[0], *clause.forms]),) if clause.forms else clause.parts or clause.words
    if clause.name and not clause.name[-1].isalnum():
        # The letter of `C++` alone counts only in a text without `C++`.
        return _Needle(re.compile(re.escape(clause.name)), pieces, pattern, number, clause.prefix, whole=True)
    return _Needle(pattern, pieces, None, number, clause.prefix, whole=True)


def _pattern(clause: Clause) -> str:
    first = clause.words[0]
    if len(clause.words) == 1 and len(first) == 1 and not clause.prefix:
        # A single letter is in most words, so only a word of its own matches.
        return rf"(?<![^\W_]){re.escape(first)}(?![^\W_])"
    if clause.forms:
        # A pattern that starts with what all forms share is twice as fast as one that starts with alternatives.
        forms = [first, *clause.forms]
        stem = _stem(forms)
        endings = sorted((form[len(stem) :] for form in forms), key=len, reverse=True)
        return f"{stem}(?:{'|'.join(endings)})"
    alternatives = [_GAP.join(map(re.escape, clause.words))]
    if len(clause.parts) > 1:
        alternatives.append(_NAME_GAP.join(map(re.escape, clause.parts)))
    # The longest first: a pattern takes the first alternative that matches.
    return "|".join(sorted(alternatives, key=len, reverse=True))


def _stem(forms: Sequence[str]) -> str:
    return commonprefix(forms)  # noqa: RUF071 - the prefix is compared by characters


def _find(needle: _Needle, text: str, folded: str, start: int, end: int) -> Iterator[Match]:
    if not all(piece in folded for piece in needle.pieces):
        return
    no_match = True
    for match in needle.pattern.finditer(folded):
        no_match = False
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
    if no_match and needle.fallback is not None:
        yield from _find(replace(needle, pattern=needle.fallback, fallback=None), text, folded, start, end)


def _is_edge(text: str, position: int) -> bool:
    """Whether a word, or a part of a name, starts or ends at a position."""
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if not before.isalnum() or not after.isalnum() or before.isdigit() != after.isdigit():
        return True
    if after.isupper():
        return not before.isupper() or text[position + 1 : position + 2].islower()
    if after < "\u0e00" and before < "\u0e00":
        return False
    return CJK.match(before) is not None or CJK.match(after) is not None


def _word_end(text: str, position: int) -> int:
    end = position
    while end < len(text) and end - position < _MAX_WORD and text[end].isalnum():
        end += 1
    return end
