"""Markdown for GitHub that notifies nobody and links to no issue because of what a transcript says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memtui_core.text.markdown.quoting import github_tokens

_ZERO_WIDTH: Final = "\u200b"
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_REFERENCE: Final = re.compile(
    r"(?P<host>(?P<scheme>https?://)(?:www\.)?github\.com(?=/))|(?P<url>https?://[^\s<>()\]\"'`]+)"
    r"|(?P<name>(?<![A-Za-z0-9])@)(?=[A-Za-z0-9_])|(?P<number>\#)(?=[0-9])|(?P<gh>\b[Gg][Hh]-)(?=[0-9])"
)


def without_references(text: str) -> str:
    """The text with no `@name`, `#123` or `GH-123` that GitHub recognizes; code stays as it is.

    A character without width is put into them. Links to GitHub go to redirect.github.com, which leads there: such a
    link to an issue leaves no mark in that issue.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    fenced: set[int] = set()
    codes: dict[tuple[int, int], list[str]] = {}
    for token in github_tokens(text):
        if token.map is None:
            continue
        if token.type in {"fence", "code_block"}:
            fenced.update(range(*token.map))
        elif token.type == "inline":
            own = codes.setdefault((token.map[0], token.map[1]), [])
            own += [child.content for child in token.children or () if child.type == "code_inline"]
    shown, at = [], 0
    for (start, end), spans in sorted(codes.items()):
        shown += [line if number in fenced else _inert(line) for number, line in enumerate(lines[at:start], at)]
        if end > max(start, at):
            shown.append("".join(_block("\n".join(lines[max(start, at) : end]), spans)))
            at = end
    shown += [line if number in fenced else _inert(line) for number, line in enumerate(lines[at:], at)]
    return "\n".join(shown)


def _block(text: str, codes: list[str]) -> Iterator[str]:
    """A block with its code as it is; `codes` is what the parser takes for code, in order."""
    end, left = 0, list(codes)
    for match in _CODE.finditer(text):
        if left and _normalized(match[2]) == _normalized(left[0]):
            left.pop(0)
            yield _inert(text[end : match.start()])
            yield match[0]
            end = match.end()
    yield _inert(text[end:])


def _normalized(code: str) -> str:
    return " ".join(re.sub(r"\n(?:> ?)*", " ", code).split())


def _inert(text: str) -> str:
    return _REFERENCE.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    if match["host"] is not None:
        return f"{match['scheme']}redirect.github.com"
    return match[0] if match["url"] is not None else match[0] + _ZERO_WIDTH
