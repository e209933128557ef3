"""The turns that wait for their vectors, and how much of the work on all turns is done.

Work is counted in characters of the text that stands for a turn (see `conversation`), one more for each turn. A count
of turns would stand still for minutes at a long one. A turn that waits is estimated by its stored texts; one that is
done counts as far as its last piece reaches. The share never falls unless text comes or changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any, Final

from memtui_core.embed.chunks import MOST, OVERLAP, SIZE
from memtui_core.store.tables import key_condition
from memtui_core.store.work_database import WorkDatabase

_LONGEST: Final = 4 * MOST * (SIZE - OVERLAP)
"""Characters of one turn that are embedded at most, at 4 a token."""
_PENDING: Final = "NOT s.hidden AND NOT EXISTS (FROM chunks c WHERE c.turn = t.id)"
_DONE: Final = (
    "SELECT coalesce(sum(reach), 0)::BIGINT FROM"
    " (SELECT 1 + max(coalesce(last, length(text), 0)) AS reach FROM chunks GROUP BY turn)"
)


class Backlog:
    """All turns of the store that have no vectors wait at first; `add` tells of later ones."""

    def __init__(self, work: WorkDatabase) -> None:
        self._store = work
        self._waiting = self._weights(_PENDING)
        """The turns that wait with their work, the newest last."""
        self._embedded = 0
        self._begun: dict[int, int] = {}
        """How far turns are that were left in the middle."""
        self.count()

    @property
    def embedded(self) -> int:
        """The work that is done."""
        return self._embedded + sum(self._begun.values())

    @property
    def total(self) -> int:
        """All the work: more than `embedded` as long as a turn waits."""
        return self._embedded + sum(self._waiting.values())

    def pending(self, leave: Collection[int] = ()) -> int:
        """How many turns wait, but for some."""
        return len(self._waiting) - sum(turn in self._waiting for turn in leave)

    def add(self, turns: Iterable[int]) -> None:
        """These turns were written, and come next."""
        added = dict.fromkeys(turns)
        if added:
            weights = self._weights(f"{_PENDING} AND {key_condition('t.id', added)}")
            for turn in added:
                self._waiting.pop(turn, None)
                self._begun.pop(turn, None)
            self._waiting |= {turn: weights[turn] for turn in added if turn in weights}
            self.count()

    def count(self) -> None:
        """Look how much is done: turns that were rewritten have lost their vectors."""
        [(self._embedded,)] = self._rows(_DONE)

    def newest(self, most: int, leave: Collection[int]) -> list[int]:
        """The newest turns that wait, but for those to leave; those that are not in the store wait no more."""
        while chosen := list(islice((turn for turn in reversed(self._waiting) if turn not in leave), most)):
            rows = self._rows(
                "SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session"
                f" WHERE {_PENDING} AND {key_condition('t.id', chosen)}"
            )
            there = {turn for (turn,) in rows}
            for turn in chosen:
                if turn not in there:
                    self._forget(turn)
            if there:
                return [turn for turn in chosen if turn in there]
        return []

    def reach(self, turn: int, characters: int) -> None:
        """So many characters of a turn that waits are done; it is not done as a whole."""
        self._begun[turn] = min(characters, self._waiting[turn] - 1)

    def finish(self, turn: int, characters: int) -> None:
        """A turn waits no more; its text has so many characters."""
        self._forget(turn)
        self._embedded += 1 + characters

    def _forget(self, turn: int) -> None:
        self._waiting.pop(turn)
        self._begun.pop(turn, None)

    def _weights(self, condition: str) -> dict[int, int]:
        """The work of some turns, the oldest first."""
        texts = ("t.user_text", "n.user_text", "array_to_string(t.tool_summary, ' | ')")
        said = "(SELECT sum(length(b.text)) FROM blocks b WHERE b.turn = t.id AND b.kind = 'text')"
        length = " + ".join(f"coalesce({one}, 0)" for one in [*(f"length({text})" for text in texts), said])
        return dict(
            self._rows(
                f"SELECT t.id, 1 + least({_LONGEST}, {length})::BIGINT"
                " FROM turns t JOIN sessions s ON s.key = t.session"
                " LEFT JOIN turns n ON n.session = t.session AND n.number = t.number + 1 AND n.segment = t.segment"
                f" AND n.kind <> 'compaction' WHERE {condition} ORDER BY t.started_at NULLS FIRST, t.id DESC"
            )
        )

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._store.connection.execute(sql).fetchall()
