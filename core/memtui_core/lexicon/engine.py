"""The reading side of the keyword index."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tantivy import DocAddress, Index, Searcher
from tantivy import Query as TantivyQuery

from memtui_core.lexicon.clauses import read
from memtui_core.lexicon.fields import LABELS, SCHEMA, no_panic, register
from memtui_core.lexicon.marks import Matcher
from memtui_core.lexicon.scoring import Scoring
from memtui_core.lexicon.snippet import line, look
from memtui_core.model import Span
from memtui_core.query import Query

_TIES = 50
"""Documents fetched beyond the limit, so that equal scores are cut by age and not by their place in the files."""
_PREFERRED = ("user", "assistant", "thinking", "call", "output", "notes", "paths", "title")
"""The field that shows a turn best comes first; a title is on the screen anyway."""
_BEHIND = 0.6
"""Where turns with only some of the clauses begin, as a share of the worst turn with all."""


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A turn that holds words of the query."""

    turn: int
    score: float
    fields: tuple[str, ...] = ()
    """What matched, the best first: `user`, `assistant`, `thinking`, `tool call`, `tool output`, `title`, `path` or
    `note`. Known, as the snippet is, only for the hits that snippets were asked for."""
    snippet: str = ""
    spans: tuple[Span, ...] = ()
    """The matched words in `snippet`."""


@dataclass(frozen=True, slots=True)
class _Scored:
    turn: int
    at: int
    score: float
    address: DocAddress

    def order(self) -> tuple[float, int, int]:
        return (-self.score, -self.at, self.turn)


class Lexicon:
    """The newest commit of an index as of the last `refresh`; every thread may search it.

    A folder without an index, or with one of another version, is an empty one until `refresh` finds it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._searcher: Searcher | None = None
        self.refresh()

    def refresh(self) -> None:
        """Take the newest commit; keeps the one at hand when there is none that can be read."""
        try:
            with no_panic():
                index = Index.open(str(self._folder))
                if index.schema == SCHEMA:
                    register(index)
                    index.config_reader("manual")
                    self._searcher = index.searcher()
        except ValueError:
            return

    def search(
        self,
        query: Query,
        limit: int,
        *,
        live: bool = False,
        fields: Collection[str] | None = None,
        sessions: Collection[int] | None = None,
        without_sessions: Collection[int] = (),
        snippets: int = 0,
    ) -> list[LexicalHit]:
        """The best `limit` turns: those that hold every term and phrase, then those that hold some.

        `live` takes the last term for the beginning of a word, `fields` names the text fields that count (those of
        `TurnDoc`), `sessions` and `without_sessions` narrow before the limit (SPEC S4.20), `snippets` is how many hits
        get a snippet. Equal scores: the newer, then the lower id. Never raises, whatever the text (SPEC S3.7).
        """
        searcher = self._searcher
        wanted = read(query, live=live)
        if searcher is None or not wanted.clauses or limit <= 0:
            return []
        matcher = Matcher(wanted.clauses)
        scoring = Scoring(searcher, wanted, fields)
        found: list[_Scored] = []
        for every in (True, False) if matcher.size > 1 else (True,):
            asked = scoring.query(every=every, only=sessions, without=without_sessions)
            more = _fetch(searcher, asked, len(found) + limit + _TIES)
            if fields is not None:
                more = _in_fields(searcher, more, fields, matcher, matcher.size if every else 1)
            found = _join(found, more)
            if len(found) >= limit:
                break
        return [
            _hit(searcher, scored, matcher) if place < snippets else LexicalHit(scored.turn, scored.score)
            for place, scored in enumerate(found[:limit])
        ]

    def texts(self, turn: int) -> dict[str, str]:
        """The text of a turn by field, as it was indexed; empty when the index does not hold the turn."""
        searcher = self._searcher
        if searcher is None:
            return {}
        hits = searcher.search(TantivyQuery.term_query(SCHEMA, "turn", turn), 1).hits
        return _texts(searcher, hits[0][1]) if hits else {}


def _fetch(searcher: Searcher, query: TantivyQuery, limit: int) -> list[_Scored]:
    hits = searcher.search(query, min(limit, searcher.num_docs + 1), count=False).hits
    addresses = [address for _, address in hits]
    turns = searcher.fast_field_values("turn", addresses)
    ages = searcher.fast_field_values("at", addresses)
    found = [
        # Scores are 32-bit: what lies behind four places is noise.
        _Scored(int(turn or 0), int(at or 0), round(score, 4), address)
        for (score, address), turn, at in zip(hits, turns, ages, strict=True)
    ]
    return sorted(found, key=_Scored.order)


def _join(found: Sequence[_Scored], more: Sequence[_Scored]) -> list[_Scored]:
    """Put more turns behind those found, their scores below."""
    known = {scored.turn for scored in found}
    new = [scored for scored in more if scored.turn not in known]
    if not found or not new:
        return [*found, *new]
    share = min(1.0, _BEHIND * found[-1].score / (new[0].score or 1.0))
    return [*found, *(replace(scored, score=scored.score * share) for scored in new)]


def _in_fields(
    searcher: Searcher, found: Sequence[_Scored], fields: Collection[str], matcher: Matcher, needed: int
) -> list[_Scored]:
    """The turns that hold what matched in the fields asked for: parts of names are indexed for all fields at once."""
    kept = []
    for scored in found:
        texts = {name: text for name, text in _texts(searcher, scored.address).items() if name in fields}
        seen = {clause for one in look(texts, matcher, budget=None) for clause in one.clauses}
        if len(seen) >= needed:
            kept.append(scored)
    return kept


def _hit(searcher: Searcher, scored: _Scored, matcher: Matcher) -> LexicalHit:
    texts = _texts(searcher, scored.address)
    found = look(texts, matcher)
    shown = line(texts, found, matcher)
    matched = tuple(LABELS.get(one.field, one.field) for one in found)
    return LexicalHit(scored.turn, scored.score, matched, shown.text, shown.spans)


def _texts(searcher: Searcher, address: DocAddress) -> dict[str, str]:
    stored = searcher.doc(address)
    return {name: text for name in _PREFERRED if (text := stored.get_first(name))}
