"""A Query to clauses: what a turn must hold, in the tokens that the index knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from memtui_core.lexicon.english import STOP_WORDS, forms
from memtui_core.lexicon.identifiers import compounds, parts
from memtui_core.lexicon.tokens import CJK, clean, words
from memtui_core.query import Query

_MOST = 24
"""Clauses of a query: a pasted page is searched by its first words."""
_FEW = 3
"""A query of so few clauses is no prose: each word may be a part of a name."""
_MOST_WITH_FORMS = 8
_AROUND = " .,;:!?\"'`()[]{}<>"
"""Signs around what is typed that are no part of it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing to find: words that follow each other, or a run of a script without spaces."""

    words: tuple[str, ...] = ()
    run: str = ""
    """Characters of a script without spaces; then there are no words."""
    prefix: bool = False
    """The last word is the beginning of one."""
    name: str = ""
    """The whole as the field `parts` holds it, for names with signs in them: `api_key`, `c++`."""
    parts: tuple[str, ...] = ()
    """The parts of a name."""
    forms: tuple[str, ...] = ()
    """Other forms of a single word."""
    may_be_part: bool = False
    """A single word that may be a part of a name."""
    typed: str = field(default="", compare=False)
    """Several words with the signs between them, in lower case."""

    @property
    def label(self) -> str:
        """What it looks for, as a person would write it."""
        return self.name or self.run or self.typed or " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query as clauses; a turn with an excluded one is no hit."""

    clauses: tuple[Clause, ...]
    excluded: tuple[Clause, ...] = ()


def read(query: Query, *, live: bool = False) -> Wanted:
    """The clauses of a query. Stop words count only when there is nothing else; `live` makes the last term a prefix."""
    bare = [list(_term(term)) for term in query.terms]
    if live and query.last_is_prefix and bare and bare[-1] and query.terms[-1][-1].isalnum():
        bare[-1][-1] = replace(bare[-1][-1], prefix=True)
    phrases = [clause for phrase in query.phrases for clause in _phrase(phrase)]
    all_terms = [clause for term in bare for clause in term]
    telling = [*phrases, *(clause for clause in all_terms if not _is_stop(clause))]
    # While the last word is typed it may yet become another than the stop word that it is now.
    chosen = list(dict.fromkeys(telling or all_terms))[:_MOST]
    excluded = [clause for word in query.excluded for clause in _phrase(word)]
    return Wanted(tuple(_opened(chosen)), tuple(excluded[:_MOST]))


def content_words(query: Query) -> tuple[str, ...]:
    """The phrases and terms that say something, as typed, phrases first: stop words only when there is nothing else."""
    telling = [term for term in query.terms if any(not _is_stop(clause) for clause in _term(term))]
    return (*query.phrases, *telling) or query.terms


def _term(text: str) -> Iterator[Clause]:
    """The clauses of a bare term: `src/pricing.ts` is one of three words, `DuckDBを使う` two."""
    for clause in _phrase(text):
        names = compounds(clean(text)) if clause.words else []
        if len(names) == 1 and tuple(words(names[0])) == clause.words:
            whole = "" if names[0].isalnum() else names[0].lower()
            yield replace(clause, name=whole, parts=parts(names[0]))
        else:
            yield clause


def _phrase(text: str) -> Iterator[Clause]:
    """The words of a text as one clause, each run of a script without spaces as another."""
    plain = clean(text)
    last = 0
    for run in CJK.finditer(plain):
        yield from _words(plain[last : run.start()])
        yield Clause(run=run[0])
        last = run.end()
    yield from _words(plain[last:])


def _words(text: str) -> Iterator[Clause]:
    found = words(text)
    if found:
        yield Clause(tuple(found), typed=" ".join(text.lower().split()).strip(_AROUND) if len(found) > 1 else "")


def _is_stop(clause: Clause) -> bool:
    return bool(clause.words) and not clause.name and all(word in STOP_WORDS for word in clause.words)


def _opened(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Clauses with the ways to match them that the shape of the whole query opens."""
    beside_run = any(clause.run for clause in clauses)
    for clause in clauses:
        if len(clause.words) != 1 or clause.name or len(clause.parts) > 1:
            yield clause
        else:
            word = clause.words[0]
            other = forms(word) if len(clauses) <= _MOST_WITH_FORMS else ()
            yield replace(clause, forms=other, may_be_part=len(clauses) <= _FEW or beside_run)
