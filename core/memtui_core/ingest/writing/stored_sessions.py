"""Changes of the sessions that are stored, without reading a transcript: remove, shrink, insert, redact again."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection, Iterable, Mapping

from memtui_core.ingest.kept.archived_secrets import redact_archives
from memtui_core.ingest.kept.shrinking import retained_rows, shrink
from memtui_core.ingest.sources.removal import (
    ExcludedSessions,
    excluded_among,
    excluded_sessions,
    removal_of,
    remove_sessions,
)
from memtui_core.ingest.turns.sessions import SessionRow
from memtui_core.ingest.turns.stored_secrets import StoredSecrets, redacted_rows
from memtui_core.ingest.turns.turn_facts import StoredFacts
from memtui_core.ingest.writing.index_writer import IndexWriter
from memtui_core.model import Retention
from memtui_core.readers.exclusions import Exclusions, RetentionRules
from memtui_core.store.archive.left_out import leave_out
from memtui_core.store.archive.session_rows import SessionRows, insert_rows
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.store.marks.review_marks import ReviewMarks
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.tables import COLUMNS, key_condition
from memtui_core.store.vectors.files import VectorFiles
from memtui_core.system.fault_points import fault_point

_log = logging.getLogger(__name__)


class StoredSessions:
    """The sessions of an index that is written. `publish` makes changes visible, except for those of `remove`."""

    def __init__(self, writer: IndexWriter, exclusions: Exclusions, retention: RetentionRules) -> None:
        self._writer = writer
        self.data, self.work = writer.data, writer.work
        self._exclusions, self._retention = exclusions, retention
        self._facts = StoredFacts(self.work)
        self._checks_secrets = True
        """Whether it must still be checked by which rules the stored texts were redacted, see `redact_again`."""
        self._checks_projects = True
        """Whether the projects of all sessions must still be checked, see `locate_projects`."""

    @property
    def rows(self) -> Mapping[int, SessionRow]:
        """All sessions by their keys."""
        return self._writer.batch.sessions.rows

    @property
    def vectors(self) -> SnapshotVectors | None:
        """The vectors that there are; None if there are none."""
        return self._writer.vectors.at

    def vector_files(self, model: str, dimension: int) -> VectorFiles | None:
        """The files for vectors of a model; None if the index has vectors of another one."""
        return self._writer.vectors.files_of(model, dimension)

    def publish(self) -> None:
        """Publish the changes."""
        self._writer.publish()

    def excluded(self) -> ExcludedSessions:
        """The sessions that the settings exclude by now."""
        return excluded_sessions(self.work, self._exclusions)

    def sources_of_only(self, keys: Collection[int]) -> set[str]:
        """The names of the sources of which nothing is left without some sessions."""
        gone = key_condition("id", removal_of(self.work, keys).sources)
        return {path for (path,) in self.work.connection.execute(f"SELECT path FROM sources WHERE {gone}").fetchall()}

    def reload_tombstones(self) -> None:
        """Read which sessions must not come back again, because others were forgotten or brought back."""
        self._writer.batch.commit()
        self._writer.reload()

    def drop_sources(self, state: str) -> None:
        """Drop the sources of a state of which nothing is stored, so that they are read again."""
        rows = self.work.connection.execute("SELECT id FROM sources WHERE state = ?", [state]).fetchall()
        if rows:
            self._writer.begin_change()
            with self.work.transaction():
                self.work.drop("sources", {number for (number,) in rows})

    def remove(self, keys: Collection[int]) -> None:
        """Remove sessions from the index, and what they contain from all of its files. Raises OSError.

        Observations and the files of the agents stay. Without a session, what was removed before leaves all files.
        """
        self._writer.begin()
        self._writer.gone.is_due = True
        remove_sessions(self.work, removal_of(self.work, keys))
        fault_point("sessions-removed")
        self._writer.write_anew()

    def shrink(self, sessions: Mapping[int, Retention]) -> None:
        """Drop what is not kept of sessions at a level; `remove` brings it out of all files."""
        self._writer.begin()
        shrink(self.work, sessions)
        self._writer.sources.clear()
        self._renew(key_condition("session", sessions))

    def insert(self, rows: Iterable[SessionRows], *, as_stored: bool = False) -> set[int]:
        """Insert stored sessions, see `insert_rows`; the keys of those that got anything.

        Sessions that the user has forgotten are left out, and so are, unless `as_stored`, those that the settings
        exclude, and what these do not keep of others. Secrets are replaced: other rules may have been in use when they
        were stored. The turns become known to the lexicon and get vectors as if they had been read now.
        """
        self._writer.begin()
        kept = (self._insertable(group, as_stored=as_stored) for group in rows)
        keys = {key for group in kept if group is not None for key in insert_rows(self.work, group)}
        if keys:
            self._writer.reload()
            self._writer.links.add((), to_link=True)
            self._renew(f"batch = {self.work.batch} AND {key_condition('session', keys)}")
        return keys

    def _insertable(self, rows: SessionRows, *, as_stored: bool) -> SessionRows | None:
        allowed = leave_out(rows, self._writer.batch.forgets)
        if allowed is not None and not as_stored:
            excluded = excluded_among(allowed, self._exclusions)
            allowed = leave_out(allowed, lambda *session: session in excluded)
            allowed = None if allowed is None else retained_rows(allowed, self._retention)
        return None if allowed is None else redacted_rows(allowed)

    def _renew(self, condition: str) -> None:
        """Make what is made of the texts of turns: facts now, and vectors when the time comes."""
        turns = [turn for (turn,) in self.work.connection.execute(f"SELECT id FROM turns WHERE {condition}").fetchall()]
        self._facts.make(turns)
        self._writer.vectors.add(turns)

    def add_facts(self) -> None:
        """Make the facts of all turns once, when an earlier version stored them, or found others."""
        if self._facts.is_due:
            self._writer.begin_change()
            self._facts.catch_up()

    def redact_again(self) -> None:
        """Redact what is stored once, when the rules or the user's own patterns are others than before."""
        if not self._checks_secrets:
            return
        stored = StoredSecrets(self.work)
        if not stored.is_due:
            self._checks_secrets = False
            return
        # They are read after that, and may have what the index has not.
        archived = redact_archives(self.data)
        if not self._writer.restoring.is_due:
            shutil.rmtree(self.data.broken, ignore_errors=True)
        if archived:
            self._writer.gone.is_due = True
        if not stored.is_empty:
            turns = stored.redact(self._writer.begin_change)
            self._facts.make(turns)
            self._writer.vectors.add(turns)
            if stored.is_unfinished:
                _log.info("Secrets were replaced in %d stored turns", len(turns))
                self._writer.counts.turns_redacted = len(turns)
                # Texts that were written for agents may cite any session.
                shutil.rmtree(self.data.handoffs, ignore_errors=True)
                ReviewMarks(self.data.path).remove_texts()
                ReminderLog(self.data.path).remove_texts()
                self._writer.begin_change()
                self._writer.write_anew()
        stored.record()

    def locate_projects(self) -> None:
        """Find projects that an earlier version did not find, and make the paths of their files relative to them."""
        sessions = self._writer.batch.sessions
        moved = sessions.locate_again() if self._checks_projects else {}
        self._checks_projects = False
        if not moved:
            return
        self._writer.begin_change()
        session, turn, path = (list(COLUMNS["file_mentions"]).index(name) for name in ("session", "turn", "path"))
        with self.work.transaction():
            sessions.write()
            rows = [list(row) for row in self.work.rows("file_mentions", key_condition("session", moved), [])]
            self.work.drop("file_mentions", {row[turn] for row in rows})
            for row in rows:
                row[path] = row[path].removeprefix(f"{moved[row[session]]}/")
            self.work.put("file_mentions", [tuple(row) for row in rows])
        self._writer.lexicon_sync.update(self.work.mark_turns("list_contains(?, session)", [sorted(moved)]))
