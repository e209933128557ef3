"""The user's own patterns of secrets, from the settings: what this process redacts besides the rules.

They are expressions of RE2, which matches in linear time: no pattern can make a transcript take minutes. Imported
without them, this costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

PLACEHOLDER: Final = "[redacted:pattern]"
_KEPT = re.compile(r'\\u[0-9a-fA-F]{4}|\\.|["\\]', re.DOTALL)
"""Quotes and escapes within a match: they stay, so that JSON stays valid."""
_SURROGATES = re.compile("([\ud800-\udfff]+)")
"""Halves of characters, which RE2 cannot read."""
_patterns: tuple[str, ...] = ()


def use_patterns(patterns: Sequence[str]) -> None:
    """Redact by these patterns in this process from now on, and by no others. They must have no `problem`."""
    global _patterns
    _patterns = tuple(patterns)


def used_patterns() -> tuple[str, ...]:
    """The patterns by which this process redacts, to be handed to other processes."""
    return _patterns


def syntax_problem(pattern: str) -> str:
    """Why a text is no expression, as the end of a sentence; empty if it is one."""
    try:
        import re2
    except ImportError:
        return "needs the package google-re2, which is not installed"
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else error.args[0]
        return f"is no regular expression of RE2: {reason}"
    except UnicodeEncodeError:
        return "is no text of UTF-8"
    return ""


def problem(pattern: str) -> str:
    """Why a pattern cannot be used, as the end of a sentence; empty if it can."""
    if reason := syntax_problem(pattern):
        return reason
    compiled = _compiled(pattern)
    if compiled.search("") is not None:
        return "matches an empty text"
    if compiled.search(PLACEHOLDER) is not None:
        return f"matches {PLACEHOLDER}, which replaces a secret"
    return ""


def replaced(text: str) -> str:
    """The text with what the patterns match replaced."""
    for pattern in _patterns:
        text = "".join(
            part if number % 2 else _compiled(pattern).sub(_replacement, part)
            for number, part in enumerate(_SURROGATES.split(text))
        )
    return text


@cache
def _compiled(pattern: str) -> Any:
    import re2

    return re2.compile(pattern)


def _replacement(match: Any) -> str:
    """What is stored for a match: a placeholder between the quotes and escapes in it."""
    found, before = match[0], match.string[max(0, match.start() - 16) : match.start()]
    if not found or "[redacted:" in found:
        return str(found)
    # The match begins with the letter of an escape, such as `\n`.
    is_escape = (len(before) - len(before.rstrip("\\"))) % 2 == 1
    parts, end = [found[:1]] if is_escape else [], int(is_escape)
    for kept in (*_KEPT.finditer(found, end), None):
        if found[end : kept.start() if kept else None]:
            parts.append(PLACEHOLDER)
        if kept is not None:
            parts.append(kept[0])
            end = kept.end()
    return "".join(parts)
