"""The user's prompts: as Markdown where they are Markdown, but never so that something that was typed disappears.

A prompt is decided block by block. Logs, globs, names such as `__init__` and code without a fence look like Markdown in
places; a block that Markdown would not show in full is shown as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memtui.render.clean import lines_of, typed_rows
from memtui.render.markdown import parsed, token_rows
from memtui.render.rows import Row

if TYPE_CHECKING:
    from markdown_it.token import Token

_STYLE = "prompted"
_OUTER = ("paragraph", "heading", "bullet_list", "ordered_list", "list_item", "blockquote")
_TABLE = ("table", "thead", "tbody", "tr", "th", "td")
_PARTS = {"inline", "fence"} | {f"{name}_{end}" for name in (*_OUTER, *_TABLE) for end in ("open", "close")}
"""The tokens of Markdown that a prompt may have."""
_MARKS = frozenset({"em", "strong", "s"})
_BEFORE_BOLD = re.compile(r"$|[\s(\[{\"'“‘—–-]")
_AFTER_BOLD = re.compile(r"$|[\s.,;:!?…)\]}\"'”’—–-]")
_BOLD_BEGINS = re.compile(r"[\w`\"'“‘(\[@#<$]")


class PromptBlock(NamedTuple):
    """Lines of a prompt."""

    lines: list[str]
    tokens: list[Token] | None
    """The Markdown of the lines; None for lines that are shown as they were typed."""


def prompt_rows(text: str, width: int, seq: int) -> list[Row]:
    """The rows of a prompt for a width in cells."""
    rows: list[Row] = []
    for block in prompt_blocks(text):
        if block.tokens is None:
            rows += typed_rows(block.lines, _STYLE, seq)
        else:
            rows += token_rows(block.tokens, width, seq)
    return rows


def prompt_blocks(text: str) -> Iterator[PromptBlock]:
    """A prompt in blocks: Markdown that shows all that was typed, and the lines between."""
    lines = lines_of(text)
    done = 0
    for tokens in _groups(parsed("\n".join(lines))):
        start, end = tokens[0].map or (0, 0)
        while end > start and not lines[end - 1].strip():
            end -= 1
        shown = _shown(tokens, lines, start, end)
        if shown is None:
            continue
        if start > done:
            yield PromptBlock(lines[done:start], None)
        yield PromptBlock(lines[start:end], shown)
        done = end
    if done < len(lines):
        yield PromptBlock(lines[done:], None)


def _groups(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each outermost block."""
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield group
            group = []


def _shown(tokens: list[Token], lines: list[str], start: int, end: int) -> list[Token] | None:
    """The tokens with which to show a block; None for one without Markdown, or that would lose something."""
    shown = [_literal(token) if token.type == "inline" else token for token in tokens]
    if any(token.type not in _PARTS or (token.type == "heading_open" and token.level) for token in shown):
        return None
    if not (all(_is_whole(token, lines) for token in shown) and _is_plausible(shown, lines, start, end)):
        return None
    plain = [token.type for token in shown] == ["paragraph_open", "inline", "paragraph_close"]
    if plain and all(child.type in {"text", "softbreak"} for child in shown[1].children or ()):
        return None
    return shown


def _is_plausible(tokens: Sequence[Token], lines: list[str], start: int, end: int) -> bool:
    """Whether a block is meant as Markdown and is no part of code, of a diff or of the output of a program."""
    first = tokens[0]
    before = lines[start - 1].strip() if start else ""
    after = lines[end].strip() if end < len(lines) else ""
    if first.type == "heading_open":
        # In many languages a comment begins with one sign.
        return lines[start].startswith("#") and (first.markup != "#" or not after)
    if first.type == "bullet_list_open":
        # The stars of a comment, or one side of a diff.
        part = before.startswith(("+", "/*")) or after.startswith("+") or lines[end - 1].strip() == "*/"
        return not part and _is_counted(tokens)
    if first.type == "table_open":
        typed = "".join(lines[start : start + 1] + lines[start + 2 : end])
        cells = "".join(token.content for token in tokens if token.type == "inline")
        return re.sub(r"[|\s]", "", typed) == re.sub(r"\s", "", cells)
    return _is_counted(tokens)


def _is_counted(tokens: Iterable[Token]) -> bool:
    """Whether the items of all ordered lists are numbered one after the other."""
    numbers: list[int] = []
    for token in tokens:
        if token.type.endswith("_list_open"):
            numbers.append(int(token.attrs.get("start", 1)))
        elif token.type.endswith("_list_close"):
            numbers.pop()
        elif token.type == "list_item_open" and token.info:
            if token.info != str(numbers[-1]):
                return False
            numbers[-1] += 1
    return True


def _is_whole(token: Token, lines: list[str]) -> bool:
    """Whether a token shows all of its lines but their Markdown."""
    start, end = token.map or (0, 0)
    if token.type == "fence":
        closing = lines[end - 1].strip() if end - 1 > start and end <= len(lines) else ""
        return set(closing) == set(token.markup[:1]) and len(closing) >= len(token.markup)
    if token.type == "bullet_list_open":
        return token.markup != "+"
    if token.type == "ordered_list_open":
        return token.markup == "."
    if token.type == "blockquote_open":
        return not any(line.strip().startswith(">>") for line in lines[start:end])
    if token.type != "inline":
        return True
    if _source(token.children or []) != _trimmed(token.content):
        return False
    if not token.map:
        return True
    # Text that is further to the right than the first line was put there on purpose.
    first = lines[start].find(token.content.split("\n")[0].strip())
    return all(len(line) - len(line.lstrip()) <= max(0, first) for line in lines[start + 1 : end])


def _trimmed(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n"))


def _source(children: Sequence[Token]) -> str | None:
    """What was typed for inline tokens; None if not all of it is certain, or shown."""
    source, target = "", ""
    for child in children:
        if child.type == "text":
            source += child.content
        elif child.type in {"softbreak", "hardbreak"}:
            source += "\n"
        elif child.type == "code_inline":
            source += child.markup + child.content + child.markup
        elif child.type in {"strong_open", "strong_close", "em_open", "em_close", "s_open", "s_close"}:
            source += child.markup
        elif child.type == "link_open" and _is_shown(child):
            source, target = f"{source}[", str(child.attrs.get("href", ""))
        elif child.type == "link_close" and target:
            source += f"]({target})"
        else:
            return None
    return source


def _is_shown(link: Token) -> bool:
    """Whether the target of a link is shown, too."""
    return link.markup != "autolink" and str(link.attrs.get("href", "")).startswith("http")


def _literal(inline: Token) -> Token:
    """An inline token in which only what is certainly bold is bold; other signs of emphasis are text."""
    children = list(inline.children or [])
    opened: list[tuple[int, str]] = []
    source = ""
    for index, child in enumerate(children):
        name, _, end = child.type.rpartition("_")
        if name in _MARKS and end == "open":
            opened.append((index, source))
        elif name in _MARKS and opened:
            start, before = opened.pop()
            text = source[len(before) + len(child.markup) :]
            after = (_source(children[index + 1 : index + 2]) or "")[:1]
            if child.markup != "**" or not _is_bold(before[-1:], text, after):
                for position in (start, index):
                    children[position] = replace(child, type="text", tag="", nesting=0, content=child.markup)
        source += _source([child]) or ""
    return replace(inline, children=children)


def _is_bold(before: str, text: str, after: str) -> bool:
    """Whether two asterisks at both ends of a text are meant as bold, and not as globs or powers."""
    return (
        bool(_BEFORE_BOLD.match(before) and _BOLD_BEGINS.match(text) and _AFTER_BOLD.match(after)) and "\n" not in text
    )
