"""The sessions that were opened last, which the app writes and the indexer reads: their vectors are made early."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

import orjson

from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import write_atomically

MOST: Final = 20
"""Sessions that are remembered."""


def note_opened(data: DataDir, session_id: str) -> None:
    """Remember a session as the one that was opened last. Errors are ignored, as reading needs no write access."""
    before = opened_sessions(data)
    if before[:1] != (session_id,):
        ids = list(dict.fromkeys((session_id, *before)))[:MOST]
        with suppress(OSError):
            write_atomically(data.opened, orjson.dumps(ids))


def opened_sessions(data: DataDir) -> tuple[str, ...]:
    """The ids of the sessions that were opened last, the newest first; none if the file cannot be read."""
    try:
        ids = orjson.loads(data.opened.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return ()
    return tuple(one for one in ids if isinstance(one, str))[:MOST] if isinstance(ids, list) else ()


class OpenedSessions:
    """The opened sessions as a process sees them that looks from time to time."""

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._stamp: tuple[int, int] | None = None

    def changed(self) -> tuple[str, ...] | None:
        """The sessions, if others were opened since the last call; None if not."""
        stamp = _stamp(self._data.opened)
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        return opened_sessions(self._data)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino
