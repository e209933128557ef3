"""Markdown as one line of plain text, for titles and snippets: what a reader sees, without the markup.

A text may be a piece of a document, so it is read line by line and not parsed: of a mark whose other half is missing
prose loses this half, too.
"""

from __future__ import annotations

import re
from typing import Final

from memtui_core.text.controls import one_line, plain

SEPARATOR: Final = " · "
"""Between what stood on lines or in columns of its own: headings, items of a list, cells of a table."""
_HINT = re.compile(r"[`*\[<~|\u2500-\u257f]|^\s*(?:[#>+•-]|[-*_=]{3})", re.MULTILINE)
"""What every markup has."""
_FENCE = re.compile(r"\s*(?:```|~~~)\s*(.*)")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}|(?=.*-)[\s|:+-]+")
"""A rule, the underline of a heading, or the line below the head of a table."""
_CUT_ROW: Final = 3
"""Fewest bars of the row of a table whose end is missing."""
_DRAWN = re.compile(r"[\s\u2500-\u257f]*[\u2500-\u257f][\s\u2500-\u257f]*")
"""Box-drawing characters: of a tree, a table or a frame."""
_HEADING = re.compile(r"^\s*#{1,6}\s+(?=\S)")
_HEADING_IN_TOOL = re.compile(r"^\s*#{2,6}\s+(?=\S)")
"""One mark begins a comment in many languages."""
_QUOTATION = re.compile(r"^\s*(?:>\s?)+")
_ITEM = re.compile(r"^\s*[-*•]\s+(?:\[[ xX]\]\s+)?(?=\S)")
_ADDED = re.compile(r"^(?:\+(?!\+\+ )|@@ )", re.MULTILINE)
"""A line of a diff, in which a dash begins a line that was removed."""
_BEFORE, _AFTER = r"(?<![^\s(\[{\"'“‘—–:,;>*/])", r"(?=$|[\s.,;:!?)\]}\"'”’—–*/|-])"
"""What stands before and after emphasized words; in code a star mostly has other neighbours."""
_MARKS = (
    # The address of a link may be cut at the end of a title.
    r"(?P<ticks>`+)(?!`)\s?(?P<code>(?:(?!\$\{).)+?)\s?(?<!`)(?P=ticks)(?!`)"
    r"|(?<![\w\])])!?\[(?P<link>(?:[^\[\]]|\[[^\[\]]*\])+)\]\((?:[^()\s]|\([^()\s]*\))+(?:\s\"[^\"]*\")?(?:\)|(?<=…)$)"
    r"|<(?P<address>https?://[^\s<>]+)>"
    rf"|{_BEFORE}(?P<stars>\*\*\*?)(?=[^\s*/])(?P<strong>(?:(?!\*\*).)+?)(?<=[^\s*/\\])(?P=stars)"
    rf"|{_BEFORE}\*(?=[^\s*/.])(?P<stressed>[^*]+?)(?<=[^\s*/\\])\*{_AFTER}"
    r"|(?<![\w~])~~(?=\S)(?P<struck>[^~]+?)(?<=\S)~~(?![\w~])"
)
_WHOLE = re.compile(_MARKS)
_WHOLE_AND_HALF = re.compile(rf"{_MARKS}|{_BEFORE}\*\*(?=[^\s*/.])|(?<=[^\s*/\\])\*\*{_AFTER}|(?<!`)`(?!`)")
"""Also a mark alone, at the beginning or the end of words."""


def plain_line(text: str, longest: int = 0, *, is_prose: bool = True) -> str:
    """The text on one line without the markup of Markdown; `longest` as in `one_line`.

    Of what is not prose, such as the output of a tool, only that is removed which nothing but Markdown has: pairs of
    marks, links, tables and drawn lines.
    """
    if not _HINT.search(text):
        return one_line(text, longest)
    lines = plain(text).split("\n")
    heading = _HEADING if is_prose else _HEADING_IN_TOOL
    has_items = not _ADDED.search(text)
    parts = [""]
    is_code, in_list = _begins_in_code(lines), False
    for line in lines:
        if _FENCE.match(line) or _RULE.fullmatch(line):
            is_code ^= _FENCE.match(line) is not None
            continue
        shown = line if is_code or not is_prose else _QUOTATION.sub("", line)
        shown, headings = (shown, 0) if is_code else heading.subn("", shown)
        shown, items = (shown, 0) if is_code or not has_items else _ITEM.subn("", shown)
        cells = [cell if is_code else _without_marks(cell, halves=is_prose) for cell in _cells(shown)]
        is_alone = headings > 0 or len(cells) > 1
        if is_alone or items or (in_list and not line.strip()):
            parts.append("")
            in_list = items > 0
        parts[-1] += f" {cells[0]}"
        parts += [*cells[1:], *([""] if is_alone else [])]
    return one_line(_joined(parts), longest)


def _begins_in_code(lines: list[str]) -> bool:
    """Whether a piece of a document begins within a fence: its first fence has no language, and none ends it."""
    fences = [match for match in map(_FENCE.match, lines) if match]
    return len(fences) % 2 == 1 and not fences[0][1]


def _cells(line: str) -> list[str]:
    """The cells of the row of a table, and what is between drawn lines, at least two; otherwise the line alone."""
    stripped = line.strip()
    if stripped.startswith("|") and stripped.count("|") >= (2 if stripped.endswith("|") else _CUT_ROW):
        return ["", *stripped.strip("|").split("|")]
    return _DRAWN.split(line)


def _joined(parts: list[str]) -> str:
    """The parts that are not blank, with a separator where none ends with a mark that has the same purpose."""
    shown = ""
    for part in filter(None, (" ".join(part.split()) for part in parts)):
        shown += f"{' ' if shown.endswith((':', SEPARATOR[1])) else SEPARATOR}{part}" if shown else part
    return shown


def _without_marks(text: str, *, halves: bool) -> str:
    def content(match: re.Match[str]) -> str:
        name = match.lastgroup
        inner = match[name] if name is not None else ""
        return inner if name in {"code", "address", None} else _without_marks(inner, halves=halves)

    return (_WHOLE_AND_HALF if halves else _WHOLE).sub(content, text)
