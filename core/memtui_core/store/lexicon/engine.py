"""Search in the lexicon."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tantivy import Index, Searcher
from tantivy import Query as TantivyQuery

from memtui_core.store.lexicon.fields import LABELS, SCHEMA, SEARCHED, no_panic, register
from memtui_core.store.lexicon.matcher import Matcher
from memtui_core.store.lexicon.query import Clause, Query, read_clauses
from memtui_core.store.lexicon.scoring import Scoring
from memtui_core.store.lexicon.tokens import bigrams, clean

if TYPE_CHECKING:
    import tempfile

Texts = Mapping[str, str]
"""The texts of a turn by the name of their field, as in `TurnDoc`."""
ReadTexts = Callable[[Sequence[int], Collection[str]], Mapping[int, Texts]]
"""Reads some fields of turns, whose texts the lexicon does not store; turns that it does not know are left out."""
_ATTEMPTS = 3
_TIES = 50
"""Documents beyond the limit that are fetched, so that of equal scores the oldest are cut, whatever their order."""
_FIELDS = ("user", "assistant", "thinking", "call", "output", "notes", "asides", "paths", "title")
"""The text fields, those that say most about a turn first; the title is on the screen anyway."""
_MAX_TURNS_IN_QUERY = 5000
"""Turns up to which the query itself is narrowed to them; for more it is faster to filter all hits."""
_PARTIAL_SHARE = 0.6
"""Score of the best turn with only some of the clauses, as a share of the worst turn with all."""
_MIN_RARITY = 0.1
"""The rarity of a word that every turn contains."""


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A turn that contains words of the query."""

    turn: int
    score: float
    at: int
    """Start of the turn in seconds since 1970; 0 if it is not known."""
    rarity: float
    """See `rarity_of`."""
    matcher: Matcher = field(repr=False, compare=False)
    """What it must contain."""

    def fields(self, texts: Texts) -> tuple[str, ...]:
        """The names of the fields in which clauses match, given its texts; those with the most clauses first.

        Each is one of `user`, `assistant`, `thinking`, `tool call`, `tool output`, `title`, `path` and `note`.
        """
        clauses = {name: own for name in _FIELDS if (own := self.matcher.clauses_in(clean(texts.get(name, ""))))}
        return tuple(LABELS.get(name, name) for name in sorted(clauses, key=lambda name: -len(clauses[name])))

    def order(self) -> tuple[float, int, int]:
        """A sort key: the best first, then newer first, then by id."""
        return (-self.score, -self.at, self.turn)


def rarity_of(score: float, clauses: int, turns: int) -> float:
    """The average score of so many clauses, compared with that of the rarest word of so many turns: about 0 to 1.

    Low if the words are in most turns, or if most of them are in none.
    """
    return score / (clauses * math.log(turns + 2))


class LexiconDamaged(ValueError):
    """The files of a lexicon are not as they were written."""


class Lexicon:
    """The lexicon of a data folder, as of the last `refresh`; any thread may search it.

    A folder without an index, or with one of another version, is an empty lexicon until `refresh` finds one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._searcher: Searcher | None = None
        self._links: tempfile.TemporaryDirectory[str] | None = None
        self.problem: str | None = None
        """Why there is no index, although the folder has one of this version: it is damaged."""
        self.refresh()

    def refresh(self) -> None:
        """Open the newest commit; keeps the current one if none can be read."""
        # A writer may remove files that it has merged between two looks.
        for _ in range(_ATTEMPTS):
            try:
                with no_panic():
                    index = self._open()
                    if index.schema == SCHEMA:
                        register(index)
                        index.config_reader("manual")
                        self._searcher = index.searcher()
                self.problem = None
                return
            except (ValueError, OSError) as error:
                if self._searcher is not None or not (self._folder / "meta.json").exists():
                    return
                is_of_another_version = "ncompatible" in str(error)
                self.problem = None if is_of_another_version else str(error).partition("\n")[0]

    def _open(self) -> Index:
        """The index in the folder; if the folder cannot be written, one in a temporary folder of links or copies.

        tantivy locks a file in the folder even for reading.
        """
        try:
            return Index.open(str(self._folder))
        except ValueError as error:
            if "Lockfile" not in str(error):
                raise
        import tempfile

        folder = tempfile.TemporaryDirectory(prefix="memtui-lexicon-", ignore_cleanup_errors=True)
        for file in self._folder.iterdir():
            if file.suffix != ".lock":
                _link(Path(folder.name) / file.name, file.absolute())
        index = Index.open(folder.name)
        self._links = folder
        return index

    def rarity(self, clauses: Sequence[Clause]) -> tuple[float, ...]:
        """How rare each clause is: from 0.1 if every turn contains it to 1 if none does."""
        searcher = self._searcher
        return tuple(1.0 if searcher is None else _rarity(searcher, clause) for clause in clauses)

    def search(
        self,
        query: Query,
        limit: int,
        *,
        live: bool = False,
        every_first: bool = True,
        every_only: bool = False,
        fields: Collection[str] | None = None,
        sessions: Collection[int] | None = None,
        turns: Collection[int] | None = None,
        read_texts: ReadTexts | None = None,
    ) -> list[LexicalHit]:
        """Return the best `limit` turns: those that contain every term and phrase, then those that contain some.

        Without `every_first` all of them in one order: a long turn contains every word of a sentence by chance. With
        `every_only` turns that contain only some are no hits. With `live` the last term is a prefix. `fields` are the
        text fields of `TurnDoc` that count, None for all; of a few turns `read_texts` then decides whether the words
        are in these fields: without it such turns are no hits. `sessions` and `turns` narrow the search before the
        limit. Raises LexiconDamaged, but for no text of the query.
        """
        try:
            with no_panic():
                return self._search(query, limit, live, every_first, every_only, fields, sessions, turns, read_texts)
        except ValueError as error:
            raise LexiconDamaged(str(error).partition("\n")[0]) from error

    def _search(
        self,
        query: Query,
        limit: int,
        live: bool,
        every_first: bool,
        every_only: bool,
        fields: Collection[str] | None,
        sessions: Collection[int] | None,
        turns: Collection[int] | None,
        read_texts: ReadTexts | None,
    ) -> list[LexicalHit]:
        searcher = self._searcher
        clauses = read_clauses(query, live=live)
        if searcher is None or not clauses.clauses or limit <= 0:
            return []
        matcher = Matcher(clauses.clauses)
        scoring = Scoring(searcher, clauses, fields)
        filter_later = turns is not None and len(turns) > _MAX_TURNS_IN_QUERY
        among = set(turns or ()) if filter_later else None
        hits: list[LexicalHit] = []
        orders = (True,) if matcher.size == 1 or every_only else (True, False) if every_first else (False,)
        for every in orders:
            tantivy_query = scoring.query(every=every, sessions=sessions, turns=None if filter_later else turns)
            most = len(hits) + limit + _TIES
            more = _fetch(searcher, tantivy_query, most, matcher, among)
            if fields is not None:
                uncertain = _fetch(searcher, scoring.uncertain(tantivy_query, every=every), most, matcher, among)
                wrong = outside(uncertain, fields, matcher.size if every else 1, read_texts)
                more = [hit for hit in more if hit.turn not in wrong]
            hits = append_partial(hits, more)
            if len(hits) >= limit:
                break
        return hits[:limit]


def _fetch(
    searcher: Searcher, query: TantivyQuery, limit: int, matcher: Matcher, among: Collection[int] | None
) -> list[LexicalHit]:
    count = limit if among is None else searcher.num_docs
    while True:
        results = searcher.search(query, min(count, searcher.num_docs) + 1, count=False).hits
        turns = searcher.fast_field_values("turn", [address for _, address in results])
        if among is not None:
            kept = [(result, turn) for result, turn in zip(results, turns, strict=True) if turn in among][:limit]
            results, turns = [result for result, _ in kept], [turn for _, turn in kept]
        # A turn that is being written may have so many pieces that they leave no room for other turns.
        if len(set(turns)) >= limit - _TIES or len(results) <= count or count >= searcher.num_docs:
            break
        count *= 4
    ages = searcher.fast_field_values("at", [address for _, address in results])
    # Scores are 32-bit: decimals after the fourth are noise.
    scores = [round(score, 4) for score, _ in results]
    hits = [
        LexicalHit(int(turn or 0), score, int(at or 0), rarity_of(score, matcher.size, searcher.num_docs), matcher)
        for score, turn, at in zip(scores, turns, ages, strict=True)
    ]
    # Of several pieces of a turn the best counts.
    best = {hit.turn: hit for hit in sorted(hits, key=LexicalHit.order, reverse=True)}
    return sorted(best.values(), key=LexicalHit.order)


def outside(hits: Sequence[LexicalHit], fields: Collection[str], count: int, read_texts: ReadTexts | None) -> set[int]:
    """The turns of some hits with fewer than `count` clauses in the fields."""
    texts = read_texts([hit.turn for hit in hits], fields) if hits and read_texts is not None else {}
    return {
        hit.turn
        for hit in hits
        if len(set().union(*(hit.matcher.clauses_in(clean(texts.get(hit.turn, {}).get(name, ""))) for name in fields)))
        < count
    }


def append_partial(hits: Sequence[LexicalHit], more: Sequence[LexicalHit]) -> list[LexicalHit]:
    """The hits, followed by those of more turns with their scores scaled below."""
    turns = {hit.turn for hit in hits}
    new = [hit for hit in more if hit.turn not in turns]
    if not hits or not new:
        return [*hits, *new]
    scale = min(1.0, _PARTIAL_SHARE * hits[-1].score / (new[0].score or 1.0))
    return [*hits, *(replace(hit, score=hit.score * scale) for hit in new)]


def _link(link: Path, file: Path) -> None:
    """Link to a file, or copy it if the system permits no links, as on Windows without that privilege."""
    try:
        link.symlink_to(file)
    except OSError:
        import shutil

        shutil.copyfile(file, link)


def _rarity(searcher: Searcher, clause: Clause) -> float:
    """The rarity of the rarest word of a clause."""
    words = clause.words or tuple(bigrams(clause.run)[:-1])
    fields = ("cjk",) if clause.run else SEARCHED
    counts = [max(searcher.doc_freq(name, word) for name in fields) for word in words]
    turns = searcher.num_docs + 1
    return max(_MIN_RARITY, math.log(turns / (min(counts, default=0) + 1)) / math.log(turns)) if turns > 1 else 1.0
