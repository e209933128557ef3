"""Why lines are in a file, as rows: the request, what the agent said or thought before, the checks, and the edit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memtui.render.clean import clean, clip, lines_of, more, typed_rows
from memtui.render.origin import WHAT_IS_UNKNOWN
from memtui.render.rows import GAP, Row, row
from memtui.render.tools.touches import hunk_rows
from memtui_core.index.files import BlamedLine, DiffHunk, LineReason, LineWriter

if TYPE_CHECKING:
    from memtui_core.index.index import Index

_MOST_LINES: Final = 8
"""Lines of a request, or of what the agent said or thought, that are shown."""
_BEFORE: Final = 8
"""Lines of a long edit that are shown before the line."""
_AFTER: Final = 60
"""Lines of a long edit that are shown from the line on."""


def unknown_rows(elsewhere: str) -> list[Row]:
    """The rows on lines of which nothing is proved; `elsewhere` says where a file like this one was edited, if so."""
    rows = [row("Nothing proves who wrote these lines.", "strong", GAP)]
    for text in filter(None, (WHAT_IS_UNKNOWN, clean(elsewhere).replace("\n", " "))):
        rows += [row("", seq=GAP), row(text, "muted", GAP)]
    return rows


def load_reason(line: BlamedLine, writer: LineWriter, path: str, index: Index) -> list[Row]:
    """The rows on the lines of a turn; `line` is that with the cursor."""
    reason = index.files.why(writer)
    parts = (_request(reason, writer), _said(reason), _checks(reason), _edit(reason, line, path))
    rows: list[Row] = []
    for part in parts:
        if own := list(part):
            rows += [row("", seq=GAP), *own] if rows else own
    return rows or [row("The transcript says nothing about it.", "muted", GAP)]


def _request(reason: LineReason, writer: LineWriter) -> Iterator[Row]:
    turn = f", turn {reason.request_turn}" if reason.request_turn != writer.turn else ""
    yield from _text(f"Request{turn}", reason.request)


def _said(reason: LineReason) -> Iterator[Row]:
    yield from _text("Before the edit", reason.reasoning)


def _text(title: str, text: str) -> Iterator[Row]:
    """The beginning of a text under its title."""
    head, hidden, _ = clip(lines_of(text), _MOST_LINES)
    if head:
        yield row(title, "heading", GAP)
        yield from typed_rows(head, seq=GAP)
    if hidden:
        yield row(more(hidden), "muted", GAP)


def _checks(reason: LineReason) -> Iterator[Row]:
    if reason.checks:
        yield row("Checks after it", "heading", GAP)
    for check in reason.checks:
        outcome = f" · {check.outcome_line}" if check.outcome_line else ""
        text = clean(f"{check.command}{outcome}").replace("\n", " ")
        style = {"failed": "error", "passed": "added"}.get(check.outcome, "muted")
        yield Row(((text, ""),), GAP, ((f"{check.outcome}  ", style),), (("  ", ""),))


def _edit(reason: LineReason, line: BlamedLine, path: str) -> Iterator[Row]:
    """The edit, with a mark at the line; of a long one what is around it."""
    hunk = next((hunk for hunk in reason.hunks if ("+", line.text) in hunk.lines), None)
    hunks = reason.hunks if hunk is None else (hunk,)
    if hunks:
        others = len(reason.hunks) - len(hunks)
        yield row(f"Edit{f', one of {others + 1} places' if others else ''}", "heading", GAP)
    for shown in hunks:
        yield from _hunk(shown, line, path)


def _hunk(hunk: DiffHunk, line: BlamedLine, path: str) -> Iterator[Row]:
    at = next((at for at, own in enumerate(hunk.lines) if own == ("+", line.text)), 0)
    first, end = max(0, at - _BEFORE), at + _AFTER
    if first:
        yield row(more(first), "muted", GAP)
    for place, own in enumerate(hunk_rows(_part(hunk, first, end), path), first):
        is_line = hunk.lines[place] == ("+", line.text)
        mark = (("▌", "passage") if is_line else (" ", ""), (" ", ""))
        yield replace(own, first=(mark[0], *own.first), rest=(mark[1], *own.rest))
    if end < len(hunk.lines):
        yield row(more(len(hunk.lines) - end), "muted", GAP)


def _part(hunk: DiffHunk, first: int, end: int) -> DiffHunk:
    """Some lines of a hunk, with their numbers."""
    signs = [sign for sign, _ in hunk.lines[:first]]
    old = hunk.old + len(signs) - signs.count("+") if hunk.old is not None else None
    new = hunk.new + len(signs) - signs.count("-") if hunk.new is not None else None
    return replace(hunk, old=old, new=new, lines=hunk.lines[first:end])
