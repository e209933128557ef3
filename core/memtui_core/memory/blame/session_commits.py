"""The commits that sessions made, as git told them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from memtui_core.memory.blame.values import SessionCommit
from memtui_core.queries.columns import Columns, label, timestamp
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition

_AT: Final = "coalesce(credible(b.at_time), credible(t.started_at))"
"""When a commit was made."""
_COMMIT: Final = Columns(
    SessionCommit,
    id=label("f.name"),
    subject=label("f.text"),
    session="f.session",
    session_id=label("s.session_id"),
    turn="t.number",
    at=timestamp(_AT),
    seq="f.seq",
    line="b.line",
    turn_id="f.turn",
    amends="f.number = 1",
)


def commits_of_sessions(snapshot: Snapshot, sessions: Collection[int]) -> list[SessionCommit]:
    """The commits of some sessions that were not amended later, in the order in which each session made them."""
    left: list[SessionCommit] = []
    for commit in _select(snapshot, key_condition("f.session", sessions), [], "f.session, f.turn, f.seq"):
        if commit.amends and left and left[-1].session == commit.session:
            left.pop()
        left.append(commit)
    return left


def commits_of_projects(snapshot: Snapshot, roots: Sequence[str]) -> list[SessionCommit]:
    """The commits that the sessions of projects made, by their roots, in the order of time; none without an id."""
    condition = "f.name <> '' AND list_contains(?, s.root) AND NOT s.hidden"
    return _select(snapshot, condition, [list(roots)], f"{_AT} NULLS FIRST, f.turn, f.seq")


def maker_of(commits: Iterable[SessionCommit], whole_id: str) -> SessionCommit | None:
    """The first of some commits that is the one with an id; None if there is none."""
    return next((commit for commit in commits if commit.is_commit(whole_id)), None)


def _select(snapshot: Snapshot, condition: str, parameters: Sequence[Any], order: str) -> list[SessionCommit]:
    return _COMMIT.select(
        snapshot,
        "FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
        f" JOIN blocks b ON b.turn = f.turn AND b.seq = f.seq WHERE f.kind = 'commit' AND {condition} ORDER BY {order}",
        parameters,
    )
