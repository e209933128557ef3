"""The indexer: the only writer of the index. It reads transcripts, stores them and publishes snapshots."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType

from memtui_core.errors import MemtuiError
from memtui_core.ingest.compaction_reviews import CompactionReviews
from memtui_core.ingest.discover import LONGEST_CHAIN, Pending, known_sources, plan, sources_with, transcript_of
from memtui_core.ingest.kept.archived_secrets import redact_archives
from memtui_core.ingest.kept.forgetting import Forgetting
from memtui_core.ingest.kept.gone_sessions import GoneSessions
from memtui_core.ingest.kept.restoring import Restoring
from memtui_core.ingest.kept.shrinking import retained_rows, shrink
from memtui_core.ingest.kept.transcripts import TranscriptKeeper
from memtui_core.ingest.last_run import FileState, index_files
from memtui_core.ingest.lexicon_sync import LexiconSync
from memtui_core.ingest.sources.batch import Batch
from memtui_core.ingest.sources.linking import Links
from memtui_core.ingest.sources.live_sources import LiveSources
from memtui_core.ingest.sources.reading_queue import ReadingQueue
from memtui_core.ingest.sources.removal import (
    ExcludedSessions,
    drop_prompts,
    excluded_among,
    excluded_sessions,
    removal_of,
    remove_sessions,
    superseded_prompts,
)
from memtui_core.ingest.sources.rows import put_unread
from memtui_core.ingest.sources.shared_entries import copies_of, copies_to_reread, forks_to_reread
from memtui_core.ingest.sources.source_ingest import Outcome, Stopped
from memtui_core.ingest.speed import ReadingSpeed
from memtui_core.ingest.turns.project_files import OutsideFiles
from memtui_core.ingest.turns.sessions import SessionRow
from memtui_core.ingest.turns.stored_secrets import StoredSecrets, redacted_rows
from memtui_core.ingest.vectors.turn_vectors import TurnVectors
from memtui_core.ingest.workers.merging import Merging
from memtui_core.ingest.workers.pool import Preparation
from memtui_core.model import Progress, Retention
from memtui_core.readers.base import START
from memtui_core.readers.exclusions import KEEP_ALL, NOTHING, Exclusions, RetentionRules
from memtui_core.readers.locations import Location, Recognized, RecognizedFiles
from memtui_core.search.embed import Embedder
from memtui_core.store.archive.left_out import leave_out
from memtui_core.store.archive.session_rows import SessionRows, insert_rows
from memtui_core.store.data_folder import DataDir
from memtui_core.store.lexicon import LexiconWriter
from memtui_core.store.marks.review_marks import ReviewMarks
from memtui_core.store.processes import TypingPause, has_readers, read_progress, write_progress
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.snapshot.publisher import Publisher, PublishSchedule
from memtui_core.store.tables import COLUMNS, key_condition
from memtui_core.store.vectors.files import VectorFiles
from memtui_core.store.vectors.index_entry import remove_indexes
from memtui_core.store.work.database import WorkDatabase
from memtui_core.store.work.lock import acquire
from memtui_core.system.failures import failure_text, refusal_of
from memtui_core.system.fault_points import fault_point
from memtui_core.system.machine import processors, release_memory
from memtui_core.system.private_files import make_private_folder

_log = logging.getLogger(__name__)
REPORT_EVERY = 0.1
"""Seconds between two reports of progress."""
REPORTED_BYTES = 1_000_000
"""Progress is reported if so many bytes of changed files are to be read; fewer are read in an instant."""
REOPEN_EVERY = 35_000_000
"""Bytes of transcripts after which the work database is opened again, because it needs more memory with each."""
_MEASURED = 1.0
"""Seconds of reading after which its speed is reported."""
VECTORS_EVERY = 120.0
"""Seconds between two snapshots while only vectors are made, which keyword search does not need."""


@dataclass(slots=True)
class Counts:
    """The work that an indexer did since it was opened."""

    files_read: int = 0
    files_prepared: int = 0
    """How many of the files read were prepared by another process."""
    turns_written: int = 0
    blocks_written: int = 0
    documents_written: int = 0
    texts_embedded: int = 0
    snapshots: int = 0
    sessions_restored: int = 0
    """How many sessions that are gone from their sources were inserted into an index that was made anew."""
    records_archived: int = 0
    """How many records were added to the archive of what is gone from its source."""
    turns_redacted: int = 0
    """How many stored turns contained secrets by rules that are newer than they."""


class Indexer:
    """Writes the index of a data folder, which it locks until it is closed.

    Raises MemtuiError if the folder cannot be created, and IndexerBusy if another process has the lock for `wait`
    seconds or until `stopped` returns True. Nothing that is excluded is added to the index, and of other sessions what
    `retention` says. The vectors of the project that contains `folder` are made first. Many new transcripts are
    prepared by at most `processes` other processes; None means one for each processor. `what` tells others which
    program has the lock; a process that has it and was stopped, or hangs, is ended.
    """

    def __init__(
        self,
        data_dir: Path,
        wait: float = 0,
        stopped: Callable[[], bool] = lambda: False,
        exclusions: Exclusions = NOTHING,
        folder: str = "",
        processes: int | None = None,
        what: str = "memtui",
        retention: RetentionRules = KEEP_ALL,
    ) -> None:
        self.data = DataDir(data_dir)
        if (refusal := refusal_of(data_dir.absolute())) is not None:
            raise MemtuiError(refusal)
        try:
            self.was_open_to_others = make_private_folder(data_dir)
            """Whether other users could read the data folder until now."""
        except OSError as error:
            raise MemtuiError(failure_text(error, data_dir)) from error
        self.lock = acquire(self.data, what, wait, stopped)
        try:
            self.work = WorkDatabase(self.data)
            self.lexicon = LexiconWriter(self.data.lexicon)
            if self.work.restore_reason:
                _log.warning(
                    "The index in %s was restored from its last snapshot: %s", data_dir, self.work.restore_reason
                )
            self._restoring = Restoring(self.work)
            if self.work.restore_reason or self._restoring.is_due:
                self.lexicon.clear()
        except BaseException:
            self.lock.release()
            raise
        self.publisher = Publisher(self.work)
        self.counts = Counts()
        self.schedule = PublishSchedule(is_read=partial(has_readers, self.data))
        self._exclusions = exclusions
        self.retention = retention
        """What is kept of sessions."""
        self._processes = processors() if processes is None else processes
        self._checks_excluded = True
        """Whether sources that are stored as excluded must still be checked, as the settings may have changed since."""
        self._checks_secrets = True
        """Whether it must still be checked by which rules the stored texts were redacted, see `_redact_again`."""
        self._checks_projects = True
        """Whether the projects of all sessions must still be checked, see `_locate_projects`."""
        self.pause = TypingPause(self.data)
        """Pauses the embedding between two chunks."""
        published = self.publisher.published
        self._batch = Batch(self.work, self.publisher.batch or 0)
        self._sources = LiveSources(self._batch, exclusions, retention)
        self._lexicon_sync = LexiconSync(self.work, self.lexicon)
        self._links = Links(self.work, self._batch, self._lexicon_sync)
        self._reviews = CompactionReviews(self.work)
        self._gone = GoneSessions(self.work)
        self._outside_files = OutsideFiles(self.work)
        reported = read_progress(data_dir) if published is not None and not self.work.restore_reason else None
        self._vectors = TurnVectors(self.work, published.vectors if published else None, folder, reported)
        self.forgetting = Forgetting(self)
        """Forgets sessions, and brings them back."""
        self.recognized: RecognizedFiles = {}
        """What the last scan of everything recognized."""
        self.files_left: tuple[FileState, ...] = ()
        """The files of the index as they were when it was closed."""
        self._changed_at: dict[int, float] = {}
        """When turns were written that may still grow, in seconds of the monotonic clock."""

    def __enter__(self) -> Indexer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            try:
                self.publisher.tidy()
            except Exception:
                # Everything is published, and the next run will tidy.
                _log.exception("The index in %s was not tidied", self.data.path)
            self.close()
            return
        # If closing fails too, the error that ended the work is the one to report.
        with suppress(Exception):
            self.close()

    def close(self) -> None:
        """Close the index and release the lock."""
        with ExitStack() as stack:
            stack.callback(self.lock.release)
            stack.callback(self._note_files)
            stack.callback(self.work.close)
            stack.callback(self.lexicon.close)

    def _note_files(self) -> None:
        self.files_left = index_files(self.data)

    def update(
        self,
        locations: Sequence[Location],
        stopped: Callable[[], bool] = lambda: False,
        changed: Collection[Path] | None = None,
    ) -> Iterator[Progress]:
        """Bring the index up to date with the locations, newest sessions first; yields progress at intervals.

        Of unchanged sources only size and time are read, and nothing is written. With `changed`, only these files and
        folders are scanned, and progress is yielded only if they are large. Compactions are not reviewed: see `review`.
        When `stopped` returns True, the update ends within the time of one chunk of records; transcripts that were read
        completely are kept.
        """
        stopped = self.lock.beating(stopped)
        if changed is None:
            self.forgetting.catch_up()
        self._redact_again()
        self._locate_projects()
        if is_restoring := self._restoring.is_due and changed is None:
            self._restoring.begin()
            self._restore(self._restoring.gone())
        recognized = Recognized(self.recognized) if changed is None else None
        changes = plan(
            self.work,
            locations,
            changed,
            self._exclusions,
            checks_excluded=self._checks_excluded and changed is None,
            recognized=recognized,
        )
        if recognized is not None:
            self.recognized = recognized.files
        checks_excluded, self._checks_excluded = self._checks_excluded, self._checks_excluded and changed is not None
        queue = ReadingQueue(changes.pending)
        total, done, files_read = sum(item.unread_bytes for item in changes.pending), 0, 0
        is_bulk = total > self.publisher.recording_limit
        if is_bulk:
            self.work.changes.discard()
        if changes.has_unread:
            self._begin_change()
            put_unread(self._batch, changes)
            self._gone.is_due |= bool(changes.gone)
        if self._links.is_due():
            self._begin_change()
            self.work.write_batch()
        self._batch.expect_sources(len(queue))
        self.schedule.begin()
        is_reported = changed is None or total >= REPORTED_BYTES
        if is_reported and (total or not (self._vectors.has_figures or self._published)):
            yield self._report(Progress(0, total, 0, files=len(queue)))
        if is_reported:
            self._vectors.count()
        speed, reported, done_before, reopened = ReadingSpeed(_MEASURED, REPORTED_BYTES), time.monotonic(), 0, 0
        with closing(
            Preparation(changes.pending, self._processes, self._exclusions, self.data, self.retention)
        ) as preparation:
            merging = Merging(self._batch, preparation)
            while queue and not stopped():
                item = queue.take().piece()
                try:
                    has_more = self._read(item, queue, merging, stopped)
                except Stopped:
                    break
                done, files_read = done + item.unread_bytes, files_read + (not has_more)
                if done == item.unread_bytes:
                    # Until then other processes were started.
                    reported, done_before = time.monotonic(), done
                if done - reopened >= REOPEN_EVERY:
                    reopened = done
                    self._batch.commit()
                    # If all were counted at the end, their texts would be in memory at the same time.
                    self._vectors.count()
                    self.work.reopen()
                if changed is None and self.schedule.due and queue:
                    began = time.monotonic()
                    self.publish()
                    # What the keyword index needed is not given back otherwise, and reading would add to it.
                    release_memory()
                    speed.published(seconds := time.monotonic() - began)
                    reported += seconds
                    if is_bulk:
                        # A delta with the rest would cost more than another base.
                        self.work.changes.discard()
                if (seconds := time.monotonic() - reported) >= REPORT_EVERY:
                    speed.read(done - done_before, seconds)
                    reported, done_before = reported + seconds, done
                    yield self._report(
                        Progress(
                            min(done, total),
                            total,
                            files_read,
                            item.transcript.name,
                            seconds_left=speed.seconds_left(max(0, total - done)),
                            bytes_per_second=speed.rate,
                            files=files_read + len(queue),
                        )
                    )
        self._batch.commit()
        if queue:
            # Some of these may not have been read.
            self._checks_excluded = checks_excluded
        if is_restoring and not queue:
            self._restore(self._restoring.unread(changes.seen))
            self._restoring.finish()
        self._drop_known_prompts(changes.pending)
        self._outside_files.mark_new()
        self.publish(complete=not queue)
        if is_reported or self._vectors.has_uncounted_turns:
            self._vectors.count()
            files = files_read + len(queue)
            yield self._report(Progress(min(done, total), total, files_read, finished=not queue, files=files))

    def _drop_known_prompts(self, items: Sequence[Pending]) -> None:
        """Remove the prompts of sessions of which another source has turns, if there may be any."""
        may_be_known = any(item.known is None or item.transcript.prompts_only for item in items)
        if may_be_known and (superseded := superseded_prompts(self._batch)):
            self._begin_change()
            drop_prompts(self._batch, superseded)
            self._sources.clear()
            self._batch.commit()

    def embed(
        self,
        embedder: Embedder,
        stopped: Callable[[], bool] = lambda: False,
        *,
        excluded: Collection[int] = (),
        publish_rest: bool = True,
    ) -> Iterator[Progress]:
        """Make the missing vectors, those of the newest turns first; yields progress at intervals.

        Ends when all turns except the excluded ones have vectors, or when `stopped` returns True; vectors already made
        are kept. With `publish_rest`, all of them are published at the end, otherwise with the next change.
        """
        stopped = self.lock.beating(stopped)
        self._begin_change()
        embedding = self._vectors.embedding_by(embedder, self.pause)
        backlog = self._vectors.backlog()
        done, before = 0, embedding.embedded
        for turns in embedding.run(stopped, excluded):
            done += turns
            if self.schedule.age >= VECTORS_EVERY:
                self.publish()
            self._begin_change()
            yield self._report(Progress(0, 0, 0, stage="embedding"))
        self.counts.texts_embedded += embedding.embedded - before
        complete = not backlog.pending(excluded)
        if publish_rest or complete:
            self.publish()
        if done or publish_rest:
            yield self._report(Progress(0, 0, 0, finished=complete, stage="embedding"))

    def review(
        self,
        stopped: Callable[[], bool] = lambda: False,
        embedder: Embedder | None = None,
        transcript: Path | None = None,
    ) -> Iterator[Progress]:
        """Review the compactions, or those of a transcript, that have no review yet; with a model by meaning too.

        Publishes at intervals, and yields progress unless it takes only an instant. Ends when all are reviewed, or when
        `stopped` returns True; the reviews already made are kept.
        """
        stopped = self.lock.beating(stopped)
        reported, progress = time.monotonic(), None
        for done, total in self._reviews.review_new(stopped, self._begin_change, embedder, transcript):
            if self.schedule.age >= VECTORS_EVERY:
                self.publish()
            if (now := time.monotonic()) - reported >= REPORT_EVERY:
                reported, progress = now, Progress(done, total, 0, stage="reviewing")
                yield self._report(progress)
        self.publish()
        if progress is not None:
            yield self._report(replace(progress, finished=True))

    @property
    def misses_outside_files(self) -> bool:
        """Whether turns that an earlier version stored may lack files outside their project."""
        return self._outside_files.is_due

    def add_outside_files(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Add these files to the turns, and publish; ends when `stopped` returns True."""
        if not self.misses_outside_files:
            return
        self._begin_change()
        if turns := self._outside_files.catch_up(self._batch.project_files, stopped):
            self._lexicon_sync.update(self.work.mark_turns("list_contains(?, id)", [turns]))
        self.publish()

    def needs_review(self, *, by_meaning: bool) -> bool:
        """Whether a compaction has no review yet, or with `by_meaning` only one by words."""
        return self._reviews.is_due(by_meaning=by_meaning)

    def unembedded(self, embedder: Embedder, excluded: Collection[int] = ()) -> bool:
        """Whether turns, except the excluded ones, have no vectors of a model."""
        return self._vectors.has_pending(embedder, excluded)

    def report_vector_index(self, *, finished: bool) -> None:
        """Report that the vector index is built by another process, or that it is not any more."""
        vectors = self._vectors.at
        self._report(Progress(0, vectors.size if vectors else 0, 0, finished=finished, stage="vector index"))

    def growing(self, seconds: float) -> set[int]:
        """The turns that were written in the last `seconds`, so that they may still grow."""
        since = time.monotonic() - seconds
        self._changed_at = {turn: at for turn, at in self._changed_at.items() if at >= since}
        return set(self._changed_at)

    def publish(self, *, complete: bool = False) -> None:
        """Commit all changes to work database and lexicon, then publish them; does nothing if nothing changed.

        `complete` means that every changed transcript was read.
        """
        started = time.monotonic()
        self.lock.beat()
        self._batch.commit()
        self._number_turns()
        if self._published:
            self._archive_gone()
            return
        self._begin_change()
        if self._links.resolve(complete=complete):
            self._sources.clear()
        self._archive_gone()
        self.work.write_batch()
        fault_point("batch-written")
        self.counts.documents_written += self._lexicon_sync.catch_up()
        self.publisher.publish(self._vectors.at, final=complete)
        self.schedule.published(started)
        fault_point("indexer-published")
        self.counts.snapshots += 1
        _log.debug("published in %.2f s; %s", time.monotonic() - started, self.counts)

    def excluded(self) -> ExcludedSessions:
        """The sessions in the index that the settings exclude by now."""
        return excluded_sessions(self.work, self._exclusions)

    @property
    def sessions(self) -> Mapping[int, SessionRow]:
        """All sessions of the index by their keys."""
        return self._batch.sessions.rows

    @property
    def vectors(self) -> SnapshotVectors | None:
        """The vectors that there are; None if there are none."""
        return self._vectors.at

    def vector_files(self, model: str, dimension: int) -> VectorFiles | None:
        """The files for vectors of a model; None if the index has vectors of another one."""
        return self._vectors.files_of(model, dimension)

    def sources_of_only(self, keys: Collection[int]) -> set[str]:
        """The names of the sources of which nothing is left without some sessions."""
        gone = key_condition("id", removal_of(self.work, keys).sources)
        return {path for (path,) in self.work.connection.execute(f"SELECT path FROM sources WHERE {gone}").fetchall()}

    def reload_tombstones(self) -> None:
        """Read which sessions must not come back again, because others were forgotten or brought back."""
        self._batch.commit()
        self._sources.clear()
        self._batch.reload()

    def drop_sources(self, state: str) -> None:
        """Drop the sources of a state of which nothing is stored, so that they are read again."""
        rows = self.work.connection.execute("SELECT id FROM sources WHERE state = ?", [state]).fetchall()
        if rows:
            self._begin_change()
            with self.work.transaction():
                self.work.drop("sources", {number for (number,) in rows})

    def remove(self, keys: Collection[int]) -> None:
        """Remove sessions from the index, and what they contain from all of its files. Raises OSError.

        Observations and the files of the agents stay. Without a session, what was removed before leaves all files.
        """
        self._batch.commit()
        self._begin_change()
        self._gone.is_due = True
        remove_sessions(self.work, removal_of(self.work, keys))
        fault_point("sessions-removed")
        self._write_anew()

    def _redact_again(self) -> None:
        """Redact what is stored once, when the rules or the user's own patterns are others than before."""
        if not self._checks_secrets:
            return
        stored = StoredSecrets(self.work)
        if not stored.is_due:
            self._checks_secrets = False
            return
        # They are read after that, and may have what the index has not.
        archived = redact_archives(self.data)
        if not self._restoring.is_due:
            shutil.rmtree(self.data.broken, ignore_errors=True)
        if archived:
            self._gone.is_due = True
        if not stored.is_empty:
            turns = stored.redact(self._begin_change)
            self._vectors.add(turns)
            if stored.is_unfinished:
                _log.info("Secrets were replaced in %d stored turns", len(turns))
                self.counts.turns_redacted = len(turns)
                # Texts that were written for agents may cite any session.
                shutil.rmtree(self.data.handoffs, ignore_errors=True)
                ReviewMarks(self.data.path).remove_texts()
                self._begin_change()
                self._write_anew()
        stored.record()

    def _write_anew(self) -> None:
        """Publish, and leave nothing of what was removed or replaced in any file. Raises OSError."""
        self._sources.clear()
        self._batch.reload()
        # Readers need not wait until all files are new.
        self.publish()
        fault_point("sessions-out-of-sight")
        self._begin_change()
        if (smaller := self._vectors.without_unused(even_few=True)) is not None:
            self._vectors.replace(smaller)
        fault_point("removed-vectors-left-out")
        # A removed turn stays in the lexicon until the next batch.
        self._lexicon_sync.clear()
        fault_point("lexicon-cleared")
        self.work.rewrite()
        self.publish()
        fault_point("removal-published")
        self.publisher.remove_previous()
        remove_indexes(self.data)
        fault_point("removed-files-gone")
        # They name turns and sessions that are gone.
        self.data.progress.unlink(missing_ok=True)
        self.data.last_list.unlink(missing_ok=True)
        self.data.last_run.unlink(missing_ok=True)
        self.data.opened.unlink(missing_ok=True)

    def shrink(self, sessions: Mapping[int, Retention]) -> None:
        """Drop what is not kept of sessions at a level; `remove` brings it out of all files."""
        self._batch.commit()
        self._begin_change()
        shrink(self.work, sessions)
        self._sources.clear()
        keys = key_condition("session", sessions)
        turns = self.work.connection.execute(f"SELECT id FROM turns WHERE {keys}").fetchall()
        self._vectors.add(turn for (turn,) in turns)

    def insert(self, rows: Iterable[SessionRows], *, as_stored: bool = False) -> set[int]:
        """Insert stored sessions, see `insert_rows`; the keys of those that got anything. `publish` makes them visible.

        Sessions that the user has forgotten are left out, and so are, unless `as_stored`, those that the settings
        exclude, and what these do not keep of others. Secrets are replaced: other rules may have been in use when they
        were stored. The turns become known to the lexicon and get vectors as if they had been read now.
        """
        self._batch.commit()
        self._begin_change()
        kept = (self._insertable(group, as_stored=as_stored) for group in rows)
        keys = {key for group in kept if group is not None for key in insert_rows(self.work, group)}
        if keys:
            self._sources.clear()
            self._batch.reload()
            self._links.add((), to_link=True)
            inserted = f"batch = ? AND {key_condition('session', keys)}"
            turns = self.work.connection.execute(f"SELECT id FROM turns WHERE {inserted}", [self.work.batch])
            self._vectors.add(turn for (turn,) in turns.fetchall())
        return keys

    def _insertable(self, rows: SessionRows, *, as_stored: bool) -> SessionRows | None:
        allowed = leave_out(rows, self._batch.forgets)
        if allowed is not None and not as_stored:
            excluded = excluded_among(allowed, self._exclusions)
            allowed = leave_out(allowed, lambda *session: session in excluded)
            allowed = None if allowed is None else retained_rows(allowed, self.retention)
        return None if allowed is None else redacted_rows(allowed)

    def keeper(self, locations: Sequence[Location]) -> TranscriptKeeper:
        """What archives the transcripts of this index; `locations` say which of them their agents delete."""
        return TranscriptKeeper(self.work, self.data, locations, self._exclusions, self.retention)

    def tidy(self) -> None:
        """Remove unused vectors, write a new base if that pays, and free memory; for an idle process."""
        if (smaller := self._vectors.without_unused()) is not None:
            self._begin_change()
            self._vectors.replace(smaller)
            self.publish()
        elif self.publisher.published is not None and self.publisher.published.vectors != self._vectors.at:
            # The vectors were converted from those of an earlier version.
            self._begin_change()
            self.work.write_batch()
            self.publish()
        self.publisher.tidy()
        fault_point("index-tidied")
        self.work.release_memory()

    def _read(self, item: Pending, queue: ReadingQueue, merging: Merging, stopped: Callable[[], bool]) -> bool:
        """Read a transcript or a piece of it; whether there is more of it, which is the first in the queue then."""
        self._begin_change()
        outcome = Outcome()
        documents = merging.add(item, outcome, stopped)
        if documents is None:
            displaced, outcome = outcome.displaced, self._sources.read(item, stopped)
            outcome.displaced = [*displaced, *outcome.displaced]
        else:
            self._batch.finish()
            self.counts.files_prepared += 1
            for document in documents:
                self._lexicon_sync.add(document)
            if self._lexicon_sync.holds_much:
                # What is in the lexicon must be in the work database: ids that it loses are given again.
                self._batch.commit()
                self._lexicon_sync.commit_part()
        fault_point("transcript-read")
        self.counts.files_read += not outcome.has_more
        self.counts.turns_written += outcome.turns
        self.counts.blocks_written += outcome.blocks
        self._links.add(outcome.retitled, to_link=outcome.to_link or item.known is None)
        self._vectors.add(outcome.changed)
        self._changed_at.update(dict.fromkeys(outcome.changed[-1:], time.monotonic()))
        to_reread = self._sources_to_reread(item, outcome)
        if outcome.displaced or outcome.needs_full_read or to_reread:
            self._sources.clear()
            self._batch.commit()
            for source in sources_with(self.work, {*to_reread, *outcome.displaced}):
                if (transcript := transcript_of(source)) is not None:
                    is_displaced, chain_length = source.id not in to_reread, item.chain_length + 1
                    queue.put_first(Pending(transcript, source.from_start(), is_displaced, chain_length))
            if outcome.needs_full_read:
                name = item.transcript.name
                queue.put_first(Pending(item.whole, known_sources(self.work, [name])[name].from_start()))
                return False
        if outcome.has_more:
            self._batch.commit()
            queue.put_first(item.next_piece(known_sources(self.work, [item.transcript.name])))
        return outcome.has_more

    def _sources_to_reread(self, item: Pending, outcome: Outcome) -> set[int]:
        """The sources to read again, because entries that they share with a changed transcript may be theirs now."""
        source = item.known
        if source is not None and item.shrank:
            # Its copies may have entries that it has lost.
            return set(copies_of(self.work, source).values())
        if item.is_displaced or item.chain_length == LONGEST_CHAIN or (source is None and not outcome.displaced):
            return set()
        if item.cursor == START:
            self._batch.commit()
            number = int(self.work.scalar("SELECT id FROM sources WHERE path = ?", [item.transcript.name]))
            return forks_to_reread(self.work, number, 0)
        if source is None or source.is_copy:
            return set()
        is_forked = source.session is not None and self._batch.sessions.is_forked(source.session)
        forks = forks_to_reread(self.work, source.id, source.complete_lines) if is_forked else set()
        return forks | copies_to_reread(self.work, source)

    def _locate_projects(self) -> None:
        """Find projects that an earlier version did not find, and make the paths of their files relative to them."""
        moved = self._batch.sessions.locate_again() if self._checks_projects else {}
        self._checks_projects = False
        if not moved:
            return
        self._begin_change()
        session, turn, path = (list(COLUMNS["file_mentions"]).index(name) for name in ("session", "turn", "path"))
        with self.work.transaction():
            self._batch.sessions.write()
            rows = [list(row) for row in self.work.rows("file_mentions", key_condition("session", moved), [])]
            self.work.drop("file_mentions", {row[turn] for row in rows})
            for row in rows:
                row[path] = row[path].removeprefix(f"{moved[row[session]]}/")
            self.work.put("file_mentions", [tuple(row) for row in rows])
        self._lexicon_sync.update(self.work.mark_turns("list_contains(?, session)", [sorted(moved)]))

    def _number_turns(self) -> None:
        """Number the turns of sessions with several transcripts, and of those in which an earlier version left gaps."""
        if not self._batch.sessions.disordered:
            return
        self._begin_change()
        if turns := self._batch.sessions.number_turns():
            self._lexicon_sync.update(turns)
            self._sources.clear()

    def _restore(self, rows: Iterable[SessionRows]) -> None:
        """Insert what is gone into an index that was made anew."""
        self.counts.sessions_restored += len(self.insert(rows))
        self._gone.is_due = True

    def _archive_gone(self) -> None:
        """Copy into the archive what is gone from its source; a reader of the next snapshot can rely on it."""
        if self._gone.is_due:
            self.counts.records_archived += self._gone.archive()

    def _begin_change(self) -> None:
        """Start a new batch if the current one was published, or if the lexicon has it: it would miss what follows."""
        if self.work.batch <= max(self.publisher.batch or 0, self.lexicon.batch):
            self.work.begin_batch()

    @property
    def _published(self) -> bool:
        """Whether all changes were published."""
        same_batch = self.lexicon.batch == self.work.written_batch == self.publisher.batch
        return same_batch and not self.work.changes.incomplete

    def _report(self, progress: Progress) -> Progress:
        """Write the progress to the file that other processes read, and return it with the state of the vectors."""
        left = progress.seconds_left
        progress = self._vectors.report(replace(progress, at=time.time()))
        if progress.stage == "reading" and not progress.finished:
            progress = replace(progress, seconds_left=left)
        write_progress(self.data.path, progress)
        return progress
