"""What a person or agent typed to a Query: words, "exact phrases", -excluded words and filters.

There is no syntax to get wrong: what is not one of these forms is text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memtui_core.text.paths import bare, is_path_like, path_hints

FILTERS = (
    "agent", "project", "session", "file", "tool", "in", "role", "pr", "branch", "before", "after", "is", "has",
)  # fmt: skip
"""The names that make `name:value` a filter; any other name is text."""
HOLD_TOGETHER = frozenset({"before", "after", "has", "is"})
"""Filters of which all values must hold when they are given more than once; of the others any value is enough."""

_TOKEN = re.compile(
    rf"""(?P<not>-?)(?P<filter>{"|".join(FILTERS)}):(?:"(?P<quoted>[^"]*)"(?!\S)|(?P<value>(?!//)[^\s"]\S*))(?!\S)"""
    r"""|(?P<minus>-?)"(?P<phrase>[^"]*)"(?!\w)"""
    r"""|-(?P<excluded>[^\s\-"]\S*)"""
    r"""|(?P<term>\S+)"""
)
_BEGINS_PATH = re.compile(r"[A-Za-z]:[\\/]|\\\\|~[\\/]|/[^/\s]+/")
"""An absolute path, but no slash command such as `/review src/a.rs`."""
_SPACED = re.compile(r"[ ()]")
"""Signs that only a path in quotes may have."""
_LIKE_A_FILTER = re.compile(r"-?([a-z]{2,12}):(?![/:\d])[^\s:]+")


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query; every part holds text as it was typed, in the order typed."""

    terms: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    """Words and phrases that a hit must not hold."""
    filters: tuple[tuple[str, str], ...] = ()
    """(name, value), the names from FILTERS; a name may come more than once."""
    excluding: tuple[tuple[str, str], ...] = ()
    """The same for filters that a hit must not pass: `-project:web`."""
    hints: tuple[str, ...] = ()
    """Paths among the terms and phrases, sorted and unique."""
    last_is_prefix: bool = False
    """The text ends in a bare term: while it is being typed, that term is the beginning of a word."""

    @property
    def words(self) -> tuple[str, ...]:
        """What is looked for in the text of turns, phrases first."""
        return (*self.phrases, *self.terms)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Names among the terms that look like filters and are none; they are searched as text."""
        named = [match[1] for term in (*self.terms, *self.excluded) if (match := _LIKE_A_FILTER.fullmatch(term))]
        return tuple(dict.fromkeys(named))


def parse(text: str) -> Query:
    """Any text to a Query; never raises.

    An unclosed quote, a lone `-`, an option such as `--include-file`, an unknown `name:value` and a filter without a
    value are text.
    """
    terms: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    filters: list[tuple[str, str]] = []
    excluding: list[tuple[str, str]] = []
    last_is_term = False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        last_is_term = kind == "term"
        if kind == "term":
            terms.append(token[0])
        elif kind == "excluded":
            excluded.append(token["excluded"])
        elif kind == "phrase":
            _keep(excluded if token["minus"] else phrases, token["phrase"])
        else:
            _keep_filter(excluding if token["not"] else filters, token)
    hints = tuple(sorted({*path_hints(" ".join(terms)), *(hint for phrase in phrases for hint in _hints(phrase))}))
    live = last_is_term and not text[-1].isspace()
    return Query(tuple(terms), tuple(phrases), tuple(excluded), tuple(filters), tuple(excluding), hints, live)


def _hints(phrase: str) -> list[str]:
    r"""The paths in a phrase; an absolute path may have spaces: `C:\My Files\a.rs`."""
    whole = bare(phrase.strip())
    is_whole = _BEGINS_PATH.match(whole) and is_path_like(_SPACED.sub("_", whole))
    return [whole] if is_whole else path_hints(phrase)


def _keep(phrases: list[str], phrase: str) -> None:
    if phrase.strip():
        phrases.append(phrase)


def _keep_filter(filters: list[tuple[str, str]], token: re.Match[str]) -> None:
    value = token["quoted"] if token["value"] is None else token["value"]
    if value.strip():
        filters.append((token["filter"], value))
