"""What was fetched from the server: a snapshot in memory, with the tables of the local index.

Its keys are negative, so that a key tells where a session or a turn belongs. They stay the same while the process runs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from threading import RLock
from typing import Any, Final, NamedTuple

import _duckdb
import orjson

from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import MIGRATIONS, VERSION
from memtui_core.store.snapshot.manifest import Manifest
from memtui_core.store.snapshot.reader import OpenedTables, SessionOwner, Snapshot
from memtui_core.store.tables import COLUMNS, column_list, key_condition, rows_from_json
from memtui_core.text.names import TitleRank
from memtui_team.content import SESSION_TABLES, TURN_TABLES, decode
from memtui_team.errors import TeamError

MOST_BYTES: Final = 64_000_000
"""Compressed bytes of the sessions that are kept: those that were used longest ago are dropped first."""

_KEYS: Final[Mapping[str, str]] = {
    "key": "session", "session": "session", "id": "turn", "turn": "turn", "source": "source",
}  # fmt: skip
"""The columns with keys of the device that pushed the rows, and what they are keys of."""
_SESSION_KEYS: Final = {"sessions": "key", **dict.fromkeys(("compactions", "pr_links", "forks"), "session")}


_Rows = dict[str, list[list[Any]]]
"""Rows by their table."""


class FetchedSession(NamedTuple):
    """A session as the server has it."""

    id: int
    version: str
    device: int
    agent: str
    session_id: str
    parent_id: str
    title: str
    member: str
    machine: str
    content: bytes


class FetchedTurn(NamedTuple):
    """A turn as the server has it."""

    id: int
    session: int
    content: bytes


@dataclass
class _Kept:
    """What the snapshot has of a session."""

    session: FetchedSession
    turns: dict[int, int] = field(default_factory=dict)
    """The fetched turns by their ids on the server, with their compressed bytes."""
    is_whole: bool = False
    sources: set[int] = field(default_factory=set)

    @property
    def size(self) -> int:
        return len(self.session.content) + sum(self.turns.values())


class _NoLayers:
    """All tables of the snapshot are in memory."""

    counts: Mapping[str, int] = {}

    def merge_for(self, sql: str) -> None:
        """Nothing is to be merged."""


class FetchedTables:
    """The rows of sessions and turns that were fetched. Any thread may call it."""

    def __init__(self, data: DataDir) -> None:
        self.lock = RLock()
        """Held while rows are added, and by those who need that none are dropped."""
        self._connection = _duckdb.connect(":memory:", config={"threads": 1})
        self._connection.execute(";".join(MIGRATIONS))
        opened = OpenedTables(
            Manifest(0, 0), self._connection.cursor(), _NoLayers(), VERSION, "SET search_path = 'memory.main'"
        )
        self.snapshot = Snapshot(data, opened=opened)
        """The tables, for queries."""
        self._owners: dict[int, SessionOwner] = {}
        self._kept: OrderedDict[int, _Kept] = OrderedDict()
        """By the ids of the sessions on the server, those that were used last at the end."""
        self._keys: dict[tuple[str, object], int] = {}
        self._names: dict[tuple[str, int], object] = {}
        """What the keys stand for."""
        self._numbers = {kind: count(1) for kind in ("session", "turn", "source")}
        self.snapshot.owners = self._owners
        sql = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT is_nullable"
        self._required = set(self._connection.execute(sql).fetchall())

    def session_key(self, session: int) -> int:
        """The key of a session by its id on the server."""
        return self._key("session", session)

    def turn_key(self, turn: int) -> int:
        """The id of a turn by its id on the server."""
        return self._key("turn", turn)

    def server_id(self, key: int) -> int | None:
        """The id of a session on the server by its key; None if the key is of none."""
        name = self._names.get(("session", key))
        return name if isinstance(name, int) else None

    def server_turn(self, key: int) -> int | None:
        """The id of a turn on the server; None if the id is of none."""
        name = self._names.get(("turn", key))
        return name if isinstance(name, int) else None

    def is_whole(self, key: int) -> bool:
        """Whether all turns of a session were fetched."""
        with self.lock:
            kept = self._kept.get(self.server_id(key) or 0)
            return kept is not None and kept.is_whole

    def versions(self) -> dict[int, str]:
        """The versions of the sessions that were fetched, by their ids on the server."""
        with self.lock:
            return {id_: kept.session.version for id_, kept in self._kept.items()}

    def missing_turns(self, turns: Collection[int]) -> list[int]:
        """The turns that were not fetched yet, by their ids on the server."""
        with self.lock:
            known = {turn for kept in self._kept.values() for turn in kept.turns}
            return [turn for turn in turns if turn not in known]

    def add(
        self, sessions: Iterable[FetchedSession], turns: Iterable[FetchedTurn], *, whole: Collection[int] = ()
    ) -> None:
        """Add sessions and turns; of the `whole` sessions all turns are among them. Broken contents are left out.

        The rows are those of another device: their keys are replaced.
        """
        with self.lock:
            contents: list[_Rows] = []
            for session in sessions:
                self._drop(session.id)
                contents.append(self._session_rows(session))
            contents += [self._turn_rows(turn) for turn in turns]
            for session_id in whole:
                if session_id in self._kept:
                    self._kept[session_id].is_whole = True
            self._insert(contents)
            self._drop_oldest()
            self.snapshot.forget_cached()

    def use(self, key: int) -> None:
        """Keep a session longer than those that nobody used since."""
        with self.lock:
            session = self.server_id(key)
            if session is not None and session in self._kept:
                self._kept.move_to_end(session)

    def find(self, session_id: str) -> list[int]:
        """The keys of the sessions that were fetched whose ids begin so."""
        rows = self.snapshot.rows("SELECT key FROM sessions WHERE starts_with(session_id, ?) ORDER BY 1", [session_id])
        return [key for (key,) in rows]

    def _session_rows(self, session: FetchedSession) -> _Rows:
        try:
            content = decode(session.content)
            (own,) = content["sessions"]
        except (TeamError, KeyError, ValueError):
            return {}
        key = self.session_key(session.id)
        names = list(COLUMNS["sessions"])
        kept = self._kept[session.id] = _Kept(session)
        parent = self._parent_of(session)
        values = dict(zip(names, own, strict=True))
        # What the server lets nobody but the device's login change wins over the content.
        values |= {
            "key": key, "agent": session.agent, "session_id": session.session_id, "parent": parent, "hidden": False,
            "parent_id": session.parent_id or None, "title": session.title, "title_rank": int(TitleRank.SUMMARY),
        }  # fmt: skip
        for name in ("project", "root", "cwd"):
            values[name] = values[name] or ""
        rows: _Rows = {"sessions": [list(values.values())]}
        self._owners[key] = SessionOwner(session.member, session.machine)
        own_key = own[names.index("key")]
        for table in SESSION_TABLES[1:]:
            mapped = [self._mapped(table, row, session.id, own_key, None) for row in content.get(table, ())]
            rows[table] = [row for row in mapped if row is not None]
            if "source" in COLUMNS[table]:
                kept.sources |= {row[list(COLUMNS[table]).index("source")] for row in rows[table]}
        self._adopt(session, key)
        return rows

    def _parent_of(self, session: FetchedSession) -> int | None:
        """The key of the parent of a subagent, if it was fetched."""
        for other in self._kept.values():
            if session.parent_id and _is_parent(other.session, session):
                return self.session_key(other.session.id)
        return None

    def _adopt(self, parent: FetchedSession, key: int) -> None:
        """Tell the subagents that were fetched before their parent who it is."""
        for kept in self._kept.values():
            if kept.session.parent_id and _is_parent(parent, kept.session):
                self._connection.execute(
                    f"UPDATE sessions SET parent = {key} WHERE key = {self.session_key(kept.session.id)}"
                )

    def _turn_rows(self, turn: FetchedTurn) -> _Rows:
        kept = self._kept.get(turn.session)
        if kept is None or turn.id in kept.turns:
            return {}
        try:
            content = decode(turn.content)
            (own,) = content["turns"]
        except (TeamError, KeyError, ValueError):
            return {}
        names = list(COLUMNS["turns"])
        own_key, own_turn = own[names.index("session")], own[names.index("id")]
        kept.turns[turn.id] = len(turn.content)
        rows: _Rows = {}
        for table in TURN_TABLES:
            mapped = [
                self._mapped(table, row, turn.session, own_key, (own_turn, turn.id)) for row in content.get(table, ())
            ]
            rows[table] = [row for row in mapped if row is not None]
        return rows

    def _mapped(
        self, table: str, row: Sequence[Any], session: int, own_key: int, turn: tuple[int, int] | None
    ) -> list[Any] | None:
        """A row with keys of this snapshot; None if it is of another session or turn than the content."""
        values = list(row)
        for place, name in enumerate(COLUMNS[table]):
            kind = _KEYS.get(name)
            if name == "turn" and table == "review_items":
                continue
            if kind == "session":
                if values[place] != own_key:
                    return None
                values[place] = self.session_key(session)
            elif kind == "turn":
                if turn is None or values[place] != turn[0]:
                    return None
                values[place] = self.turn_key(turn[1])
            elif kind == "source":
                values[place] = self._key("source", (session, values[place]))
            elif values[place] is None and (table, name) in self._required:
                return None
        return values

    def _insert(self, contents: Sequence[_Rows]) -> None:
        """Insert the rows of all contents at once; if the database refuses one, those of each on its own."""
        together: _Rows = {}
        for rows in contents:
            for table, own in rows.items():
                together.setdefault(table, []).extend(own)
        if not self._try(together):
            for rows in contents:
                self._try(rows)

    def _try(self, rows: _Rows) -> bool:
        self._connection.execute("BEGIN")
        try:
            for table, own in rows.items():
                if own:
                    sql = f"INSERT INTO {table} ({column_list(table)}) {rows_from_json(table)}"
                    self._connection.execute(sql, [orjson.dumps(own).decode()])
        except (_duckdb.Error, TypeError):
            self._connection.execute("ROLLBACK")
            return False
        self._connection.execute("COMMIT")
        return True

    def _drop_oldest(self) -> None:
        size = sum(kept.size for kept in self._kept.values())
        while size > MOST_BYTES and len(self._kept) > 1:
            oldest = next(iter(self._kept))
            size -= self._kept[oldest].size
            self._drop(oldest)

    def _drop(self, session: int) -> None:
        kept = self._kept.pop(session, None)
        if kept is None:
            return
        key = self.session_key(session)
        turns = [self.turn_key(turn) for turn in kept.turns]
        for table in TURN_TABLES:
            column = "id" if table == "turns" else "turn"
            self._connection.execute(f"DELETE FROM {table} WHERE {key_condition(column, turns)}")
        for table, column in _SESSION_KEYS.items():
            self._connection.execute(f"DELETE FROM {table} WHERE {column} = {key}")
        for table in ("reviews", "review_items"):
            self._connection.execute(f"DELETE FROM {table} WHERE {key_condition('source', kept.sources)}")
        self._owners.pop(key, None)

    def _key(self, kind: str, name: object) -> int:
        with self.lock:
            key = self._keys.get((kind, name))
            if key is None:
                key = self._keys[kind, name] = -next(self._numbers[kind])
                self._names[kind, key] = name
            return key


def _is_parent(parent: FetchedSession, child: FetchedSession) -> bool:
    return (parent.device, parent.agent, parent.session_id) == (child.device, child.agent, child.parent_id)
