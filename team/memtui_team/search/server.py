"""The team's server as a store of turns: one connection, and what was fetched over it.

A server that cannot be reached, or does not answer, is left alone for some seconds: each search that asked it would
wait.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock, RLock, Thread
from typing import TYPE_CHECKING, Final, TypeVar

from memtui_core.errors import SessionUnknown
from memtui_core.search.engines import EmbedQuery
from memtui_core.search.path_search import ResolvedFiles
from memtui_core.search.query_parser import QueryScope
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_team.address import TeamAddress
from memtui_team.connection import connect, driver, reported_errors
from memtui_team.errors import TeamError, TeamUnreachable
from memtui_team.schema import RANKING_INDEX
from memtui_team.search import statements
from memtui_team.search.asked import AskedWords, Narrowed, PathPattern
from memtui_team.search.engines import TeamEngines
from memtui_team.search.fetched import FetchedTables
from memtui_team.search.statements import ServerFindings

if TYPE_CHECKING:
    import psycopg

REST: Final = 5.0
"""Seconds for which a server is not asked again that did not answer."""
_ENDING: Final = 0.5
"""Seconds that a search may take to end; one that waits for a connection takes longer, and is harmless."""
_CANCEL: Final = 1.0
"""Seconds that the request to cancel a statement may take."""
Result = TypeVar("Result")


class TeamServer:
    """The server of a team that was joined. Any thread may call it; one asks the server at a time."""

    def __init__(self, address: TeamAddress, data: DataDir) -> None:
        self.address = address
        self.fetched = FetchedTables(data)
        self._connection: psycopg.Connection | None = None
        self._has_bm25 = False
        self._turns = 0
        """Turns that this device may read, as far as it is known."""
        self._asking = RLock()
        self._waiting = Lock()
        self._since = 0.0
        """When the server was asked that did not answer yet; 0 while nobody waits."""
        self._waited = 0.0
        self._resting_until = 0.0
        self._threads: list[Thread] = []

    @property
    def snapshot(self) -> Snapshot:
        """What was fetched."""
        return self.fetched.snapshot

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None

    @property
    def is_resting(self) -> bool:
        """Whether it did not answer a short time ago."""
        return time.monotonic() < self._resting_until

    @property
    def waited(self) -> float:
        """Seconds for which its answers were waited for, in all."""
        with self._waiting:
            return self._waited + (time.monotonic() - self._since if self._since else 0.0)

    def ask(
        self,
        words: AskedWords | None,
        vector: Sequence[float] | None,
        patterns: Sequence[PathPattern],
        narrow: Narrowed,
    ) -> ServerFindings:
        """The turns for words, a vector and paths. Raises TeamError."""

        def find(connection: psycopg.Connection) -> ServerFindings:
            has_bm25 = self._has_bm25 and self._turns >= statements.BM25_FROM
            return statements.find(connection, words, vector, patterns, narrow, has_bm25=has_bm25)

        found = self._answer(find)
        self._turns = max(self._turns, found.total)
        key = self.fetched.turn_key
        return found._replace(
            words=[one._replace(turn=key(one.turn)) for one in found.words],
            near=[one._replace(turn=key(one.turn)) for one in found.near],
            touched=[[one._replace(turn=key(one.turn)) for one in own] for own in found.touched],
        )

    def newest(self, narrow: Narrowed) -> list[int]:
        """The newest turns. Raises TeamError."""
        found = self._answer(lambda connection: statements.newest(connection, narrow))
        return [self.fetched.turn_key(turn) for turn in found]

    def fetch(self, turns: Collection[int]) -> None:
        """Fetch the texts of some turns, unless they were. Raises TeamError."""
        ids = [turn for key in turns if (turn := self.fetched.server_turn(key)) is not None]
        # A session that has changed takes its turns with it, which are then fetched again.
        for _ in range(2):
            missing = self.fetched.missing_turns(ids)
            if not missing:
                break
            known = self.fetched.versions()
            sessions, fetched = self._answer(
                lambda connection, missing=missing, known=known: statements.fetch(connection, ids, missing, known)  # type: ignore[misc]
            )
            self.fetched.add(sessions, fetched)

    def snapshot_of(self, session: int) -> Snapshot:
        """The snapshot with all of a session. Raises TeamError, or SessionUnknown."""
        server_id = self.fetched.server_id(session)
        if server_id is None:
            raise SessionUnknown(f"There is no session with the key {session}.")
        if not self.fetched.is_whole(session):
            known = self.fetched.versions()
            sessions, turns = self._answer(
                lambda connection: statements.fetch_session(connection, server_id, known), waits=True
            )
            if all(one.id != server_id for one in sessions):
                raise SessionUnknown("The session is no longer shared with the team.")
            self.fetched.add(sessions, turns, whole=[server_id])
        self.fetched.use(session)
        return self.snapshot

    def find(self, session_id: str) -> int | None:
        """The key of the only session whose id is this, or begins so; None if there is none.

        Raises TeamError, or SessionUnknown if there are several.
        """
        found = self._answer(lambda connection: statements.sessions_named(connection, session_id), waits=True)
        exact = [id_ for id_, name in found if name == session_id]
        if not exact and len({name for _, name in found}) > 1:
            names = ", ".join(dict.fromkeys(name for _, name in found[:5]))
            raise SessionUnknown(f"Several sessions of the team have an id that begins with {session_id!r}: {names}")
        return next((self.fetched.session_key(id_) for id_ in (*exact, *(id_ for id_, _ in found))), None)

    def give_up(self) -> None:
        """End the statement that is running, and the connection with it; the server rests."""
        self._resting_until = time.monotonic() + REST
        # The server itself does not notice before its statement ends that nobody waits for it.
        self.cancel()
        connection, self._connection = self._connection, None
        if connection is not None:
            _shut(connection)

    def cancel(self) -> None:
        """Ask the server, in a thread, to cancel the statement that is running."""
        connection = self._connection
        if connection is not None and self._since:

            def ask() -> None:
                with suppress(Exception):
                    connection.cancel_safe(timeout=_CANCEL)

            Thread(target=ask, name="memtui-team-cancel", daemon=True).start()

    def start(self, search: Callable[[], object]) -> None:
        """Run a search in a thread, which `close` waits for."""
        thread = Thread(target=search, name="memtui-team", daemon=True)
        self._threads = [*(one for one in self._threads if one.is_alive()), thread]
        thread.start()

    def close(self) -> None:
        """Close the connection, which ends a search that is running."""
        connection, self._connection = self._connection, None
        if connection is not None:
            _shut(connection)
        # A thread that is within DuckDB when the interpreter ends would abort the process.
        for thread in self._threads:
            thread.join(_ENDING)

    def _answer(self, ask: Callable[[psycopg.Connection], Result], *, waits: bool = False) -> Result:
        """The answer of the server; a connection that was lost is made again once.

        Unless the caller `waits`, a server that rests is not asked. Raises TeamError.
        """
        if self.is_resting and not waits:
            raise TeamUnreachable("The team's server does not answer.")
        # What takes long on this side is no waiting for the server.
        driver()
        with self._asking, self._counted():
            for attempt in range(2):
                is_new = self._connection is None
                connection = self._connected()
                try:
                    with reported_errors():
                        return ask(connection)
                except TeamUnreachable:
                    self._connection = None
                    _shut(connection)
                    # Of a connection that was idle it is no wonder: the server may have been restarted.
                    if is_new or attempt or self.is_resting:
                        self._resting_until = time.monotonic() + REST
                        raise
        raise AssertionError("unreachable")

    def _connected(self) -> psycopg.Connection:
        if self._connection is None:
            try:
                connection = connect(self.address.searched_url)
            except TeamError:
                self._resting_until = time.monotonic() + REST
                raise
            with reported_errors():
                row = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [f"memtui.{RANKING_INDEX}"]).fetchone()
            self._has_bm25 = row is not None and row[0]
            self._connection = connection
        return self._connection

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._waiting:
            self._since = time.monotonic()
        try:
            yield
        finally:
            with self._waiting:
                self._waited += time.monotonic() - self._since
                self._since = 0.0


class SearchedTeam:
    """The turns of the team's server for one search: its engines stop when the search is cancelled."""

    def __init__(self, server: TeamServer, embed: EmbedQuery | None, check_cancelled: Callable[[], object]) -> None:
        self._server = server
        self._embed = embed
        self._check_cancelled = check_cancelled

    @property
    def snapshot(self) -> Snapshot:
        """What was fetched."""
        return self._server.snapshot

    def resolve_file(self, path: str) -> ResolvedFiles:
        """The path itself: what a filter of files means is decided on what was fetched."""
        return ResolvedFiles((path,))

    def engines(self, scope: QueryScope) -> TeamEngines:
        """The engines for one query."""
        return TeamEngines(self._server, self._embed, scope, self._check_cancelled)


def _shut(connection: psycopg.Connection) -> None:
    """Close a connection, also one over which another thread waits for an answer: it then gets an error."""
    with suppress(Exception), socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as copy:
        copy.shutdown(socket.SHUT_RDWR)
    with suppress(Exception):
        if not connection.closed and connection.info.transaction_status.name != "ACTIVE":
            connection.close()
