"""What a query consists of, and its clauses: what a turn must contain, in the tokens of the lexicon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from memtui_core.store.lexicon.tokens import CJK, STOP_WORDS, clean, compounds, forms, parts, words

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


MAX_CLAUSES = 24
"""Most clauses of a query: a pasted page is searched by its first words."""
_MAX_FOR_PARTS = 3
"""Most clauses of a query in which each word may be a part of a name: a longer one is prose."""
_MAX_FOR_FORMS = 8
"""Most clauses of a query in which other forms of a word count."""
_PUNCTUATION = " .,;:!?\"'`()[]{}<>"
"""Characters around a word that are no part of it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing to find: consecutive words, or a run of characters of a script without spaces."""

    words: tuple[str, ...] = ()
    run: str = ""
    """Characters of a script without spaces; such a clause has no words."""
    prefix: bool = False
    """Whether the last word is a prefix."""
    name: str = ""
    """The whole name as the field `parts` contains it, for names with symbols: `api_key`, `c++`."""
    parts: tuple[str, ...] = ()
    """The parts of a name."""
    forms: tuple[str, ...] = ()
    """Other forms of a single word."""
    may_be_part: bool = False
    """Whether a single word may be a part of a name."""
    typed: str = field(default="", compare=False)
    """Several words with the characters between them, in lower case."""
    expression: str = ""
    """A regular expression, as typed; such a clause has nothing else."""

    @property
    def label(self) -> str:
        """What it looks for, as the user would write it."""
        return self.name or self.run or self.typed or self.expression or " ".join(self.words)


@dataclass(frozen=True, slots=True)
class QueryClauses:
    """The clauses of a query; a turn that contains an excluded one is no hit."""

    clauses: tuple[Clause, ...]
    excluded: tuple[Clause, ...] = ()


def read_clauses(query: Query, *, live: bool = False) -> QueryClauses:
    """The clauses of a query. Stop words count only if there is nothing else; with `live` the last term is a prefix."""
    terms = [list(_term(term)) for term in query.terms]
    if live and query.last_is_prefix and terms and terms[-1] and query.terms[-1][-1].isalnum():
        terms[-1][-1] = replace(terms[-1][-1], prefix=True)
    phrases = [clause for phrase in query.phrases for clause in _phrase(phrase)]
    term_clauses = [clause for term in terms for clause in term]
    content = [*phrases, *(clause for clause in term_clauses if not _is_stop(clause))]
    # Stop words alone do count: the last one may become another word while it is typed.
    clauses = list(dict.fromkeys(content or term_clauses))[:MAX_CLAUSES]
    excluded = [clause for word in query.excluded for clause in _phrase(word)]
    return QueryClauses(tuple(_with_options(clauses)), tuple(excluded[:MAX_CLAUSES]))


def content_words(query: Query) -> tuple[str, ...]:
    """The phrases and terms as typed, phrases first, without stop words unless there is nothing else."""
    content = [term for term in query.terms if any(not _is_stop(clause) for clause in _term(term))]
    return (*query.phrases, *content) or query.terms


def _term(text: str) -> Iterator[Clause]:
    """The clauses of a term: `src/pricing.ts` is one of three words, `DuckDBを使う` is two."""
    for clause in _phrase(text):
        names = compounds(clean(text)) if clause.words else []
        if len(names) == 1 and tuple(words(names[0])) == clause.words:
            whole = "" if names[0].isalnum() else names[0].lower()
            yield replace(clause, name=whole, parts=parts(names[0]))
        else:
            yield clause


def _phrase(text: str) -> Iterator[Clause]:
    """The words of a text as one clause, and each run of a script without spaces as another."""
    cleaned = clean(text)
    last = 0
    for run in CJK.finditer(cleaned):
        yield from _words(cleaned[last : run.start()])
        yield Clause(run=run[0])
        last = run.end()
    yield from _words(cleaned[last:])


def _words(text: str) -> Iterator[Clause]:
    if own := words(text):
        yield Clause(tuple(own), typed=" ".join(text.lower().split()).strip(_PUNCTUATION) if len(own) > 1 else "")


def _is_stop(clause: Clause) -> bool:
    return bool(clause.words) and not clause.name and all(word in STOP_WORDS for word in clause.words)


def _with_options(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """The clauses with the other ways to match them that a query of this length allows."""
    has_run = any(clause.run for clause in clauses)
    for clause in clauses:
        if len(clause.words) != 1 or clause.name or len(clause.parts) > 1:
            yield clause
        else:
            other_forms = forms(clause.words[0]) if len(clauses) <= _MAX_FOR_FORMS else ()
            yield replace(clause, forms=other_forms, may_be_part=len(clauses) <= _MAX_FOR_PARTS or has_run)
