"""The best line of a turn for a query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtui_core.lexicon.clauses import read
from memtui_core.lexicon.marks import Match, Matcher
from memtui_core.model import Span
from memtui_core.query import Query
from memtui_core.text.controls import UNSAFE

WIDTH = 240
_LINE = re.compile(rf"[^\s\u200b{UNSAFE}]+")
"""What stays of a text: neither white space nor what is unsafe."""
_MOST_MATCHES = 8
"""Of one clause in one stretch of text; more would not make the window better."""
_BUDGET = 8_000
"""Characters of a turn, beyond the beginning of each field, in which a better match than the one at hand is sought."""
_CUT_BACK = 24
"""A word longer than this is cut in the middle."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """One line of a turn, `…` where it was cut."""

    text: str
    spans: tuple[Span, ...] = ()
    """The matched words in `text`."""
    field: str = ""
    """The field that the line is from; empty when the turn has no text."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one field holds of a query."""

    field: str
    clauses: frozenset[int]
    best: int
    """Clauses in the best window."""
    start: int
    """Where the best window's first match begins."""


def make(texts: Mapping[str, str], query: Query, width: int = WIDTH, *, live: bool = False) -> Snippet:
    """The best line of some fields, given in the order in which they are preferred; never raises.

    Best is the window with the most terms and phrases, then the earlier field, then the earlier place. White space is
    single spaces; where nothing matches it is the beginning of the first field that has text.
    """
    matcher = Matcher(read(query, live=live).clauses)
    return line(texts, look(texts, matcher, width), matcher, width)


def look(texts: Mapping[str, str], matcher: Matcher, width: int = WIDTH, budget: int | None = _BUDGET) -> list[Found]:
    """The fields that hold something of the query, the best first.

    With a budget (characters) very long turns are read no further than needed to show one match: fields may be left
    out, though never all. None reads everything.
    """
    found: list[Found] = []
    complete = False
    for name, text in texts.items():
        seen, used = _look(name, text, matcher, width, 0 if complete and budget is not None else budget, not found)
        if seen is not None:
            found.append(seen)
            complete = complete or seen.best == matcher.size
        if budget is not None:
            budget = max(0, budget - used)
    return sorted(found, key=lambda seen: (-seen.best, -len(seen.clauses)))


def line(texts: Mapping[str, str], found: Sequence[Found], matcher: Matcher, width: int = WIDTH) -> Snippet:
    """The line round the best match of `look`."""
    if found:
        name, start = found[0].field, found[0].start
    else:
        name, start = next(((name, 0) for name, text in texts.items() if text.strip()), ("", 0))
    if not name:
        return Snippet("")
    shown = _cut(texts[name], start, width)
    return Snippet(shown, tuple(matcher.spans(shown)), name)


def _look(
    name: str, text: str, matcher: Matcher, width: int, left: int | None, needed: bool
) -> tuple[Found | None, int]:
    """What a field holds, and how many characters beyond its first stretch were read.

    `left` is how many may be, unless a match is `needed` and has not come yet.
    """
    matches: list[Match] = []
    seen: set[int] = set()
    beginning = used = 0
    for end, chunk in matcher.chunks(text, _MOST_MATCHES):
        beginning = beginning or end
        used = end - beginning
        matches += chunk
        seen.update(match.clause for match in chunk)
        if len(seen) == matcher.size or (left is not None and used >= left and (seen or not needed)):
            break
    if not matches:
        return None, used
    best, start = _window(matches, width)
    return Found(name, frozenset(seen), best, start), used


def _window(matches: Sequence[Match], width: int) -> tuple[int, int]:
    """The most clauses in one window, and the start of the first such window."""
    inside: Counter[int] = Counter()
    best, start, first = 0, 0, 0
    for match in matches:
        inside[match.clause] += 1
        while match.end - matches[first].start > width * 3 // 4 and matches[first] is not match:
            inside[matches[first].clause] -= 1
            if not inside[matches[first].clause]:
                del inside[matches[first].clause]
            first += 1
        if len(inside) > best:
            best, start = len(inside), matches[first].start
    return best, start


def _cut(text: str, start: int, width: int) -> str:
    """One line of at most `width` characters with the match at `start` in its first quarter."""
    # Twice the width leaves enough when white space collapses; what was cut shows as an ellipsis.
    low, high = max(0, start - 2 * width), min(len(text), start + 4 * width)
    before, after = _one_line(text[low:start]), _one_line(text[start:high])
    if before and not _LINE.match(text[start - 1]):
        before += " "
    whole = before + after
    if len(whole) <= width and low == 0 and high == len(text):
        return whole
    begin = max(0, min(len(before) - width // 4, len(whole) - width + 1))
    if low or begin:
        begin = _word_start(whole, begin, len(before))
    lead = "…" if low or begin else ""
    end = begin + width - len(lead)
    if end >= len(whole) and high == len(text):
        return lead + whole[begin:]
    return lead + _without_half_word(whole[begin : end - 1]) + "…"


def _one_line(text: str) -> str:
    return " ".join(_LINE.findall(text))


def _word_start(text: str, place: int, match: int) -> int:
    """The first place from `place` on at which a word begins, but not behind the match."""
    if place <= 0 or text[place - 1] == " ":
        return max(0, place)
    space = text.find(" ", place, min(match, place + _CUT_BACK))
    return space + 1 if space >= 0 else place


def _without_half_word(text: str) -> str:
    space = text.rfind(" ", max(0, len(text) - _CUT_BACK))
    return text[:space] if space > 0 else text
