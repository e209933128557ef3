"""Bring what is gone from its source into an index that had to be made anew, from the archive and damaged databases.

Twice: before transcripts are read, so that what they share with sessions that are gone stays with these, and when all
of them were read, because only then it is certain what is in no transcript.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from memtui_core.ingest.kept.gone_sessions import archived_rows
from memtui_core.readers.base import container_of
from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.work.opening import RESTORING

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase


class Restoring:
    """Finds what an index that was made anew lacks. If the process dies meanwhile, the next one begins again."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work
        is_empty = work.base is None and not work.may_have("sources")
        is_marked = work.scalar("SELECT value FROM meta WHERE key = ?", [RESTORING]) is not None
        has_copies = work.data.session_archive.exists() or work.data.broken.is_dir()
        self.is_due = is_marked or (is_empty and has_copies)
        """Whether it is not done yet."""

    def begin(self) -> None:
        """Note that the index lacks something, until `finish`."""
        with self._work.transaction():
            self._work.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", [RESTORING])

    def finish(self) -> None:
        """Note that the index has everything."""
        with self._work.transaction():
            self._work.connection.execute("DELETE FROM meta WHERE key = ?", [RESTORING])
        self.is_due = False

    def gone(self) -> Iterator[SessionRows]:
        """What is in the archive, and what damaged databases have of sources that are not there any more.

        Raises OSError.
        """
        for rows in archived_rows(self._work.data):
            if not self._known().issuperset(rows.paths):
                yield rows
        yield from self._salvaged(set())

    def unread(self, found: Collection[str]) -> Iterator[SessionRows]:
        """What damaged databases have of sources that are in no location; `found` are the names of those that are."""
        yield from self._salvaged(found, also_there=True)

    def _salvaged(self, found: Collection[str], *, also_there: bool = False) -> Iterator[SessionRows]:
        # Most indexes are never restored.
        from memtui_core.ingest.kept.salvage import broken_indexes, salvaged_rows

        for broken in broken_indexes(self._work.data):
            known = self._known()

            def is_lost(path: str, is_gone: bool, known: Collection[str] = known) -> bool:
                if path in known or path in found:
                    return False
                return is_gone or also_there or not os.path.lexists(container_of(path))

            for rows in salvaged_rows(broken, is_lost):
                # Another database of the folder may have had them.
                if stale := self._known().intersection(rows.paths):
                    rows = rows.without_sources(stale)
                if rows.tables:
                    yield rows

    def _known(self) -> set[str]:
        """The sources of which the index has turns."""
        found = self._work.connection.execute("SELECT path FROM sources WHERE id IN (SELECT source FROM turns)")
        return {path for (path,) in found.fetchall()}
