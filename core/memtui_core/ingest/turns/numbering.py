"""Number the turns of sessions that have several transcripts: 1 to n in the order of time, without gaps."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from memtui_core.store.tables import COLUMNS, key_condition

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

_MISNUMBERED: Final = """
WITH placed AS (
    SELECT id, session, source, line, number,
        max(started_at) OVER (PARTITION BY session, source ORDER BY line, id ROWS UNBOUNDED PRECEDING) AS reached
    FROM turns WHERE {}
), numbered AS (
    SELECT t.id, t.session, t.number,
        row_number() OVER (PARTITION BY t.session ORDER BY reached NULLS FIRST, s.path, t.line, t.id) AS place
    FROM placed t JOIN sources s ON s.id = t.source
)
SELECT id, session, place FROM numbered WHERE number <> place
"""
"""The turns of one transcript stay in its order, even where its clock went back."""


def number_turns(work: WorkDatabase, sessions: Collection[int]) -> list[int]:
    """Number the turns of some sessions, and return those whose number changed; they belong to the current batch now.

    The numbers do not depend on the order in which the transcripts were read. Reviews that cite turns of these sessions
    are removed, so that they are made again.
    """
    _remove_duplicates(work, sessions)
    misnumbered = work.connection.execute(_MISNUMBERED.format(key_condition("session", sessions))).fetchall()
    if not misnumbered:
        return []
    places = {turn: place for turn, _, place in misnumbered}
    names = list(COLUMNS["turns"])
    numbered = []
    for row in work.rows("turns", key_condition("id", places), []):
        values = dict(zip(names, row, strict=True))
        numbered.append(tuple((values | {"number": places[values["id"]], "batch": work.batch}).values()))
    with work.transaction():
        work.drop("turns", places)
        work.put("turns", numbered)
        _remove_reviews(work, {session for _, session, _ in misnumbered})
    return list(places)


def _remove_duplicates(work: WorkDatabase, sessions: Collection[int]) -> None:
    """Remove the second rows of turns, which an earlier version could store."""
    among = key_condition("session", sessions)
    query = f"SELECT id FROM turns WHERE {among} GROUP BY id HAVING count(*) > 1"
    duplicates = [turn for (turn,) in work.connection.execute(query).fetchall()]
    if duplicates:
        place = list(COLUMNS["turns"]).index("id")
        rows = {row[place]: row for row in work.rows("turns", key_condition("id", duplicates), [])}
        with work.transaction():
            work.drop("turns", duplicates)
            work.put("turns", list(rows.values()))


def _remove_reviews(work: WorkDatabase, sessions: Collection[int]) -> None:
    """Remove the reviews of compactions of some sessions, and those that cite turns of these sessions."""
    if not work.may_have("reviews"):
        return
    among = key_condition("session", sessions)
    rows = work.connection.execute(
        f"SELECT source FROM compactions WHERE {among} UNION SELECT source FROM review_items WHERE {among}"
    ).fetchall()
    for table in ("reviews", "review_items"):
        work.drop(table, [source for (source,) in rows])
