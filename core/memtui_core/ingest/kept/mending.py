"""Mend an index: read all of it, and move aside or remove what is damaged, so that the next indexer makes it again.

Nothing that has content of its own is deleted: databases, journals and archives are moved aside.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NamedTuple

from memtui_core.errors import IndexBroken, MemtuiError
from memtui_core.store.archive.records import RecordFile
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.checking import ARCHIVE, BASE, LEXICON, MANIFEST, VECTORS, WORK, Damage, check_index
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.vectors.index_entry import remove_indexes
from memtui_core.store.work.lock import acquire
from memtui_core.store.work.opening import open_anew, set_aside
from memtui_core.system.failures import is_of_machine

_log = logging.getLogger(__name__)
_ENGINES: Final = ("_duckdb", "duckdb", "tantivy", "pyo3_runtime", "builtins", "numpy")
"""The modules of the errors that a damaged file may cause."""


class Mended(NamedTuple):
    """A damaged part, and what was done."""

    damage: Damage
    done: str


def mend(data: DataDir, wait: float = 0, stopped: Callable[[], bool] = lambda: False) -> list[Mended]:
    """Check all of an index, and make room for what must be made again; what was damaged.

    Raises IndexerBusy if an indexer runs for `wait` seconds or until `stopped` returns True, OSError and IndexTooNew.
    """
    with ExitStack() as stack:
        stack.callback(acquire(data, "memtui doctor --repair", wait, stopped).release)
        mended = [Mended(damage, _mend(data, damage)) for damage in list(check_index(data))]
        data.damage.unlink(missing_ok=True)
    for damage, done in mended:
        _log.warning("The %s of the index is damaged (%s: %s): %s", damage.part, damage.path, damage.reason, done)
    return mended


def mend_after(error: BaseException, data: DataDir) -> list[Mended]:
    """What `mend` finds, if an error of an indexer, which is closed by now, may come from a damaged file."""
    if is_of_machine(error) or (isinstance(error, MemtuiError) and not isinstance(error, IndexBroken)):
        return []
    if isinstance(error, IndexBroken) or type(error).__module__ in _ENGINES:
        return mend(data, wait=1)
    return []


def broken_folders(data: DataDir) -> list[Path]:
    """The folders with what was moved aside, each by one repair."""
    return sorted(path for path in data.broken.iterdir() if path.is_dir()) if data.broken.is_dir() else []


def remove_broken(folders: Sequence[Path]) -> int:
    """Remove what was moved aside; how many bytes. Raises OSError."""
    removed = 0
    for folder in folders:
        removed += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder)
        with suppress(OSError):
            folder.parent.rmdir()
    return removed


def _mend(data: DataDir, damage: Damage) -> str:
    part, path = damage.part, damage.path
    if not path.exists() and part not in (BASE, LEXICON, VECTORS):
        return "made again"
    if part == WORK:
        set_aside(data, [data.work, data.work_log])
        return "moved aside, and restored from the last snapshot"
    if part == LEXICON:
        _empty_lexicon(data)
        return "removed, and made again from the database"
    if part == VECTORS:
        published = read_manifest(data)
        if published is not None and published.vectors is not None:
            for file in data.vector_files(published.vectors.file):
                file.unlink(missing_ok=True)
        remove_indexes(data)
        return "removed, and made again from the texts"
    if part == ARCHIVE:
        return _mend_archive(data, damage)
    if part == BASE:
        # With all that belongs to it: together they still have the most.
        open_anew(data, read_manifest(data)).close()
        _empty_lexicon(data)
        return "moved aside with what belongs to it, and made again"
    set_aside(data, [path])
    return "written anew" if part == MANIFEST else "moved aside, and made again"


def _empty_lexicon(data: DataDir) -> None:
    for file in data.lexicon.iterdir() if data.lexicon.is_dir() else ():
        if file.is_file():
            file.unlink()


def _mend_archive(data: DataDir, damage: Damage) -> str:
    """Keep the damaged file, and go on with the records that can be read."""
    damaged = RecordFile(damage.path)
    whole = damage.path.with_name(f"{damage.path.name}.whole")
    whole.unlink(missing_ok=True)
    copy = RecordFile(whole)
    for record in damaged.records():
        with suppress(MemtuiError):
            copy.append(record.kind, record.head, record.body())
    set_aside(data, [damage.path])
    if whole.exists():
        whole.replace(damage.path)
    return "moved aside; what can be read of it is kept, and what the index still has is added again"
