"""Markdown as rows. Line ends of the source are kept, because agents write for terminals, which show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memtui.render.clean import LONGEST_TEXT, clean, omission, shortened
from memtui.render.markdown.code import highlight
from memtui.render.markdown.sections import diff_lines_of_fence, language_of_fence, sections
from memtui.render.markdown.tables import Cell, table_rows
from memtui.render.rows import Row, Span, Wrap
from memtui.render.tools.diff import output_rows
from memtui_core.tools.markdown_diffs import recognize_diffs

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PIECE = 2000
"""Characters from which a text is split into pieces that are laid out one by one."""
_CODE_BAR: tuple[Span, ...] = (("│ ", "bar"),)
_ALIGN = {"text-align:right": "right", "text-align:center": "center"}
_OPEN = {"em_open": "em", "strong_open": "strong", "s_open": "struck", "link_open": "link"}
_CLOSE = {"em_close", "strong_close", "s_close", "link_close"}


@dataclass(slots=True)
class _Nesting:
    """A list item or a quote, with the prefixes of its rows."""

    first: Span
    rest: Span
    used: bool = False
    """Whether its first row is written."""


class _Writer:
    """Collects rows with the prefixes of the lists and quotes that contain them."""

    def __init__(self, width: int, seq: int) -> None:
        self.width = width
        self.seq = seq
        self.rows: list[Row] = []
        self.levels: list[_Nesting] = []
        self.gap = False

    def space(self) -> None:
        """Put a blank row before the next block, unless it is the first one."""
        self.gap = bool(self.rows) and not (self.levels and not self.levels[-1].used)

    def put(
        self, spans: tuple[Span, ...], how: Wrap = "words", prefix: tuple[Span, ...] = (), hang: int | None = None
    ) -> None:
        """Add a row."""
        if self.gap:
            bars = tuple((level.rest[0].rstrip(), level.rest[1]) for level in self.levels if level.rest[1])
            self.rows.append(Row((), self.seq, bars, bars))
            self.gap = False
        rest = tuple(level.rest for level in self.levels)
        first = tuple(level.rest if level.used else level.first for level in self.levels)
        for level in self.levels:
            level.used = True
        self.rows.append(Row(spans, self.seq, first + prefix, rest + prefix, how, hang=hang))

    @property
    def room(self) -> int:
        """Cells that are left for a block inside the lists and quotes."""
        return max(10, self.width - sum(len(level.rest[0]) for level in self.levels))


def markdown_rows(text: str, width: int, seq: int = -1) -> list[Row]:
    """The rows of a Markdown text; `width` is only used for tables and rules. A diff without a fence is a diff, too."""
    writer = _Writer(width, seq)
    _blocks(iter(_parser().parse(_bounded(text))), writer, tight=False)
    return writer.rows


def pieces(text: str) -> list[str]:
    """Split a long text at blank lines outside of code into pieces of some thousand characters, each valid Markdown."""
    if len(text) <= PIECE:
        return [text]
    result: list[str] = []
    current: list[str] = []
    length = 0
    lines = text.split("\n")
    for section in sections(lines):
        for index in range(section.start, section.end):
            line = lines[index]
            may_start = section.kind == "prose" or index == section.start
            starts = may_start and line[:1] not in {" ", "\t", ""} and bool(current) and not current[-1].strip()
            if starts and length >= PIECE:
                result.append("\n".join(current))
                current, length = [], 0
            current.append(line)
            length += len(line) + 1
    return [*result, "\n".join(current)]


def _bounded(text: str) -> str:
    lines = ("".join(part for part, _ in shortened(line)) for line in clean(text[:LONGEST_TEXT]).split("\n"))
    return "\n".join([*lines, *omission(text)])


@cache
def _parser() -> MarkdownIt:
    """The parser, imported with the first text and not before the first paint."""
    from markdown_it import MarkdownIt

    return recognize_diffs(MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]))


def _blocks(tokens: Iterator[Token], out: _Writer, tight: bool, until: str = "") -> None:
    for token in tokens:
        if token.type == until:
            return
        _block(token, tokens, out, tight)


def _block(token: Token, tokens: Iterator[Token], out: _Writer, tight: bool) -> None:
    kind = token.type
    if not tight:
        out.space()
    if kind in {"paragraph_open", "heading_open"}:
        style = "" if kind == "paragraph_open" else "heading top" if token.tag == "h1" else "heading"
        _text(next(tokens), out, style)
        next(tokens)
    elif kind in {"bullet_list_open", "ordered_list_open"}:
        _list(token, tokens, out)
    elif kind == "blockquote_open":
        _nested(tokens, out, _Nesting(("▎ ", "bar"), ("▎ ", "bar")), False, "blockquote_close")
    elif kind in {"fence", "code_block"}:
        _code(token, out)
    elif kind == "hr":
        out.put((("─" * min(out.room, 40), "muted"),), "none")
    elif kind == "table_open":
        _table(tokens, out)
    elif token.content:
        out.put(((token.content, ""),))


def _text(token: Token, out: _Writer, style: str) -> None:
    for spans in _inline_lines(token.children or [], style):
        out.put(spans)


def _inline_lines(tokens: Sequence[Token], style: str) -> Iterator[tuple[Span, ...]]:
    """The lines of the children of an inline token; a web address follows the text of its link.

    Their text is cleaned again, because entities such as `&#x202e;` were replaced by their characters.
    """
    styles = [style] if style else []
    current: list[Span] = []
    target, label = "", ""
    for token in tokens:
        kind = token.type
        if kind in {"softbreak", "hardbreak"}:
            yield tuple(current)
            current = []
        elif kind in _OPEN:
            styles.append(_OPEN[kind])
            if kind == "link_open":
                target, label = str(token.attrs.get("href", "")), ""
        elif kind in _CLOSE:
            styles.pop()
            if kind == "link_close" and target.startswith("http") and label not in {target, target.rstrip("/")}:
                current.append((f" ({target})", "muted"))
        elif kind == "image":
            current.append((f"[image {clean(token.content) or token.attrs.get('src', '')}]", "muted"))
        elif token.content:
            text = clean(token.content)
            label += text
            current.append((text, " ".join([*styles, "code"] if kind == "code_inline" else styles)))
    yield tuple(current)


def _list(opening: Token, tokens: Iterator[Token], out: _Writer) -> None:
    count = int(opening.attrs.get("start", 1)) if opening.type == "ordered_list_open" else None
    closing = opening.type.replace("_open", "_close")
    for items, token in enumerate(tokens):
        if token.type == closing:
            return
        bullet = "• " if count is None else f"{count + items}. "
        # The items of a tight list contain paragraphs that are marked as hidden.
        first = next(tokens)
        tight = first.hidden or first.type != "paragraph_open"
        if items and not tight:
            out.space()
        level = _Nesting((bullet, "bullet"), (" " * len(bullet), ""))
        out.levels.append(level)
        if first.type == "list_item_close":
            out.put(())
        else:
            _block(first, tokens, out, True)
            _blocks(tokens, out, tight, "list_item_close")
        out.levels.pop()


def _nested(tokens: Iterator[Token], out: _Writer, level: _Nesting, tight: bool, until: str) -> None:
    if out.gap:
        out.gap = False
        out.rows.append(Row((), out.seq))
    out.levels.append(level)
    _blocks(tokens, out, tight, until)
    out.levels.pop()


def _code(token: Token, out: _Writer) -> None:
    language = language_of_fence(token.info)
    code = token.content.rstrip("\n")
    lines = code.split("\n")
    kinds = diff_lines_of_fence(lines, language)
    if any(kinds):
        for row in output_rows(zip(lines, kinds, strict=True), "", out.seq):
            out.put(row.spans, prefix=_CODE_BAR, hang=row.hang)
        return
    for spans in highlight(code, language):
        out.put(spans, prefix=_CODE_BAR)


def _table(tokens: Iterator[Token], out: _Writer) -> None:
    table: list[list[Cell]] = []
    aligns: list[str] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            table.append([])
        elif token.type in {"th_open", "td_open"}:
            if token.type == "th_open":
                aligns.append(_ALIGN.get(str(token.attrs.get("style", "")), "left"))
            lines = list(_inline_lines(next(tokens).children or [], ""))
            table[-1].append(tuple(span for line in lines for span in line))
    for row in table_rows(table, aligns, out.room, out.seq):
        out.put(row.spans, "none")
