"""The clauses of a query as query objects of tantivy. No query string is parsed, so no text is invalid."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from tantivy import Occur, Query, Searcher

from memtui_core.store.lexicon.fields import SCHEMA, SEARCHED, SUMMARY, WEIGHTS
from memtui_core.store.lexicon.query import Clause, QueryClauses
from memtui_core.store.lexicon.tokens import bigrams

_OTHER_FIELDS = 0.2
"""Share of the scores of other fields that is added to the best one."""
_WHOLE_NAME = 6.0
"""Added for a whole name, so that it ranks above any number of its words in a row."""
_PART = 0.5
_FORM = 0.6
_EXPANDED = 0.5
_OTHER_SPELLING = 0.3
_PAIR = 0.6
"""Weight of two words that follow each other in the query and stand near each other in this order, like `HTTP 400`."""
_PAIR_SLOP = 3
"""Other words that may stand between them: the query has no stop words."""
_MAX_PAIRED = 8
"""Most clauses of a query in which such pairs count."""
_MAX_EXPANSIONS = 50
"""The most frequent words that a prefix stands for."""


class Scoring:
    """Builds the queries of one search; `fields` are the text fields that count, None for all."""

    def __init__(self, searcher: Searcher, clauses: QueryClauses, fields: Collection[str] | None) -> None:
        self._searcher = searcher
        self._fields = [name for name in WEIGHTS if name in (SEARCHED if fields is None else fields)]
        subqueries = [list(self._subqueries(clause)) for clause in clauses.clauses]
        self._clauses = [_clause(clause, own) for clause, own in zip(clauses.clauses, subqueries, strict=True)]
        self._in_fields = [[query for query, in_field in own if in_field] for own in subqueries]
        """Of each clause the queries whose match is certain to be in one of the fields."""
        self._pairs = list(self._adjacent(clauses.clauses)) if len(clauses.clauses) <= _MAX_PAIRED else []
        self._excluded = [Query.disjunction_max_query(list(self._whole(clause))) for clause in clauses.excluded]
        if self._fields == ["user"]:
            # A compaction summary is in the field `user`, for the same weight, but the user did not write it.
            self._excluded.append(_term("marker", SUMMARY))

    def query(self, *, every: bool, sessions: Collection[int] | None, turns: Collection[int] | None) -> Query:
        """The query for turns with every clause, or with any; `sessions` and `turns` narrow it unless they are None."""
        occur = Occur.Must if every else Occur.Should
        subqueries = [(occur, clause) for clause in self._clauses]
        subqueries += [(Occur.Should, pair) for pair in self._pairs]
        subqueries += [(Occur.MustNot, clause) for clause in self._excluded]
        for name, numbers in (("session", sessions), ("turn", turns)):
            if numbers is not None:
                narrowed = Query.term_set_query(SCHEMA, name, list(numbers))
                subqueries.append((Occur.Must, Query.const_score_query(narrowed, 0.0)))
        return Query.boolean_query(subqueries, None if every else 1)

    def uncertain(self, query: Query, *, every: bool) -> Query:
        """Those turns of a query that may match in other fields only: `parts` and `cjk` do not tell the field."""
        occur = Occur.Must if every else Occur.Should
        certain = [(occur, Query.disjunction_max_query(queries)) for queries in self._in_fields]
        return Query.boolean_query(
            [(Occur.Must, query), (Occur.MustNot, Query.boolean_query(certain, None if every else 1))]
        )

    def _adjacent(self, clauses: Sequence[Clause]) -> Iterator[Query]:
        """The queries for the pairs of single words that follow each other."""
        for first, second in pairwise(clauses):
            if len(first.words) == len(second.words) == 1 and not second.prefix:
                pair: list[str | tuple[int, str]] = [*first.words, *second.words]
                yield Query.disjunction_max_query(
                    [
                        _boosted(Query.phrase_query(SCHEMA, name, pair, slop=_PAIR_SLOP), _PAIR * WEIGHTS[name])
                        for name in self._fields
                    ]
                )

    def _subqueries(self, clause: Clause) -> Iterator[tuple[Query, bool]]:
        """The queries for a clause, each with whether its match is certain to be in one of the fields."""
        yield from ((query, not clause.run) for query in self._whole(clause))
        if clause.may_be_part:
            yield from ((query, False) for query in self._in_parts(clause))
        for name, form in self._forms(clause):
            yield _boosted(self._words(name, (form,)), _FORM * WEIGHTS[name]), True
        if len(clause.parts) > 1:
            yield from self._other_spellings(clause.parts)

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
        """The query for a run of characters: its pairs in order; a single character is a prefix of pairs."""
        pairs = bigrams(clause.run)[:-1]
        if not pairs:
            expansions = self._searcher.terms_with_prefix("cjk", clause.run, limit=_MAX_EXPANSIONS)
            return Query.disjunction_max_query([_term("cjk", pair) for pair, _ in expansions])
        return self._words("cjk", pairs)

    def _expanded(self, name: str, words: Sequence[str]) -> Iterator[Query]:
        if len(words) > 1:
            phrase = Query.phrase_prefix_query(SCHEMA, name, list(words))
            yield _boosted(phrase, _EXPANDED * WEIGHTS[name])
            return
        for word, _ in self._searcher.terms_with_prefix(name, words[0], limit=_MAX_EXPANSIONS):
            if word != words[0]:
                yield _boosted(_term(name, word), _EXPANDED * WEIGHTS[name])

    def _in_parts(self, clause: Clause) -> Iterator[Query]:
        word = clause.words[0]
        yield _boosted(_term("parts", word), _PART)
        if clause.prefix:
            for longer, _ in self._searcher.terms_with_prefix("parts", word, limit=_MAX_EXPANSIONS):
                yield _boosted(_term("parts", longer), _PART * _EXPANDED)

    def _forms(self, clause: Clause) -> Iterator[tuple[str, str]]:
        """The fields, each with the other forms of the word that it contains."""
        for name in self._fields:
            for form in clause.forms:
                if self._searcher.doc_freq(name, form):
                    yield name, form

    def _other_spellings(self, parts: Sequence[str]) -> Iterator[tuple[Query, bool]]:
        """The queries for a name in another spelling: `retryUpload` for `retry_upload`, or its parts as words."""
        all_parts = [(Occur.Must, _term("parts", part)) for part in parts if len(part) > 1 and not part.isdigit()]
        if all_parts:
            yield _boosted(Query.boolean_query(all_parts), _OTHER_SPELLING), False
        for name in self._fields:
            yield _boosted(self._words(name, parts), _OTHER_SPELLING * WEIGHTS[name]), True
            yield _boosted(_term(name, "".join(parts)), _OTHER_SPELLING * WEIGHTS[name]), True


def _clause(clause: Clause, subqueries: Sequence[tuple[Query, bool]]) -> Query:
    best = Query.disjunction_max_query([query for query, _ in subqueries], _OTHER_FIELDS)
    if not clause.name:
        return best
    whole = Query.const_score_query(_term("parts", clause.name), _WHOLE_NAME)
    return Query.boolean_query([(Occur.Must, best), (Occur.Should, whole)])


def _term(name: str, word: str) -> Query:
    return Query.term_query(SCHEMA, name, word)


def _boosted(query: Query, boost: float) -> Query:
    return query if boost == 1.0 else Query.boost_query(query, boost)
