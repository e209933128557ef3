"""Source code as HTML with syntax classes, and the styles of these classes."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
