"""The indexer: the only writer of the index. It reads transcripts, stores them and publishes snapshots."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from memtui_core.ingest.compaction_reviews import CompactionReviews
from memtui_core.ingest.discover import LONGEST_CHAIN, Pending, known_sources, plan, sources_with, transcript_of
from memtui_core.ingest.kept.forgetting import Forgetting
from memtui_core.ingest.kept.transcripts import TranscriptKeeper
from memtui_core.ingest.last_run import FileState
from memtui_core.ingest.sources.reading_queue import ReadingQueue
from memtui_core.ingest.sources.removal import (
    drop_prompts,
    superseded_prompts,
)
from memtui_core.ingest.sources.rows import put_unread
from memtui_core.ingest.sources.shared_entries import copies_of, copies_to_reread, forks_to_reread, unsettled
from memtui_core.ingest.sources.source_ingest import Outcome, Stopped
from memtui_core.ingest.speed import ReadingSpeed
from memtui_core.ingest.turns.project_files import OutsideFiles
from memtui_core.ingest.turns.stored_links import StoredLinks
from memtui_core.ingest.workers.merging import Merging
from memtui_core.ingest.workers.pool import Preparation
from memtui_core.ingest.writing.index_writer import IndexWriter
from memtui_core.ingest.writing.stored_sessions import StoredSessions
from memtui_core.model import Progress
from memtui_core.readers.base import START
from memtui_core.readers.exclusions import KEEP_ALL, NOTHING, Exclusions, RetentionRules
from memtui_core.readers.locations import Location, Recognized, RecognizedFiles
from memtui_core.search.embed import Embedder
from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.processes import TypingPause, write_progress
from memtui_core.system.fault_points import fault_point
from memtui_core.system.machine import processors, release_memory

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
        self._writer = writer = IndexWriter(data_dir, what, wait, stopped, exclusions, retention, folder)
        self.data, self.lock, self.work, self.counts = writer.data, writer.lock, writer.work, writer.counts
        self.publisher, self.schedule = writer.publisher, writer.schedule
        self.status, self.completion, self.hook_files = writer.status, writer.completion, writer.hook_files
        self.stored = StoredSessions(writer, exclusions, retention)
        """Changes what is stored without reading a transcript."""
        self.forgetting = Forgetting(self.stored)
        """Forgets sessions, and brings them back."""
        self._exclusions = exclusions
        self.retention = retention
        """What is kept of sessions."""
        self._processes = processors() if processes is None else processes
        self._checks_excluded = True
        """Whether sources that are stored as excluded must still be checked, as the settings may have changed since."""
        self.pause = TypingPause(self.data)
        """Pauses the embedding between two chunks."""
        self._reviews = CompactionReviews(self.work)
        self._outside_files = OutsideFiles(self.work)
        self._stored_links = StoredLinks(self.work)
        self.recognized: RecognizedFiles = {}
        """What the last scan of everything recognized."""
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
                self.status.update()
                self.completion.update()
                self.hook_files.update()
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
        self._writer.close()

    @property
    def files_left(self) -> tuple[FileState, ...]:
        """The files of the index as they were when it was closed."""
        return self._writer.files_left

    @property
    def was_open_to_others(self) -> bool:
        """Whether other users could read the data folder until it was opened."""
        return self._writer.was_open_to_others

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
        self.stored.redact_again()
        self.stored.locate_projects()
        if is_restoring := self._writer.restoring.is_due and changed is None:
            self._writer.restoring.begin()
            self._restore(self._writer.restoring.gone())
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
            self._writer.begin_change()
            put_unread(self._writer.batch, changes)
            self._writer.gone.is_due |= bool(changes.gone)
        if self._writer.links.is_due():
            self._writer.begin_change()
            self.work.write_batch()
        self._writer.batch.expect_sources(len(queue))
        self.schedule.begin()
        is_reported = changed is None or total >= REPORTED_BYTES
        if is_reported and (total or not (self._writer.vectors.has_figures or self._writer.is_published)):
            yield self._report(Progress(0, total, 0, files=len(queue)))
        if is_reported:
            self._writer.vectors.count()
        speed, reported, done_before, reopened = ReadingSpeed(_MEASURED, REPORTED_BYTES), time.monotonic(), 0, 0
        with closing(
            Preparation(changes.pending, self._processes, self._exclusions, self.data, self.retention)
        ) as preparation:
            merging = Merging(self._writer.batch, preparation)
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
                    self._writer.batch.commit()
                    # If all were counted at the end, their texts would be in memory at the same time.
                    self._writer.vectors.count()
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
        self._writer.batch.commit()
        if queue:
            # Some of these may not have been read.
            self._checks_excluded = checks_excluded
        if is_restoring and not queue:
            self._restore(self._writer.restoring.unread(changes.seen))
            self._writer.restoring.finish()
        self._drop_known_prompts(changes.pending)
        self._outside_files.mark_new()
        if self._stored_links.is_due:
            self._writer.begin_change()
            self._stored_links.catch_up()
        self.stored.add_facts()
        self.publish(complete=not queue)
        if is_reported or self._writer.vectors.has_uncounted_turns:
            self._writer.vectors.count()
            files = files_read + len(queue)
            yield self._report(Progress(min(done, total), total, files_read, finished=not queue, files=files))

    def _drop_known_prompts(self, items: Sequence[Pending]) -> None:
        """Remove the prompts of sessions of which another source has turns, if there may be any."""
        may_be_known = any(item.known is None or item.transcript.prompts_only for item in items)
        if may_be_known and (superseded := superseded_prompts(self._writer.batch)):
            self._writer.begin_change()
            drop_prompts(self._writer.batch, superseded)
            self._writer.sources.clear()
            self._writer.batch.commit()

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
        self._writer.begin_change()
        embedding = self._writer.vectors.embedding_by(embedder, self.pause)
        backlog = self._writer.vectors.backlog()
        done, before = 0, embedding.embedded
        for turns in embedding.run(stopped, excluded):
            done += turns
            if self.schedule.age >= VECTORS_EVERY:
                self.publish()
            self._writer.begin_change()
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
        for done, total in self._reviews.review_new(stopped, self._writer.begin_change, embedder, transcript):
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
        self._writer.begin_change()
        if turns := self._outside_files.catch_up(self._writer.batch.project_files, stopped):
            self._writer.lexicon_sync.update(self.work.mark_turns("list_contains(?, id)", [turns]))
        self.publish()

    def needs_review(self, *, by_meaning: bool) -> bool:
        """Whether a compaction has no review yet, or with `by_meaning` only one by words."""
        return self._reviews.is_due(by_meaning=by_meaning)

    def unembedded(self, embedder: Embedder, excluded: Collection[int] = ()) -> bool:
        """Whether turns, except the excluded ones, have no vectors of a model."""
        return self._writer.vectors.has_pending(embedder, excluded)

    def report_vector_index(self, *, finished: bool) -> None:
        """Report that the vector index is built by another process, or that it is not any more."""
        vectors = self._writer.vectors.at
        self._report(Progress(0, vectors.size if vectors else 0, 0, finished=finished, stage="vector index"))

    def growing(self, seconds: float) -> set[int]:
        """The turns that were written in the last `seconds`, so that they may still grow."""
        since = time.monotonic() - seconds
        self._changed_at = {turn: at for turn, at in self._changed_at.items() if at >= since}
        return set(self._changed_at)

    def publish(self, *, complete: bool = False) -> None:
        """Commit and publish all changes; `complete` means that every changed transcript was read."""
        self._writer.publish(complete=complete)

    def tidy(self) -> None:
        """Remove unused vectors, write a new base if that pays, and free memory; for an idle process."""
        self._writer.tidy()

    def keeper(self, locations: Sequence[Location]) -> TranscriptKeeper:
        """What archives the transcripts of this index; `locations` say which of them their agents delete."""
        return TranscriptKeeper(self.work, self.data, locations, self._exclusions, self.retention)

    def _read(self, item: Pending, queue: ReadingQueue, merging: Merging, stopped: Callable[[], bool]) -> bool:
        """Read a transcript or a piece of it; whether there is more of it, which is the first in the queue then."""
        self._writer.begin_change()
        outcome = Outcome()
        documents = merging.add(item, outcome, stopped)
        if documents is None:
            displaced, outcome = outcome.displaced, self._writer.sources.read(item, stopped)
            outcome.displaced = [*displaced, *outcome.displaced]
        else:
            self._writer.batch.finish()
            self.counts.files_prepared += 1
            for document in documents:
                self._writer.lexicon_sync.add(document)
            if self._writer.lexicon_sync.holds_much:
                # What is in the lexicon must be in the work database: ids that it loses are given again.
                self._writer.batch.commit()
                self._writer.lexicon_sync.commit_part()
        fault_point("transcript-read")
        self.counts.files_read += not outcome.has_more
        self.counts.turns_written += outcome.turns
        self.counts.blocks_written += outcome.blocks
        self._writer.links.add(outcome.retitled, to_link=outcome.to_link or item.known is None)
        self._writer.vectors.add(outcome.changed)
        self._changed_at.update(dict.fromkeys(outcome.changed[-1:], time.monotonic()))
        to_reread = self._sources_to_reread(item)
        if outcome.displaced or outcome.needs_full_read or to_reread:
            self._writer.sources.clear()
            self._writer.batch.commit()
            for source in sources_with(self.work, {*to_reread, *outcome.displaced}):
                if (transcript := transcript_of(source)) is not None:
                    is_displaced, chain_length = source.id not in to_reread, item.chain_length + 1
                    queue.put_first(Pending(transcript, source.from_start(), is_displaced, chain_length))
            for source in sources_with(self.work, unsettled(self._writer.batch, outcome.displaced)):
                if source.name != item.transcript.name and (transcript := transcript_of(source)) is not None:
                    queue.put_last(Pending(transcript, source.from_start(), chain_length=LONGEST_CHAIN))
            if outcome.needs_full_read:
                name = item.transcript.name
                queue.put_first(Pending(item.whole, known_sources(self.work, [name])[name].from_start()))
                return False
        if outcome.has_more:
            self._writer.batch.commit()
            queue.put_first(item.next_piece(known_sources(self.work, [item.transcript.name])))
        return outcome.has_more

    def _sources_to_reread(self, item: Pending) -> set[int]:
        """The sources to read again, because entries that they share with a changed transcript may be theirs now."""
        source = item.known
        if source is not None and item.shrank:
            # Its copies may have entries that it has lost.
            return set(copies_of(self.work, source).values())
        if item.is_displaced or item.chain_length == LONGEST_CHAIN or source is None:
            return set()
        if item.cursor == START:
            self._writer.batch.commit()
            return forks_to_reread(self._writer.batch, source.id, 0)
        if source.is_copy:
            return set()
        is_forked = source.session is not None and self._writer.batch.sessions.is_forked(source.session)
        forks = forks_to_reread(self._writer.batch, source.id, source.complete_lines) if is_forked else set()
        return forks | copies_to_reread(self.work, source)

    def _restore(self, rows: Iterable[SessionRows]) -> None:
        """Insert what is gone into an index that was made anew."""
        self.counts.sessions_restored += len(self.stored.insert(rows))
        self._writer.gone.is_due = True

    def _report(self, progress: Progress) -> Progress:
        """Write the progress to the file that other processes read, and return it with the state of the vectors."""
        left = progress.seconds_left
        progress = self._writer.vectors.report(replace(progress, at=time.time()))
        if progress.stage == "reading" and not progress.finished:
            progress = replace(progress, seconds_left=left)
        write_progress(self.data.path, progress)
        return progress
