"""The archive of what is gone from its source: then the index has the only copy, so that a second one is made.

It is a file of records (`RecordFile`), each with the rows of the gone sources of a few sessions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from memtui_core.errors import RecordDamaged
from memtui_core.store.archive.records import Record, RecordFile
from memtui_core.store.archive.session_rows import SessionRows, WorkRows, group_rows, groups_of_sources
from memtui_core.store.data_folder import DataDir

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

KIND: Final = "session rows"
"""The kind of the records."""
_DONE: Final = "archived"
"""The key in the table `meta`: which state of the gone sources is in the archive, and the size of its file."""
_GONE: Final = """
    SELECT s.id, s.path, coalesce(max(t.batch), 0), count(t.id) FROM sources s LEFT JOIN turns t ON t.source = s.id
    WHERE s.gone_at IS NOT NULL AND s.session IS NOT NULL GROUP BY ALL ORDER BY s.path
"""


class _GoneSource(NamedTuple):
    id: int
    path: str
    batch: int
    """The last batch that changed a turn of it."""
    turns: int


class ArchiveFigures(NamedTuple):
    """How much is in the archive."""

    sessions: int
    sources: int
    size: int
    """Bytes of the file."""


class GoneSessions:
    """Copies the rows of sources that are gone into the archive of a data folder.

    If the process dies at any moment, the next one goes on: the archive itself says what is in it.
    """

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work
        self._records = RecordFile(work.data.session_archive)
        self.is_due = True
        """Whether sources may be gone that are not in the archive: at first, and when some are found gone."""

    def archive(self) -> int:
        """Append what is gone and not in the archive as it is now; how many records. Raises OSError."""
        self.is_due = False
        if not self._work.may_have("sources"):
            return 0
        gone = [_GoneSource(*row) for row in self._work.connection.execute(_GONE).fetchall()]
        if not gone or self._done() == self._state(gone):
            return 0
        appended = self._append_missing(gone)
        with self._work.transaction():
            self._work.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [_DONE, self._state(gone)])
        return appended

    def _append_missing(self, gone: list[_GoneSource]) -> int:
        archived = newest_records(self._records)
        missing = {
            source.id
            for source in gone
            if archived.get(source.path) is None or not _is_of(archived[source.path], source)
        }
        appended, source = 0, WorkRows(self._work)
        for group in groups_of_sources(source, missing):
            rows = group_rows(source, group, missing)
            batches = {path: batch for number, path, batch, _ in gone if number in missing}
            head = {
                "sessions": rows.sessions,
                "sources": {path: batches[path] for path in rows.paths},
                "turns": rows.turns,
                "digest": rows.digest,
                "at": int(time.time()),
            }
            known = {archived[path].head["digest"] for path in rows.paths if path in archived}
            # In an index that was made again, the same rows belong to other batches.
            if known != {head["digest"]}:
                self._records.append(KIND, head, rows.to_bytes())
                appended += 1
        return appended

    def _done(self) -> str | None:
        done: str | None = self._work.scalar("SELECT value FROM meta WHERE key = ?", [_DONE])
        return done

    def _state(self, gone: list[_GoneSource]) -> str:
        state = blake2b(repr([source[1:] for source in gone]).encode("utf-8", "replace"), digest_size=16)
        return f"{state.hexdigest()} {self._records.size}"


def newest_records(records: RecordFile) -> dict[str, Record]:
    """The last record of each source in an archive, by its path. Raises OSError."""
    newest = {}
    for record in records.records():
        if record.kind == KIND:
            newest.update(dict.fromkeys(record.head["sources"], record))
    return newest


def archived_rows(data: DataDir) -> Iterator[SessionRows]:
    """The newest rows of each source in the archive; what is damaged is left out. Raises OSError."""
    records = RecordFile(data.session_archive)
    newest = newest_records(records)
    offsets = {record.offset for record in newest.values()}
    for record in records.records():
        if record.offset in offsets:
            try:
                rows = SessionRows.from_bytes(record.body())
            except (RecordDamaged, ValueError):
                continue
            stale = {path for path in rows.paths if newest[path].offset != record.offset}
            yield rows.without_sources(stale) if stale else rows


def archive_figures(data: DataDir) -> ArchiveFigures:
    """How much is in the archive, by the heads of its records. Raises OSError."""
    records = RecordFile(data.session_archive)
    newest = newest_records(records)
    sessions = {tuple(session) for record in newest.values() for session in record.head["sessions"]}
    return ArchiveFigures(len(sessions), len(newest), records.size)


def _is_of(record: Record, source: _GoneSource) -> bool:
    return bool(record.head["sources"][source.path] == source.batch)
