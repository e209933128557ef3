"""Writing sessions on the team's server: each transaction leaves all that a session has, or what was there before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memtui_core.errors import SessionUnknown
from memtui_team.connection import reported_errors
from memtui_team.errors import NotInTeam, TeamError
from memtui_team.push.outgoing import OutgoingSession, OutgoingTurn
from memtui_team.sharing import SharedProject, sent

if TYPE_CHECKING:
    import psycopg

    from memtui_core.system.startup.numeric import Vector

Identity = tuple[str, str, str]
"""Agent, session id and the id of the parent session, which may be empty."""

_Row = tuple[object, ...]
_LOCK: Final = 0x6D656D74
"""The first number of the advisory lock of a device: `memt`."""
_BYTES: Final = 2_000_000
"""Bytes of turns that are sent at once."""
_TRANSACTION_BYTES: Final = 16_000_000
_TERMS_BYTES: Final = 64_000_000
"""Bytes of terms that wait in memory for the end of a transaction; only a session of its own has more."""
_TRANSACTION_SESSIONS: Final = 100
"""A transaction ends with the session with which it has so many bytes or sessions."""
_DIMENSION: Final = 384

_SESSIONS: Final = """
    SELECT s.agent, s.session_id, s.parent_id, s.id, s.version, p.key
    FROM memtui.sessions s JOIN memtui.projects p ON p.id = s.project
    WHERE s.device = (SELECT memtui.this_device())
"""
_ABOUT: Final = """
    SELECT memtui.this_device(), now(), coalesce(md5(string_agg(s.version, ',' ORDER BY s.id)), ''),
        (SELECT count(*) FROM memtui.tombstones)
    FROM memtui.sessions s WHERE s.device = (SELECT memtui.this_device())
"""
_OWN: Final = """
    SELECT s.agent, s.session_id, max(s.title) FROM memtui.sessions s
    WHERE s.device = ANY ((SELECT memtui.own_devices())::int[]) AND starts_with(s.session_id, %s)
    GROUP BY s.agent, s.session_id
"""
_UPSERT: Final = """
    INSERT INTO memtui.sessions
        (device, project, agent, session_id, parent_id, title, started_at, ended_at, turns, version, content)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (device, agent, session_id, parent_id) DO UPDATE SET
        project = excluded.project, title = excluded.title, started_at = excluded.started_at,
        ended_at = excluded.ended_at, turns = excluded.turns, version = excluded.version, content = excluded.content,
        pushed_at = now()
    RETURNING id
"""
_ADD_TURNS: Final = """
    INSERT INTO memtui.turns (month, session, device, project, number, agent, kind, started_at, tool_calls, errors,
        input_tokens, output_tokens, digest, words, content)
    SELECT month, session, device, project, number, agent, kind, started_at, tool_calls, errors,
        input_tokens, output_tokens, digest, words::tsvector, content
    FROM unnest(%b::date[], %b::bigint[], %b::int[], %b::int[], %b::int[], %b::text[], %b::text[], %b::timestamptz[],
        %b::int[], %b::int[], %b::bigint[], %b::bigint[], %b::bytea[], %b::text[], %b::bytea[]
    ) AS t(month, session, device, project, number, agent, kind, started_at, tool_calls, errors,
        input_tokens, output_tokens, digest, words, content)
    RETURNING session, number, id
"""
_ADD_TERMS: Final = """
    INSERT INTO memtui.terms (month, turn, session, device, project, agent, started_at, terms)
    SELECT * FROM unnest(%b::date[], %b::bigint[], %b::bigint[], %b::int[], %b::int[], %b::text[], %b::timestamptz[],
        %b::text[])
"""
_ADD_MENTIONS: Final = """
    INSERT INTO memtui.mentions (month, turn, session, device, project, path, kind, is_dir)
    SELECT * FROM unnest(%b::date[], %b::bigint[], %b::bigint[], %b::int[], %b::int[], %b::text[], %b::text[],
        %b::boolean[])
"""
_ADD_VECTORS: Final = """
    INSERT INTO memtui.vectors (month, turn, chunk, session, device, project, vector)
    SELECT month, turn, chunk, session, device, project, vector::halfvec
    FROM unnest(%b::date[], %b::bigint[], %b::int[], %b::bigint[], %b::int[], %b::int[], %b::text[]
    ) AS t(month, turn, chunk, session, device, project, vector)
"""
# COPY writes into no table with row-level security: rows go as arrays, as many at once.


class ReceivedSession(NamedTuple):
    """A session as the server has it of this device."""

    id: int
    version: str
    project_key: str


class OwnSession(NamedTuple):
    """A session of the member on the server."""

    agent: str
    session_id: str
    title: str


class Received(NamedTuple):
    """A turn as the server has it."""

    id: int
    digest: bytes
    month: date


class Receiver:
    """The server as the place to which one device pushes. Raises NotInTeam if the login is no device."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection
        with reported_errors():
            row = connection.execute(_ABOUT).fetchone()
        if row is None or row[0] is None:
            raise NotInTeam("This device is no longer in the team.")
        self.device: int = row[0]
        self.now: datetime = row[1]
        """The time of the server when the connection was made."""
        self.state: list[object] = list(row[2:])
        """What the server had of this device then, as JSON: equal only for the same."""
        self._months: set[date] = set()

    def read_state(self) -> list[object]:
        """What the server has by now."""
        with reported_errors():
            row = self.connection.execute(_ABOUT).fetchone()
        return list(row[2:]) if row is not None else []

    def sessions(self) -> dict[Identity, ReceivedSession]:
        """What the server has of this device."""
        with reported_errors():
            return {row[:3]: ReceivedSession(*row[3:]) for row in self.connection.execute(_SESSIONS)}

    def tombstones(self) -> set[tuple[str, str]]:
        """Agent and id of the sessions that the member has forgotten, on any device."""
        with reported_errors():
            return set(self.connection.execute("SELECT agent, session_id FROM memtui.tombstones").fetchall())

    def find(self, id_prefix: str) -> OwnSession:
        """The session with an id, or the only one whose id begins so, among those of all devices of the member.

        Raises SessionUnknown.
        """
        with reported_errors():
            rows = self.connection.execute(_OWN, [sent(id_prefix)]).fetchall()
        found = [row for row in rows if row[1] == id_prefix] or rows
        if not found or not id_prefix:
            raise SessionUnknown(f"Neither the index nor the team's server has a session {id_prefix!r} of yours.")
        if len(found) > 1:
            raise SessionUnknown(f"{len(found)} sessions have an id that begins with {id_prefix!r}.")
        return OwnSession(*found[0])

    def digests(self, session: int) -> dict[int, Received]:
        """The turns of a session by their number."""
        rows = self.connection.execute(
            "SELECT number, id, digest, month FROM memtui.turns WHERE session = %s", [session]
        )
        return {number: Received(turn, bytes(digest), month) for number, turn, digest, month in rows}

    def forget(self, agent: str, session_id: str) -> int:
        """Remove a session and its subagents from all devices of the member, for good; how many there were."""
        with reported_errors():
            row = self.connection.execute("SELECT memtui.forget(%s, %s)", [sent(agent), sent(session_id)]).fetchone()
        return row[0] if row is not None else 0

    def remove(self, sessions: Sequence[int]) -> None:
        """Remove sessions of this device, which may come back."""
        with self.transaction():
            self.connection.execute("DELETE FROM memtui.sessions WHERE id = ANY (%s)", [list(sessions)])

    def open_project(self, project: SharedProject) -> int:
        """The id of a project, which is created if need be. Raises TeamError if it is shared with others only."""
        with reported_errors():
            row = self.connection.execute(
                "SELECT memtui.open_project(%s, %s, %s)",
                [_text(project.key), _text(project.name), list(map(_text, project.groups))],
            ).fetchone()
        if row is None:
            raise TeamError(f"The team's server has no project {project.name}.")
        return int(row[0])

    def open_months(self, sessions: Sequence[datetime | None]) -> None:
        """Create the partitions for sessions that started at some times."""
        for month in sorted({self._month(at) for at in sessions} - self._months):
            with reported_errors():
                self.connection.execute("SELECT memtui.open_month(%s)", [month])
            self._months.add(month)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction in which no other process pushes for the device. Raises TeamError."""
        with reported_errors(), self.connection.transaction():
            # To write a large session takes longer than a search may take, and to compare its turns longer than others
            # may leave a transaction open.
            self.connection.execute("SET LOCAL statement_timeout = '10min'")
            self.connection.execute("SET LOCAL idle_in_transaction_session_timeout = '10min'")
            self.connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, self.device])
            yield

    def writing(self) -> SessionWriter:
        """Writes sessions within a transaction."""
        return SessionWriter(self)

    def _month(self, at: datetime | None) -> date:
        return (at or self.now).astimezone(UTC).date().replace(day=1)

    def month_of(self, started_at: datetime | None, received: dict[int, Received]) -> date:
        """The month of a session: that of its start; if that is not known the one in which it is, or that of now."""
        if started_at is None and received:
            return next(iter(received.values())).month
        return self._month(started_at)


class _Pending(NamedTuple):
    month: date
    session: int
    project: int
    agent: str
    turn: OutgoingTurn
    terms: str
    words: str


class SessionWriter:
    """Writes sessions within one transaction; what is not flushed is not written."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._connection = receiver.connection
        self._pending: list[_Pending] = []
        self._stale: list[tuple[int, Received]] = []
        """Turns to be removed, each with its session."""
        self._size = 0
        self._terms: list[_Row] = []
        """What BM25 needs of the turns that were sent; it waits for the end of the transaction."""
        self._terms_size = 0
        self._sessions = 0
        self.bytes = 0
        """Bytes of the turns that were sent."""
        self.turns = 0
        """Turns that were sent."""

    @property
    def has_room(self) -> bool:
        """Whether another session may be written in the same transaction."""
        return self._sessions < _TRANSACTION_SESSIONS and self.bytes + self._size < _TRANSACTION_BYTES

    def put(self, outgoing: OutgoingSession, project: int, *, is_known: bool) -> bool:
        """Write a session and its turns that differ; False if it was forgotten on another device.

        `is_known`: whether the server may have turns of it.
        """
        session, state = outgoing.session, outgoing.state
        times = (state.started_at, state.ended_at)
        values = [self._receiver.device, project, *session.identity, _text(outgoing.title), *times]
        row = self._connection.execute(_UPSERT, [*values, session.turns, state.version, outgoing.content]).fetchone()
        if row is None:
            return False
        self._sessions += 1
        received = self._receiver.digests(row[0]) if is_known else {}
        month = self._receiver.month_of(state.started_at, received)
        for turn in outgoing.turns:
            old = received.pop(turn.number, None)
            if old is not None and (old.digest, old.month) == (turn.digest, month):
                continue
            if old is not None:
                self._stale.append((row[0], old))
            terms = turn.terms()
            pending = _Pending(month, row[0], project, session.identity[0], turn, _text(terms.text), _text(terms.words))
            self._pending.append(pending)
            self._size += len(turn.content) + len(terms.text) + len(terms.words) + 2 * _DIMENSION * len(turn.vectors)
            if self._size >= _BYTES:
                self.flush()
        self._stale += [(row[0], old) for old in received.values()]
        return True

    def flush(self) -> None:
        """Remove and send what is due."""
        if self._stale:
            keys = [
                list({session for session, _ in self._stale}),
                list({old.month for _, old in self._stale}),
                [old.id for _, old in self._stale],
            ]
            for table, column in (("terms", "turn"), ("mentions", "turn"), ("vectors", "turn"), ("turns", "id")):
                condition = f"session = ANY (%s) AND month = ANY (%s) AND {column} = ANY (%s)"
                self._connection.execute(f"DELETE FROM memtui.{table} WHERE {condition}", keys)
            self._stale = []
        if self._pending:
            self._send()
            self.turns += len(self._pending)
            self.bytes += self._size
            self._pending, self._size = [], 0

    def finish(self) -> None:
        """Send all that is left, at the end of the transaction: nobody searches by BM25 from the terms to its end."""
        self.flush()
        self._send_terms()

    def _send_terms(self) -> None:
        self._add(_ADD_TERMS, self._terms)
        self._terms, self._terms_size = [], 0

    def _send(self) -> None:
        device = self._receiver.device
        turns, mentions, vectors = list[_Row](), list[_Row](), list[_Row]()
        for one in self._pending:
            turn, values = one.turn, one.turn.values
            counts = (values["tool_calls"], values["errors"], values["input_tokens"], values["output_tokens"])
            turns.append(
                (one.month, one.session, device, one.project, turn.number, one.agent, _text(values["kind"]),
                 turn.started_at, *counts, turn.digest, one.words, turn.content)
            )  # fmt: skip
        ids = {(session, number): turn for session, number, turn in self._add(_ADD_TURNS, turns)}
        for one in self._pending:
            key = ids[one.session, one.turn.number]
            keys = (one.month, key, one.session, device, one.project)
            self._terms.append((*keys, one.agent, one.turn.started_at, one.terms))
            self._terms_size += len(one.terms)
            for path, kind, is_dir in one.turn.mentions:
                mentions.append((*keys, _text(path), kind, is_dir))
            for chunk, vector in one.turn.vectors.items():
                vectors.append((one.month, key, chunk, one.session, device, one.project, _halfvec(vector)))
        self._add(_ADD_MENTIONS, mentions)
        self._add(_ADD_VECTORS, vectors)
        if self._terms_size >= _TERMS_BYTES:
            self._send_terms()

    def _add(self, statement: str, rows: Sequence[_Row]) -> list[tuple[Any, ...]]:
        """Insert rows, and return what the statement returns."""
        if not rows:
            return []
        cursor = self._connection.execute(statement, [list(column) for column in zip(*rows, strict=True)])
        return cursor.fetchall() if cursor.description is not None else []


def _text(value: str) -> str:
    """A text as the server can keep it: PostgreSQL has no character 0."""
    return value.replace("\0", "")


def _halfvec(vector: Vector) -> str:
    """A vector as pgvector reads it: numbers of 16 bits, each with as many digits as tell it from all others."""
    from memtui_core.system.startup.numeric import np

    return f"[{','.join([f'{number:.5g}' for number in vector.astype(np.float16).tolist()])}]"
