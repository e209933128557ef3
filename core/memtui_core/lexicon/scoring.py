"""Clauses to tantivy's query objects. No query string is parsed, so that no text can be wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tantivy import Occur, Query, Searcher

from memtui_core.lexicon.clauses import Clause, Wanted
from memtui_core.lexicon.fields import SCHEMA, SUMMARY, WEIGHTS
from memtui_core.lexicon.tokens import bigrams

_TIE = 0.2
"""What the other fields add to the best one."""
_NAME = 6.0
"""Added for a whole name, so that it stands before any number of its words in a row."""
_PART = 0.5
_FORM = 0.6
_EXPANDED = 0.5
_TAKEN_APART = 0.3
_EXPANSIONS = 50
"""Words, the most frequent ones, that a beginning stands for."""


class Scoring:
    """Makes the queries of one search; `fields` are the text fields that count."""

    def __init__(self, searcher: Searcher, wanted: Wanted, fields: Collection[str] | None) -> None:
        self._searcher = searcher
        self._fields = [name for name in WEIGHTS if fields is None or name in fields]
        self._clauses = [self._clause(clause) for clause in wanted.clauses]
        self._excluded = [Query.disjunction_max_query(list(self._whole(clause))) for clause in wanted.excluded]
        if self._fields == ["user"]:
            # What people said: a summary is in their field, so that it scores alike, and is not theirs.
            self._excluded.append(_term("marker", SUMMARY))

    def query(self, *, every: bool, sessions: Collection[int] | None, turns: Collection[int] | None) -> Query:
        """Turns with every clause or with any, among some sessions or turns."""
        occur = Occur.Must if every else Occur.Should
        pieces = [(occur, clause) for clause in self._clauses]
        pieces += [(Occur.MustNot, clause) for clause in self._excluded]
        for name, numbers in (("session", sessions), ("turn", turns)):
            if numbers is not None:
                narrowed = Query.term_set_query(SCHEMA, name, list(numbers))
                pieces.append((Occur.Must, Query.const_score_query(narrowed, 0.0)))
        return Query.boolean_query(pieces, None if every else 1)

    def _clause(self, clause: Clause) -> Query:
        ways = list(self._whole(clause))
        if clause.may_be_part:
            ways += self._in_parts(clause)
        if clause.forms:
            ways += [_boosted(self._words(name, (form,)), _FORM * WEIGHTS[name]) for name, form in self._forms(clause)]
        if len(clause.parts) > 1:
            ways += self._taken_apart(clause.parts)
        best = Query.disjunction_max_query(ways, _TIE)
        if not clause.name:
            return best
        whole = Query.const_score_query(_term("parts", clause.name), _NAME)
        return Query.boolean_query([(Occur.Must, best), (Occur.Should, whole)])

    def _whole(self, clause: Clause) -> Iterator[Query]:
        """The clause itself in each field."""
        if clause.run:
            yield self._run(clause)
            return
        for name in self._fields:
            yield _boosted(self._words(name, clause.words), WEIGHTS[name])
            if clause.prefix:
                yield from self._expanded(name, clause.words)

    def _words(self, name: str, words: Sequence[str]) -> Query:
        return _term(name, words[0]) if len(words) == 1 else Query.phrase_query(SCHEMA, name, list(words))

    def _run(self, clause: Clause) -> Query:
        """A run of characters; of the pairs, the last one may go on."""
        pairs = bigrams(clause.run)[:-1]
        if not pairs:
            found = self._searcher.terms_with_prefix("cjk", clause.run, limit=_EXPANSIONS)
            return Query.disjunction_max_query([_term("cjk", word) for word, _ in found])
        return self._words("cjk", pairs)

    def _expanded(self, name: str, words: Sequence[str]) -> Iterator[Query]:
        if len(words) > 1:
            beginning = Query.phrase_prefix_query(SCHEMA, name, list(words))
            yield _boosted(beginning, _EXPANDED * WEIGHTS[name])
            return
        for word, _ in self._searcher.terms_with_prefix(name, words[0], limit=_EXPANSIONS):
            if word != words[0]:
                yield _boosted(_term(name, word), _EXPANDED * WEIGHTS[name])

    def _in_parts(self, clause: Clause) -> Iterator[Query]:
        word = clause.words[0]
        yield _boosted(_term("parts", word), _PART)
        if clause.prefix:
            for longer, _ in self._searcher.terms_with_prefix("parts", word, limit=_EXPANSIONS):
                yield _boosted(_term("parts", longer), _PART * _EXPANDED)

    def _forms(self, clause: Clause) -> Iterator[tuple[str, str]]:
        """Fields and the other forms of the word that stand in them."""
        for name in self._fields:
            for form in clause.forms:
                if self._searcher.doc_freq(name, form):
                    yield name, form

    def _taken_apart(self, parts: Sequence[str]) -> Iterator[Query]:
        """The same name written in another way: `retryUpload` for `retry_upload`, or its parts as words."""
        every = [(Occur.Must, _term("parts", part)) for part in parts if len(part) > 1 and not part.isdigit()]
        if every:
            yield _boosted(Query.boolean_query(every), _TAKEN_APART)
        for name in self._fields:
            yield _boosted(self._words(name, parts), _TAKEN_APART * WEIGHTS[name])
            yield _boosted(_term(name, "".join(parts)), _TAKEN_APART * WEIGHTS[name])


def _term(name: str, word: str) -> Query:
    return Query.term_query(SCHEMA, name, word)


def _boosted(query: Query, boost: float) -> Query:
    return query if boost == 1.0 else Query.boost_query(query, boost)
