"""The vectors that memtui has made on another machine, so that they need not be made again here.

They are copied to `machines/NAME` with the names that they have in a data folder: `snapshots/CURRENT`, which says with
which model they were made, `vectors/N.i8` and `vectors/N.keys`. Nothing else of that data folder is copied.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.ingest.machines.declared import machines_of
from memtui_core.ingest.machines.listing import ListedFile
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import SnapshotVectors, read_manifest
from memtui_core.store.vectors.files import StoredVectors, stored_vectors
from memtui_core.system.atomic_files import replace_file
from memtui_core.system.startup.numeric import np

if TYPE_CHECKING:
    from memtui_core.system.startup.numeric import Vector

DATA_FOLDERS: Final = (".local/share/memtui", "Library/Application Support/memtui", "AppData/Local/memtui")
"""The default data folder in the home folder, by the system; nobody can tell another one from here."""
_MANIFEST: Final = DataDir(Path()).current.as_posix()
PATTERNS: Final = tuple(
    f"{folder}/{name}" for folder in DATA_FOLDERS for name in (_MANIFEST, "vectors/*.i8", "vectors/*.keys")
)
"""What is to be listed."""
_LARGEST: Final = 1 << 16
"""Numbers of a vector: no model has more."""
Fetch = Callable[[Sequence[ListedFile], Path], Iterator[tuple[ListedFile, Path]]]


def fetch_vectors(files: Iterable[ListedFile], fetch: Fetch, folder: Path, incoming: Path) -> int:
    """Copy the newest vectors of a listing into the folder of a machine; how many files were copied.

    `fetch` copies files into a folder. Raises what it raises, and OSError.
    """
    by_path = {file.path: file for file in files}
    top = next((top for top in DATA_FOLDERS if f"{top}/{_MANIFEST}" in by_path), None)
    if top is None:
        return 0
    data = DataDir(folder)
    if not is_due(manifest := by_path[f"{top}/{_MANIFEST}"], data.current):
        return 0
    brought = {file.path: copy for file, copy in fetch([manifest], incoming)}
    if manifest.path not in brought:
        return 0
    entry = _entry(brought[manifest.path])
    if entry is not None:
        targets = {
            f"{top}/{path.relative_to(folder).as_posix()}": path
            for path in (data.vectors(entry.file), data.vector_keys(entry.file))
        }
        due = [by_path[name] for name, path in targets.items() if name in by_path and is_due(by_path[name], path)]
        for file, copy in fetch(due, incoming):
            brought[file.path] = copy
            put_copy(copy, targets[file.path], file.mtime)
        if not all(path.exists() for path in targets.values()):
            return 0
        for path in data.vectors(0).parent.iterdir():
            if path not in targets.values():
                path.unlink()
    # The last one, as it says that the others are there.
    put_copy(brought[manifest.path], data.current, manifest.mtime)
    return len(brought)


class OtherVectors:
    """The vectors of all declared machines that were made with one model."""

    def __init__(self, data: DataDir, model: str, dimension: int) -> None:
        self._data = data
        self._model, self._dimension = model, dimension
        self._stamp: list[tuple[str, int]] = []
        self._stored: list[StoredVectors] = []

    def refresh(self) -> None:
        """Look whether a pull has brought others."""
        folders = [DataDir(self._data.mirror(machine.name).parent) for machine in machines_of(self._data)]
        stamp = [(str(one.path), one.current.stat().st_mtime_ns) for one in folders if one.current.exists()]
        if stamp != self._stamp:
            self._stamp = stamp
            self._stored = [stored for one in folders for stored in self._of(one)]

    def find(self, text_hash: int) -> Vector | None:
        """The vector of a text by its hash; None if no machine has one."""
        for stored in self._stored:
            row = int(stored.rows_of(np.array([text_hash], np.int64))[0])
            if row >= 0:
                vector: Vector = stored.floats(slice(row, row + 1))[0]
                return vector if np.isfinite(vector).all() else None
        return None

    def _of(self, folder: DataDir) -> Iterator[StoredVectors]:
        entry = _entry(folder.current)
        if entry is not None and (entry.model, entry.dimension) == (self._model, self._dimension):
            try:
                yield stored_vectors(folder, entry)
            except (OSError, ValueError):
                # Copied in part: the next pull brings the rest.
                return


def _entry(manifest: Path) -> SnapshotVectors | None:
    """What a manifest says of vectors; None for one of another machine that cannot be right."""
    found = read_manifest(_AsCurrent(manifest))
    entry = found.vectors if found is not None else None
    if entry is None or not isinstance(entry.model, str):
        return None
    numbers = (entry.file, entry.dimension, entry.size)
    is_valid = all(type(number) is int and number >= 0 for number in numbers) and 0 < entry.dimension <= _LARGEST
    return entry if is_valid else None


class _AsCurrent(DataDir):
    """A manifest in any file."""

    @property
    def current(self) -> Path:
        """The file itself."""
        return self.path


def is_due(file: ListedFile, copy: Path) -> bool:
    """Whether a listed file is another one than its copy, by size and time."""
    try:
        status = copy.stat()
    except OSError:
        return True
    return (file.size, file.mtime) != (status.st_size, status.st_mtime_ns)


def put_copy(written: Path, target: Path, mtime: int) -> None:
    """Put a fetched file in its place, with its time on the machine in nanoseconds. Raises OSError."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.utime(written, ns=(mtime, mtime))
    replace_file(written, target)
