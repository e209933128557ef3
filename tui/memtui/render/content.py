"""The content of a file as rows: its known lines, the gaps between them, and what is not certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.formatting import number, plural
from memtui.render.clean import clean
from memtui.render.code import code_rows, language_of
from memtui.render.rows import GAP, Row

if TYPE_CHECKING:
    from memtui_core.file_history import ContentLine, FileContent

_UNCERTAIN = (("? ", "prompt"),)
_CERTAIN = (("  ", ""),)


def content_rows(content: FileContent) -> list[Row]:
    """A summary and notes, then the lines; a line that may have changed has a `?` before it."""
    rows = [Row(((_summary(content), "strong"),), GAP)]
    rows += [Row(((note, "muted"),), GAP, (("· ", "muted"),), (("  ", ""),)) for note in content.notes]
    rows.append(Row((), GAP))
    starts = {end + 1: (start, end) for start, end in content.gaps}
    run: list[ContentLine] = []
    for line in content.lines:
        if line.number in starts:
            rows += [*_code(run, content.path), _gap(*starts.pop(line.number))]
            run = []
        run.append(line)
    rows += _code(run, content.path)
    rows += [_gap(*gap) for gap in starts.values()]
    if content.total is None and content.lines:
        rows.append(Row((("⋯ what follows is not known", "muted"),), GAP))
    return rows


def _summary(content: FileContent) -> str:
    if content.complete:
        return f"All {plural(len(content.lines), 'line')} are certain."
    if not content.lines:
        return "The session saw nothing of this file's content."
    uncertain = sum(not line.certain for line in content.lines)
    of = f" of {number(content.total)}" if content.total is not None else ""
    unsure = f", {number(uncertain)} of them not for certain (?)" if uncertain else ""
    return f"{number(len(content.lines))}{of} lines are known{unsure}."


def _code(lines: Sequence[ContentLine], path: str) -> list[Row]:
    """The highlighted lines; they are highlighted together, as strings and comments may span several lines."""
    # A newline in a row would break it in two.
    texts = [clean(line.text).replace("\n", " ") for line in lines]
    rows = code_rows(texts, [line.number for line in lines], language_of(path), 0)
    if all(line.certain for line in lines):
        return rows
    signs = [_CERTAIN if line.certain else _UNCERTAIN for line in lines]
    return [
        replace(row, first=sign + row.first, rest=_CERTAIN + row.rest) for row, sign in zip(rows, signs, strict=True)
    ]


def _gap(start: int, end: int) -> Row:
    lines = f"line {start} was" if start == end else f"lines {start}–{end} were"
    return Row(((f"⋯ {lines} never seen", "muted"),), GAP)
