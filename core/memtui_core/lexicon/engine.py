"""The reading side of the keyword index."""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tantivy import DocAddress, Index, Searcher
from tantivy import Query as TantivyQuery

from memtui_core.lexicon.clauses import Clause, read
from memtui_core.lexicon.fields import LABELS, SCHEMA, WEIGHTS, no_panic, register
from memtui_core.lexicon.matcher import Matcher
from memtui_core.lexicon.scoring import Scoring
from memtui_core.lexicon.tokens import bigrams
from memtui_core.query import Query

_TIES = 50
"""Documents fetched beyond the limit, so that equal scores are cut by age and not by their place in the files."""
_PREFERRED = ("user", "assistant", "thinking", "call", "output", "notes", "paths", "title")
"""Fields in the order in which they tell most of a turn; a title is on the screen anyway."""
_MANY = 5000
"""Turns from which on all hits are fetched and then narrowed, which takes less time than asking for so many numbers."""
_BEHIND = 0.6
"""Where turns with only some of the clauses begin, as a share of the worst turn with all."""
_COMMON = 0.1
"""The rarity of a word that every turn holds."""


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A turn that holds words of the query."""

    turn: int
    score: float
    _at: int = field(repr=False, compare=False)
    _address: DocAddress = field(repr=False, compare=False)
    _searcher: Searcher = field(repr=False, compare=False)
    _matcher: Matcher = field(repr=False, compare=False)

    def fields(self) -> tuple[str, ...]:
        """The fields that hold something of the query, those with the most clauses first.

        Each is one of `user`, `assistant`, `thinking`, `tool call`, `tool output`, `title`, `path` and `note`. This
        reads the whole document, so it is only for hits that are shown.
        """
        held = self._held(_PREFERRED)
        return tuple(LABELS.get(name, name) for name in sorted(held, key=lambda name: -len(held[name])))

    def holds(self, fields: Collection[str], needed: int) -> bool:
        """Whether some fields hold so many of the clauses."""
        return len(set().union(*self._held(fields).values())) >= needed

    def _held(self, fields: Collection[str]) -> dict[str, set[int]]:
        """The clauses that each field holds, without fields that hold none."""
        stored = self._searcher.doc(self._address)
        texts = {name: stored.get_first(name) or "" for name in _PREFERRED if name in fields}
        held = {name: self._matcher.clauses_in(text) for name, text in texts.items()}
        return {name: clauses for name, clauses in held.items() if clauses}

    @property
    def rarity(self) -> float:
        """What each clause of the query adds to the score, over what the rarest word of the index could: about 0 to 1.

        Low where the query's words are everywhere, or most of them nowhere.
        """
        return self.score / (self._matcher.size * math.log(self._searcher.num_docs + 2))

    def order(self) -> tuple[float, int, int]:
        """The best first; of equal ones the newer, then the lower id."""
        return (-self.score, -self._at, self.turn)


class Lexicon:
    """The newest commit of an index as of the last `refresh`; every thread may search it.

    A folder without an index, or with one of another version, is an empty one until `refresh` finds it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._searcher: Searcher | None = None
        self._links: tempfile.TemporaryDirectory[str] | None = None
        self.refresh()

    def refresh(self) -> None:
        """Take the newest commit; keeps the one at hand when there is none that can be read."""
        try:
            with no_panic():
                index = self._opened()
                if index.schema == SCHEMA:
                    register(index)
                    index.config_reader("manual")
                    self._searcher = index.searcher()
        except (ValueError, OSError):
            return

    def _opened(self) -> Index:
        """The index of the folder, or of links to its files (or copies of them) where the folder cannot be written.

        tantivy locks a file of the folder even to read.
        """
        try:
            return Index.open(str(self._folder))
        except ValueError as error:
            if "Lockfile" not in str(error):
                raise
        beside = tempfile.TemporaryDirectory(prefix="memtui-lexicon-", ignore_cleanup_errors=True)
        for file in self._folder.iterdir():
            if file.suffix != ".lock":
                _link(Path(beside.name) / file.name, file.absolute())
        index = Index.open(beside.name)
        self._links = beside
        return index

    def rarity(self, clauses: Sequence[Clause]) -> tuple[float, ...]:
        """How rare each clause is among all turns: 0.1 for what is everywhere, 1 for what is nowhere."""
        searcher = self._searcher
        return tuple(1.0 if searcher is None else _rarity(searcher, clause) for clause in clauses)

    def search(
        self,
        query: Query,
        limit: int,
        *,
        live: bool = False,
        fields: Collection[str] | None = None,
        sessions: Collection[int] | None = None,
        turns: Collection[int] | None = None,
    ) -> list[LexicalHit]:
        """The best `limit` turns: those that hold every term and phrase, then those that hold some.

        `live` takes the last term for the beginning of a word, `fields` names the text fields that count (those of
        `TurnDoc`), `sessions` and `turns` narrow before the limit. Never raises, whatever the text.
        """
        searcher = self._searcher
        wanted = read(query, live=live)
        if searcher is None or not wanted.clauses or limit <= 0:
            return []
        matcher = Matcher(wanted.clauses)
        scoring = Scoring(searcher, wanted, fields)
        many = turns is not None and len(turns) > _MANY
        found: list[LexicalHit] = []
        for every in (True, False) if matcher.size > 1 else (True,):
            asked = scoring.query(every=every, sessions=sessions, turns=None if many else turns)
            more = _fetch(searcher, asked, len(found) + limit + _TIES, matcher, set(turns or ()) if many else None)
            if fields is not None:
                # Parts of names are indexed for all fields at once.
                more = [hit for hit in more if hit.holds(fields, matcher.size if every else 1)]
            found = _join(found, more)
            if len(found) >= limit:
                break
        return found[:limit]


def _fetch(
    searcher: Searcher, query: TantivyQuery, limit: int, matcher: Matcher, only: Collection[int] | None
) -> list[LexicalHit]:
    most = limit if only is None else searcher.num_docs
    while True:
        hits = searcher.search(query, min(most, searcher.num_docs) + 1, count=False).hits
        turns = searcher.fast_field_values("turn", [address for _, address in hits])
        if only is not None:
            kept = [(hit, turn) for hit, turn in zip(hits, turns, strict=True) if turn in only][:limit]
            hits, turns = [hit for hit, _ in kept], [turn for _, turn in kept]
        # A turn that is being written may be there in pieces, so many that they leave no room for others.
        if len(set(turns)) >= limit - _TIES or len(hits) <= most or most >= searcher.num_docs:
            break
        most *= 4
    ages = searcher.fast_field_values("at", [address for _, address in hits])
    found = [
        # Scores are 32-bit: what lies behind four places is noise.
        LexicalHit(int(turn or 0), round(score, 4), int(at or 0), address, searcher, matcher)
        for (score, address), turn, at in zip(hits, turns, ages, strict=True)
    ]
    # The best piece stands for its turn.
    best = {hit.turn: hit for hit in sorted(found, key=LexicalHit.order, reverse=True)}
    return sorted(best.values(), key=LexicalHit.order)


def _join(found: Sequence[LexicalHit], more: Sequence[LexicalHit]) -> list[LexicalHit]:
    """Put more turns behind those found, their scores below."""
    known = {hit.turn for hit in found}
    new = [hit for hit in more if hit.turn not in known]
    if not found or not new:
        return [*found, *new]
    share = min(1.0, _BEHIND * found[-1].score / (new[0].score or 1.0))
    return [*found, *(replace(hit, score=hit.score * share) for hit in new)]


def _link(link: Path, file: Path) -> None:
    """A link to a file, or a copy of it where the system makes no links (Windows without the right to)."""
    try:
        link.symlink_to(file)
    except OSError:
        shutil.copyfile(file, link)


def _rarity(searcher: Searcher, clause: Clause) -> float:
    """How rare the rarest word of a clause is among all turns."""
    words = clause.words or tuple(bigrams(clause.run)[:-1])
    fields = ("cjk",) if clause.run else WEIGHTS
    counts = [max(searcher.doc_freq(name, word) for name in fields) for word in words]
    turns = searcher.num_docs + 1
    return max(_COMMON, math.log(turns / (min(counts, default=0) + 1)) / math.log(turns)) if turns > 1 else 1.0
