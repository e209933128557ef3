"""What a turn did to a file as rows: the diff of its edits, the lines that it read, the commands that name it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memtui.render.clean import clean, plain_rows
from memtui.render.markdown.code import code_rows, highlight, language_of
from memtui.render.rows import GAP, Row, Span, overlaid
from memtui.render.tools.bodies import body
from memtui.render.tools.calls import RenderedCall
from memtui.render.tools.word_changes import Range, changed_words
from memtui.wording.formatting import number
from memtui_core.index.files import DiffHunk, TouchCall, TouchDetails, TurnTouch, numbered_lines

_MOST_ROWS = 2000
"""Rows that are shown; making more of them takes too long."""
_STYLES = {"+": "added-line", "-": "removed-line", " ": ""}
_WORDS = {"+": "added-word", "-": "removed-word"}
_SIGNS = {"+": ("+ ", "added"), "-": ("− ", "removed"), " ": ("  ", "")}
_BODY_WIDTH = 100
"""Cells for tables in the results of tools, which are rare here."""


def touch_rows(touch: TurnTouch, details: TouchDetails) -> list[Row]:
    """The rows of all calls; after very many lines, how many are left out."""
    rows: list[Row] = []
    hidden = 0
    for part in _parts(touch, details):
        if isinstance(part, DiffHunk):
            shown = part.lines[: max(0, _MOST_ROWS - len(rows))]
            hidden += len(part.lines) - len(shown)
            rows += hunk_rows(replace(part, lines=shown), touch.touch.path) if shown else []
        else:
            rows += part
    return [*rows, _note(f"… {number(hidden)} more lines")] if hidden else rows


def _parts(touch: TurnTouch, details: TouchDetails) -> Iterator[list[Row] | DiffHunk]:
    """Rows, and hunks that are still to be rendered."""
    if details.prompt:
        yield [Row((("● you", "you"),), GAP), *plain_rows(details.prompt, seq=GAP)]
    calls, is_whole = details.calls, touch.kind != "mentioned"
    if touch.kind == "edited" and calls and not any(touched.hunks for touched in calls):
        by_command = all(touched.call.family == "shell" for touched in calls)
        subject = "Commands changed the file" if by_command else "The file was changed"
        yield [_note(f"{subject}; the transcript does not show which lines."), Row((), GAP)]
    for position, touched in enumerate(calls, 1):
        call = touched.call
        if position > 1 or details.prompt:
            yield [Row((), GAP)]
        subject = f"{call.name} {position} of {len(calls)}" if len(calls) > 1 else ""
        for hunk in touched.hunks:
            yield [_hunk_heading(hunk, subject)]
            yield hunk
            subject = ""
        if touched.hunks:
            continue
        if subject:
            yield [_note(subject)]
        yield _lines_read(touched, touch.touch.path) or body(RenderedCall(call), _BODY_WIDTH, full=is_whole)
    if not calls and not details.prompt:
        yield [_note("The call is not in the transcript any more.")]


def _lines_read(touched: TouchCall, path: str) -> list[Row]:
    """The lines of a file that a call read, with their numbers; none of other results."""
    call = touched.call
    if call.family != "read" or call.is_error or call.result is None:
        return []
    start, lines, _ = numbered_lines(call.result.text)
    texts = [clean(line).replace("\n", " ") for line in lines[:_MOST_ROWS]]
    rows = code_rows(texts, list(range(start, start + len(texts))), language_of(path), GAP)
    return [*rows, _note(f"… {number(len(lines) - len(texts))} more lines")] if len(lines) > len(texts) else rows


def hunk_rows(hunk: DiffHunk, path: str) -> list[Row]:
    """The lines of a hunk: a number, a sign, and the text with syntax colours and changed words."""
    # A newline inside a line would break its row in two.
    texts = [clean(text).replace("\n", " ") for _, text in hunk.lines]
    signs = [sign for sign, _ in hunk.lines]
    spans = _highlighted(texts, signs, language_of(path))
    words = _changed(texts, signs)
    last = max((start or 0) + len(texts) for start in (hunk.old, hunk.new))
    width = len(str(last)) if hunk.new is not None else 0
    rows: list[Row] = []
    for line, line_number in enumerate(_numbers(hunk)):
        sign, style = signs[line], _STYLES[signs[line]]
        text_spans = tuple((text, f"{own} {style}".strip()) for text, own in spans[line])
        if ranges := words[line]:
            text_spans = overlaid(text_spans, [(start, end, _WORDS[sign]) for start, end in ranges])
        mark, mark_style = _SIGNS[sign]
        gutter = f"{line_number if line_number is not None else '':>{width}} " if width else ""
        first = ((gutter, f"gutter {style}".strip()), (mark, f"{mark_style} {style}".strip()))
        rest = ((" " * (len(gutter) + 2), f"gutter {style}".strip()),)
        rows.append(Row(text_spans, GAP, first, rest, fill=style))
    return rows


def _hunk_heading(hunk: DiffHunk, subject: str) -> Row:
    """`Edit 2 of 3 · line 168 · def upload(path):`."""
    place = f"line {number(hunk.new)}" if hunk.new is not None else ""
    heading = clean(hunk.heading).replace("\n", " ")
    return Row(((" · ".join(filter(None, (subject, place, heading))) or "⋯", "hunk"),), GAP, wrap="none")


def _numbers(hunk: DiffHunk) -> Iterator[int | None]:
    """The number of each line: in the new file, or in the old one for a removed line."""
    old, new = hunk.old, hunk.new
    for sign, _ in hunk.lines:
        yield old if sign == "-" else new
        old = old + (sign != "+") if old is not None else None
        new = new + (sign != "-") if new is not None else None


def _highlighted(texts: Sequence[str], signs: Sequence[str], language: str) -> list[tuple[Span, ...]]:
    """The spans of each line; the old and the new text are highlighted apart, each as one text."""
    spans: list[tuple[Span, ...]] = [()] * len(texts)
    for side in ("-", "+"):
        own = [index for index, sign in enumerate(signs) if sign in (side, " ")]
        lines = highlight("\n".join(texts[index] for index in own), language) if own else []
        for index, line in zip(own, lines, strict=True):
            spans[index] = line
    return spans


def _changed(texts: Sequence[str], signs: Sequence[str]) -> list[Sequence[Range]]:
    """The changed words of each line: removed lines are compared with the added lines right after them."""
    words: list[Sequence[Range]] = [()] * len(texts)
    position = 0
    while position < len(signs):
        middle = _end_of("-", signs, position)
        end = _end_of("+", signs, middle)
        if position < middle < end:
            removed, added = changed_words(texts[position:middle], texts[middle:end])
            words[position:end] = [*removed, *added]
        position = max(end, position + 1)
    return words


def _end_of(sign: str, signs: Sequence[str], position: int) -> int:
    """The end of the run of a sign that starts at a position."""
    while position < len(signs) and signs[position] == sign:
        position += 1
    return position


def _note(text: str) -> Row:
    return Row(((text, "muted"),), GAP)
