"""Convert an agent's Markdown, and source code, to inert HTML; and the styles of highlighted code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from memtui_core.tools.markdown_diffs import recognize_diffs

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict
    from pygments.lexer import Lexer

_LONGEST = 32_000
"""Characters; longer code is not highlighted, because some lexers are slow."""
_THEMES = {"light": "default", "dark": "github-dark"}


def code(text: str, language: str) -> str:
    """The escaped text, highlighted if `language` is a known name or file extension."""
    lexer = _lexer(language.split(" ")[0].lower()) if language and len(text) <= _LONGEST else None
    if lexer is None:
        return escape(text)
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    # Lexers see whole lines only, so a line end is added to the last line.
    html: str = highlight(text, lexer, HtmlFormatter(nowrap=True))
    return html if text.endswith("\n") else html.removesuffix("\n")


def styles(theme: str) -> str:
    """The CSS rules of the `light` or the `dark` theme."""
    from pygments.formatters import HtmlFormatter

    formatter = HtmlFormatter(style=_THEMES[theme], nobackground=True)
    rules: str = formatter.get_style_defs("code")  # type: ignore[no-untyped-call]
    return "\n".join(rule.partition(" /*")[0] for rule in rules.split("\n") if rule.startswith("code ."))


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return None


_SCHEMES = ("http://", "https://", "mailto:")
_HEADING_SHIFT = 2
"""Levels by which headings of a text are lowered, as it is below a title and the heading of a turn."""


def markdown_to_html(text: str) -> str:
    """The HTML of a Markdown text: line ends are kept, HTML tags are shown as text.

    Links to other schemes than http, https and mailto stay as they were written. An image becomes a link, so that
    opening the document makes no request.
    """
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1:]) + _HEADING_SHIFT)}"
    html: str = parser.renderer.render(tokens, parser.options, {})
    return html


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    options = {"html": False, "breaks": True, "highlight": lambda text, language, _attrs: code(text, language)}
    parser = recognize_diffs(MarkdownIt("commonmark", options).enable(["table", "strikethrough"]))
    parser.validateLink = _is_safe_url  # type: ignore[method-assign]
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link_open)
    return parser


def _is_safe_url(url: str) -> bool:
    return url.strip().lower().startswith(_SCHEMES)


def _link_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    return renderer.renderToken(tokens, index, options, env)


def _image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    url, alt = str(tokens[index].attrGet("src") or ""), tokens[index].content
    label = escape(alt or url)
    # Links cannot be nested.
    is_in_link = sum({"link_open": 1, "link_close": -1}.get(token.type, 0) for token in tokens[:index])
    return label if is_in_link else f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{label}</a>'
