"""Safe Markdown: quoted text that is shown exactly, and Markdown of agents that cannot affect the text after it."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_END = "end"
_BACKTICKS = re.compile(r"`+")
_INFO = re.compile(r"[A-Za-z0-9+#_-]{0,20}")
_SPECIAL = re.compile(r"([\\`*_\[\]<>&|~#$])")
_CHANGED = re.compile(r"  |\t|~|\$.*\$|\[[!^]", re.DOTALL)
"""Text that is displayed differently although CommonMark keeps it: runs of spaces; and on GitHub strikethrough,
formulas, alerts and footnotes."""
_CODE_OR_TAG = re.compile(
    r"(?P<code>(?<![`\\])(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<slashes>\\*)<(?=[A-Za-z/!?])(?!(?:https?|mailto):[^\s<>]*>)",
    re.DOTALL,
)


def fence(text: str, info: str = "") -> str:
    """The text in a code fence that is longer than any run of backticks in it."""
    ticks = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{ticks}{info if _INFO.fullmatch(info) else ''}\n{text}\n{ticks}"


def escaped(line: str) -> str:
    """One line as Markdown that displays it unchanged."""
    return _SPECIAL.sub(r"\\\1", line)


def quote(text: str) -> str:
    """The text as a quotation, whose lines wrap, if Markdown displays it there unchanged; otherwise in a fence."""
    lines = text.split("\n")
    # Only hard line breaks are kept.
    broken = [f"{line}\\" if line and after else line for line, after in pairwise([*lines, ""])]
    quoted = "\n".join(f"> {line}".rstrip(" ") for line in broken)
    is_exact = not _CHANGED.search(text) and _visible_text(_parser().parse(quoted)) == text
    return quoted if is_exact else fence(text, "text")


def contained(text: str) -> str:
    """Markdown of an agent that cannot affect the text after it: HTML tags are escaped, and open fences are closed.

    If that is not enough, the text is put into a fence.
    """
    shown = text if _is_contained(text) else _without_tags(text)
    shown = next((variant for variant in (shown, _closed(shown)) if _is_contained(variant)), fence(text, "markdown"))
    # After a list, indented lines would belong to its last item.
    return f"<!-- -->\n\n{shown}" if shown[:1] in {" ", "\t"} else shown


def github_tokens(text: str) -> list[Token]:
    """A text as GitHub parses it: CommonMark with tables, strikethrough and HTML."""
    return _parser().parse(text)


def _is_contained(text: str) -> bool:
    """Whether a text contains no HTML, and a heading after it is still a heading."""
    tokens = _parser().parse(f"{text}\n\n# {_END}")
    last = tokens[-3:]
    return (
        [token.type for token in last] == ["heading_open", "inline", "heading_close"]
        and (last[0].level, last[1].content) == (0, _END)
        and not any(_is_html(token) or any(map(_is_html, token.children or ())) for token in tokens)
    )


def _is_html(token: Token) -> bool:
    return token.type in {"html_block", "html_inline"}


def _closed(text: str) -> str:
    """The text with its last fence closed."""
    tokens = _parser().parse(text)
    return f"{text}\n{tokens[-1].markup}" if tokens and tokens[-1].type == "fence" else text


def _without_tags(text: str) -> str:
    """The text with a backslash before each HTML tag outside of code."""
    lines = text.split("\n")
    code = [False] * (len(lines) + 1)
    for token in _parser(html=False).parse(text):
        if token.type in {"fence", "code_block"} and token.map:
            code[slice(*token.map)] = [True] * (token.map[1] - token.map[0])
    shown: list[str] = []
    start = 0
    # A code span ends within its paragraph.
    for index in range(len(lines) + 1):
        if index == len(lines) or code[index] or not lines[index].strip():
            shown += [_CODE_OR_TAG.sub(_shown, "\n".join(lines[start:index]))] if index > start else []
            shown += lines[index : index + 1]
            start = index + 1
    return "\n".join(shown)


def _shown(match: re.Match[str]) -> str:
    if match["code"] is not None:
        return match[0]
    # After an odd number of backslashes, `<` is already escaped.
    return match[0] if len(match["slashes"]) % 2 else match["slashes"] + "\\<"


def _visible_text(tokens: list[Token]) -> str | None:
    """The visible text of a quotation with plain paragraphs; None if it contains anything else."""
    read: list[str] = []
    for token in tokens:
        if token.type == "inline":
            parts = [{"text": child.content, "hardbreak": "\n"}.get(child.type) for child in token.children or ()]
            if None in parts:
                return None
            read.append("".join(part for part in parts if part))
        elif token.type not in {"blockquote_open", "blockquote_close", "paragraph_open", "paragraph_close"}:
            return None
    return "\n\n".join(read)


@cache
def _parser(html: bool = True) -> MarkdownIt:
    """A parser of the Markdown of GitHub: CommonMark with tables and strikethrough."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": html}).enable(["table", "strikethrough"])
