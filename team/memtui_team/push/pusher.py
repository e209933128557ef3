"""Pushing what is shared of an index to the team's server, so that it has the same at the end.

The server says what it has: a push that was killed is completed by the next one, and what this machine remembers of
its pushes can be deleted without loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from filelock import FileLock, Timeout

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.redaction import rules_in_use
from memtui_team.address import TeamAddress
from memtui_team.connection import connect, place_of, reported_errors
from memtui_team.errors import TeamError
from memtui_team.push.mark import PushMark
from memtui_team.push.outgoing import Outgoing, OutgoingSession, SessionState
from memtui_team.push.receiver import Identity, ReceivedSession, Receiver
from memtui_team.sharing import SharedProject, SharedSession, Sharing, sent

_NO_RIGHT: Final = "42501"
_OWN_CLASSES: Final = ("22", "23", "54")
"""Classes of errors that are about a value: then one session is left out, and the others are pushed."""


@dataclass(frozen=True)
class PushPlan:
    """What a push would do."""

    shared: tuple[SharedSession, ...]
    """What is shared, and may be pushed."""
    changed: tuple[SharedSession, ...]
    """What the server does not have, or has as it was before."""
    removed: tuple[ReceivedSession, ...]
    """What the server has, although it is not shared any more; without what is forgotten."""
    forgotten: tuple[tuple[str, str], ...]
    """Agent and id of what was forgotten here and not yet on the server."""
    new_projects: tuple[SharedProject, ...]
    """Projects that the settings share, and to which the user has not agreed yet."""
    is_first: bool
    """Whether the user never agreed to push from this machine."""

    @property
    def is_empty(self) -> bool:
        """Whether the server has everything."""
        return not (self.changed or self.removed or self.forgotten)


@dataclass
class PushSize:
    """How much would leave the machine."""

    turns: int = 0
    bytes: int = 0
    """Of the texts, before they are compressed."""
    redactions: int = 0
    left_out: int = 0
    """Turns that are too large."""


@dataclass
class PushResult:
    """What a push has done."""

    sessions: int = 0
    turns: int = 0
    bytes: int = 0
    """Of what was sent of turns, compressed."""
    removed: int = 0
    forgotten: int = 0
    redactions: int = 0
    left_out: int = 0
    refused: list[str] = field(default_factory=list)
    """Why some sessions or projects were not pushed, a sentence each."""


Progress = Callable[[int, int, PushResult], None]
"""Called after each transaction with the numbers of sessions that are done and of all that are pushed."""


class Pusher:
    """One push of a data folder: it holds the lock of the device until it is closed.

    Raises TeamError if another process of this machine pushes, and the errors of `connect`.
    """

    def __init__(self, data_dir: Path, address: TeamAddress, sharing: Sharing) -> None:
        self._data_dir = data_dir
        self._sharing = sharing
        lock = data_dir / "team" / "push.lock"
        lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = FileLock(lock)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise TeamError("Another memtui on this machine is pushing.") from None
        try:
            self._receiver = Receiver(connect(address.url))
        except BaseException:
            self._lock.release()
            raise
        self.mark = PushMark.load(data_dir, f"{place_of(address.url)} {self._receiver.device}")
        self._manifest = read_manifest(DataDir(data_dir))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._receiver.connection.close()
        self._lock.release()

    def has_nothing_new(self) -> bool:
        """Whether neither the snapshot nor the settings nor the server have changed since the last push."""
        return self.mark.local == self._local_state() and self.mark.remote == self._receiver.state

    def open_snapshot(self) -> Snapshot:
        """The newest snapshot. Raises IndexMissing, IndexBroken or IndexTooNew."""
        snapshot = Snapshot(DataDir(self._data_dir))
        self._manifest = snapshot.manifest
        return snapshot

    def plan(self, snapshot: Snapshot, *, agreed: bool) -> PushPlan:
        """Compare a snapshot with the server; `agreed`: with the projects to which the user has not agreed yet."""
        received, tombstones = self._receiver.sessions(), self._receiver.tombstones()
        forgotten = tuple(pair for pair in self._sharing.forgotten if (sent(pair[0]), sent(pair[1])) not in tombstones)
        sharing = replace(self._sharing, forgotten={*self._sharing.forgotten, *tombstones})
        shared = sharing.sessions(snapshot)
        known = {(name, root) for name, root, _ in self.mark.projects}
        new = dict.fromkeys(s.project for s in shared if not s.is_chosen and s.project[1:3] not in known)
        pushed = shared if agreed else [s for s in shared if s.is_chosen or s.project not in new]
        if not (agreed or self.mark.is_confirmed):
            pushed = []
        states = Outgoing(snapshot, self._receiver.now).states(pushed)
        changed = [
            s for s in pushed if s.identity not in received or received[s.identity].version != states[s.key].version
        ]
        identities = {session.identity for session in shared}
        indexed = {
            (sent(agent), sent(session_id), sent(parent_id or ""))
            for agent, session_id, parent_id in snapshot.rows("SELECT agent, session_id, parent_id FROM sessions")
        }
        keys = {session.project.key for session in shared} | {
            key for name, root, key in self.mark.projects if sharing.shares_project(name, root)
        }
        removed = [
            session
            for identity, session in received.items()
            if identity not in identities
            and {(identity[0], identity[1]), (identity[0], identity[2])}.isdisjoint(forgotten)
            and (identity in indexed or not _stays(identity, session, sharing, keys))
        ]
        is_first = not self.mark.is_confirmed
        return PushPlan(tuple(pushed), tuple(changed), tuple(removed), forgotten, tuple(new), is_first)

    def measure(
        self, snapshot: Snapshot, plan: PushPlan, progress: Callable[[int, int], None] = lambda *_: None
    ) -> PushSize:
        """How much would leave the machine; reads all texts of what has changed."""
        outgoing, received = Outgoing(snapshot, self._receiver.now), self._receiver.sessions()
        size = PushSize()
        with reported_errors():
            for done, session in enumerate(outgoing.sessions(plan.changed, outgoing.states(plan.changed)), 1):
                known = received.get(session.session.identity)
                digests = self._receiver.digests(known.id) if known is not None else {}
                for turn in session.turns:
                    old = digests.get(turn.number)
                    if old is None or old.digest != turn.digest:
                        size.turns += 1
                        size.bytes += len(turn.data)
                progress(done, len(plan.changed))
        size.redactions, size.left_out = outgoing.redactions.count, outgoing.left_out
        return size

    def agree(self, plan: PushPlan) -> None:
        """Remember that the user agreed to what a plan shares. Raises OSError."""
        known = {(name, root): key for name, root, key in self.mark.projects}
        for project in dict.fromkeys(session.project for session in plan.shared if not session.is_chosen):
            known[project.name, project.root] = project.key
        self.mark.projects = [[name, root, key] for (name, root), key in sorted(known.items())]
        self.mark.is_confirmed = True
        self.mark.save(self._data_dir)

    def push(self, snapshot: Snapshot, plan: PushPlan, progress: Progress = lambda *_: None) -> PushResult:
        """Make the server have what is shared.

        Raises TeamError and TeamUnreachable; what was written before that is complete.
        """
        result = PushResult()
        for agent, session_id in plan.forgotten:
            self._receiver.forget(agent, session_id)
            result.forgotten += 1
        if plan.removed:
            self._receiver.remove([session.id for session in plan.removed])
            result.removed = len(plan.removed)
        outgoing = Outgoing(snapshot, self._receiver.now)
        states = outgoing.states(plan.changed)
        projects = self._open_projects(plan.changed, result)
        sessions = [session for session in plan.changed if session.project in projects]
        self._receiver.open_months([states[session.key].started_at for session in sessions])
        _Pushing(self._receiver, outgoing, states, projects, self._receiver.sessions(), result).run(sessions, progress)
        result.redactions, result.left_out = outgoing.redactions.count, outgoing.left_out
        if not result.refused and {session.project for session in plan.shared}.issuperset(plan.new_projects):
            self.mark.local, self.mark.remote = self._local_state(), self._receiver.read_state()
            self.mark.save(self._data_dir)
        return result

    def _open_projects(self, sessions: Sequence[SharedSession], result: PushResult) -> dict[SharedProject, int]:
        """The ids of the projects of sessions, without those that are shared with others only."""
        opened: dict[SharedProject, int] = {}
        for project in dict.fromkeys(session.project for session in sessions):
            try:
                opened[project] = self._receiver.open_project(project)
            except TeamError as error:
                if getattr(error.__cause__, "sqlstate", "") != _NO_RIGHT:
                    raise
                result.refused.append(f"The project {project.name} is not pushed: {error}")
        return opened

    def _local_state(self) -> list[Any]:
        manifest = self._manifest
        if manifest is None:
            return []
        # As JSON has it, to which it is compared.
        files = [value for name, value in manifest._asdict().items() if name not in ("vectors", "written")]
        return [[*files, list(manifest.vectors or ())], self._sharing.state(), rules_in_use()]


def _stays(identity: Identity, session: ReceivedSession, sharing: Sharing, shared_keys: set[str]) -> bool:
    """Whether a session stays that the index does not have any more, as its transcript is gone."""
    agent, session_id, parent_id = identity
    own = {(agent, session_id), (agent, parent_id)}
    chosen = {sharing.choices.get(pair) for pair in own}
    if "private" in chosen or not own.isdisjoint(sharing.forgotten):
        return False
    return "shared" in chosen or session.project_key in shared_keys


@dataclass
class _Pushing:
    """The transactions of a push."""

    receiver: Receiver
    outgoing: Outgoing
    states: dict[int, SessionState]
    projects: dict[SharedProject, int]
    known: dict[Identity, ReceivedSession]
    result: PushResult
    _begun: int = 0
    """The sessions of the transaction that is going on."""

    def run(self, sessions: Sequence[SharedSession], progress: Progress) -> None:
        """Write sessions in their order, several in a transaction; one that the server refuses is left out."""
        source, done, singles = self.outgoing.sessions(sessions, self.states), 0, 0
        while done < len(sessions):
            try:
                self._transaction(source, 1 if singles else len(sessions) - done)
                done += self._begun
            except TeamError as error:
                if not _is_about_values(error):
                    raise
                if singles:
                    self.result.refused.append(f"The session {sessions[done].session_id} is not pushed: {error}")
                    done += 1
                else:
                    # One of them is not accepted: each gets a transaction of its own.
                    singles = self._begun + 1
                source = self.outgoing.sessions(sessions[done:], self.states)
            singles = max(0, singles - 1)
            progress(done, len(sessions), self.result)

    def _transaction(self, source: Iterator[OutgoingSession], most: int) -> None:
        self._begun, written = 0, 0
        with self.receiver.transaction():
            writer = self.receiver.writing()
            while self._begun < most and writer.has_room:
                outgoing = next(source)
                self._begun += 1
                session = outgoing.session
                is_known = session.identity in self.known
                written += writer.put(outgoing, self.projects[session.project], is_known=is_known)
            writer.finish()
        self.result.sessions += written
        self.result.turns += writer.turns
        self.result.bytes += writer.bytes


def _is_about_values(error: TeamError) -> bool:
    """Whether an error is about what one session has."""
    import psycopg

    cause = error.__cause__
    if isinstance(cause, psycopg.Error):
        return isinstance(cause, psycopg.DataError) or (cause.sqlstate or "")[:2] in _OWN_CLASSES
    return type(error) is TeamError and cause is None
