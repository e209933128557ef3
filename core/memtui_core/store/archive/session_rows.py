"""The rows of sessions as a value: what the index has of them, so that it can be stored elsewhere and inserted again.

Vectors are not in it: they are made again from the texts, or found by the hash of a text that has one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from memtui_core.store.archive.table_content import tables_from_json, tables_to_json
from memtui_core.store.tables import COLUMNS, KEYS, Row, RowSource, key_ranges, split_columns, stored_columns

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

_VERSION: Final = 1
"""Of what `SessionRows.to_bytes` returns."""
_DERIVED: Final = frozenset({"chunks", "facts"})
"""Tables that are not in the rows of a session, because they are made of these."""
TABLES: Final = tuple(table for table in COLUMNS if table not in _DERIVED)
"""The tables in the rows of a session."""
_OF_TURNS: Final = ("blocks", "file_mentions", "agent_calls")
_OF_SESSIONS: Final = ("forks", "pr_links")
_OF_SOURCES: Final = ("bad_lines", "unknown_entries", "titles", "compactions", "reviews", "review_items")
_ORDER: Final = {"turns": "id", "blocks": "turn, seq", "unknown_entries": "source, line"}
"""The order of the rows of a table; of the others, which have only short values, that of all their columns."""
_PASSING: Final = frozenset({"batch", "indexed_at", "gone_at"})
"""Columns that say when a row was written."""
_TEXTS: Final = {"user_text": "''", "text": "''", "raw": "''", "detail": "NULL"}
"""The columns that take most of a database, and what stands there if they cannot be read."""
_REFERENCES: Final = {"session": "sessions", "source": "sources", "turn": "turns"}
"""Columns that name a row of another table; in `review_items` a turn has its number."""


class WorkRows(NamedTuple):
    """A work database as a source of rows."""

    work: WorkDatabase

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self.work.connection.execute(sql, list(parameters)).fetchall()


@dataclass(frozen=True, slots=True)
class SessionRows:
    """Everything that an index has of some sessions and their sources, except vectors."""

    tables: Mapping[str, Sequence[Row]]
    """The rows by table, in the form in which they are inserted, with the ids of the index that they were read from."""

    @property
    def sessions(self) -> list[tuple[str, str]]:
        """Agent and id of each session."""
        return [(row["agent"], row["session_id"]) for row in self.named("sessions")]

    @property
    def paths(self) -> list[str]:
        """The names of the sources."""
        return [row["path"] for row in self.named("sources")]

    @property
    def turns(self) -> int:
        """The number of turns."""
        return len(self.tables.get("turns", ()))

    def named(self, table: str) -> Iterator[dict[str, Any]]:
        """The rows of a table, with their values by the names of the columns."""
        return (dict(zip(COLUMNS[table], row, strict=True)) for row in self.tables.get(table, ()))

    @property
    def digest(self) -> str:
        """Equal for the same content, also in another index: ids and the times of reading do not count."""
        paths = {row["id"]: row["path"] for row in self.named("sources")}
        names: dict[str, dict[Any, Any]] = {
            "sessions": {row["key"]: (row["session_id"], row["parent_id"]) for row in self.named("sessions")},
            "sources": paths,
            "turns": {row["id"]: (paths.get(row["source"]), row["line"]) for row in self.named("turns")},
        }
        state = blake2b(digest_size=16)
        for table in sorted(self.tables):
            own = {"sources": "sources", "turns": "turns"}.get(table, "sessions")
            rows = []
            for row in self.named(table):
                for name in _PASSING & row.keys():
                    del row[name]
                for name in ("key", "id", "session", "source", "turn", "parent"):
                    if name in row and (table, name) != ("review_items", "turn"):
                        row[name] = names[_REFERENCES.get(name, own)].get(row[name])
                rows.append(orjson.dumps(row))
            state.update(b"%s %d\n" % (table.encode(), len(rows)))
            for line in sorted(rows):
                state.update(line)
        return state.hexdigest()

    def without_sources(self, paths: Collection[str]) -> SessionRows:
        """The rows without those that were read from some sources."""
        dropped = {row["id"] for row in self.named("sources") if row["path"] in paths}
        turns = {row["id"] for row in self.named("turns") if row["source"] in dropped}
        keys = {"source": dropped, "turn": turns}
        kept = {}
        for table, rows in self.tables.items():
            name = {"sources": "source", "turns": "turn"}.get(table, KEYS[table])
            place = _at(table, KEYS[table])
            kept[table] = [row for row in rows if row[place] not in keys.get(name, ())]
        return SessionRows({table: rows for table, rows in kept.items() if rows})

    def to_bytes(self) -> bytes:
        """The rows as JSON, with the names of the columns."""
        return orjson.dumps({"version": _VERSION, "tables": tables_to_json(self.tables)})

    @classmethod
    def from_bytes(cls, data: bytes) -> SessionRows:
        """The rows that `to_bytes` wrote, also by another version of memtui. Raises ValueError if they are broken."""
        try:
            content = orjson.loads(data)
            if content["version"] != _VERSION:
                raise ValueError(f"it has version {content['version']}; this memtui knows {_VERSION}")
            return cls(tables_from_json(content["tables"]))
        except (TypeError, KeyError) as error:
            raise ValueError(f"rows of sessions are broken: {error}") from error


def rows_of(source: RowSource, keys: Collection[int]) -> Iterator[SessionRows]:
    """The rows of sessions, in small groups: those that share a source, and a parent with its subagents, together.

    The schema may be older than that of this version: what it does not have is left out.
    """
    for group in groups_of(source, keys):
        yield group_rows(source, group)


def groups_of(source: RowSource, keys: Collection[int]) -> list[list[int]]:
    """The keys in the groups in which `rows_of` returns the sessions."""
    leader = {key: key for key in sorted(keys)}

    def find(key: int) -> int:
        while leader[key] != key:
            leader[key] = key = leader[leader[key]]
        return key

    links = source.rows("SELECT key, parent FROM sessions WHERE parent IS NOT NULL")
    of_source: dict[int, int] = {}
    for number, session in sorted(
        source.rows(
            "SELECT DISTINCT source, session FROM turns UNION SELECT id, session FROM sources WHERE session IS NOT NULL"
            " UNION SELECT source, session FROM compactions"
        )
    ):
        if session in leader:
            links.append((session, of_source.setdefault(number, session)))
    for one, other in links:
        if one in leader and other in leader:
            first, second = sorted((find(one), find(other)))
            leader[second] = first
    groups: dict[int, list[int]] = {}
    for key in leader:
        groups.setdefault(find(key), []).append(key)
    return list(groups.values())


def groups_of_sources(source: RowSource, numbers: Collection[int]) -> list[list[int]]:
    """The sessions of some sources, in the groups of `groups_of`."""
    keys = {
        session
        for condition in key_ranges("source", numbers)
        for (session,) in source.rows(
            f"SELECT session FROM turns WHERE {condition} UNION SELECT session FROM compactions WHERE {condition} UNION"
            " SELECT session FROM (SELECT id AS source, session FROM sources WHERE session IS NOT NULL)"
            f" WHERE {condition}"
        )
    }
    return groups_of(source, keys)


def group_rows(
    source: RowSource,
    keys: Collection[int],
    among: Collection[int] | None = None,
    failed: Callable[[str, Exception], object] | None = None,
) -> SessionRows:
    """The rows of sessions as one value; with `among`, the ids of sources, only what was read from these.

    With `failed`, what cannot be read of a damaged database is left out, as little as possible: it is called for each
    such table and error.
    """
    known = {name for (name,) in source.rows("SELECT DISTINCT table_name FROM duckdb_columns()")}

    def read(table: str, column: str, values: Collection[int]) -> list[Row]:
        if table not in known:
            return []
        try:
            return _read(source, table, column, values, stored_columns(table))
        except Exception as error:
            if failed is None:
                raise
            failed(table, error)
            return _readable(source, table, column, values)

    tables: dict[str, list[Row]] = {"sessions": read("sessions", "key", keys), "turns": read("turns", "session", keys)}
    tables["turns"].sort(key=_getter("turns", "id"))
    if among is not None:
        of_turn = _getter("turns", "source")
        tables["turns"] = [row for row in tables["turns"] if of_turn(row) in among]
    turns = set(_values("turns", "id", tables["turns"]))
    sources = set(_values("turns", "source", tables["turns"]))
    for condition in key_ranges("session", keys):
        for table, column in (("sources", "id"), ("compactions", "source")):
            sources |= {number for (number,) in source.rows(f"SELECT {column} FROM {table} WHERE {condition}")}
    sources = sources if among is None else sources.intersection(among)
    tables["sources"] = read("sources", "id", sources)
    tables |= {table: read(table, "source", sources) for table in _OF_SOURCES}
    tables |= {table: read(table, "session", keys) for table in _OF_SESSIONS}
    tables |= {table: read(table, "turn", turns) for table in _OF_TURNS}
    if failed is not None:
        _drop_dangling(tables)
    _keep_own(tables, set(keys))
    return SessionRows({table: tables[table] for table in TABLES if tables[table]})


def _read(source: RowSource, table: str, column: str, values: Collection[int], columns: str) -> list[Row]:
    order = _ORDER.get(table, "ALL")
    return [
        row
        for condition in key_ranges(column, values)
        for row in source.rows(f"SELECT {columns} FROM {table} WHERE {condition} ORDER BY {order}")
    ]


def _readable(source: RowSource, table: str, column: str, values: Collection[int]) -> list[Row]:
    """The rows that can be read: by halves, and of a single key without its texts if these are damaged."""
    ordered = sorted(values)
    if len(ordered) > 1:
        half = len(ordered) // 2
        found: list[Row] = []
        for part in (ordered[:half], ordered[half:]):
            try:
                found += _read(source, table, column, part, stored_columns(table))
            except Exception:
                found += _readable(source, table, column, part)
        return found
    if table == "turns" and column == "session":
        with suppress(Exception):
            ids = [number for (number,) in source.rows(f"SELECT id FROM turns WHERE session = {ordered[0]}")]
            return _readable(source, table, "id", ids) if ids else []
    with suppress(Exception):
        columns = ", ".join(
            f"{_TEXTS[name]} AS {name}" if name in _TEXTS else expression
            for name, expression in zip(COLUMNS[table], split_columns(table), strict=True)
        )
        return _read(source, table, column, ordered, columns)
    return []


def _drop_dangling(tables: dict[str, list[Row]]) -> None:
    """Drop turns without a session or a source, and what refers to them."""
    sessions = set(_values("sessions", "key", tables["sessions"]))
    sources = set(_values("sources", "id", tables["sources"]))
    session, source = _getter("turns", "session"), _getter("turns", "source")
    tables["turns"] = [row for row in tables["turns"] if session(row) in sessions and source(row) in sources]
    turns = set(_values("turns", "id", tables["turns"]))
    for names, known in ((_OF_TURNS, turns), (_OF_SESSIONS, sessions), (_OF_SOURCES, sources)):
        for table in names:
            place = _at(table, KEYS[table])
            tables[table] = [row for row in tables[table] if row[place] in known]


def _keep_own(tables: dict[str, list[Row]], keys: set[int]) -> None:
    """Drop what belongs to other sessions of the same sources, and reviews that cite others: they are made again."""
    session, place = _getter("compactions", "session"), _place("compactions")
    tables["compactions"] = [row for row in tables["compactions"] if session(row) in keys]
    own = set(map(place, tables["compactions"]))
    cited, cites = _getter("review_items", "session"), _place("review_items")
    own -= {cites(row) for row in tables["review_items"] if cited(row) not in keys}
    for table in ("reviews", "review_items"):
        place = _place(table)
        tables[table] = [row for row in tables[table] if place(row) in own]


def insert_rows(work: WorkDatabase, rows: SessionRows) -> set[int]:
    """Insert sessions with new ids, in a transaction of its own; the keys of those that got anything.

    A session that already has turns gets only turns of sources that it has not, and of which it has no entry. A source
    of the same path that has turns is kept, and so is what belongs to it; one without turns is replaced by the stored
    one, with its cursor, so that the next reading continues there. The turns belong to the current batch, by which the
    lexicon learns of them. What keeps sessions of `work` in memory must read them again.
    """
    with work.transaction():
        return _Insertion(work, rows).run()


class _Insertion:
    """Gives ids of an index to the rows of some sessions, and inserts them."""

    def __init__(self, work: WorkDatabase, rows: SessionRows) -> None:
        self._work = work
        self._tables = rows.tables
        self._ids: dict[str, dict[Any, int]] = {"sessions": {}, "sources": {}, "turns": {}}
        """The ids in the index, by table and by the id in the rows."""
        self._new: dict[str, set[int]] = {"sessions": set(), "sources": set()}
        """The ids in the rows of sessions and sources that are inserted, rather than found."""

    def run(self) -> set[int]:
        """Insert the rows; the keys of the sessions that got any."""
        known = self._known_sessions()
        numbers = self._find_sessions(known)
        turns = self._turns_to_insert(numbers)
        self._find_sources(turns)
        if not (self._new["sources"] or turns):
            return set()
        self._number_turns(turns, numbers)
        for table in TABLES:
            self._work.put(table, self._mapped(table))
        touched = {row[_at("turns", "session")] for row in turns} | self._new["sessions"]
        return {self._ids["sessions"][key] for key in touched}

    def _known_sessions(self) -> dict[tuple[Any, ...], tuple[int, int]]:
        """The key and the last number of a turn of each session in the index, by what identifies it."""
        if not self._work.may_have("sessions"):
            return {}
        found = self._work.connection.execute(
            "SELECT s.agent, s.session_id, s.parent_id, s.key, coalesce(max(t.number), 0)"
            " FROM sessions s LEFT JOIN turns t ON t.session = s.key GROUP BY ALL"
        ).fetchall()
        return {tuple(unique): (key, last) for *unique, key, last in found}

    def _find_sessions(self, known: Mapping[tuple[Any, ...], tuple[int, int]]) -> dict[int, int]:
        """Find or number the sessions; the last number of a turn of each one."""
        numbers: dict[int, int] = {}
        with_turns = set(_values("turns", "session", self._tables.get("turns", ())))
        following = max((key for key, _ in known.values()), default=0) + 1
        for row in self._tables.get("sessions", ()):
            values = dict(zip(COLUMNS["sessions"], row, strict=True))
            found = known.get((values["agent"], values["session_id"], values["parent_id"]))
            if found is None:
                self._ids["sessions"][values["key"]], numbers[values["key"]] = following, 0
                following += 1
            else:
                self._ids["sessions"][values["key"]], numbers[values["key"]] = found
            if found is None or (not found[1] and values["key"] in with_turns):
                self._new["sessions"].add(values["key"])
        self._known = {unique: key for unique, (key, _) in known.items()}
        return numbers

    def _turns_to_insert(self, numbers: Mapping[int, int]) -> list[Row]:
        """The turns of new sessions, and of others those from sources of which the index has nothing."""
        turns = self._tables.get("turns", ())
        session, source, number = (_getter("turns", name) for name in ("session", "source", "id"))
        old = {number(row) for row in turns if numbers[session(row)]}
        if not old:
            return list(turns)
        entries: dict[int, set[int]] = {}
        turn, entry = _getter("blocks", "turn"), _getter("blocks", "entry")
        for block in self._tables.get("blocks", ()):
            if turn(block) in old and entry(block) is not None:
                entries.setdefault(turn(block), set()).add(entry(block))
        searched = sorted(set().union(*entries.values()))
        stored = self._work.connection.execute(
            "SELECT DISTINCT entry FROM blocks WHERE entry IN (SELECT unnest(?::BIGINT[]))", [searched]
        ).fetchall()
        known = {entry for (entry,) in stored}
        # Without ids of entries nothing tells whether the index has a turn.
        missing = {turn for turn in old if turn in entries and not entries[turn] & known}
        held = self._sources_with_turns()
        path = dict(zip(_values("sources", "id", self._tables["sources"]), self._paths(), strict=True))
        return [
            row for row in turns if number(row) not in old or (number(row) in missing and path[source(row)] not in held)
        ]

    def _paths(self) -> list[str]:
        return _values("sources", "path", self._tables["sources"])

    def _sources_with_turns(self) -> set[str]:
        found = self._work.connection.execute(
            "SELECT path FROM sources WHERE id IN (SELECT source FROM turns) AND list_contains(?, path)",
            [self._paths()],
        )
        return {path for (path,) in found.fetchall()}

    def _find_sources(self, turns: Sequence[Row]) -> None:
        """Find or number the sources that have turns to insert, and those that had none and are of a new session."""
        work, rows = self._work, self._tables.get("sources", ())
        if not rows:
            return
        source, session = _getter("turns", "source"), _getter("sources", "session")
        used = {source(row) for row in turns}
        empty = set(_values("sources", "id", rows)) - {source(row) for row in self._tables.get("turns", ())}
        stored = work.connection.execute(
            "SELECT path, id FROM sources WHERE list_contains(?, path)", [self._paths()]
        ).fetchall()
        known, held, following = dict(stored), self._sources_with_turns(), work.next_id("sources")
        replaced = []
        for row in rows:
            number, path = row[_at("sources", "id")], row[_at("sources", "path")]
            if number not in used and not (number in empty and session(row) in self._new["sessions"]):
                continue
            if path in known:
                self._ids["sources"][number] = known[path]
            else:
                self._ids["sources"][number] = following
                following += 1
            if path not in held:
                self._new["sources"].add(number)
                replaced += [known[path]] if path in known else []
        for table in ("sources", *_OF_SOURCES):
            work.drop(table, replaced)

    def _number_turns(self, turns: Sequence[Row], numbers: dict[int, int]) -> None:
        """Give ids to the turns, and numbers behind those that their sessions have."""
        work, names = self._work, list(COLUMNS["turns"])
        last = work.scalar("SELECT coalesce(max(turn), 0) FROM dropped_turns")
        # The lexicon drops the ids of removed turns one batch later.
        following, inserted = max(work.next_id("turns"), last + 1), []
        had = {key for key, number in numbers.items() if number}
        for row in turns:
            values = dict(zip(names, row, strict=True))
            self._ids["turns"][values["id"]] = following
            if values["session"] in had:
                numbers[values["session"]] += 1
                values["number"] = numbers[values["session"]]
            inserted.append(tuple((values | {"batch": work.batch}).values()))
            following += 1
        self._tables = {**self._tables, "turns": inserted}

    def _mapped(self, table: str) -> list[Row]:
        """The rows of a table that are inserted, with the ids of the index."""
        rows = self._tables.get(table, ())
        if table == "sessions":
            return self._mapped_sessions(rows)
        names, key = list(COLUMNS[table]), KEYS[table]
        owner = {"sources": "sources", "turns": "turns"}.get(table) or _REFERENCES[key]
        chosen: Collection[Any] = self._new[owner] if owner in self._new else self._ids[owner]
        key_at = names.index(key)
        places = [
            (place, self._ids[_REFERENCES[name]] if name in _REFERENCES else self._ids[owner])
            for place, name in enumerate(names)
            if (name in _REFERENCES and (table, name) != ("review_items", "turn")) or place == key_at
        ]
        mapped: list[Row] = []
        for row in rows:
            if row[key_at] in chosen:
                values = list(row)
                for place, ids in places:
                    values[place] = ids.get(values[place])
                mapped.append(tuple(values))
        if table == "forks":
            self._work.drop(table, {row[key_at] for row in mapped})
        return mapped

    def _mapped_sessions(self, rows: Iterable[Row]) -> list[Row]:
        """The rows of new sessions; one without turns is replaced. Parents that are not among them are looked up."""
        mapped: list[Row] = []
        for row in rows:
            values = dict(zip(COLUMNS["sessions"], row, strict=True))
            if values["key"] not in self._new["sessions"]:
                continue
            parent = self._ids["sessions"].get(values["parent"])
            if parent is None and values["parent_id"] is not None:
                parent = self._known.get((values["agent"], values["parent_id"], None))
            values |= {"key": self._ids["sessions"][values["key"]], "parent": parent}
            mapped.append(tuple(values.values()))
        self._work.drop("sessions", {*self._known.values()}.intersection(_values("sessions", "key", mapped)))
        return mapped


def _at(table: str, column: str) -> int:
    return list(COLUMNS[table]).index(column)


def _getter(table: str, column: str) -> Any:
    place = _at(table, column)
    return lambda row: row[place]


def _place(table: str) -> Any:
    source, line = _at(table, "source"), _at(table, "line")
    return lambda row: (row[source], row[line])


def _values(table: str, column: str, rows: Iterable[Row]) -> list[Any]:
    place = _at(table, column)
    return [row[place] for row in rows]
