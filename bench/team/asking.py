"""Searches of a member on the team's server: by words, meaning and paths, each kind with its latencies."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import sessions
from bench.vectors import invented
from memtui_core.search.pipeline import search
from memtui_core.store.data_folder import DataDir
from memtui_team.address import TeamAddress
from memtui_team.search.server import SearchedTeam, TeamServer

KINDS: Final = ("rare word", "common word", "two common words", "phrase", "meaning", "path", "words and path")
_COMMON: Final = 20
_RARE: Final = 20_000
"""From this rank on a word is in few turns."""
_WARM: Final = 3
"""Queries of each kind before it is measured."""


class Latency(NamedTuple):
    """Milliseconds of the searches of one kind, to the passages of 20 hits."""

    p50: float
    p95: float
    hits: int
    """How many of the searches found something."""


class Asking:
    """A member who searches; a query's vector is invented, so that no model is measured."""

    def __init__(self, url: str, data: Path) -> None:
        self._server = TeamServer(TeamAddress(url), DataDir(data))
        self._vectors = iter(invented(5_000, 77))

    def latencies(self, count: int, kinds: Sequence[str] = KINDS) -> dict[str, Latency]:
        """Each kind of query, so often."""
        return {kind: self._measured(queries(kind, count + _WARM), kind) for kind in kinds}

    def close(self) -> None:
        """Close the connection."""
        self._server.close()

    def _measured(self, asked: Sequence[str], kind: str) -> Latency:
        times, found = [], 0
        for query in asked:
            started = time.perf_counter()
            engines = ("meaning",) if kind == "meaning" else ("lexicon", "paths")
            store = SearchedTeam(self._server, lambda _: next(self._vectors), lambda: None)
            found += bool(search(store, query, 20, engines=engines).hits)
            times.append((time.perf_counter() - started) * 1000)
        measured = times[_WARM:]
        p95 = statistics.quantiles(measured, n=20, method="inclusive")[18]
        return Latency(statistics.median(measured), p95, found)


def queries(kind: str, count: int) -> list[str]:
    """Queries of a kind, always the same."""
    known = sessions.words()
    pick = random.Random(kind)
    common, rare = known[:_COMMON], known[_RARE:]
    made: Mapping[str, Any] = {
        "rare word": lambda: pick.choice(rare),
        "common word": lambda: pick.choice(common),
        "two common words": lambda: " ".join(pick.sample(common, 2)),
        "phrase": lambda: f'"{" ".join(pick.sample(common, 2))}"',
        "meaning": lambda: " ".join(pick.sample(known[:2_000], 4)),
        "path": lambda: f"src/{pick.choice(known[:3_000])}.py",
        "words and path": lambda: f"{pick.choice(known[:2_000])} src/{pick.choice(known[:3_000])}.py",
    }
    return [made[kind]() for _ in range(count)]
