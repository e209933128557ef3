"""The commits that sessions made, as git told them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any, Final

from memtui_core.memory.blame.values import SessionCommit
from memtui_core.model import Block
from memtui_core.queries.columns import Columns, label, timestamp
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.git_commits import COMMITS, commits_quietly

_FIRST: Final = datetime.min.replace(tzinfo=UTC)
"""Where a commit without a time is sorted."""

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


def all_commits_of_sessions(snapshot: Snapshot, sessions: Collection[int]) -> list[SessionCommit]:
    """The commits of some sessions, in the order in which each session made them."""
    return _select(snapshot, key_condition("f.session", sessions), [])


def commits_of_sessions(snapshot: Snapshot, sessions: Collection[int]) -> list[SessionCommit]:
    """The same without those that were amended later."""
    return [commit for commit in all_commits_of_sessions(snapshot, sessions) if not commit.amended]


def commits_of_projects(snapshot: Snapshot, roots: Sequence[str]) -> list[SessionCommit]:
    """The commits that the sessions of projects made, by their roots, in the order of time; none without an id."""
    commits = _select(snapshot, "list_contains(?, s.root) AND NOT s.hidden", [list(roots)])
    named = (commit for commit in commits if commit.id)
    return sorted(named, key=lambda commit: (commit.at or _FIRST, commit.turn_id, commit.seq))


def has_quiet_commits(snapshot: Snapshot, session: int) -> bool:
    """Whether a session ran `git commit -q`, of which git prints nothing."""
    words = " AND ".join(f"contains(b.text, '{word}')" for word in COMMITS)
    calls = snapshot.rows(
        "SELECT b.seq, b.line, b.kind, b.text, b.tool, b.tool_id FROM blocks b JOIN turns t ON t.id = b.turn"
        f" WHERE t.session = ? AND b.kind = 'tool_call' AND {words}",
        [session],
    )
    return any(commits_quietly(call.command) for call in paired([Block(*call) for call in calls]))


def maker_of(commits: Iterable[SessionCommit], whole_id: str) -> SessionCommit | None:
    """The first of some commits that is the one with an id; None if there is none."""
    return next((commit for commit in commits if commit.is_commit(whole_id)), None)


def _select(snapshot: Snapshot, condition: str, parameters: Sequence[Any]) -> list[SessionCommit]:
    """Commits in the order in which each session made them, with those marked that it amended later."""
    commits = _COMMIT.select(
        snapshot,
        "FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
        f" JOIN blocks b ON b.turn = f.turn AND b.seq = f.seq WHERE f.kind = 'commit' AND {condition}"
        " ORDER BY f.session, f.turn, f.seq",
        parameters,
    )
    return [
        replace(commit, amended=later is not None and later.amends and later.session == commit.session)
        for commit, later in zip_longest(commits, commits[1:])
    ]
