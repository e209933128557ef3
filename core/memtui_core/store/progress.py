"""The progress of the indexer, as it reports it to the processes that only read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import orjson

from memtui_core.model import Progress
from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import write_atomically


def write_progress(data_dir: Path, progress: Progress) -> None:
    """Publish the progress of the indexer."""
    write_atomically(DataDir(data_dir).progress, orjson.dumps(asdict(progress)))


def read_progress(data_dir: Path) -> Progress | None:
    """The last progress written; None if there is none or it cannot be read."""
    try:
        return Progress(**orjson.loads(DataDir(data_dir).progress.read_bytes()))
    except (OSError, orjson.JSONDecodeError, TypeError):
        return None


def publication_state(data_dir: Path) -> object:
    """A value that changes with each new snapshot and each new progress; costs the `stat` of two files."""
    data = DataDir(data_dir)
    return tuple(map(_file_state, (data.current, data.progress)))


def percent_done(done: int, total: int) -> int:
    """The share of the work that is done, in whole per cent: 100 only if all is done, and never less than 0."""
    return 100 if done >= total else max(0, 100 * done // total)


def _file_state(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
