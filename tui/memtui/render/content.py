"""What a session knew of a file, as rows: its lines, what is missing between them, and what is not certain."""

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

_DOUBT = (("? ", "prompt"),)
_SURE = (("  ", ""),)


def content_rows(known: FileContent) -> list[Row]:
    """What is known first, then the lines; one that may have changed since stands behind a `?`."""
    rows = [Row(((said, "strong"),), GAP) for said in (_summary(known),)]
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
        rows.append(Row((("⋯ what follows is not known", "muted"),), GAP))
    return rows


def _summary(known: FileContent) -> str:
    if known.complete:
        return f"All {plural(len(known.lines), 'line')} are certain."
    if not known.lines:
        return "The session saw nothing of this file's content."
    doubtful = sum(not line.certain for line in known.lines)
    of = f" of {number(known.total)}" if known.total is not None else ""
    unsure = f", {number(doubtful)} of them not for certain (?)" if doubtful else ""
    return f"{number(len(known.lines))}{of} lines are known{unsure}."


def _code(lines: Sequence[ContentLine], path: str) -> list[Row]:
    """Highlighted together, so that what spans lines keeps its colours; a newline in a row would break it in two."""
    texts = [clean(line.text).replace("\n", " ") for line in lines]
    rows = code_rows(texts, [line.number for line in lines], language_of(path), 0)
    if all(line.certain for line in lines):
        return rows
    signs = [_SURE if line.certain else _DOUBT for line in lines]
    return [replace(row, first=sign + row.first, rest=_SURE + row.rest) for row, sign in zip(rows, signs, strict=True)]


def _gap(start: int, end: int) -> Row:
    which = f"line {start} was" if start == end else f"lines {start}–{end} were"
    return Row(((f"⋯ {which} never seen", "muted"),), GAP)
