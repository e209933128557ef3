"""An agent's Markdown as HTML that is inert."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from memtui_core.export.highlight import code

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

_SCHEMES = ("http://", "https://", "mailto:")
_UNDER = 2
"""How far headings of a text go down: it stands under a title and the heading of a turn."""


def rendered(text: str) -> str:
    """The HTML of a Markdown text: line ends are kept, tags of HTML show as text.

    Links to anything but http, https and mail stay as they were written; a picture is a link to it, for a document
    that is opened must not tell anybody so.
    """
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1:]) + _UNDER)}"
    made: str = parser.renderer.render(tokens, parser.options, {})
    return made


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    options = {"html": False, "breaks": True, "highlight": lambda text, language, _attrs: code(text, language)}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.validateLink = _is_harmless  # type: ignore[method-assign]
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link_open)
    return parser


def _is_harmless(url: str) -> bool:
    return url.strip().lower().startswith(_SCHEMES)


def _link_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    return renderer.renderToken(tokens, index, options, env)


def _image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    url, alt = str(tokens[index].attrGet("src") or ""), tokens[index].content
    shown = escape(alt or url)
    # A link in a link is none.
    inside = sum({"link_open": 1, "link_close": -1}.get(token.type, 0) for token in tokens[:index])
    return shown if inside else f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{shown}</a>'
