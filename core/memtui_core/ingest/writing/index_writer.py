"""The files of an index that change together: work database, keyword index, vectors, archive and snapshots."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memtui_core.errors import MemtuiError
from memtui_core.ingest.kept.gone_sessions import GoneSessions
from memtui_core.ingest.kept.restoring import Restoring
from memtui_core.ingest.last_run import FileState, index_files
from memtui_core.ingest.sources.batch import Batch
from memtui_core.ingest.sources.linking import Links
from memtui_core.ingest.sources.live_sources import LiveSources
from memtui_core.ingest.vectors.turn_vectors import TurnVectors
from memtui_core.ingest.writing.completion_file import CompletionFile
from memtui_core.ingest.writing.hook_files import HookFiles
from memtui_core.ingest.writing.lexicon_sync import LexiconSync
from memtui_core.ingest.writing.status_file import StatusFile
from memtui_core.readers.exclusions import Exclusions, RetentionRules
from memtui_core.store.data_folder import DataDir
from memtui_core.store.lexicon import LexiconWriter
from memtui_core.store.processes import has_readers, read_progress
from memtui_core.store.snapshot.publisher import Publisher, PublishSchedule
from memtui_core.store.vectors.index_entry import remove_indexes
from memtui_core.store.work.database import WorkDatabase
from memtui_core.store.work.lock import acquire
from memtui_core.system.atomic_files import remove_file
from memtui_core.system.failures import failure_text, refusal_of
from memtui_core.system.fault_points import fault_point
from memtui_core.system.private_files import make_private_folder

_log = logging.getLogger(__name__)


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


class IndexWriter:
    """Opens and locks the files of a data folder, and commits and publishes what was changed in them.

    Raises MemtuiError if the folder cannot be created, and IndexerBusy if another process has the lock for `wait`
    seconds or until `stopped` returns True. `what` tells others which program has the lock. The vectors of the project
    that contains `folder` are made first; `exclusions` and `retention` say what is kept of transcripts that are read.
    """

    def __init__(
        self,
        data_dir: Path,
        what: str,
        wait: float,
        stopped: Callable[[], bool],
        exclusions: Exclusions,
        retention: RetentionRules,
        folder: str,
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
            self.restoring = Restoring(self.work)
            if self.work.restore_reason or self.restoring.is_due:
                self.lexicon.clear()
        except BaseException:
            self.lock.release()
            raise
        self.publisher = Publisher(self.work)
        self.counts = Counts()
        self.schedule = PublishSchedule(is_read=partial(has_readers, self.data))
        published = self.publisher.published
        self.batch = Batch(self.work, self.publisher.batch or 0)
        self.sources = LiveSources(self.batch, exclusions, retention)
        self.lexicon_sync = LexiconSync(self.work, self.lexicon)
        self.links = Links(self.work, self.batch, self.lexicon_sync)
        self.gone = GoneSessions(self.work)
        self.status = StatusFile(self.work, self.publisher)
        self.completion = CompletionFile(self.data, self.publisher)
        self.hook_files = HookFiles(self.data, self.publisher)
        reported = read_progress(data_dir) if published is not None and not self.work.restore_reason else None
        self.vectors = TurnVectors(self.work, published.vectors if published else None, folder, reported)
        self.files_left: tuple[FileState, ...] = ()
        """The files of the index as they were when it was closed."""

    def close(self) -> None:
        """Close the index and release the lock."""
        with ExitStack() as stack:
            stack.callback(self.lock.release)
            stack.callback(self._note_files)
            stack.callback(self.work.close)
            stack.callback(self.lexicon.close)

    def _note_files(self) -> None:
        self.files_left = index_files(self.data)

    def begin_change(self) -> None:
        """Start a new batch if the current one was published, or if the lexicon has it: it would miss what follows."""
        if self.work.batch <= max(self.publisher.batch or 0, self.lexicon.batch):
            self.work.begin_batch()

    def begin(self) -> None:
        """Commit what was read, and begin a change."""
        self.batch.commit()
        self.begin_change()

    def reload(self) -> None:
        """Forget what is in memory about sources and sessions, because others than they are stored now."""
        self.sources.clear()
        self.batch.reload()

    @property
    def is_published(self) -> bool:
        """Whether all changes were published."""
        same_batch = self.lexicon.batch == self.work.written_batch == self.publisher.batch
        return same_batch and not self.work.changes.incomplete

    def publish(self, *, complete: bool = False) -> None:
        """Commit all changes to work database and lexicon, then publish them; does nothing if nothing changed.

        `complete` means that every changed transcript was read.
        """
        started = time.monotonic()
        self.lock.beat()
        self.batch.commit()
        self._number_turns()
        if self.is_published:
            self._archive_gone()
            return
        self.begin_change()
        if self.links.resolve(complete=complete):
            self.sources.clear()
        self._archive_gone()
        self.work.write_batch()
        fault_point("batch-written")
        self.counts.documents_written += self.lexicon_sync.catch_up()
        self.publisher.publish(self.vectors.at, final=complete)
        self.schedule.published(started)
        fault_point("indexer-published")
        self.counts.snapshots += 1
        _log.debug("published in %.2f s; %s", time.monotonic() - started, self.counts)

    def _number_turns(self) -> None:
        """Number the turns of sessions with several transcripts, and of those in which an earlier version left gaps."""
        if not self.batch.sessions.disordered:
            return
        self.begin_change()
        if turns := self.batch.sessions.number_turns():
            self.lexicon_sync.update(turns)
            self.sources.clear()

    def _archive_gone(self) -> None:
        """Copy into the archive what is gone from its source; a reader of the next snapshot can rely on it."""
        if self.gone.is_due:
            self.counts.records_archived += self.gone.archive()

    def write_anew(self) -> None:
        """Publish, and leave nothing of what was removed or replaced in any file. Raises OSError."""
        self.reload()
        # Readers need not wait until all files are new.
        self.publish()
        # Where these are missing, a hook asks the index, which has what was removed no more.
        for path in self.data.touched.glob("*"):
            remove_file(path)
        fault_point("sessions-out-of-sight")
        self.begin_change()
        if (smaller := self.vectors.without_unused(even_few=True)) is not None:
            self.vectors.replace(smaller)
        fault_point("removed-vectors-left-out")
        # A removed turn stays in the lexicon until the next batch.
        self.lexicon_sync.clear()
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
        self.data.status_line.unlink(missing_ok=True)
        self.data.completion.unlink(missing_ok=True)
        self.data.digest.unlink(missing_ok=True)
        self.data.mended.unlink(missing_ok=True)
        self.data.last_run.unlink(missing_ok=True)
        self.data.opened.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove unused vectors, write a new base if that pays, and free memory; for an idle process."""
        if (smaller := self.vectors.without_unused()) is not None:
            self.begin_change()
            self.vectors.replace(smaller)
            self.publish()
        elif self.publisher.published is not None and self.publisher.published.vectors != self.vectors.at:
            # The vectors were converted from those of an earlier version.
            self.begin_change()
            self.work.write_batch()
            self.publish()
        self.publisher.tidy()
        fault_point("index-tidied")
        self.work.release_memory()
