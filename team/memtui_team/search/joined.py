"""The team of an index, asked when it is first needed: nothing of it is imported before."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from memtui_core.errors import SessionUnknown
from memtui_team.address import TeamAddress
from memtui_team.errors import TeamError
from memtui_team.forgotten import Forgotten

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.model import SearchResult
    from memtui_core.store.snapshot.reader import Snapshot
    from memtui_team.search.server import TeamServer


class JoinedTeam:
    """The team that was joined with an index; the guest of this index. Any thread may call it."""

    def __init__(self, index: Index, address: TeamAddress) -> None:
        self._index = index
        self._address = address

    @cached_property
    def _server(self) -> TeamServer:
        from memtui_team.search.server import TeamServer

        return TeamServer(self._address, self._index.data)

    def search(self, text: str, limit: int = 50, **options: Any) -> SearchResult:
        """The best turns of the index and of colleagues; the options are those of `Index.search`.

        If the server does not answer within 0.3 s, the result has those of the index, and a note.
        """
        from memtui_team.search.merged import search_with_team

        return search_with_team(self._index, self._server, text, limit, **options)

    def snapshot_of(self, session: int) -> Snapshot:
        """A snapshot that has all of a session. Raises TeamError or SessionUnknown."""
        return self._server.snapshot_of(session)

    def find(self, session_id: str) -> int | None:
        """The key of the only session of a colleague whose id is this, or begins so. Raises SessionUnknown."""
        if any(own.startswith(session_id) for _, own in Forgotten(self._index.data.path).identities()):
            raise SessionUnknown(f"The session {session_id!r} was forgotten.")
        try:
            return self._server.find(session_id)
        except TeamError as error:
            raise SessionUnknown(f"There is no session {session_id!r} in the index. {error}") from error

    def close(self) -> None:
        """Close the connection."""
        if "_server" in self.__dict__:
            self._server.close()


def join(index: Index) -> JoinedTeam | None:
    """The team of the data folder of an index, as its guest; None if none was joined. Raises TeamError."""
    if isinstance(index.guest, JoinedTeam):
        return index.guest
    address = TeamAddress.load(index.data.path)
    team = JoinedTeam(index, address) if address is not None else None
    index.guest = team
    return team
