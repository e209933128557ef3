"""Regular expressions of queries, in the syntax of RE2, which matches in linear time: none can make a search hang."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from memtui_core.text.own_patterns import syntax_problem

MARK: Final = "re:"
"""Begins the entry of an expression among the words to highlight."""
_ESCAPED = re.compile(r"\\[pPx]\{[^}]*\}|\\x[0-9A-Fa-f]{2}|\\.|\[\[:\^?[a-z]+:\]|\(\?P?<\w+>", re.DOTALL)
"""What says nothing about the case of letters, although it may contain capitals: `\\S`, `\\xE9`, a group's name."""
_NAMED = re.compile(r"(\\.)|\(\?<(?=\w)", re.DOTALL)
"""An escape, or the beginning of a named group in the form that DuckDB does not know."""


def normalized(expression: str) -> str:
    """The expression as it is matched: line by line, and in any case unless it has a capital.

    `^` and `$` are the ends of a line, `.` is no line end; `(?-i)`, `(?i)` and `(?s)` change it.
    """
    has_capital = any(map(str.isupper, _ESCAPED.sub("", expression)))
    known = _NAMED.sub(lambda found: found[1] or "(?P<", expression)
    return f"(?m{'' if has_capital else 'i'}){known}"


def problem(expression: str) -> str:
    """Why an expression cannot be used, as the end of a sentence; empty if it can."""
    reason = syntax_problem(expression)
    return reason or ("matches an empty text" if compiled(normalized(expression)).search("") is not None else "")


@lru_cache(64)
def compiled(pattern: str) -> Any:
    """A normalized expression, ready to be matched."""
    import re2

    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def is_entry(word: str) -> bool:
    """Whether an entry among the words to highlight is an expression that can be used."""
    return word.startswith(MARK) and word != MARK and not problem(word.removeprefix(MARK))
