"""What the user has added to sessions on another machine: its log is joined with the one here.

A copy of it is kept as `machines/NAME/annotations.jsonl`, so that it comes again only after it has changed. Lines of
sessions that were forgotten here are blank in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from memtui_core.ingest.machines.listing import ListedFile
from memtui_core.ingest.machines.vectors import DATA_FOLDERS, is_due, put_copy
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.annotation_log import merge_log, without_sessions
from memtui_core.store.marks.tombstones import ForgetLog

PATTERNS: Final = tuple(f"{folder}/{DataDir(Path()).annotations.name}" for folder in DATA_FOLDERS)
"""What is to be listed."""
_LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a log at most: a hundred thousand notes of usual length are less."""


def merge_annotations(
    data: DataDir,
    files: Iterable[ListedFile],
    fetch: Callable[[Sequence[ListedFile], Path], Iterator[tuple[ListedFile, Path]]],
    folder: Path,
    incoming: Path,
) -> int:
    """Add what a listed log has and the one here has not; how many records that were.

    Nothing is added of sessions that were forgotten here. `folder` is that of the machine. Raises what `fetch` raises,
    OSError, and MemtuiError if the log cannot be written.
    """
    kept = DataDir(folder).annotations
    due = [file for file in files if file.path in PATTERNS and file.size <= _LARGEST and is_due(file, kept)]
    added, forgotten = 0, ForgetLog(data).tombstones().ids
    for file, copy in fetch(due[:1], incoming):
        added += merge_log(data.path, copy, without=forgotten)
        if forgotten:
            copy.write_bytes(without_sessions(copy.read_bytes(), forgotten))
        # Only now: what could not be added is fetched again.
        put_copy(copy, kept, file.mtime)
    return added
