"""The sections of a text that is shown line by line: code in fences, diffs, and what is between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from memtui_core.tools.shell.diff_output import DiffLineKind, diff_lines, diff_ranges, written_diff_lines

_DIFFS = frozenset({"diff", "patch", "udiff"})
"""Names of languages in which every fence is a diff, also one that shows only lines with signs."""
_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")


class Section(NamedTuple):
    """Lines that belong together."""

    kind: Literal["prose", "code", "diff"]
    start: int
    """The first line; that of a fence is its opening one."""
    end: int
    language: str = ""
    """The language that a fence names."""
    is_closed: bool = False
    """Whether the last line closes a fence."""


def sections(lines: Sequence[str]) -> Iterator[Section]:
    """The sections of a text, in order and without gaps."""
    ends = dict(diff_ranges(lines))
    done = position = 0
    while position < len(lines):
        if position in ends:
            section = Section("diff", position, ends[position])
        elif fence := _FENCE.match(lines[position]):
            section = _fenced(lines, position, fence[1], language_of_fence(fence[2]))
        else:
            position += 1
            continue
        if done < position:
            yield Section("prose", done, position)
        yield section
        done = position = section.end
    if done < len(lines):
        yield Section("prose", done, len(lines))


def language_of_fence(info: str) -> str:
    """The language in the words after the opening signs of a fence."""
    return info.split()[0].strip("{}.") if info.strip() else ""


def diff_lines_of_fence(lines: Sequence[str], language: str) -> list[DiffLineKind]:
    """What each line of the code in a fence is in a diff."""
    return written_diff_lines(lines) if language in _DIFFS else diff_lines(lines)


def _fenced(lines: Sequence[str], start: int, mark: str, language: str) -> Section:
    """The fence that is opened at a line; one that is not closed lasts to the end."""
    for end in range(start + 1, len(lines)):
        closing = lines[end].strip()
        if closing.startswith(mark) and not closing.strip(mark[0]) and _FENCE.match(lines[end]):
            return Section("code", start, end + 1, language, is_closed=True)
    return Section("code", start, len(lines), language)
