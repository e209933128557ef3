"""Source code as rows, with named styles for its syntax and a gutter for line numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memtui.render.clean import shortened
from memtui.render.rows import Row, Span

# Pygments is imported for the first code that is shown, which need not be on the first screen.
if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST_HIGHLIGHT = 32_000
"""Characters; longer code is not highlighted, because the lexer would block the screen."""
_STYLES: dict[tuple[str, ...], str] = {
    ("Comment",): "comment",
    ("Keyword",): "keyword",
    ("Keyword", "Constant"): "literal",
    ("Name", "Builtin"): "builtin",
    ("Name", "Class"): "defined",
    ("Name", "Decorator"): "defined",
    ("Name", "Function"): "defined",
    ("Name", "Namespace"): "defined",
    ("Name", "Tag"): "keyword",
    ("Name", "Attribute"): "builtin",
    ("Literal", "Number"): "literal",
    ("Literal",): "literal",
    ("Literal", "String"): "string",
    ("Operator", "Word"): "keyword",
    ("Generic", "Deleted"): "removed",
    ("Generic", "Inserted"): "added",
    ("Generic", "Heading"): "strong",
    ("Generic", "Subheading"): "strong",
    (): "",
}
"""The styles of Pygments' tokens, which are tuples of names."""


def language_of(path: str) -> str:
    """The name of a file's language in Pygments; empty if it is unknown."""
    name = PurePosixPath(path.replace("\\", "/")).name
    suffix = PurePosixPath(name).suffix
    return _language_of(f"x{suffix}" if suffix else name)


@lru_cache(maxsize=256)
def _language_of(name: str) -> str:
    from pygments.lexers import find_lexer_class_for_filename

    lexer = find_lexer_class_for_filename(name)
    return lexer.aliases[0] if lexer is not None and lexer.aliases else ""


def highlight(code: str, language: str, longest: int = LONGEST_HIGHLIGHT) -> list[tuple[Span, ...]]:
    """The lines of cleaned code as spans; without styles if the language is unknown, or over `longest` characters."""
    lines = code.split("\n")
    lexer = _lexer(language) if language and len(code) <= longest else None
    if lexer is None or any(len(line) > 2000 for line in lines):
        return [shortened(line) for line in lines]
    result: list[tuple[Span, ...]] = []
    current: list[Span] = []
    for kind, text in lexer.get_tokens(code):
        style = _style(kind)
        first, *others = text.split("\n")
        if first:
            current.append((first, style))
        for other in others:
            result.append(tuple(current))
            current = [(other, style)] if other else []
    result.append(tuple(current))
    return result[: len(lines)]


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    from pygments import lexers
    from pygments.util import ClassNotFound

    try:
        return lexers.get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _style(kind: tuple[str, ...]) -> str:
    """The style of a token, or of the nearest one that it is a kind of."""
    while kind not in _STYLES:
        kind = kind[:-1]
    return _STYLES[kind]


def code_rows(lines: Sequence[str], numbers: Sequence[int | None], language: str, seq: int) -> list[Row]:
    """Lines of code with their numbers in a gutter."""
    width = max((len(str(n)) for n in numbers if n is not None), default=0)
    blank: tuple[Span, ...] = ((" " * (width + 1), "gutter"),) if width else ()
    rows: list[Row] = []
    if not lines:
        return rows
    for spans, n in zip(highlight("\n".join(lines), language), numbers, strict=True):
        gutter = ((f"{n:>{width}} ", "gutter"),) if n is not None else blank
        rows.append(Row(spans, seq, gutter, blank))
    return rows
