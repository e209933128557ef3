"""What answers when no observation does: summaries of sessions, else the transcripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui_core.lexicon.clauses import read_clauses
from memtui_core.lexicon.matcher import Matcher
from memtui_core.memory.book import Observations
from memtui_core.memory.finder import Answer, Finder, Found
from memtui_core.memory.summaries import SessionSummary, summary_of
from memtui_core.model import Hit, SearchResult
from memtui_core.query import parse
from memtui_core.store.reader import Snapshot

Ask = Callable[[str, int], SearchResult]
"""The search over turns: a query and a limit."""
_TURNS_A_SESSION = 5
"""Turns fetched for each session wanted: one session may hold many of them."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answer to `mem-search`, and who gave it."""

    source: Literal["observations", "summaries", "transcripts", "nothing"]
    observations: tuple[Found, ...] = ()
    summaries: tuple[SessionSummary, ...] = ()
    turns: tuple[Hit, ...] = ()
    type: str | None = None
    """The type that was asked for; summaries and turns have none."""
    note: str = ""


def recalled(
    finder: Finder,
    text: str,
    limit: int = 10,
    *,
    type: str | None = None,  # noqa: A002
    root: str | None = None,
    here: str = "",
    snapshot: Snapshot | None = None,
    ask: Ask | None = None,
) -> Recalled:
    """The observations that answer a query, else session summaries, else turns.

    `snapshot` and `ask`, the search over its turns, are the index; without them only observations answer. With a `root`
    what answers instead is of that project too, where `ask` sees to it.
    """
    answer: Answer = finder.search(text, limit, type=type, root=root, here=here)
    if answer.hits:
        return Recalled("observations", answer.hits, type=type, note=answer.note)
    if snapshot is not None and ask is not None and parse(text).words:
        found = _summaries(snapshot, ask, text, limit, finder.observations)
        if found:
            return Recalled("summaries", summaries=tuple(found), type=type, note=answer.note)
        told = ask(text, limit)
        if told.hits:
            return Recalled("transcripts", turns=told.hits, type=type, note=_joined(answer.note, told.note))
    return Recalled("nothing", type=type, note=answer.note)


def _joined(observations: str, turns: str) -> str:
    """The notes of both answers, each once."""
    own = [note for note in observations.split("; ") if note not in turns]
    return "; ".join([*own, *([turns] if turns else [])])


def _summaries(snapshot: Snapshot, ask: Ask, text: str, limit: int, observations: Observations) -> list[SessionSummary]:
    """Of the sessions with hits those whose summary holds every word, the agents' own summaries first.

    A summary that holds only some of the words would take the place of the turns that hold them all: a long one has a
    word of every question.
    """
    found: list[SessionSummary] = []
    seen: set[str] = set()
    saved: dict[str, list[str]] = {}
    for one in reversed(observations.select(type="decision")):
        saved.setdefault(one.session_id, []).append(one.content.title)
    matcher = Matcher(read_clauses(parse(text)).clauses)
    for asked in (f"{text} role:compaction_summary", text):
        for hit in ask(asked, limit * _TURNS_A_SESSION).hits:
            if len(found) == limit:
                return found
            if hit.session_id not in seen:
                seen.add(hit.session_id)
                summary = summary_of(snapshot, hit.session, hit.session_id, saved.get(hit.session_id, ()))
                if summary is not None and _holds_every(matcher, (summary.text, *summary.key_decisions)):
                    found.append(summary)
    return found


def _holds_every(matcher: Matcher, texts: Sequence[str]) -> bool:
    if not matcher.size:
        return False
    seen = {match.clause for text in texts for _, matches in matcher.scan(text, matcher.size) for match in matches}
    return len(seen) == matcher.size
