"""What leaves this machine of shared sessions: the rows of a snapshot, with secrets replaced once more.

The index may have been written by an older version, which knew fewer kinds of secrets.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import blake2b
from importlib.metadata import version as package_version
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from memtui_core.model import CLOCK_TOLERANCE, DEFAULT_MODEL
from memtui_core.store.lexicon.fields import turn_document
from memtui_core.store.schema import VERSION
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import COLUMNS, KEYS, LIST, TEXT, key_condition, key_ranges, stored_columns
from memtui_core.store.vectors.access import vectors_of
from memtui_core.text.redaction import redact, rules_in_use
from memtui_team.content import SESSION_TABLES, TURN_TABLES, as_json, compress, encode
from memtui_team.errors import TeamError
from memtui_team.sharing import SharedSession

if TYPE_CHECKING:
    from memtui_core.store.vectors.files import StoredVectors
    from memtui_core.system.startup.numeric import Vector
    from memtui_team.terms import TurnTerms

Row = tuple[Any, ...]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = (datetime(2020, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
"""No agent wrote a transcript before; the server has no months before it."""
_FORMAT: Final = 1
"""Incremented when what is sent of the same rows changes, so that all of it is sent again."""
_TURNS: Final = 64
"""Turns whose texts are in memory at once."""
_SESSIONS: Final = 64
_MARKER: Final = "[redacted:"
_MOST_PATH: Final = 1_000
"""Characters of a path; longer ones do not fit into the index of the server, and name no file."""
_SORTED_BY: Final = {"blocks": "turn, seq", "chunks": "turn, seq", "turns": "id"}
_TEXTS: Final = {
    table: tuple(place for place, kind in enumerate(columns.values()) if kind in (TEXT, LIST))
    for table, columns in COLUMNS.items()
}

_LIGHT: Final = ", ".join(
    column for column in COLUMNS["turns"] if column not in ("session", "user_text", "tool_summary", "models")
)
_STATES: Final = f"""
    SELECT s.key, hash({", ".join(COLUMNS["sessions"])}), epoch_us(t.started_at), epoch_us(t.ended_at),
        t.state, c.state, f.state, k.state, r.state, i.state, p.state, o.state
    FROM sessions s
    JOIN (
        SELECT session, min(started_at) AS started_at, max(ended_at) AS ended_at, bit_xor(hash({_LIGHT})) AS state
        FROM turns GROUP BY session
    ) t ON t.session = s.key
    LEFT JOIN (
        SELECT t.session, bit_xor(hash(c.turn, c.seq, c.hash, c.first, c.last)) AS state
        FROM chunks c JOIN turns t ON t.id = c.turn GROUP BY t.session
    ) c ON c.session = s.key
    LEFT JOIN (
        SELECT t.session, bit_xor(hash(f.id, f.indexed_at)) AS state
        FROM (SELECT DISTINCT session, source FROM turns) t JOIN sources f ON f.id = t.source GROUP BY t.session
    ) f ON f.session = s.key
    LEFT JOIN (
        SELECT session, bit_xor(hash(source, line, segment, at_time, trigger, tokens_before)) AS state
        FROM compactions GROUP BY session
    ) k ON k.session = s.key
    LEFT JOIN (
        SELECT k.session, bit_xor(hash(r.source, r.line, r.rules, r.by_meaning)) AS state
        FROM compactions k JOIN reviews r ON r.source = k.source AND r.line = k.line GROUP BY k.session
    ) r ON r.session = s.key
    LEFT JOIN (
        SELECT k.session, bit_xor(hash(i.source, i.line, i.is_lost, i.rank, i.turns, i.item_line, i.times, i.weight,
            i.dropped_at)) AS state
        FROM compactions k JOIN review_items i ON i.source = k.source AND i.line = k.line GROUP BY k.session
    ) i ON i.session = s.key
    LEFT JOIN (SELECT session, bit_xor(hash(number, url, repository, line)) AS state FROM pr_links GROUP BY session) p
        ON p.session = s.key
    LEFT JOIN (SELECT session, bit_xor(hash("until")) AS state FROM forks GROUP BY session) o ON o.session = s.key
    WHERE {{}}
"""


class SessionState(NamedTuple):
    """What a session is like in a snapshot, without its texts."""

    version: str
    """Equal only if what the server has of it need not change."""
    started_at: datetime | None
    """None if it is not known, or cannot be right."""
    ended_at: datetime | None


class Redactions:
    """Replaces secrets in rows, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def row(self, table: str, row: Row) -> Row:
        """A row without secrets."""
        changed: list[Any] | None = None
        for place in _TEXTS[table]:
            value = row[place]
            if value and (text := redact(value)) != value:
                self.count += text.count(_MARKER) - value.count(_MARKER)
                changed = changed or list(row)
                changed[place] = text
        return row if changed is None else tuple(changed)


class OutgoingTurn:
    """A turn as it leaves the machine."""

    def __init__(
        self, title: str, rows: Mapping[str, Sequence[Row]], vectors: Mapping[int, Vector], at: datetime | None
    ) -> None:
        self._rows = rows
        self.started_at = at
        self._title = title
        self.values: dict[str, Any] = dict(zip(COLUMNS["turns"], rows["turns"][0], strict=True))
        self.vectors = vectors
        """The vectors of its chunks by their number, as far as they are made."""
        self.data = as_json(rows)
        basis = orjson.dumps([_FORMAT, title if self.is_first else "", sorted(vectors)])
        self.digest = blake2b(self.data + basis, digest_size=16).digest()
        """Equal only for the same contents and vectors."""

    @property
    def number(self) -> int:
        """Its number in the session."""
        number: int = self.values["number"]
        return number

    @property
    def is_first(self) -> bool:
        """Whether the title of its session is found with it."""
        return self.number == 1

    @cached_property
    def content(self) -> bytes:
        """What the server keeps of it."""
        return compress(self.data)

    @property
    def mentions(self) -> list[tuple[str, str, bool]]:
        """The paths of the files that it mentions, each with the kind and whether it is a folder, without doubles."""
        path, kind, is_dir = (list(COLUMNS["file_mentions"]).index(name) for name in ("path", "kind", "is_dir"))
        found = dict.fromkeys((row[path], row[kind], row[is_dir]) for row in self._rows["file_mentions"])
        return [mention for mention in found if len(mention[0]) <= _MOST_PATH]

    def terms(self) -> TurnTerms:
        """What the server searches of it by words."""
        from memtui_team.terms import turn_terms

        values, paths = self.values, sorted({mention[0] for mention in self.mentions})
        kind, text, tool = (list(COLUMNS["blocks"]).index(name) for name in ("kind", "text", "tool"))
        at = (values["started_at"] or 0) // 1_000_000
        title = self._title if self.is_first else ""
        turn_row = (values["id"], values["session"], at, values["kind"], values["user_text"], title)
        blocks = [(row[kind], row[text] or "", row[tool]) for row in self._rows["blocks"]]
        return turn_terms(turn_document(turn_row, blocks, paths))


class OutgoingSession:
    """A session as it leaves the machine; its turns are read when they are asked for."""

    def __init__(
        self,
        session: SharedSession,
        state: SessionState,
        rows: Mapping[str, Sequence[Row]],
        turns: Iterator[OutgoingTurn],
    ) -> None:
        self.session = session
        self.state = state
        self.turns = turns
        """In the order of their numbers; once only, and before the next session is asked for."""
        self._rows = rows

    @property
    def title(self) -> str:
        """The title as it is stored."""
        title: str = self._rows["sessions"][0][list(COLUMNS["sessions"]).index("title")]
        return title

    @cached_property
    def content(self) -> bytes:
        """What the server keeps of it beside its turns. Raises TeamError if it is too large."""
        return encode(self._rows)


class Outgoing:
    """Reads what leaves the machine from a snapshot; `now` is the time of the server."""

    def __init__(self, snapshot: Snapshot, now: datetime) -> None:
        if snapshot.version < VERSION:
            raise TeamError("The index is of an older version. Run: memtui index")
        self._snapshot = snapshot
        self._latest = (now + CLOCK_TOLERANCE - _EPOCH) // timedelta(microseconds=1)
        self.redactions = Redactions()
        self.left_out = 0
        """Turns that are too large to be shared."""
        vectors = snapshot.manifest.vectors
        self._vectors = vectors_of(snapshot) if vectors is not None and vectors.model == DEFAULT_MODEL else None

    def states(self, sessions: Sequence[SharedSession]) -> dict[int, SessionState]:
        """The states of sessions by their keys, read without their texts."""
        basis = [_FORMAT, rules_in_use(), package_version("memtui"), self._vectors is not None]
        projects = {session.key: (session.project.key, session.project.groups) for session in sessions}
        states: dict[int, SessionState] = {}
        for key, own, started_at, ended_at, *parts in self._snapshot.rows(
            _STATES.format(key_condition("s.key", projects))
        ):
            data = orjson.dumps([*basis, *projects[key], key, started_at, ended_at, *map(str, (own, *parts))])
            version = blake2b(data, digest_size=16).hexdigest()
            states[key] = SessionState(version, self.time(started_at), self.time(ended_at))
        return states

    def time(self, microseconds: int | None) -> datetime | None:
        """A time of a row; None if it is not known, or cannot be right: no clock is so wrong."""
        if microseconds is None or not _FIRST <= microseconds <= self._latest:
            return None
        return _EPOCH + timedelta(microseconds=microseconds)

    def sessions(
        self, sessions: Sequence[SharedSession], states: Mapping[int, SessionState]
    ) -> Iterator[OutgoingSession]:
        """Sessions with their turns, in their order."""
        for first in range(0, len(sessions), _SESSIONS):
            group = sessions[first : first + _SESSIONS]
            rows = self._session_rows([session.key for session in group])
            keys = key_condition("session", [session.key for session in group])
            numbered = self._snapshot.rows(f"SELECT session, id FROM turns WHERE {keys} ORDER BY session, number, id")
            ids = {key: [turn for _, turn in own] for key, own in groupby(numbered, itemgetter(0))}
            place = list(COLUMNS["sessions"]).index("title")
            titles = {key: own["sessions"][0][place] for key, own in rows.items()}
            turns = self._turns([turn for session in group for turn in ids[session.key]], titles)
            for session in group:
                own = islice(turns, len(ids[session.key]))
                yield OutgoingSession(session, states[session.key], rows[session.key], filter(None, own))
                deque(own, maxlen=0)

    def _session_rows(self, keys: Sequence[int]) -> dict[int, dict[str, list[Row]]]:
        """The rows of `SESSION_TABLES` by session."""
        rows: dict[int, dict[str, list[Row]]] = {key: {table: [] for table in SESSION_TABLES} for key in keys}
        owners: dict[tuple[int, int], int] = {}
        for table in ("sessions", "compactions", "pr_links", "forks"):
            column = "key" if table == "sessions" else "session"
            place = list(COLUMNS[table]).index(column)
            for row in self._rows(table, key_condition(column, keys)):
                rows[row[place]][table].append(row)
                if table == "compactions":
                    owners[row[1], row[2]] = row[place]
        sources = key_condition("source", {source for source, _ in owners})
        for table in ("reviews", "review_items") if owners else ():
            for row in self._rows(table, sources):
                if (owner := owners.get((row[0], row[1]))) is not None:
                    rows[owner][table].append(row)
        return rows

    def _turns(self, ids: Sequence[int], titles: Mapping[int, str]) -> Iterator[OutgoingTurn | None]:
        """Turns in their order; None for one that is too large."""
        session, at, batch = (list(COLUMNS["turns"]).index(name) for name in ("session", "started_at", "batch"))
        for first in range(0, len(ids), _TURNS):
            group = ids[first : first + _TURNS]
            rows: dict[int, dict[str, list[Row]]] = {turn: {table: [] for table in TURN_TABLES} for turn in group}
            for table in TURN_TABLES:
                place = list(COLUMNS[table]).index(KEYS[table])
                for condition in key_ranges(KEYS[table], group):
                    for row in self._rows(table, condition):
                        rows[row[place]][table].append(row)
            vectors = self._vectors_of([row for own in rows.values() for row in own["chunks"]])
            for turn in group:
                own = rows.pop(turn)
                # The batch counts what the indexer did, not what the turn is.
                own["turns"] = [(*row[:batch], 0, *row[batch + 1 :]) for row in own["turns"]]
                [values] = own["turns"]
                try:
                    yield OutgoingTurn(titles[values[session]], own, vectors.get(turn, {}), self.time(values[at]))
                except TeamError:
                    self.left_out += 1
                    yield None

    def _rows(self, table: str, condition: str) -> list[Row]:
        """Rows of a table in an order that depends on nothing else, without secrets."""
        order = _SORTED_BY.get(table, "ALL")
        rows = self._snapshot.rows(f"SELECT {stored_columns(table)} FROM {table} WHERE {condition} ORDER BY {order}")
        return [self.redactions.row(table, row) for row in rows]

    def _vectors_of(self, chunks: Sequence[Row]) -> dict[int, dict[int, Vector]]:
        """The vectors of chunks by turn and number, as far as they are made."""
        stored: StoredVectors | None = self._vectors
        hashed = [row for row in chunks if row[2] is not None]
        if stored is None or not len(stored.hashes) or not hashed:
            return {}
        from memtui_core.system.startup.numeric import np

        places = stored.rows_of(np.array([row[2] for row in hashed], np.int64))
        found: dict[int, dict[int, Vector]] = {}
        floats = stored.floats(np.maximum(places, 0))
        for row, place, vector in zip(hashed, places.tolist(), floats, strict=True):
            if place >= 0:
                found.setdefault(row[0], {})[row[1]] = vector
        return found
