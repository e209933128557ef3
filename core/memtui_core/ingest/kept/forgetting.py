"""Forget sessions for good, or bring them back within 30 days.

What is forgotten moves from all files of the index into a file of its own in the folder `forgotten`, which is deleted
later. Every step is in the log (`store/marks/tombstones.py`) before it begins: a process that dies leaves either what
was before, or what the next indexer finishes.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memtui_core.errors import NotForgotten, RecordDamaged
from memtui_core.ingest.discover import FORGOTTEN
from memtui_core.ingest.kept.archive_removal import archived_transcripts, put_back, remove_from_archive
from memtui_core.ingest.kept.shrinking import kept_too_much
from memtui_core.ingest.kept.vectors import insert_vectors, vectors_to_bytes
from memtui_core.ingest.kept.waiting_days import WaitingDays
from memtui_core.ingest.sources.removal import sessions_below
from memtui_core.readers.exclusions import RetentionRules
from memtui_core.store.archive.records import Record, RecordFile
from memtui_core.store.archive.session_rows import SessionRows, WorkRows, group_rows, groups_of
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.annotation_log import annotation_log
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.store.marks.review_marks import ReviewMarks
from memtui_core.store.marks.tombstones import Forget, ForgetLog, SessionIdentity, Tombstone, packed_entries
from memtui_core.store.tables import key_condition
from memtui_core.system.fault_points import fault_point

if TYPE_CHECKING:
    from memtui_core.ingest.writing.stored_sessions import StoredSessions

_log = logging.getLogger(__name__)
ROWS: Final = "rows"
VECTORS: Final = "vectors"
TRANSCRIPT: Final = "transcript"
ANNOTATIONS: Final = "annotations"
"""The kinds of records: the rows of a few sessions, followed by their vectors and what the archive has of their
transcripts; then what the user has added to each session."""
_MOST_BYTES: Final = 16_000_000
"""Bytes of records in memory before they are written."""
_ENTRIES: Final = """
    SELECT DISTINCT t.session, b.entry, coalesce(epoch_us(b.at_time), 0) FROM blocks b JOIN turns t ON t.id = b.turn
    WHERE {} AND b.entry IS NOT NULL ORDER BY ALL
"""
_FACTS: Final = """
    SELECT s.agent, s.session_id, s.parent_id, s.title, s.project, count(t.id), epoch_us(min(t.started_at)),
        epoch_us(max(coalesce(t.ended_at, t.started_at)))
    FROM sessions s LEFT JOIN turns t ON t.session = s.key WHERE {} GROUP BY ALL
    ORDER BY s.parent_id NULLS FIRST, min(t.started_at), s.session_id
"""


class ForgottenSession(NamedTuple):
    """A session that can be brought back."""

    identity: SessionIdentity
    title: str
    project: str
    turns: int
    first: int | None
    """When its first turn began, in microseconds since 1970."""
    last: int | None


class WaitingForget(NamedTuple):
    """Sessions that were forgotten together and can be brought back."""

    id: str
    at: float
    """Seconds since 1970."""
    seconds_left: float
    sessions: tuple[ForgottenSession, ...]


class Forgetting:
    """Forgets sessions of the index of an indexer, which has the lock of the data folder."""

    def __init__(self, stored: StoredSessions, clock: Callable[[], float] = time.time) -> None:
        self._stored = stored
        self._data = stored.data
        self._log = ForgetLog(stored.data)
        self._clock = clock
        self._days = WaitingDays(stored.data, clock)

    def catch_up(self) -> None:
        """Finish what a process that died has left, and purge what has waited for 30 days. Raises OSError."""
        forgets = self._log.forgets()
        for forget in list(forgets.values()):
            if not forget.is_removed:
                self._remove(forget)
            if forget.is_restoring:
                self._restore(forget)
            if forget.is_purging and not forget.is_purged:
                self._delete(forget.id)
        self._remove_unlogged()
        if self._data.forgotten.is_dir():
            waiting = [forget.id for forget in self._log.forgets().values() if forget.waiting]
            for name in self._days.look(waiting):
                self.purge(name)

    def forget(self, sessions: Collection[SessionIdentity], *, keeps_away: bool = True) -> Forget | None:
        """Forget sessions, with their subagents; None if the index has none of them. Raises OSError.

        Without `keeps_away` they come back when they are read again: something else keeps them away.
        """
        self.catch_up()
        self._stored.reload_tombstones()
        keys = self._keys(sessions)
        if not keys:
            return None
        name = self._log.new_id()
        self._keep(name, keys)
        fault_point("forgotten-kept")
        self._log.forget(name, self._tombstones(keys), self._clock(), keeps_away=keeps_away)
        fault_point("forget-logged")
        forget = self._log.forgets()[name]
        self._remove(forget)
        self.catch_up()
        return forget

    def shrink(self, rules: RetentionRules) -> list[SessionIdentity]:
        """Drop what the settings do not keep of stored sessions, for good; the sessions. Raises OSError."""
        self.catch_up()
        self._stored.reload_tombstones()
        work = self._stored.work
        sessions = kept_too_much(WorkRows(work), rules)
        if not sessions:
            return []
        found = [SessionIdentity(*self._stored.rows[key].unique) for key in sessions]
        name = self._log.new_id()
        self._log.shrink(name, found, self._clock())
        fault_point("shrink-logged")
        self._stored.shrink(sessions)
        self._remove(self._log.forgets()[name])
        return found

    def waiting_with(self, sessions: Collection[SessionIdentity]) -> Forget | None:
        """The last forget in which one of some sessions waits; None if none does."""
        chosen = set(sessions)
        return next((one for one in reversed(self._log.forgets().values()) if chosen & set(one.waiting)), None)

    def undo(self, name: str, sessions: Collection[SessionIdentity] | None = None) -> list[SessionIdentity]:
        """Bring back what was forgotten, or some of it; what came back.

        Sessions of the same transcript, and a session with its subagents, come back together. Raises NotForgotten if
        nothing of that waits, and OSError.
        """
        self.catch_up()
        forget = self._log.forgets().get(name)
        waiting = set(forget.waiting) if forget is not None else set()
        chosen = waiting if sessions is None else waiting.intersection(sessions)
        if forget is None or not chosen:
            raise NotForgotten(f"Nothing that was forgotten as {name} can be brought back.")
        for record in records_of(self._data, name):
            group = identities_of(record)
            if group & chosen:
                chosen |= group & waiting
        self._log.undo(name, chosen)
        fault_point("undo-logged")
        self._restore(self._log.forgets()[name])
        return sorted(chosen, key=str)

    def purge(self, name: str) -> None:
        """Remove what could be brought back of a forget. Raises NotForgotten if nothing of it waits, and OSError."""
        forget = self._log.forgets().get(name)
        if forget is None or not forget.waiting:
            raise NotForgotten(f"Nothing that was forgotten as {name} waits to be purged.")
        self._log.purge(name)
        fault_point("purge-logged")
        self._delete(name)

    def _keys(self, sessions: Collection[SessionIdentity]) -> set[int]:
        """The keys of sessions and their subagents."""
        rows = self._stored.rows
        chosen = set(sessions)
        return sessions_below(rows, {key for key, row in rows.items() if SessionIdentity(*row.unique) in chosen})

    def _keep(self, name: str, keys: Collection[int]) -> None:
        """Write what the index has of some sessions into a file of their own."""
        self._data.forgotten.mkdir(mode=0o700, parents=True, exist_ok=True)
        file, source, work = RecordFile(path_of(self._data, name)), WorkRows(self._stored.work), self._stored.work
        records: list[tuple[str, Mapping[str, Any], bytes]] = []
        whole = self._stored.sources_of_only(keys)
        for group in groups_of(source, keys):
            rows = group_rows(source, group)
            gone = whole.intersection(rows.paths)
            head = {"sessions": source.rows(_FACTS.format(key_condition("s.key", group))), "paths": sorted(gone)}
            records.append((ROWS, head, rows.to_bytes()))
            # Vectors can be made again.
            with suppress(OSError, ValueError):
                if vectors := vectors_to_bytes(work, self._stored.vectors, group):
                    records.append((VECTORS, head, vectors))
            for archived, body in archived_transcripts(self._data, gone):
                records.append((TRANSCRIPT, {**head, "archived": archived}, body))
            if sum(len(body) for *_, body in records) > _MOST_BYTES:
                file.append_all(records)
                records.clear()
        file.append_all(records)

    def _tombstones(self, keys: Collection[int]) -> list[Tombstone]:
        entries: dict[int, list[tuple[int, int]]] = {}
        for session, entry, at in WorkRows(self._stored.work).rows(_ENTRIES.format(key_condition("t.session", keys))):
            entries.setdefault(session, []).append((entry, at))
        rows = self._stored.rows
        return [
            Tombstone(SessionIdentity(*rows[key].unique), packed_entries(entries.get(key, ()))) for key in sorted(keys)
        ]

    def _remove(self, forget: Forget) -> None:
        """Remove sessions from the index and from all files beside it, and what the user has added to them."""
        sessions = [tombstone.session for tombstone in forget.tombstones]
        keys = self._keys(sessions)
        paths = self._stored.sources_of_only(keys)
        for record in records_of(self._data, forget.id):
            paths |= set(record.head["paths"])
        remove_from_archive(self._data, sessions, paths)
        if not forget.is_partial:
            self._remove_annotations(forget.id, sessions)
        self._stored.remove(set() if forget.is_partial else keys)
        # Texts that were written for agents, and those that wait for them, may cite any session.
        shutil.rmtree(self._data.handoffs, ignore_errors=True)
        ReviewMarks(self._data.path).remove_texts()
        ReminderLog(self._data.path).forget({session.session_id for session in sessions})
        fault_point("texts-removed")
        self._log.removed(forget.id)
        fault_point("removal-logged")

    def _remove_annotations(self, name: str, sessions: Collection[SessionIdentity]) -> None:
        """Move what the user has added to sessions from all logs into the file of what was forgotten with them."""
        identities = {(one.agent, one.session_id): one for one in sessions}

        def keep(lines: Mapping[tuple[str, str], bytes]) -> None:
            records: list[tuple[str, Mapping[str, Any], bytes]] = [
                (ANNOTATIONS, {"sessions": [identities[session]], "paths": []}, own) for session, own in lines.items()
            ]
            RecordFile(path_of(self._data, name)).append_all(records)
            fault_point("annotations-kept")

        annotation_log(self._data.path).remove(identities, keep)
        fault_point("annotations-removed")

    def _restore(self, forget: Forget) -> None:
        """Insert the sessions of which the tombstones are lifted."""
        self._stored.reload_tombstones()
        for record in records_of(self._data, forget.id):
            if not identities_of(record) & forget.lifted:
                continue
            try:
                if record.kind == ROWS:
                    self._stored.insert([SessionRows.from_bytes(record.body())], as_stored=True)
                elif record.kind == TRANSCRIPT:
                    put_back(self._data, record.head["archived"], record.body())
                elif record.kind == ANNOTATIONS:
                    annotation_log(self._data.path).restore(record.body())
                else:
                    insert_vectors(self._stored.work, self._stored.vector_files, record.body())
            except (RecordDamaged, ValueError) as error:
                _log.warning("Something that was forgotten could not be brought back whole: %s", error)
        self._stored.drop_sources(FORGOTTEN)
        self._stored.publish()
        fault_point("forgotten-inserted")
        if not forget.waiting:
            self._unlink(forget.id)
        else:
            lifted = set(forget.lifted)
            RecordFile(path_of(self._data, forget.id)).rewrite(lambda record: not identities_of(record) & lifted)
        fault_point("forgotten-rewritten")
        self._log.restored(forget.id)

    def _delete(self, name: str) -> None:
        self._unlink(name)
        fault_point("forgotten-deleted")
        self._log.purged(name)

    def _unlink(self, name: str) -> None:
        path = path_of(self._data, name)
        for file in (path, *path.parent.glob(f"*{path.name}.*")):
            file.unlink(missing_ok=True)
        self._days.end(name)

    def _remove_unlogged(self) -> None:
        """Remove the files of sessions that were not forgotten after all, or have been purged.

        One of which the log knows nothing, and the index neither, may be the only copy: it stays.
        """
        forgets = self._log.forgets()
        for path in sorted(self._data.forgotten.glob("*.records")):
            name = path.stem
            if name in forgets:
                is_needed = bool(forgets[name].waiting)
            else:
                sessions = {session for record in records_of(self._data, name) for session in identities_of(record)}
                is_needed = not sessions <= {SessionIdentity(*row.unique) for row in self._stored.rows.values()}
            if not is_needed:
                self._unlink(name)


def path_of(data: DataDir, name: str) -> Path:
    """The file with what was forgotten under an id."""
    return data.forgotten / f"{name}.records"


def records_of(data: DataDir, name: str) -> Iterator[Record]:
    """The records of what was forgotten under an id."""
    return RecordFile(path_of(data, name)).records()


def identities_of(record: Record) -> set[SessionIdentity]:
    """The sessions in a record."""
    return {SessionIdentity(*session[:3]) for session in record.head["sessions"]}


def waiting_forgets(data: DataDir) -> list[WaitingForget]:
    """What can be brought back, the newest first; needs no lock. Raises MemtuiError and OSError."""
    days, found = WaitingDays(data), []
    for forget in ForgetLog(data).forgets().values():
        waiting = set(forget.waiting)
        if not waiting:
            continue
        sessions = {
            identity: ForgottenSession(identity, *session[3:])
            for record in records_of(data, forget.id)
            if record.kind == ROWS
            for session in record.head["sessions"]
            if (identity := SessionIdentity(*session[:3])) in waiting
        }
        left = days.left(forget.id)
        found.append(WaitingForget(forget.id, forget.at, left, tuple(sessions.values())))
    return sorted(found, key=lambda one: -one.at)
