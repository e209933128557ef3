"""What a query consists of: words, "exact phrases", -excluded words and filters."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FILTER_LIKE = re.compile(r"-?([a-z]{2,12}):(?![/:\d])[^\s:]+")


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query; its parts are texts as typed, in the order typed."""

    terms: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    """Words and phrases that a hit must not contain."""
    filters: tuple[tuple[str, str], ...] = ()
    """(name, value), with names of filters; a name may occur more than once."""
    excluded_filters: tuple[tuple[str, str], ...] = ()
    """The same for filters that a hit must not meet: `-project:web`."""
    paths: tuple[str, ...] = ()
    """Paths among the terms and phrases, sorted and unique."""
    last_is_prefix: bool = False
    """Whether the text ends with a term, which may be the beginning of a word while it is typed."""

    @property
    def words(self) -> tuple[str, ...]:
        """The phrases, then the terms."""
        return (*self.phrases, *self.terms)

    @property
    def unknown_filters(self) -> tuple[str, ...]:
        """The names of terms that look like filters and are none; they are searched as text."""
        names = [match[1] for term in (*self.terms, *self.excluded) if (match := _FILTER_LIKE.fullmatch(term))]
        return tuple(dict.fromkeys(names))
