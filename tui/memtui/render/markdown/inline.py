"""The inline elements of Markdown as spans: emphasis, code, links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memtui.render.clean import clean
from memtui.render.rows import Span

if TYPE_CHECKING:
    from markdown_it.token import Token

_OPEN = {"em_open": "em", "strong_open": "strong", "s_open": "struck", "link_open": "link"}
_CLOSE = {"em_close", "strong_close", "s_close", "link_close"}


def inline_lines(tokens: Sequence[Token], style: str) -> Iterator[tuple[Span, ...]]:
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
