"""The engines of the team's server for one query: words, meaning and paths.

The first question asks the server for everything in one round trip, and for the texts of the best turns in another
one. What is a hit is decided on these texts, by the rules of the local index.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from memtui_core.model import TouchKind
from memtui_core.search.closest_file import IndexedFile, closest_files, substitution_note
from memtui_core.search.engines import EmbedQuery, read_field_texts
from memtui_core.search.fusion import fuse, is_semantic, is_sentence
from memtui_core.search.path_search import PathHit, ResolvedFiles, search_by_file_path
from memtui_core.search.query_parser import QueryScope
from memtui_core.search.vectors.nearest import SemanticHit
from memtui_core.store.lexicon import LexicalHit, Matcher
from memtui_core.store.lexicon.engine import append_partial, outside, rarity_of
from memtui_core.store.lexicon.query import Clause, Query
from memtui_core.store.tables import key_condition
from memtui_core.text.paths import query_path
from memtui_team.search.asked import AskedWords, Narrowed, PathPattern, narrowed, path_pattern
from memtui_team.search.pairs import FIELDS
from memtui_team.search.statements import ServerFindings, TouchedTurn
from memtui_team.terms import UNIT

if TYPE_CHECKING:
    from memtui_core.store.snapshot.reader import Snapshot

FETCHED: Final = 60
"""Turns whose texts are fetched at once."""
_ROUNDS: Final = 3
"""How often more are fetched, as long as filters leave fewer than `_ENOUGH` of what was fetched."""
_ENOUGH: Final = 12
_KINDS: Final[tuple[TouchKind, ...]] = ("edited", "read", "mentioned")
_RANK: Final = 1.64493406685 * UNIT
"""What `ts_rank` is multiplied with: it divides by the sum of all 1 / n²."""
_MIN_RARITY: Final = 0.1
"""The rarity of a word that every turn contains, as in the local keyword index."""
_IN_A_FIELD: Final = 2.0
"""How much more a word counts because it is rarer in one field than in all of a turn, of which alone the server knows.

Measured with `bench.quality` on an index of 200 turns: for each kind of question between 1.85 and 2.3.
"""
_NEAR_NAMES: Final = 200


class AskedServer(Protocol):
    """The server with what was fetched from it."""

    @property
    def snapshot(self) -> Snapshot:
        """What was fetched."""

    def ask(
        self,
        words: AskedWords | None,
        vector: Sequence[float] | None,
        patterns: Sequence[PathPattern],
        narrow: Narrowed,
    ) -> ServerFindings:
        """The turns for words, a vector and paths; their ids are those of `snapshot`. Raises TeamError."""

    def newest(self, narrow: Narrowed) -> list[int]:
        """The newest turns. Raises TeamError."""

    def fetch(self, turns: Collection[int]) -> None:
        """Make the snapshot have some turns. Raises TeamError."""


class TeamEngines:
    """The engines for one query; without `embed` there is no semantic search."""

    def __init__(
        self, server: AskedServer, embed: EmbedQuery | None, scope: QueryScope, check_cancelled: Callable[[], object]
    ) -> None:
        self._server = server
        self._snapshot = server.snapshot
        self._embed = embed
        self._scope = scope
        self._check_cancelled = check_cancelled
        self._answers: dict[tuple[Query, bool], _Answer] = {}
        """What was found, by the query and whether its last word is a beginning."""

    def search_words(self, query: Query, limit: int, *, live: bool = False) -> list[LexicalHit]:
        """The turns that contain words and phrases of the query; with `live` its last term is a prefix."""
        return self._answer(query, live=live).lexical[:limit]

    def rarity(self, clauses: Sequence[Clause]) -> tuple[float, ...]:
        """How rare each clause is: from 0.1 if every turn contains it to 1 if none does."""
        known = {
            clause: rarity
            for answer in self._answers.values()
            for clause, rarity in zip(answer.clauses, answer.rarities, strict=True)
        }
        return tuple(known.get(clause, 1.0) for clause in clauses)

    def uses_vectors(self, query: Query) -> bool:
        """Whether semantic search applies; `in:` states the kind of text that must contain the words instead."""
        return self._embed is not None and is_semantic(query) and self._scope.fields is None

    def search_vectors(self, query: Query, limit: int) -> list[SemanticHit]:
        """The turns that are nearest to the query in meaning."""
        answer = next((own for (asked, _), own in self._answers.items() if asked == query), None)
        return (answer or self._answer(query, live=False)).semantic[:limit]

    def search_paths(self, paths: Sequence[str], limit: int) -> list[PathHit]:
        """The turns that touched files."""
        for answer in self._answers.values():
            if set(paths) <= set(answer.paths):
                return answer.touched(self._snapshot, paths, self._scope)[:limit]
        found = self._server.ask(None, None, [path_pattern(path) for path in paths], Narrowed())
        turns = list(dict.fromkeys(hit.turn for own in found.touched for hit in own))
        kept, _ = self._fetched(turns)
        return _Answer(paths=paths, turns=kept).touched(self._snapshot, paths, self._scope)[:limit]

    def resolve_files(self, path: str, *, mistyped: bool) -> ResolvedFiles:
        """The path itself if a turn touched such a file; otherwise the closest file of that name."""
        if self.search_paths([path], 1):
            return ResolvedFiles((path,))
        name = query_path(path).rpartition("/")[2]
        if not name or name == path:
            return ResolvedFiles(())
        (touched,) = self._server.ask(None, None, [path_pattern(name)], Narrowed()).touched
        files = [IndexedFile(one, "", None) for one in dict.fromkeys(hit.path for hit in touched)][:_NEAR_NAMES]
        closest = closest_files(path, files)
        if not closest:
            return ResolvedFiles(())
        replacement = files[closest[0]].path
        return ResolvedFiles((replacement,), substitution_note(path, [replacement], "No colleague touched"))

    def similar_files(self, text: str) -> list[str]:
        """None: the server does not compare names that are mistyped."""
        return []

    def newest_turns(self, query: Query, limit: int) -> list[int]:
        """The newest turns, for a query that has only filters or exclusions."""
        if not (self._scope.where or query.excluded):
            return []
        words = AskedWords(query)
        kept, _ = self._fetched(self._server.newest(narrowed(query)))
        without = _with_excluded(self._snapshot, kept, words)
        return [turn for turn in kept if turn not in without][:limit]

    def _answer(self, query: Query, *, live: bool) -> _Answer:
        if (query, live) not in self._answers:
            self._answers[query, live] = self._ask(query, live=live)
        return self._answers[query, live]

    def _ask(self, query: Query, *, live: bool) -> _Answer:
        words = AskedWords(query, live=live)
        vector = None
        if self._embed is not None and self.uses_vectors(query):
            vector = [float(number) for number in self._embed(" ".join(query.terms))]
        self._check_cancelled()
        found = self._server.ask(words, vector, [path_pattern(path) for path in query.paths], narrowed(query))
        self._check_cancelled()
        rarities = [_rarity(frequency, found.total) for frequency in found.frequencies] or [1.0] * len(words.clauses)
        hits = _lexical(query, words, found)
        near = _nearest(found)
        touched = [_path_hit(hit, 1) for own in found.touched for hit in own]
        fused = fuse(query, hits, near, list({hit.turn: hit for hit in reversed(touched)}.values()))
        # How certain an engine is, is known only with the texts: each gets a share of those that are fetched.
        best = interleaved([one.turn for one in fused], [one.turn for one in hits], [one.turn for one in near])
        kept, left_out = self._fetched(best)
        texts = self._texts(kept) if not words.is_exact or words.pairs else {}
        real = self._real_clauses(words, kept, texts) if not words.is_exact else {}
        weights = [_weight(frequency, found.total) for frequency in found.frequencies]
        pairs = (
            {turn: words.pairs.score(own, weights) for turn, own in texts.items()} if words.pairs and weights else {}
        )
        left_out |= _with_excluded(self._snapshot, kept, words)
        # Those that were not fetched count, too: a score is compared with the best and the worst one.
        lexical = [hit for hit in _lexical(query, words, found, real, pairs) if hit.turn not in left_out]
        if self._scope.fields is not None:
            read = partial(read_field_texts, self._snapshot)
            every = not is_sentence(query)
            most = len(words.clauses) if every and any(all(one) for one in real.values()) else 1
            wrong = outside(lexical, self._scope.fields, most, read)
            lexical = [hit for hit in lexical if hit.turn not in wrong]
        return _Answer(
            words.clauses,
            tuple(rarities),
            lexical,
            [hit for hit in near if hit.turn not in left_out],
            query.paths,
            [turn for turn in kept if turn not in left_out],
        )

    def _fetched(self, turns: Sequence[int]) -> tuple[list[int], set[int]]:
        """The best of some turns, with their texts fetched: those that the filters leave, and those they do not."""
        kept: list[int] = []
        left_out: set[int] = set()
        for start in range(0, _ROUNDS * FETCHED, FETCHED):
            part = turns[start : start + FETCHED]
            if not part:
                break
            self._server.fetch(part)
            self._check_cancelled()
            left = self._left(part)
            kept += [turn for turn in part if turn in left]
            left_out |= {turn for turn in part if turn not in left}
            if len(kept) >= _ENOUGH:
                break
        return kept, left_out

    def _left(self, turns: Sequence[int]) -> set[int]:
        """Those of some turns that were fetched and that the filters leave."""
        where = f" AND {self._scope.where}" if self._scope.where else ""
        rows = self._snapshot.rows(
            "SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session"
            f" WHERE {key_condition('t.id', turns)}{where}",
            self._scope.parameters,
        )
        return {turn for (turn,) in rows}

    def _texts(self, turns: Sequence[int]) -> dict[int, dict[str, str]]:
        """The texts of the fields of turns by their names."""
        return _field_texts(self._snapshot, turns)

    def _real_clauses(
        self, words: AskedWords, turns: Sequence[int], texts: Mapping[int, Mapping[str, str]]
    ) -> dict[int, list[bool]]:
        """Whether the texts of turns have each clause: the server knows words, but not where they stand."""
        matcher = Matcher(words.clauses)
        paths: dict[int, list[str]] = {}
        for turn, path in self._snapshot.rows(
            f"SELECT turn, path FROM file_mentions WHERE {key_condition('turn', turns)}"
        ):
            paths.setdefault(turn, []).append(path)
        real: dict[int, list[bool]] = {}
        for turn, own in texts.items():
            clauses: set[int] = set()
            for text in (*own.values(), " ".join(paths.get(turn, ()))):
                clauses |= matcher.clauses_in(text)
                if len(clauses) == matcher.size:
                    break
            real[turn] = [number in clauses for number in range(matcher.size)]
        return real


class _Answer:
    """What the server found for a query, of which the filters left these turns."""

    def __init__(
        self,
        clauses: Sequence[Clause] = (),
        rarities: Sequence[float] = (),
        lexical: Sequence[LexicalHit] = (),
        semantic: Sequence[SemanticHit] = (),
        paths: Sequence[str] = (),
        turns: Sequence[int] = (),
    ) -> None:
        self.clauses = clauses
        self.rarities = rarities
        self.lexical = list(lexical)
        self.semantic = list(semantic)
        self.paths = paths
        self.turns = turns

    def touched(self, snapshot: Snapshot, paths: Sequence[str], scope: QueryScope) -> list[PathHit]:
        """The turns that touched files, by the rules of the local index."""
        if not self.turns:
            return []
        among = key_condition("t.id", self.turns)
        where = f"{among} AND {scope.where}" if scope.where else among
        return search_by_file_path(snapshot, paths, len(self.turns), where, scope.parameters)


def _lexical(
    query: Query,
    words: AskedWords,
    found: ServerFindings,
    real: Mapping[int, Sequence[bool]] = MappingProxyType({}),
    pairs: Mapping[int, float] = MappingProxyType({}),
) -> list[LexicalHit]:
    """The hits by words, the best first: those with every clause, then those with some, as the local index has them.

    Of turns whose texts are known, `real` says which clauses they have, and `pairs` what words near each other add.
    """
    if not found.words:
        return []
    matcher = Matcher(words.clauses)
    weights = [_weight(frequency, found.total) for frequency in found.frequencies]
    every: list[LexicalHit] = []
    some: list[LexicalHit] = []
    for turn in found.words:
        has = real.get(turn.turn, turn.matched)
        scores = words.scores([rank * _RANK for rank in turn.ranked], weights)
        own = sum(one for one, counts in zip(scores, has, strict=True) if counts)
        score = round(own + pairs.get(turn.turn, 0.0), 4)
        if any(has):
            hit = LexicalHit(turn.turn, score, turn.at, rarity_of(score, matcher.size, found.total), matcher)
            (every if all(has) and not is_sentence(query) else some).append(hit)
    return append_partial(sorted(every, key=LexicalHit.order), sorted(some, key=LexicalHit.order))


def interleaved(*rankings: Sequence[int]) -> list[int]:
    """Some rankings as one: the first of each, then the second of each, each turn once."""
    places = zip_longest(*rankings)
    return list(dict.fromkeys(turn for place in places for turn in place if turn is not None))


def _nearest(found: ServerFindings) -> list[SemanticHit]:
    """The nearest chunk of each turn, the nearest first."""
    nearest: dict[int, SemanticHit] = {}
    for near in sorted(found.near, key=lambda one: (one.distance, one.turn)):
        nearest.setdefault(near.turn, SemanticHit(near.turn, round(near.distance, 4), near.chunk))
    return list(nearest.values())


def _path_hit(hit: TouchedTurn, matched: int) -> PathHit:
    return PathHit(hit.turn, matched, _KINDS[hit.kind], hit.path)


def _with_excluded(snapshot: Snapshot, turns: Sequence[int], words: AskedWords) -> set[int]:
    """Those of some turns whose texts contain what the query excludes."""
    if not words.excluded_clauses or not turns:
        return set()
    matcher = Matcher([replace(clause, forms=()) for clause in words.excluded_clauses])
    texts = _field_texts(snapshot, turns)
    return {turn for turn, own in texts.items() if any(matcher.clauses_in(text) for text in own.values())}


def _field_texts(snapshot: Snapshot, turns: Sequence[int]) -> dict[int, dict[str, str]]:
    """The texts of `FIELDS` by turn."""
    texts = read_field_texts(snapshot, turns, FIELDS) if turns else {}
    return {turn: {name: own[name] for name in FIELDS if own.get(name)} for turn, own in texts.items()}


def _weight(frequency: int, total: int) -> float:
    """How much a clause counts by how rare it is, as BM25 has it."""
    return _IN_A_FIELD * math.log(1 + (max(total, frequency) - frequency + 0.5) / (frequency + 0.5))


def _rarity(frequency: int, total: int) -> float:
    """How rare a clause is: from 0.1 if every turn contains it to 1 if none does."""
    turns = max(total, frequency) + 1
    return max(_MIN_RARITY, math.log(turns / (frequency + 1)) / math.log(turns)) if turns > 1 else 1.0
