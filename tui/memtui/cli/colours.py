"""The styles of texts in the shell, in the colours of the terminal.

The names are those of the app's style sheet (`memtui.render.rows`), of which the shell shows what it prints.
"""

from __future__ import annotations

from typing import Final

_MUTED: Final = "2"
_ACCENT: Final = "1;32"
_PRIMARY: Final = "36"
_SECONDARY: Final = "35"
_CODES: Final = {
    **dict.fromkeys(("muted", "number", "gutter", "note", "comment", "rule"), _MUTED),
    "thinking": "2;3",
    **dict.fromkeys(("you", "prompt"), _ACCENT),
    **dict.fromkeys(("agent", "heading"), f"1;{_PRIMARY}"),
    **dict.fromkeys(("parent", "compaction"), f"1;{_SECONDARY}"),
    **dict.fromkeys(("tool", "key", "bullet", "bar", "code", "literal", "builtin"), _SECONDARY),
    "keyword": _PRIMARY,
    "link": f"4;{_PRIMARY}",
    **dict.fromkeys(("added", "string"), "32"),
    **dict.fromkeys(("removed", "error"), "31"),
    **dict.fromkeys(("strong", "defined"), "1"),
    "top": "4",
    "em": "3",
    "struck": "9",
    "match": "1;33",
}
"""The parameters of the sequence that sets each style (SGR); other styles look like plain text."""


def coloured(text: str, names: str) -> str:
    """A text between the sequences that set its styles, whose names are joined by blanks, and reset them."""
    codes = ";".join(filter(None, map(_CODES.get, names.split())))
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text
