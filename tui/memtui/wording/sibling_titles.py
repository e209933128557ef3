"""Titles of sessions that stand below each other in a list: in little room each still shows what it has of its own.

A title that fits is shown as it is. Of a longer one the sentences that fit are shown; else `…` stands for words that a
title near it has, too, such as `Review … patch for PR #226`, and at last for the end. Two titles that differ never look
alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from rich.cells import cell_len

from memtui.wording.formatting import cut, head, tail
from memtui.wording.path_text import middle_cut
from memtui_core.text.names import shared_beginning

_NEAR: Final = 12
"""Rows between two titles of which both can leave out what both say: more are hardly seen at once."""
_RUN: Final = 3
"""The fewest words in a row that two titles share not only by chance; at the beginning one less."""
_LEAST_RUN: Final = 16
"""The fewest cells of words that are left out: `from the task` says more than `…`."""
_LEAST: Final = 12
"""Cells for which words are chosen; a narrower title is cut anywhere."""
_TELLING: Final = 0.4
"""The part of the width that sentences use at least to stand for the whole title."""
_LONG_WORD, _LONG_PATH = 0.6, 0.3
"""The parts of the width from which on a word, or a path, is cut: without it too little would be shown."""
_STOP: Final = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bno)(?<!\betc)[.!?]$")
"""The end of a sentence, at the end of a word."""
_SCHEME: Final = re.compile(r"(?:(?<=\s)|^)https?://")
_DANGLING: Final = re.compile(r"(?:\s+(?:a|an|the|and|or|of|to|in|on|at|by|for|from|with|that))*[\s,;:·|(\[–—-]*$")
"""What does not stay before `…`: words that begin what is cut, and punctuation."""
_ELLIPSIS: Final = "…"
_BEFORE_MARK: Final = " · "


class _Form(NamedTuple):
    """The words of a title, or what is left of them: with `…` for words that are left out."""

    words: Sequence[str]
    places: Sequence[int]
    """The index in the title of each word; -1 for `…`."""

    def shows(self, text: str) -> int:
        """The index in the title of the last word of a text that begins as this one; -1 for none."""
        count = text.removesuffix(_ELLIPSIS).count(" ") + 1
        return max(self.places[:count], default=-1)


class SiblingTitles:
    """What is shown of each title in a list, made when it is asked for: of ten thousand only a few are seen."""

    def __init__(self, titles: Sequence[str], apart: Callable[[int], str]) -> None:
        """`apart` gives a short text for the index of a title, such as its day and time.

        It is added to titles that look alike otherwise.
        """
        self._titles = titles
        self._apart = apart
        self._labels: dict[tuple[int, int], str] = {}
        """Labels by the index of the title and the width."""
        self._taken: dict[str, str] = {}
        """The titles by their labels."""
        self._runs: dict[int, dict[tuple[str, ...], int]] = {}

    def label(self, index: int, width: int) -> str:
        """What is shown of a title in `width` cells; only that of the same title is equal."""
        title = self._titles[index]
        if cell_len(title) <= width:
            return title
        label = self._labels.get((index, width))
        if label is None:
            label = next(filter(lambda one: self._is_free(one, title), self._candidates(index, width)), None)
            label = self._labels[index, width] = label or cut(title, width)
            self._taken[label] = title
        return label

    def _is_free(self, label: str, title: str) -> bool:
        return label not in self._whole and self._taken.get(label, title) == title

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(self._titles)

    @cached_property
    def _shared_beginnings(self) -> dict[str, int]:
        """For each title the characters that it has in common with another one, most of all, at the beginning."""
        shared = dict.fromkeys(sorted(self._whole), 0)
        for one, other in pairwise(shared):
            count = shared_beginning(one, other)
            shared[one], shared[other] = max(shared[one], count), count
        return shared

    def _first_own(self, title: str) -> int:
        """The index of the first word that no other title has after the same beginning; the last if there is none."""
        return title.count(" ", 0, self._shared_beginnings[title] + 1)

    def _candidates(self, index: int, width: int) -> Iterator[str]:
        """Labels, the best first."""
        title = self._titles[index]
        if width < _LEAST:
            return
        words, own = _SCHEME.sub("", title).split(" "), self._first_own(title)
        shared = self._shared(index)
        for form in _forms(words, shared):
            text = " ".join(form.words)
            if cell_len(text) <= width:
                yield text
            elif (sentence := _sentences(text, width)) and form.shows(sentence) >= own:
                yield sentence
        beginning = _cut(text, width)
        if form.shows(beginning) >= own:
            yield beginning
        yield _told_apart(words, own, width)
        mark = self._apart(index)
        room = width - cell_len(mark) - len(_BEFORE_MARK)
        yield f"{_cut(' '.join(words), room)}{_BEFORE_MARK}{mark}" if room >= _LEAST // 2 else cut(mark, width)

    def _shared(self, index: int) -> set[int]:
        """The indices of the words of a title that are in a run that a title near it has, too."""
        own = self._runs_of(index)
        near: set[tuple[str, ...]] = set()
        for other in range(max(0, index - _NEAR), min(len(self._titles), index + _NEAR + 1)):
            if other != index:
                near |= own.keys() & self._runs_of(other).keys()
        return {place for run in near for place in range(own[run], own[run] + sum(map(bool, run)))}

    def _runs_of(self, index: int) -> dict[tuple[str, ...], int]:
        runs = self._runs.get(index)
        if runs is None:
            runs = self._runs[index] = _runs(self._titles[index].split(" "))
        return runs


def _runs(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    """All words in a row, with the index of the first one; those of the beginning follow an empty one."""
    runs: dict[tuple[str, ...], int] = {
        run: start for start, run in enumerate(zip(words, words[1:], words[2:], strict=False))
    }
    return runs | {("", *words[: _RUN - 1]): 0} if runs else runs


def _forms(words: Sequence[str], shared: set[int]) -> Iterator[_Form]:
    """The title, and what is left of it without one run of shared words, and without more and more of them."""
    yield _Form(words, range(len(words)))
    runs = list(_long_runs(words, shared))
    for left_out in [*([run] for run in runs), *(runs[:count] for count in range(2, len(runs) + 1))]:
        yield _without(words, {index for run in left_out for index in run})


def _without(words: Sequence[str], left_out: set[int]) -> _Form:
    """A title with one `…` for all words in a row that are left out, and were before."""
    places: list[int] = []
    for index, word in enumerate(words):
        if index not in left_out and word != _ELLIPSIS:
            places.append(index)
        elif not places or places[-1] >= 0:
            places.append(-1)
    return _Form([words[place] if place >= 0 else _ELLIPSIS for place in places], places)


def _long_runs(words: Sequence[str], shared: set[int]) -> Iterator[range]:
    """The runs of shared words that can be left out: not the first word, which says what is done, and not the end."""
    start = 0
    while start < len(words):
        end = start
        while end in shared:
            end += 1
        first = max(start, int(words[0] != _ELLIPSIS))
        if end < len(words) and cell_len(" ".join(words[first:end])) >= _LEAST_RUN:
            yield range(first, end)
        start = max(end, start + 1)


def _sentences(text: str, width: int) -> str:
    """The sentences at the beginning of a text that fit and fill some of the width; empty if there are none.

    What stands in parentheses after a sentence is less than it.
    """
    fitting, end = "", -1
    for word, after in pairwise(text.split(" ")):
        end += 1 + len(word)
        if end > width + 1:
            break
        if after[:1] in {"·", "("} or (_STOP.search(word) and (not after[:1].islower() or text[0].islower())):
            sentence = text[:end].rstrip(".")
            if width * _TELLING <= cell_len(sentence) <= width:
                fitting = sentence
    return fitting


def _cut(text: str, width: int) -> str:
    """The beginning of a title with `…`; a word is cut only where it is the first, or longer than others."""
    if cell_len(text) <= width:
        return text
    used = text[: width - 1] if text.isascii() else head(text, width - 1)
    end = used.rfind(" ") + 1
    word = text[end:].partition(" ")[0]
    follows = len(text) > end + len(word)
    lost = cell_len(used[end:]) / width
    if text[len(used)] == " ":
        end = len(used)
    elif end and word.count("/") > 1 and lost > _LONG_PATH:
        return text[:end] + middle_cut(word, width - cell_len(text[:end]) - follows) + _ELLIPSIS * follows
    elif not end or lost > _LONG_WORD or not word.isascii():
        end = len(used)
    return _DANGLING.sub("", used[:end].rstrip().removesuffix(_ELLIPSIS)) + _ELLIPSIS


def _told_apart(words: Sequence[str], own: int, width: int) -> str:
    """The first words of a title, and those from its first own one, with `…` between them."""
    same, rest = " ".join(words[:own]), " ".join(words[own:] or words[-1:])
    if not same:
        return _cut(rest, width)
    begin = same
    if cell_len(same) + cell_len(rest) + 1 > width:
        least = max(width // 3, min(width // 2, cell_len(words[0]) + 1))
        begin = f"{_cut(same, max(least, width - cell_len(rest) - 2)).removesuffix(_ELLIPSIS)} {_ELLIPSIS}".strip()
    room = width - cell_len(begin) - 1
    word = rest.partition(" ")[0]
    return begin + tail(word, room + 1) if cell_len(word) > room else f"{begin} {_cut(rest, room)}"
