"""Ingest transcripts, and keep those read last in memory, so that little is read again when they grow."""

from __future__ import annotations

import logging
from collections.abc import Callable

from memtui_core.errors import SourceUnreadable
from memtui_core.ingest.discover import EXCLUDED, FORGOTTEN, Pending
from memtui_core.ingest.machines.origin import machine_of_source
from memtui_core.ingest.sources.batch import Batch
from memtui_core.ingest.sources.removal import remove_turns
from memtui_core.ingest.sources.rows import put_source
from memtui_core.ingest.sources.shared_entries import SharedEntries
from memtui_core.ingest.sources.source_ingest import (
    NOTHING_STORED,
    Outcome,
    SessionExcluded,
    SessionForgotten,
    SourceIngest,
    Stopped,
    StoredState,
)
from memtui_core.readers.base import START
from memtui_core.readers.exclusions import KEEP_ALL, Exclusions, RetentionRules
from memtui_core.readers.registry import reader_of
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system.failures import fault_text, is_damage, is_of_machine

_log = logging.getLogger(__name__)
MOST_LIVE = 16
"""The most transcripts in memory. When another one grows, its last turn is read again."""


class LiveSources:
    """Ingests transcripts into a batch and caches those read last."""

    def __init__(self, batch: Batch, exclusions: Exclusions, retention: RetentionRules = KEEP_ALL) -> None:
        self._batch = batch
        self._exclusions = exclusions
        self._retention = retention
        self._sources: dict[str, SourceIngest] = {}

    def read(self, pending: Pending, stopped: Callable[[], bool]) -> Outcome:
        """Ingest the changes of one transcript. Raises Stopped; errors of the transcript are stored, not raised."""
        outcome = Outcome()
        source = self._sources.pop(pending.transcript.name, None)
        if source is not None and not _can_resume(source, pending, outcome, stopped):
            source = None
        self._batch.begin(own_transaction=pending.known is not None and source is None)
        try:
            source = source or self._open(pending, outcome, stopped)
            try:
                source.run()
            except SourceUnreadable as error:
                _log.warning("%s: %s", pending.transcript.name, error)
                source.record_error(str(error))
        except Exception as error:
            self._batch.abandon()
            if isinstance(error, Stopped) or is_of_machine(error) or is_damage(error):
                raise
            outcome.turns = outcome.blocks = 0
            outcome.changed.clear()
            if isinstance(error, SessionExcluded | SessionForgotten):
                self._record(pending, EXCLUDED if isinstance(error, SessionExcluded) else FORGOTTEN, None)
            else:
                self._record_failure(pending, error)
        except BaseException:
            self._batch.abandon()
            raise
        else:
            if source.named_origin is not None or pending.cursor == START:
                self._batch.add_named_origin(pending.transcript.agent, source.session_id, source.named_origin)
            self._keep(source)
        self._batch.finish()
        return outcome

    def clear(self) -> None:
        """Clear the cache, because stored turns were changed by something else."""
        self._sources.clear()

    def _open(self, pending: Pending, outcome: Outcome, stopped: Callable[[], bool]) -> SourceIngest:
        reader = reader_of(pending.transcript.agent)
        if reader is None:
            raise LookupError(f"no reader of {pending.transcript.agent}")
        batch, transcript, known = self._batch, pending.transcript, pending.known
        number = known.id if known is not None else batch.next_id("sources")
        reading = reader.read(transcript, pending.cursor)
        may_displace = reading.from_start and not pending.is_displaced
        copied_session = known.session if known is not None and known.is_copy and not reading.from_start else None
        shared = SharedEntries(batch, number, pending.whole, may_displace=may_displace, copied_session=copied_session)
        stored = NOTHING_STORED
        if known is not None:
            batch.mark_uncertain(number)
            batch.sessions.recount(remove_turns(batch.work, number, 0 if reading.from_start else pending.cursor.line))
            stored = _stored_state(batch.work, number)
        machine = machine_of_source(batch.work.data, transcript.name)
        return SourceIngest(
            batch, number, pending, reading, shared, outcome, stopped, self._exclusions, stored, machine,
            self._retention,
        )  # fmt: skip

    def _keep(self, source: SourceIngest) -> None:
        """Keep a transcript, and drop the one that has not changed for the longest time if there are too many."""
        if source.can_continue:
            self._sources[source.transcript.name] = source
        if len(self._sources) > MOST_LIVE:
            del self._sources[min(self._sources, key=lambda name: self._sources[name].transcript.mtime)]

    def _record_failure(self, pending: Pending, error: Exception) -> None:
        """Store why a transcript could not be read: even a defect of memtui must not stop the ingest of the others."""
        is_fault = not isinstance(error, SourceUnreadable)
        level, name = logging.ERROR if is_fault else logging.WARNING, pending.transcript.name
        _log.log(level, "%s: %s", name, error, exc_info=is_fault)
        self._record(pending, "error", fault_text(error) if is_fault else str(error))

    def _record(self, pending: Pending, state: str, error: str | None) -> None:
        """Store the state of a transcript of which nothing is stored; what the index has of it is kept."""
        known, transcript = pending.known, pending.transcript
        self._batch.begin(own_transaction=known is not None)
        if known is not None:
            self._batch.drop("sources", known.id)
        put_source(
            self._batch,
            known.id if known else self._batch.next_id("sources"),
            transcript.name,
            transcript.agent,
            state,
            size=transcript.size,
            mtime=transcript.mtime,
            session=known.session if known else None,
            cursor=pending.cursor,
            lines=known.cursor.line if known else 0,
            error=error,
        )


def _can_resume(source: SourceIngest, pending: Pending, outcome: Outcome, stopped: Callable[[], bool]) -> bool:
    """Whether a transcript in memory continues with what was added; what fails is opened again, which says why."""
    try:
        return source.resume(pending, outcome, stopped)
    except Exception as error:
        if is_of_machine(error) or is_damage(error):
            raise
        return False


def _stored_state(work: WorkDatabase, source: int) -> StoredState:
    """What is stored of a source."""
    [(turns, last_segment)] = work.connection.execute(
        "SELECT count(*), coalesce(max(segment), 0) FROM turns WHERE source = ?", [source]
    ).fetchall()
    bad_lines, segment = (
        int(work.scalar(f"SELECT count(*) FROM {table} WHERE source = ?", [source])) if work.may_have(table) else 0
        for table in ("bad_lines", "compactions")
    )
    return StoredState(turns, bad_lines, segment, segment > last_segment)
