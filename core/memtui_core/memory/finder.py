"""Observations by their words, their files and their meaning, as soon as they are saved."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memtui_core.embed import Embedder
from memtui_core.errors import MemtuiError
from memtui_core.memory.book import Observations
from memtui_core.memory.scope import Keeps, conditions, touched
from memtui_core.memory.values import Observation
from memtui_core.memory.words import LABELS, Words, number_of
from memtui_core.query import Query, parse
from memtui_core.search.fusion import Candidate, fuse, is_semantic
from memtui_core.search.path_search import PathHit
from memtui_core.search.vector_search import SemanticHit

if TYPE_CHECKING:
    from memtui_core.memory.nearest import Nearest

FOLDER = "observations"
"""Folder, in the data folder, of what can be made again from the log."""
_CANDIDATES = 300
"""Observations that each engine may bring forward."""
_HERE = 0.15
"""Added to those of the person's own project, as in the search over turns."""
_AT_ONCE = 50
"""Texts that one search embeds, the newest first: about a quarter of a second."""


@dataclass(frozen=True, slots=True)
class Found:
    """An observation that answers a query."""

    observation: Observation
    why: tuple[str, ...]
    """What matched: `title`, `narrative`, `concept`, `file` or `meaning`; empty where there was nothing to match."""
    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one query."""

    query: str
    hits: tuple[Found, ...]
    note: str = ""
    """What the asker should know: a filter that was not applied, observations that cannot be found by meaning yet."""


class Finder:
    """Finds among the observations of one data folder; every thread may use it.

    Without `embedder` nothing is found by its meaning.
    """

    def __init__(self, observations: Observations, embedder: Embedder | None = None) -> None:
        self.observations = observations
        self._embedder = embedder
        self._lock = threading.RLock()
        self._words = Words(observations.folder / FOLDER / "lexicon", observations.path)
        self._nearest: Nearest | None = None
        self._version = -1
        self._whole = True
        self._live: dict[int, Observation] = {}

    def use(self, embedder: Embedder | None) -> None:
        """Find by meaning with this model from now on."""
        with self._lock:
            if embedder is not self._embedder:
                self._embedder, self._nearest = embedder, None

    def embed(self, most: int = 1000) -> int:
        """Give up to `most` observations their vectors, the newest first; how many still have none."""
        with self._lock:
            self._refresh()
            near = self._meaning()
            return near.embed(list(self._live.values()), most) if near else 0

    def search(
        self,
        text: str,
        limit: int = 10,
        *,
        type: str | None = None,  # noqa: A002
        root: str | None = None,
        here: str = "",
        now: datetime | None = None,
    ) -> Answer:
        """The best observations, of equal ones the newest; the newest of all for a query without words.

        `type` and `root`, the project's folder, narrow before the limit; those of the project with the root `here`
        stand a little before the rest. Any text is a query. Raises MemtuiError for a log that cannot be read.
        """
        query = parse(text)
        keeps, notes = conditions(query, now or datetime.now().astimezone())
        if type is not None:
            keeps.append(lambda one: one.content.type == type)
        if root is not None:
            keeps.append(lambda one: one.root == root)
        with self._lock:
            self._refresh()
            kept = _kept(self._live, keeps)
            candidates = self._candidates(query, kept, narrowed=bool(keeps), notes=notes)
        if not self._whole:
            notes.append("the keyword index could not be brought up to date")
        if not query.words:
            without = {one.turn for one in candidates}
            newest = sorted((one for number, one in kept.items() if number not in without), key=_age, reverse=True)
            return Answer(text, tuple(Found(one, (), 0.0) for one in newest[:limit]), "; ".join(notes))
        ranked = _ranked([one for one in candidates if one.turn in kept], kept, here)
        return Answer(text, tuple(_found(one, kept[one.turn]) for one in ranked[:limit]), "; ".join(notes))

    def _candidates(
        self, query: Query, kept: dict[int, Observation], *, narrowed: bool, notes: list[str]
    ) -> list[Candidate]:
        """Who answers the query; for one that only excludes, who is excluded."""
        among = list(kept) if narrowed else None
        if not query.words:
            hits = [
                hit
                for phrase in query.excluded
                for hit in self._words.lexicon.search(Query(phrases=(phrase,)), len(kept) + 1, turns=among)
            ]
            return [Candidate(hit.turn) for hit in hits]
        lexical = [hit for hit in self._words.lexicon.search(query, _CANDIDATES, turns=among) if hit.turn in kept]
        touching = _touching(query.paths, kept)
        near: list[SemanticHit] = []
        if is_semantic(query) and (meaning := self._meaning()):
            waiting = _embedded(meaning, self._live)
            if waiting:
                notes.append(f"{waiting} of {len(self._live)} observations cannot be found by their meaning yet")
            near = meaning.search(" ".join(query.terms), _CANDIDATES, self._live, among)
        return fuse(query, lexical, near, touching)

    def _refresh(self) -> None:
        """Take in what any process wrote since."""
        offset, each = self.observations.seen()
        if self.observations.version == self._version and self._whole:
            return
        self._version = self.observations.version
        self._live = {number_of(one): one for one, _ in each if one.forgotten_at is None}
        self._whole = self._words.update(offset, each)

    def _meaning(self) -> Nearest | None:
        if self._nearest is None and self._embedder is not None:
            from memtui_core.memory.nearest import Nearest

            self._nearest = Nearest(self.observations.folder / FOLDER, self._embedder)
        return self._nearest


def _embedded(near: Nearest, live: dict[int, Observation]) -> int:
    """Embed what was saved just now; how many observations have no vectors then."""
    try:
        return near.embed(list(live.values()), _AT_ONCE)
    except (OSError, MemtuiError):
        return near.waiting(list(live.values()))


def _kept(live: dict[int, Observation], keeps: Sequence[Keeps]) -> dict[int, Observation]:
    if not keeps:
        return live
    return {number: one for number, one in live.items() if all(keep(one) for keep in keeps)}


def _touching(paths: Collection[str], kept: dict[int, Observation]) -> list[PathHit]:
    """Observations that name the paths of a query."""
    found = []
    for number, observation in kept.items() if paths else ():
        hits = [hit for path in paths if (hit := touched(observation, path))]
        if hits:
            kind, file = min(hits)  # edited before read
            found.append(PathHit(number, len(hits), kind, file))
    return found


def _ranked(candidates: Sequence[Candidate], kept: dict[int, Observation], here: str) -> list[Candidate]:
    """By score, then by how many engines found it, then the newer, then by id."""

    def order(candidate: Candidate) -> tuple[float, int, float, str]:
        one = kept[candidate.turn]
        score = candidate.score + (_HERE if here and one.root == here else 0.0)
        return (-round(score, 9), -candidate.engines, -one.created_at.timestamp(), one.id)

    return sorted(candidates, key=order)


def _found(candidate: Candidate, observation: Observation) -> Found:
    shown = candidate.lexical.fields() if candidate.lexical else ()
    why = [LABELS.get(name, name) for name in shown]
    if candidate.path and "file" not in why:
        why.append("file")
    if candidate.semantic:
        why.append("meaning")
    return Found(observation, tuple(why), round(candidate.score, 4))


def _age(observation: Observation) -> tuple[datetime, str]:
    return observation.created_at.astimezone(UTC), observation.id
