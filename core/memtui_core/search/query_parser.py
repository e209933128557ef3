"""Parse the text of a query: words, "exact phrases", -excluded words and filters.

No text is invalid: what is not one of these forms is searched as text.
"""

from __future__ import annotations

import re
from functools import cache

from memtui_core.search.filters.registry import filters_by_name
from memtui_core.store.lexicon.query import Query
from memtui_core.text.paths import bare, is_path_like, path_hints

_ABSOLUTE_PATH = re.compile(r"[A-Za-z]:[\\/]|\\\\|~[\\/]|/[^/\s]+/")
"""The start of an absolute path; a slash command such as `/review src/a.rs` is none."""
_ONLY_QUOTED = re.compile(r"[ ()]")
"""Characters that a path may contain only in quotes."""


def parse(text: str) -> Query:
    """Parse a text; never raises.

    An unclosed quote, a lone `-`, an option such as `--include-file`, an unknown `name:value` and a filter without a
    value are text.
    """
    terms: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    filters: list[tuple[str, str]] = []
    excluded_filters: list[tuple[str, str]] = []
    last_is_term = False
    for token in _token(tuple(filters_by_name())).finditer(text):
        kind = token.lastgroup
        last_is_term = kind == "term"
        if kind == "term":
            terms.append(token[0])
        elif kind == "excluded":
            excluded.append(token["excluded"])
        elif kind == "phrase":
            _add_phrase(excluded if token["minus"] else phrases, token["phrase"])
        else:
            _add_filter(excluded_filters if token["not"] else filters, token)
    paths = tuple(sorted({*path_hints(" ".join(terms)), *(path for phrase in phrases for path in _paths(phrase))}))
    last_is_prefix = last_is_term and not text[-1].isspace()
    return Query(
        tuple(terms), tuple(phrases), tuple(excluded), tuple(filters), tuple(excluded_filters), paths, last_is_prefix
    )


@cache
def _token(filters: tuple[str, ...]) -> re.Pattern[str]:
    """The forms of a query with the names of filters: `name:value` with any other name is text."""
    return re.compile(
        rf"""(?P<not>-?)(?P<filter>{"|".join(filters)}):(?:"(?P<quoted>[^"]*)"(?!\S)|(?P<value>(?!//)[^\s"]\S*))(?!\S)"""
        r"""|(?P<minus>-?)"(?P<phrase>[^"]*)"(?!\w)"""
        r"""|-(?P<excluded>[^\s\-"]\S*)"""
        r"""|(?P<term>\S+)"""
    )


def _paths(phrase: str) -> list[str]:
    r"""The paths in a phrase; an absolute path may contain spaces: `C:\My Files\a.rs`."""
    path = bare(phrase.strip())
    is_path = _ABSOLUTE_PATH.match(path) and is_path_like(_ONLY_QUOTED.sub("_", path))
    return [path] if is_path else path_hints(phrase)


def _add_phrase(phrases: list[str], phrase: str) -> None:
    if phrase.strip():
        phrases.append(phrase)


def _add_filter(filters: list[tuple[str, str]], token: re.Match[str]) -> None:
    value = token["quoted"] if token["value"] is None else token["value"]
    if value.strip():
        filters.append((token["filter"], value))
