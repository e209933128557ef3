"""The content of a file as a session knew it, as rows: known lines, unknown ones, and uncertain ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.render.clean import clean
from memtui.render.markdown.code import code_rows, language_of
from memtui.render.rows import GAP, Row
from memtui.wording.formatting import number, plural

if TYPE_CHECKING:
    from memtui_core.index.files import ContentLine, FileContent

_UNCERTAIN = (("? ", "prompt"),)
_CERTAIN = (("  ", ""),)


def content_rows(known: FileContent) -> list[Row]:
    """A summary, notes, and the lines; `?` marks a line that may have changed since."""
    rows = [Row(((_summary(known), "strong"),), GAP)]
    rows += [Row(((note, "muted"),), GAP, (("· ", "muted"),), (("  ", ""),)) for note in known.notes]
    rows.append(Row((), GAP))
    starts = {end + 1: (start, end) for start, end in known.gaps}
    run: list[ContentLine] = []
    for line in known.lines:
        if line.number in starts:
            rows += [*_code(run, known.path), _gap(*starts.pop(line.number))]
            run = []
        run.append(line)
    rows += _code(run, known.path)
    rows += [_gap(*gap) for gap in starts.values()]
    if known.total is None and known.lines:
        rows.append(Row((("⋯ the rest is not known", "muted"),), GAP))
    return rows


def _summary(known: FileContent) -> str:
    if known.complete:
        return f"All {plural(len(known.lines), 'line')} are certain."
    if not known.lines:
        return "The session saw nothing of this file's content."
    uncertain = sum(not line.certain for line in known.lines)
    total = f" of {number(known.total)}" if known.total is not None else ""
    suffix = f", {number(uncertain)} of them not for certain (?)" if uncertain else ""
    return f"{number(len(known.lines))}{total} lines are known{suffix}."


def _code(lines: Sequence[ContentLine], path: str) -> list[Row]:
    """Lines with syntax colours, highlighted together so that strings of several lines keep their colour."""
    # A newline inside a line would break its row in two.
    texts = [clean(line.text).replace("\n", " ") for line in lines]
    rows = code_rows(texts, [line.number for line in lines], language_of(path), 0)
    if all(line.certain for line in lines):
        return rows
    marks = [_CERTAIN if line.certain else _UNCERTAIN for line in lines]
    return [
        replace(row, first=mark + row.first, rest=_CERTAIN + row.rest) for row, mark in zip(rows, marks, strict=True)
    ]


def _gap(start: int, end: int) -> Row:
    subject = f"line {start} was" if start == end else f"lines {start}–{end} were"
    return Row(((f"⋯ {subject} never seen", "muted"),), GAP)
