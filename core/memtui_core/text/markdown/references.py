"""Markdown for GitHub that notifies nobody, links to no issue and loads no image because of what a transcript says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from memtui_core.text.markdown.quoting import github_tokens

_ZERO_WIDTH: Final = "\u200b"
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_REFERENCE: Final = re.compile(
    r"(?P<host>(?P<scheme>https?://)(?:www\.)?github\.com(?=/))|(?P<url>https?://[^\s<>()\]\"'`]+)"
    r"|(?P<name>(?<![A-Za-z0-9])@)(?=[A-Za-z0-9_])|(?P<number>\#)(?=[0-9])|(?P<gh>\b[Gg][Hh]-)(?=[0-9])"
)
_IMAGE: Final = re.compile(
    r"(?<!\\)(?P<slashes>\\*+)"
    r"(?:\[!\[(?P<inner>[^\[\]\n]*)\]\([^()\s]*(?:[ ]\"[^\"\n]*\")?\)(?=\]\()|!\[(?P<empty>(?=\]))?)"
)
"""An image that is a link, with the text that stands for it, or the beginning of an image, with or without a text."""


def without_images(text: str) -> str:
    """The text with a link in the place of each image, which nobody who reads it loads; code stays as it is."""
    if "![" not in text:
        return text
    shown = _outside_code(text, lambda part: _IMAGE.sub(_link, part))
    return shown if not _has_image(shown) else shown.replace("![", "!\\[")


def _has_image(text: str) -> bool:
    return any(child.type == "image" for token in github_tokens(text) for child in token.children or ())


def _link(match: re.Match[str]) -> str:
    if len(match["slashes"]) % 2:
        return match[0]
    text = "image" if match["empty"] is not None or match["inner"] == "" else match["inner"] or ""
    return f"{match['slashes']}[{text}"


def without_references(text: str) -> str:
    """The text with no `@name`, `#123` or `GH-123` that GitHub recognizes; code stays as it is.

    A character without width is put into them. Links to GitHub go to redirect.github.com, which leads there: such a
    link to an issue leaves no mark in that issue.
    """
    return _outside_code(text, lambda part: _REFERENCE.sub(_replacement, part))


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with everything but code changed."""
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
        shown += [line if number in fenced else change(line) for number, line in enumerate(lines[at:start], at)]
        if end > max(start, at):
            shown.append("".join(_block("\n".join(lines[max(start, at) : end]), spans, change)))
            at = end
    shown += [line if number in fenced else change(line) for number, line in enumerate(lines[at:], at)]
    return "\n".join(shown)


def _block(text: str, codes: list[str], change: Callable[[str], str]) -> Iterator[str]:
    """A changed block with its code as it is; `codes` is what the parser takes for code, in order."""
    end, left = 0, list(codes)
    for match in _CODE.finditer(text):
        if left and _normalized(match[2]) == _normalized(left[0]):
            left.pop(0)
            yield change(text[end : match.start()])
            yield match[0]
            end = match.end()
    yield change(text[end:])


def _normalized(code: str) -> str:
    return " ".join(re.sub(r"\n(?:> ?)*", " ", code).split())


def _replacement(match: re.Match[str]) -> str:
    if match["host"] is not None:
        return f"{match['scheme']}redirect.github.com"
    return match[0] if match["url"] is not None else match[0] + _ZERO_WIDTH
