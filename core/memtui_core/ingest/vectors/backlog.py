"""The turns without vectors, and the progress of embedding all turns.

Work is measured in characters of a turn's conversation (see `conversation_text`), plus one for each turn: a number of
turns would not change for minutes during a long turn. The work on a turn without vectors is estimated by the length of
its stored texts; the work on other turns is the place at which their last chunk ends. The share of work that is done
falls only if text is added or changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final

from memtui_core.queries.current_project import project_at
from memtui_core.search.embed.chunks import MAX_CHUNKS, OVERLAP, SIZE
from memtui_core.store.opened import OpenedSessions
from memtui_core.store.tables import key_condition, near_keys
from memtui_core.store.work.database import WorkDatabase

_LONGEST: Final = 4 * MAX_CHUNKS * (SIZE - OVERLAP)
"""The most characters of one turn that are embedded, if a token has 4 characters."""
_PENDING: Final = "NOT s.hidden AND NOT EXISTS (FROM chunks c WHERE c.turn = t.id)"
_DONE: Final = (
    "SELECT coalesce(sum(reach), 0)::BIGINT FROM"
    " (SELECT 1 + max(coalesce(last, length(text), 0)) AS reach FROM chunks GROUP BY turn)"
)

_ESTIMATE: Final = (
    f"(1 + least({_LONGEST}, coalesce(length(t.user_text), 0) + coalesce(length(n.user_text), 0)"
    " + coalesce(length(array_to_string(t.tool_summary, ' | ')), 0)"
    " + coalesce((SELECT sum(length(b.text)) FROM blocks b WHERE b.turn = t.id AND b.kind = 'text'), 0)))::BIGINT"
)
_TURNS: Final = (
    "FROM turns t JOIN sessions s ON s.key = t.session"
    " LEFT JOIN turns n ON n.session = t.session AND n.number = t.number + 1 AND n.segment = t.segment"
    " AND n.kind <> 'compaction'"
)
"""The turns `t` with their sessions `s` and next turns `n`, as `_ESTIMATE` needs them."""


class Backlog:
    """The turns without vectors: those that the work database has when this is made, and those that are added later.

    The turns of the project that contains `folder`, in which the user works, come before all others; then those of the
    sessions that were opened last in the app.
    """

    def __init__(self, work: WorkDatabase, folder: str = "") -> None:
        self._work = work
        self._folder = folder
        self._root = ""
        """The root of the project of the folder; empty until a session of it is in the index."""
        self._project_turns: set[int] = set()
        """The turns of that project; some of them may have vectors by now."""
        self._opened = OpenedSessions(work.data)
        self._opened_turns: dict[int, None] = {}
        """The turns of these sessions in the order of their work; some of them may have vectors by now."""
        self._pending = self._estimates(_PENDING)
        """The turns without vectors with the estimated work on each, the newest last."""
        self._embedded = 0
        self._partial: dict[int, int] = {}
        """The work done on turns of which some chunks have vectors."""
        self.count()

    @property
    def embedded(self) -> int:
        """The work that is done."""
        return self._embedded + sum(self._partial.values())

    @property
    def total(self) -> int:
        """All the work: more than `embedded` as long as turns are pending."""
        return self._embedded + sum(self._pending.values())

    def pending(self, excluded: Collection[int] = ()) -> int:
        """The number of turns without vectors, except the excluded ones."""
        return len(self._pending) - sum(turn in self._pending for turn in excluded)

    def add(self, turns: Iterable[int]) -> None:
        """Add turns that were written, as the newest ones."""
        added = dict.fromkeys(turns)
        if added:
            self._project_turns.difference_update(added)
            estimates = self._estimates(f"{_PENDING} AND {key_condition('t.id', added)}")
            for turn in added:
                self._pending.pop(turn, None)
                self._partial.pop(turn, None)
            self._pending |= {turn: estimates[turn] for turn in added if turn in estimates}
            self.count()

    def count(self) -> None:
        """Count the work that is done again, because turns that were rewritten have lost their vectors."""
        self._embedded = work_done(self._work)

    def newest(self, most: int, excluded: Collection[int]) -> list[int]:
        """The newest pending turns, except the excluded ones; what the user works on comes first.

        Turns that do not exist any more are removed from the backlog.
        """
        self._look_for_opened()
        while chosen := list(islice(self._in_order(excluded), most)):
            rows = self.rows(
                "SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session"
                f" WHERE {_PENDING} AND {key_condition('t.id', chosen)}"
            )
            existing = {turn for (turn,) in rows}
            for turn in chosen:
                if turn not in existing:
                    self._remove(turn)
            if existing:
                return [turn for turn in chosen if turn in existing]
        return []

    def _in_order(self, excluded: Collection[int]) -> Iterator[int]:
        of_project, opened = self._project_turns, self._opened_turns
        near = (turn for turn in reversed(self._pending) if turn in of_project)
        looked_at = (turn for turn in opened if turn in self._pending and turn not in of_project)
        others = (turn for turn in reversed(self._pending) if turn not in of_project and turn not in opened)
        return (turn for turn in chain(near if of_project else (), looked_at, others) if turn not in excluded)

    def _look_for_opened(self) -> None:
        """Read which sessions were opened, and the turns that they have now."""
        sessions = self._opened.changed()
        if sessions is None:
            return
        rows = self.rows(
            "SELECT t.id, s.session_id FROM turns t JOIN sessions s ON s.key = t.session"
            " WHERE list_contains(?, s.session_id) ORDER BY t.started_at DESC NULLS LAST, t.id",
            [list(sessions)],
        )
        rank = {session: number for number, session in enumerate(sessions)}
        self._opened_turns = dict.fromkeys(turn for turn, _ in sorted(rows, key=lambda row: rank[row[1]]))

    def advance(self, turn: int, characters: int) -> None:
        """Record that the first characters of a turn have vectors, but the rest of it has none yet."""
        self._partial[turn] = min(characters, self._pending[turn] - 1)

    def finish(self, turn: int, characters: int) -> None:
        """Record that a turn has all its vectors; `characters` is the length of its text."""
        self._remove(turn)
        self._embedded += 1 + characters

    def _remove(self, turn: int) -> None:
        self._pending.pop(turn)
        self._partial.pop(turn, None)
        self._project_turns.discard(turn)
        self._opened_turns.pop(turn, None)

    def _estimates(self, condition: str) -> dict[int, int]:
        """The estimated work on turns, the oldest first."""
        estimates = self.rows(
            f"SELECT t.id, {_ESTIMATE}, s.root <> '' AND s.root = ? {_TURNS} WHERE {condition}"
            " ORDER BY t.started_at NULLS FIRST, t.id DESC",
            [self._project_root()],
        )
        self._project_turns.update(turn for turn, _, is_of_project in estimates if is_of_project)
        return {turn: work for turn, work, _ in estimates}

    def _project_root(self) -> str:
        if self._folder and not self._root and (project := project_at(self, self._folder)) is not None:
            self._root = project.root
        return self._root

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query on the work database."""
        return self._work.connection.execute(sql, list(parameters)).fetchall()


def work_done(work: WorkDatabase) -> int:
    """The work on the turns that have vectors."""
    return int(work.scalar(_DONE)) if work.may_have("chunks") else 0


def work_left(work: WorkDatabase, turns: Collection[int] | None = None) -> int:
    """The estimated work on turns without vectors: all, or those among some turns and the few between these."""
    conditions = ["TRUE"] if turns is None else (f"t.id BETWEEN {near[0]} AND {near[-1]}" for near in near_keys(turns))
    if not work.may_have("turns"):
        return 0
    pending = _PENDING if work.may_have("chunks") else "NOT s.hidden"
    query = f"SELECT coalesce(sum({_ESTIMATE}), 0)::BIGINT {_TURNS} WHERE {pending} AND "
    return sum(int(work.scalar(query + condition)) for condition in conditions)
