"""The words that differ between removed lines and the lines added in their place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

Range = tuple[int, int]
"""A half-open range of characters of a line."""

_WORD = re.compile(r"\w+|[^\w\s]")
_LEAD = re.compile(r"\s*(//+|#+|[^\w\s]+(?=\s))(?=\s*\S)")
"""Signs before the text of a line, such as those of a comment or a list; a line of nothing else has none."""
_MOST_WORDS = 600
"""Words; comparing more of them takes too long."""
_MOST_CHANGED = 0.5
"""The share of the words of a line above which they are not marked: the line as a whole is another one."""


class _Word(NamedTuple):
    """A word or a sign of a line."""

    line: int
    start: int
    text: str

    @property
    def is_sign(self) -> bool:
        return not (self.text[0].isalnum() or self.text[0] == "_")


_Pairs = Sequence[tuple[_Word, _Word]]
"""The words that both sides have, each as it is in one side and in the other."""


def changed_words(removed: Sequence[str], added: Sequence[str]) -> tuple[list[list[Range]], list[list[Range]]]:
    """The ranges that changed in each removed and in each added line; none in lines with little in common.

    Words are compared across lines, as text may be wrapped anew. The signs before the text of a line are no part of
    that: they have changed if no line with which it shares words begins with the same.
    """
    before, after = _words(removed), _words(added)
    if not before or not after or max(len(before), len(after)) > _MOST_WORDS:
        return [[] for _ in removed], [[] for _ in added]
    pairs = _pairs(before, after)
    # Again without the lines that have only some words of others, by chance.
    similar = _similar(before, (a for a, _ in pairs)), _similar(after, (b for _, b in pairs))
    pairs = _pairs(
        [word for word in before if word.line in similar[0]], [word for word in after if word.line in similar[1]]
    )
    return _ranges(removed, before, added, pairs), _ranges(added, after, removed, [(b, a) for a, b in pairs])


def _pairs(before: Sequence[_Word], after: Sequence[_Word]) -> _Pairs:
    """The words that both have, in order."""
    matcher = SequenceMatcher(None, [word.text for word in before], [word.text for word in after], autojunk=False)
    return [(before[a + k], after[b + k]) for a, b, size in matcher.get_matching_blocks() for k in range(size)]


def _words(lines: Sequence[str]) -> list[_Word]:
    """The words and signs of lines after their leads."""
    return [
        _Word(index, match.start(), match[0])
        for index, line in enumerate(lines)
        for match in _WORD.finditer(line, _lead(line)[1])
    ]


def _lead(line: str) -> Range:
    """The signs before the text of a line."""
    match = _LEAD.match(line)
    return match.span(1) if match else (0, 0)


def _similar(words: Iterable[_Word], kept: Iterable[_Word]) -> set[int]:
    """The lines most of whose words are kept; of lines without words, those most of whose signs are."""
    kept = set(kept)
    by_line: dict[int, list[_Word]] = {}
    for word in words:
        by_line.setdefault(word.line, []).append(word)
    result = set()
    for line, own in by_line.items():
        counted = [word for word in own if not word.is_sign] or own
        if sum(word not in kept for word in counted) <= _MOST_CHANGED * len(counted):
            result.add(line)
    return result


def _ranges(lines: Sequence[str], words: Sequence[_Word], others: Sequence[str], pairs: _Pairs) -> list[list[Range]]:
    """The changed ranges of each line of a side, compared with the lines of the other one."""
    kept = {word for word, _ in pairs}
    similar = _similar(words, kept)
    leads: dict[int, set[str]] = {}
    for word, other in pairs:
        leads.setdefault(word.line, set()).add(_lead_text(others[other.line]))
    ranges: list[list[Range]] = [[] for _ in lines]
    for index in similar:
        if (lead := _lead_text(lines[index])) and lead not in leads.get(index, ()):
            ranges[index].append(_lead(lines[index]))
    for word in words:
        if word.line in similar and word not in kept:
            _append(ranges[word.line], lines[word.line], (word.start, word.start + len(word.text)))
    return ranges


def _lead_text(line: str) -> str:
    start, end = _lead(line)
    return line[start:end]


def _append(ranges: list[Range], line: str, new: Range) -> None:
    """Add a range; those with only blanks between them are one."""
    if ranges and not line[ranges[-1][1] : new[0]].strip():
        ranges[-1] = ranges[-1][0], new[1]
    else:
        ranges.append(new)
