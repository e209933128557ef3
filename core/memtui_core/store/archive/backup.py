"""A data folder as one file that can be copied anywhere: a tar archive, compressed by zstd.

It is made while others read and write. The files of a snapshot never change, but a newer snapshot removes them: all are
opened first, and what is open stays readable. Of files to which is appended, what was there at the beginning is taken.
The last member, `backup.json`, lists the others with their digests. Not in it: what is made again from the rest
(lexicon and vector index), the mirrors of other machines, the login of a team, and what was forgotten.
"""

from __future__ import annotations

import io
import json
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, NamedTuple

from memtui_core.errors import IndexMissing, MemtuiError
from memtui_core.readers.formats.jsonl import LINES
from memtui_core.store.archive.own_files import own_files
from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import VERSION
from memtui_core.store.snapshot.manifest import Manifest, read_manifest
from memtui_core.store.vectors.files import KEY
from memtui_core.system.atomic_files import replace_file, sync
from memtui_core.system.fault_points import fault_point
from memtui_core.system.startup.numeric import np

FORMAT: Final = 1
"""The number of the form of a backup."""
CONTENTS: Final = "backup.json"
"""The name of the last member."""
_ATTEMPTS: Final = 20
"""How often the files of the newest snapshot are tried to be opened."""
_PIECE: Final = 1 << 20
_LEVEL: Final = 6
_DIGEST: Final = 16
_MODE: Final = 0o600

Report = Callable[[int, int], object]
"""Gets the bytes that are done, and all bytes."""


class BackupDamaged(MemtuiError):
    """A backup cannot be read, or is not complete."""


class _Member(NamedTuple):
    """An open file that becomes a member."""

    name: str
    file: BinaryIO
    size: int
    """The bytes that are taken."""


class BackupContents(NamedTuple):
    """What a backup says of itself."""

    size: int
    """Bytes of the members."""
    files: dict[str, tuple[int, str]]
    """Size and digest of each member."""
    made_at: float
    memtui: str
    """The version that made it."""


def write_backup(data: DataDir, path: Path, version: str, report: Report = lambda done, total: None) -> BackupContents:
    """Write a backup of a data folder to a new file; `version` is that of memtui. The file appears when it is complete.

    Raises MemtuiError if the file exists or nothing is indexed, BackupDamaged if what was written is not what was read,
    and OSError.
    """
    if path.exists():
        raise MemtuiError(f"{path} exists, and is not replaced.")
    part = path.with_name(f".{path.name}.part")
    try:
        with ExitStack() as stack:
            members = _opened(data, stack)
            contents = _write(part, members, version, report)
        fault_point("backup-written")
        if read_backup(part) != contents:
            raise BackupDamaged(f"The disk of {path.parent} has not kept what was written. Nothing was kept there.")
        if path.exists():
            raise MemtuiError(f"{path} exists, and is not replaced.")
        replace_file(part, path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
    return contents


def read_backup(path: Path, folder: Path | None = None, report: Report = lambda done, total: None) -> BackupContents:
    """Check a backup, and write its files into an empty folder. Raises BackupDamaged and OSError."""
    from memtui_core.system.compression import zstd

    found: dict[str, tuple[int, str]] = {}
    contents: bytes | None = None
    total, done = path.stat().st_size, 0
    try:
        with (
            path.open("rb") as file,
            zstd.ZstdFile(file) as stream,
            tarfile.open(fileobj=stream, mode="r|") as tar,
        ):
            for member in tar:
                source = tar.extractfile(member)
                if source is None or not _is_inside(member.name):
                    raise BackupDamaged(f"{path} is no backup of memtui.")
                if member.name == CONTENTS:
                    contents = source.read()
                    continue
                found[member.name] = member.size, _copy(source, _target(folder, member.name), member.size)
                done = file.tell()
                report(done, total)
    except (tarfile.TarError, zstd.ZstdError, EOFError) as error:
        raise BackupDamaged(f"{path} is damaged, or no backup of memtui: {error}.") from error
    return _checked(path, contents, found)


def is_backup(path: Path) -> bool:
    """Whether a file begins as a backup does. Raises OSError."""
    with path.open("rb") as file:
        return file.read(4) == b"\x28\xb5\x2f\xfd"


def _opened(data: DataDir, stack: ExitStack) -> list[_Member]:
    """All files, opened; those of the snapshot belong together."""
    for _ in range(_ATTEMPTS):
        manifest = read_manifest(data)
        if manifest is None:
            raise IndexMissing(f"Nothing is indexed in {data.path} yet. Run: memtui index")
        with ExitStack() as attempt:
            try:
                members = [*_snapshot(data, manifest, attempt), *_appended(data, attempt)]
            except FileNotFoundError:
                # A newer snapshot has replaced this one.
                time.sleep(0.05)
                continue
            stack.push(attempt.pop_all())
            return members
    raise MemtuiError(f"The index in {data.path} changes too fast, or a file of its snapshot is missing: memtui doctor")


def _snapshot(data: DataDir, manifest: Manifest, stack: ExitStack) -> Iterator[_Member]:
    """The files of a snapshot, and the file that names them."""
    base, delta, journal, vectors = manifest.base, manifest.delta, manifest.journal, manifest.vectors
    yield _member(data, data.base(base), stack)
    if delta is not None:
        yield _member(data, data.delta(delta), stack)
    if journal is not None:
        yield _member(data, data.journal(journal), stack, manifest.journal_bytes)
    if vectors is not None:
        keys = data.vector_keys(vectors.file)
        if keys.exists():
            yield _member(data, data.vectors(vectors.file), stack, vectors.size * vectors.dimension)
            yield _member(data, keys, stack, vectors.size * np.dtype(KEY).itemsize)
        else:
            # Those of an earlier version.
            yield from (_member(data, file, stack) for file in data.vector_files(vectors.file) if file.exists())
    name = data.current.relative_to(data.path).as_posix()
    content = json.dumps(manifest._asdict() | {"vectors": vectors._asdict() if vectors else None}).encode()
    yield _Member(name, io.BytesIO(content), len(content))


def _appended(data: DataDir, stack: ExitStack) -> Iterator[_Member]:
    """The files of the user, and the archives."""
    archives = sorted(data.archive.glob("*.records")) if data.archive.is_dir() else []
    for path in [*(data.path / name for name in own_files(data)), *archives]:
        member = _member(data, path, stack)
        yield member._replace(size=_whole_lines(member)) if path.suffix == LINES else member


def _member(data: DataDir, path: Path, stack: ExitStack, size: int | None = None) -> _Member:
    file = stack.enter_context(path.open("rb"))
    length = file.seek(0, io.SEEK_END)
    file.seek(0)
    if size is not None and length < size:
        raise MemtuiError(f"{path} has {length} bytes of {size}: memtui doctor says what to do.")
    return _Member(path.relative_to(data.path).as_posix(), file, length if size is None else size)


def _whole_lines(member: _Member) -> int:
    """The bytes up to the last line end: what follows is being written."""
    content = member.file.read(member.size)
    member.file.seek(0)
    return content.rfind(b"\n") + 1 or len(content)


def _write(part: Path, members: list[_Member], version: str, report: Report) -> BackupContents:
    from memtui_core.system.compression import zstd

    total, done, files = sum(member.size for member in members), 0, {}
    made_at = time.time()
    with part.open("wb") as output:
        part.chmod(_MODE)
        with (
            zstd.ZstdFile(output, "w", level=_LEVEL) as stream,
            tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
        ):
            for member in members:
                source = _Hashed(member.file)
                tar.addfile(_info(member.name, member.size, made_at), source)
                files[member.name] = member.size, source.digest
                done += member.size
                report(done, total)
            contents = {
                "format": FORMAT,
                "memtui": version,
                "schema": VERSION,
                "made_at": made_at,
                "files": {name: {"size": size, "digest": digest} for name, (size, digest) in files.items()},
            }
            text = json.dumps(contents, indent=1).encode()
            tar.addfile(_info(CONTENTS, len(text), made_at), io.BytesIO(text))
        sync(output)
    return BackupContents(total, files, made_at, version)


class _Hashed(io.RawIOBase):
    """A file that hashes what is read of it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._state = blake2b(digest_size=_DIGEST)

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self._state.update(data)
        return data

    @property
    def digest(self) -> str:
        """Of all that was read."""
        return self._state.hexdigest()


def _info(name: str, size: int, at: float) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, int(at), _MODE
    return info


def _is_inside(name: str) -> bool:
    """Whether a name is that of a file inside the folder, on every system."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name and ":" not in name


def _target(folder: Path | None, name: str) -> Path | None:
    if folder is None:
        return None
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _copy(source: Any, target: Path | None, size: int) -> str:
    """Copy a member, and return its digest."""
    hashed = _Hashed(source)
    with ExitStack() as stack:
        output = stack.enter_context(target.open("wb")) if target is not None else None
        while piece := hashed.read(_PIECE):
            size -= len(piece)
            if output is not None:
                output.write(piece)
        if output is not None:
            sync(output)
    if size:
        raise EOFError("a file in it is not complete")
    return hashed.digest


def _checked(path: Path, contents: bytes | None, found: dict[str, tuple[int, str]]) -> BackupContents:
    """What a backup says of itself. Raises BackupDamaged if that is not what was found, MemtuiError if it is newer."""
    if contents is None:
        raise BackupDamaged(f"{path} is not complete.")
    try:
        value = json.loads(contents)
        files = {name: (int(one["size"]), str(one["digest"])) for name, one in value["files"].items()}
        form, made_at, version = int(value["format"]), float(value["made_at"]), str(value["memtui"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupDamaged(f"{path} is no backup of memtui.") from error
    if form > FORMAT:
        raise MemtuiError(f"{path} was made by memtui {version}, which is newer. Update memtui.")
    if files != found:
        raise BackupDamaged(f"{path} is damaged: its files are not those that were written.")
    return BackupContents(sum(size for size, _ in files.values()), files, made_at, version)
