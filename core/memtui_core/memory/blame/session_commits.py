"""The commits that sessions made, as git told them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memtui_core.store.snapshot.reader import Snapshot


@dataclass(frozen=True, slots=True)
class SessionCommit:
    """A commit of which git said in a session that it was made."""

    id: str
    """The beginning of its id, 7 characters or more."""
    session: int
    turn: int
    at: datetime | None
    seq: int
    """`Block.seq` of the call that made it."""

    def is_commit(self, whole_id: str) -> bool:
        """Whether it is the commit with an id."""
        return whole_id.startswith(self.id)


def commits_of_sessions(snapshot: Snapshot, roots: Sequence[str]) -> list[SessionCommit]:
    """The commits that the sessions of projects made, by their roots, in the order of time."""
    rows = snapshot.rows(
        "SELECT f.name, f.session, t.number, coalesce(credible(b.at_time), credible(t.started_at)) AS made, f.seq"
        " FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
        " JOIN blocks b ON b.turn = f.turn AND b.seq = f.seq"
        " WHERE f.kind = 'commit' AND f.name <> '' AND list_contains(?, s.root) AND NOT s.hidden"
        " ORDER BY made NULLS FIRST, f.turn, f.seq",
        [list(roots)],
    )
    return [SessionCommit(name, session, number, _utc(at), seq) for name, session, number, at, seq in rows]


def maker_of(commits: Iterable[SessionCommit], whole_id: str) -> SessionCommit | None:
    """The first of some commits that is the one with an id; None if there is none."""
    return next((commit for commit in commits if commit.is_commit(whole_id)), None)


def _utc(at: datetime | None) -> datetime | None:
    return None if at is None else at.replace(tzinfo=UTC)
