"""Changes of a file as rows: from the agent's own patch if the transcript has it, or from two texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from memtui.render.clean import clean, shortened
from memtui.render.line_breaks import lead_of
from memtui.render.rows import Row, Span
from memtui_core.tools.diffs import changed_lines, lines_of
from memtui_core.tools.shell.diff_output import DiffLineKind

_STYLES = {"+": "added", "-": "removed", " ": "", "@": "muted"}
_SIGNS = {"-": "−"}
_OUTPUT_STYLES: dict[DiffLineKind, str] = {
    "": "",
    " ": "",
    "+": "added",
    "-": "removed",
    "@": "muted",
    "file": "strong",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a diff: `+`, `-`, blank for context, or `@` for a gap."""

    sign: str
    text: str
    number: int | None = None
    """The line number in the new file, or in the old one for a removed line; None if unknown."""


def from_patch(hunks: Any) -> list[Change]:
    """The changes of a patch as Claude Code writes it: a list of {oldStart, newStart, lines}; others are ignored."""
    changes: list[Change] = []
    for hunk in hunks if isinstance(hunks, list) else []:
        if not isinstance(hunk, dict) or not isinstance(hunk.get("lines"), list):
            continue
        if changes:
            changes.append(Change("@", "⋯"))
        changes += _numbered(hunk["lines"], _int(hunk.get("oldStart")), _int(hunk.get("newStart")))
    return changes


def _numbered(lines: list[Any], old: int, new: int) -> Iterator[Change]:
    for line in lines:
        if not isinstance(line, str) or line.startswith("\\"):
            continue
        sign, text = (line[0], line[1:]) if line[:1] in {"+", "-", " "} else (" ", line)
        yield Change(sign, text, old if sign == "-" else new)
        old += sign != "+"
        new += sign != "-"


def _int(value: Any) -> int:
    return value if isinstance(value, int) else 1


def changes_between(old: str, new: str) -> list[Change]:
    """The differences of two texts with some lines of context, without line numbers."""
    changes: list[Change] = []
    for place in changed_lines(old, new):
        if changes:
            changes.append(Change("@", "⋯"))
        changes += [Change(sign, line) for sign, line in place.lines]
    return changes


def added_lines(text: str) -> list[Change]:
    """The changes of a new file: each line is added."""
    return [Change("+", line, index) for index, line in enumerate(lines_of(text), 1)]


def from_unified(text: str) -> list[Change]:
    """The lines of a patch text (`*** Update File:`, `@@`, `+`, `-`) as changes without numbers."""
    changes: list[Change] = []
    for line in text.split("\n"):
        if line.startswith(("***", "@@", "+++", "---", "diff ", "index ")):
            changes.append(Change("@", line))
        elif line[:1] in {"+", "-", " "}:
            changes.append(Change(line[0], line[1:]))
        elif line:
            changes.append(Change(" ", line))
    return changes


def counts(changes: Iterable[Change]) -> tuple[int, int]:
    """(lines added, lines removed)."""
    signs = [change.sign for change in changes]
    return signs.count("+"), signs.count("-")


def output_rows(lines: Iterable[tuple[str, DiffLineKind]], style: str, seq: int) -> list[Row]:
    """Cleaned lines of any text, each with what it is in a diff, see `diff_lines`."""
    rows: list[Row] = []
    for line, kind in lines:
        names = f"{style} {_OUTPUT_STYLES[kind]}".strip()
        spans = tuple((text, f"{names} {own}".strip()) for text, own in shortened(line))
        rows.append(Row(spans, seq, hang=1 + lead_of(line[1:]) if kind in {"+", "-"} else None))
    return rows


def diff_rows(changes: list[Change], seq: int) -> list[Row]:
    """Changes with their line numbers and signs: `41 − for _ in range(3):`."""
    width = max((len(str(change.number)) for change in changes if change.number is not None), default=0)
    rows: list[Row] = []
    for change in changes:
        style = _STYLES[change.sign]
        number = "" if change.number is None else str(change.number)
        gutter: tuple[Span, ...] = ((f"{number:>{width}} ", "gutter"),) if width else ()
        if change.sign == "@":
            rows.append(Row(((clean(change.text), style),), seq, wrap="none"))
            continue
        sign = ((f"{_SIGNS.get(change.sign, change.sign)} ", style),)
        rest = ((" " * (width + 3 if width else 2), "gutter"),)
        spans = tuple((text, f"{style} {own}".strip()) for text, own in shortened(clean(change.text)))
        rows.append(Row(spans, seq, gutter + sign, rest))
    return rows
