"""What a shell completes after `memtui`, in a small file: sessions, and the values of the filters of a query.

A person waits for it after each `tab`: opening the index would take too long. The indexer writes it seldom, since it
reads lists of the whole index; what is a few minutes old is complete enough.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import orjson

from memtui_core.errors import MemtuiError
from memtui_core.model import Session
from memtui_core.queries.sessions import read_sessions, unless_archived
from memtui_core.search.completion import read_filter_values
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.publisher import Publisher
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.system.atomic_files import write_atomically
from memtui_core.system.own_folders import annotations_stamp
from memtui_core.text.controls import label, one_line

EVERY: Final = 300.0
"""Seconds between two updates of a running indexer."""
_SESSIONS: Final = 500
"""Most sessions in the file, the last used ones,"""
_VALUES: Final = 1000
"""and values of each filter."""
_TITLE: Final = 80
"""Characters of a title."""
_LONGEST: Final = 200
"""Characters of a value, of which longer ones are left out."""


class CompletionFile:
    """Keeps the file up to date with what was published."""

    def __init__(self, data: DataDir, publisher: Publisher) -> None:
        self._data, self._publisher = data, publisher
        self._batch = publisher.batch if data.completion.exists() else None
        """The batch up to which the file is: the run before has written it at its end."""
        self._updated_at = -math.inf

    @property
    def due_at(self) -> float:
        """When the next update is due, in seconds of the monotonic clock; infinite if there is nothing new."""
        published = self._publisher.batch
        is_done = published == self._batch and self._data.completion.exists()
        return math.inf if published is None or is_done else self._updated_at + EVERY

    def update(self) -> None:
        """Write the file anew if something was published since the last time, or if it was removed."""
        if self.due_at < math.inf:
            self._batch, self._updated_at = self._publisher.batch, time.monotonic()
            write_completions(self._data)


def write_completions(data: DataDir) -> None:
    """Write what is completed now, unless the file says so already.

    Errors of the index and the file system are ignored: the file is never needed.
    """
    with suppress(OSError, MemtuiError):
        snapshot = Snapshot(data)
        try:
            content = {
                "annotations": annotations_stamp(str(data.path)),
                "sessions": [[one.session_id, _title(one)] for one in _last_used(snapshot)],
                "values": {name: _typable(values) for name, values in read_filter_values(snapshot).items()},
            }
        finally:
            snapshot.close()
        # What was forgotten a moment ago is still in this snapshot, but not in the newest one.
        if read_manifest(data) != snapshot.manifest:
            return
        made = orjson.dumps(content)
        # Most turns change none of it, and a synchronized or backed up folder takes each new file for a change.
        if not data.completion.exists() or data.completion.read_bytes() != made:
            write_atomically(data.completion, made)


def _last_used(snapshot: Snapshot) -> list[Session]:
    """The sessions that wrote last, the last one first, without subagents and archived ones."""
    listed = unless_archived(snapshot) or "TRUE"
    keys = [
        key
        for (key,) in snapshot.rows(
            "SELECT s.key FROM sessions s JOIN turns t ON t.session = s.key"
            f" WHERE NOT s.hidden AND s.parent IS NULL AND {listed}"
            f" GROUP BY s.key ORDER BY max(credible(t.ended_at)) DESC NULLS LAST, s.key LIMIT {_SESSIONS}"
        )
    ]
    found = {session.key: session for session in read_sessions(snapshot, keys)}
    return [found[key] for key in keys if _typable([found[key].session_id])]


def _title(session: Session) -> str:
    return one_line(" · ".join(filter(None, (session.title, session.project))), _TITLE)


def _typable(values: Sequence[str]) -> list[str]:
    """The values that can be typed: without control characters."""
    return [str(value) for value in values if len(value) <= _LONGEST and label(value) == value][:_VALUES]
