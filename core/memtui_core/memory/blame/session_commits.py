"""The commits that sessions made, as git told them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memtui_core.model import Block
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.git_commits import commit_ids


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
        "WITH own AS (SELECT t.id, t.session, t.number, credible(t.started_at) AS started FROM turns t"
        "  JOIN sessions s ON s.key = t.session WHERE list_contains(?, s.root) AND NOT s.hidden),"
        " calls AS (SELECT DISTINCT b.turn, b.tool_id FROM own JOIN blocks b ON b.turn = own.id"
        "  WHERE b.kind = 'tool_call' AND contains(b.text, 'commit') AND contains(b.text, 'git'))"
        " SELECT own.session, own.number, own.started, b.seq, b.line, b.kind, b.text, b.tool, b.tool_id, b.is_error,"
        "  b.at_time, b.detail FROM own JOIN blocks b ON b.turn = own.id"
        "  JOIN calls c ON c.turn = b.turn AND c.tool_id IS NOT DISTINCT FROM b.tool_id"
        " WHERE b.kind IN ('tool_call', 'tool_result') ORDER BY own.id, b.seq",
        [list(roots)],
    )
    blocks: dict[tuple[int, int, datetime | None], list[Block]] = defaultdict(list)
    for session, number, started, seq, line, kind, text, tool, tool_id, is_error, at, detail in rows:
        block = Block(seq, line, kind, text, tool, tool_id, is_error, _utc(at), detail)
        blocks[session, number, _utc(started)].append(block)
    found = [
        SessionCommit(commit, session, number, call.result.at or call.block.at or started, call.seq)
        for (session, number, started), own in blocks.items()
        for call in paired(own)
        if call.result is not None and call.command
        for commit in commit_ids(call.command, call.result.text)
    ]
    return sorted(found, key=lambda commit: commit.at or datetime.min.replace(tzinfo=UTC))


def maker_of(commits: Iterable[SessionCommit], whole_id: str) -> SessionCommit | None:
    """The first of some commits that is the one with an id; None if there is none."""
    return next((commit for commit in commits if commit.is_commit(whole_id)), None)


def _utc(at: datetime | None) -> datetime | None:
    return None if at is None else at.replace(tzinfo=UTC)
