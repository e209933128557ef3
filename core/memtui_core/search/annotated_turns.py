"""Turns found by what the user has added: the words of a query in notes, in tags or in a title of the user's."""

from __future__ import annotations

from typing import Final

from memtui_core.model import Annotations
from memtui_core.search.query_parser import QueryScope
from memtui_core.store.lexicon import Matcher
from memtui_core.store.lexicon.query import Query, read_clauses
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition

SCORE: Final = 1.0
"""Added to the score of such a turn: as much as that of the best turn by words, for the user wrote it to find it."""
_MOST: Final = 300
"""Turns at most."""


def annotated_turns(snapshot: Snapshot, query: Query, scope: QueryScope, *, live: bool) -> list[int]:
    """The ids of the turns whose annotations contain all words of a query; of a session its first turn.

    There are none for a query that says in which part of a turn the words must be, or which words must not be there.
    """
    current = snapshot.annotations.current
    clauses = read_clauses(query, live=live).clauses
    if not (current.sessions or current.turns) or not clauses or query.excluded or scope.fields is not None:
        return []
    matcher = Matcher(clauses)

    def matches(one: Annotations) -> bool:
        texts = (one.title, *one.tags, *(note.text for note in one.notes))
        return len(matcher.clauses_in("\n".join(texts))) == len(clauses)

    turns = [turn for turn, own in current.turns.items() if matches(own)]
    sessions = [session for session, own in current.sessions.items() if matches(own)]
    if not turns and not sessions:
        return []
    found = f"{key_condition('t.id', turns)} OR (t.number = 1 AND {key_condition('s.key', sessions)})"
    rows = snapshot.rows(
        f"SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE ({found}) AND NOT s.hidden"
        f" AND {scope.condition or 'TRUE'} ORDER BY credible(t.started_at) DESC NULLS LAST, t.id DESC LIMIT {_MOST}",
        scope.parameters,
    )
    return [turn for (turn,) in rows]
