"""The search of `mem-search`: observations first, then summaries of sessions, then turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui_core.memory.observations.search import ObservationHit, ObservationSearch
from memtui_core.memory.summaries import SessionSummary
from memtui_core.model import Hit, SearchResult
from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon.matcher import Matcher
from memtui_core.store.lexicon.query import read_clauses
from memtui_core.store.snapshot.reader import Snapshot

TurnSearch = Callable[[str, int, int], SearchResult]
"""A search over turns, by a query, a limit, and the number of hits that get passages."""
_TURNS_PER_SESSION = 5
"""Turns to fetch for each requested session: several hits may be in the same session."""
_MISSING_SHARE = 3
"""A summary answers if it lacks at most one in so many of the words."""
_BESIDE_TURNS = 2
"""The most summaries without some of the words that are listed after the turns."""


@dataclass(frozen=True, slots=True)
class MemorySearchResult:
    """The result of `mem-search`; only the hits of its source are set, and some summaries beside turns."""

    source: Literal["observations", "summaries", "transcripts", "nothing"]
    observations: tuple[ObservationHit, ...] = ()
    summaries: tuple[SessionSummary, ...] = ()
    turns: tuple[Hit, ...] = ()
    type: str | None = None
    """The requested type of observation; summaries and turns have no type."""
    note: str = ""


def search_memory(
    observation_search: ObservationSearch,
    text: str,
    limit: int = 10,
    *,
    type: str | None = None,  # noqa: A002
    root: str | None = None,
    current_root: str = "",
    snapshot: Snapshot | None = None,
    search_turns: TurnSearch | None = None,
) -> MemorySearchResult:
    """The observations that answer a query, otherwise session summaries with all words, otherwise turns.

    `snapshot` and `search_turns` belong to the index; without them only observations are searched. `root` restricts
    the observations to a project; `search_turns` must restrict itself.
    """
    result = observation_search.search(text, limit, type=type, root=root, current_root=current_root)
    if result.hits:
        return MemorySearchResult("observations", result.hits, type=type, note=result.note)
    query = parse(text)
    if snapshot is not None and search_turns is not None and (query.words or query.filters):
        most = limit * _TURNS_PER_SESSION
        found = [search_turns(f"{text} role:compaction_summary", most, 0), search_turns(text, most, limit)]
        summaries = _matching_summaries(snapshot, found, text, limit, observation_search)
        matching = tuple(summary for _, summary in summaries)
        if summaries and not summaries[0][0]:
            return MemorySearchResult("summaries", summaries=matching, type=type, note=result.note)
        turns = found[-1]
        if turns.hits:
            beside = matching[:_BESIDE_TURNS]
            hits = turns.hits[: max(1, limit - len(beside))]
            note = _joined_notes(result.note, turns.note)
            return MemorySearchResult("transcripts", summaries=beside, turns=hits, type=type, note=note)
    return MemorySearchResult("nothing", type=type, note=result.note)


def _joined_notes(observations: str, turns: str) -> str:
    """The notes of both results, each once."""
    notes = [note for note in observations.split("; ") if note not in turns]
    return "; ".join([*notes, *([turns] if turns else [])])


def _matching_summaries(
    snapshot: Snapshot,
    found: Sequence[SearchResult],
    text: str,
    limit: int,
    observation_search: ObservationSearch,
) -> list[tuple[int, SessionSummary]]:
    """The summaries that contain most of the words, of sessions with hits, with the number of words that they lack.

    Those with more of the words come first, and of these the summaries of compactions. One that lacks more than a third
    of the words answers nothing: a long summary has a word of every question.
    """
    matcher = Matcher(read_clauses(parse(text)).clauses)
    if not matcher.size:
        return []
    summaries: list[tuple[int, SessionSummary]] = []
    decisions: dict[str, list[str]] = {}
    for observation in reversed(observation_search.observations.select(type="decision")):
        decisions.setdefault(observation.session_id, []).append(observation.content.title)
    sessions = {hit.session: hit.session_id for result in found for hit in result.hits}
    for summary in observation_search.summaries.of(snapshot, sessions, decisions):
        missing = matcher.size - len(matcher.clauses_in("\n".join((summary.text, *summary.key_decisions))))
        if missing * _MISSING_SHARE <= matcher.size:
            summaries.append((missing, summary))
    summaries.sort(key=lambda summary: summary[0])
    return summaries[:limit]
