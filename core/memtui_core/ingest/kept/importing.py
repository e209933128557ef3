"""Take over what another data folder holds, from an export or a backup of it.

An index that does not exist yet becomes that of the backup. Into an index that exists, sessions are inserted that it
does not have; what it has stays.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memtui_core.errors import IndexTooNew, MemtuiError
from memtui_core.ingest.kept.shrinking import levels
from memtui_core.readers.exclusions import Exclusions
from memtui_core.store.archive.backup import read_backup
from memtui_core.store.archive.export_names import FORMAT, MANIFEST, OWN, SESSIONS, TRANSCRIPT_LIST
from memtui_core.store.archive.own_files import is_own_file, merge_own_files, merge_tombstones
from memtui_core.store.archive.readable_rows import joined, rows_from_lines
from memtui_core.store.archive.session_rows import SessionRows, WorkRows, rows_of
from memtui_core.store.archive.transcripts import ArchivedFile, TranscriptArchive
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import ForgetLog, Tombstones
from memtui_core.store.schema import VERSION
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.system.atomic_files import replace_file
from memtui_core.system.fault_points import fault_point
from memtui_core.text.machine_folders import folder_of

if TYPE_CHECKING:
    from memtui_core.ingest.indexer import Indexer

_TOGETHER: Final = 100
"""Files of sessions that are inserted at once."""
_PREFIX: Final = ".import-"

Report = Callable[[int, int], object]
"""Gets how much is done, and how much there is."""


@dataclass(slots=True)
class ImportCounts:
    """What was taken over."""

    sessions: int = 0
    """Sessions with their subagents that got anything."""
    known: int = 0
    """Sessions that were there already."""
    refused: int = 0
    """Sessions that were forgotten here, or that the settings exclude."""
    transcripts: int = 0
    lines: int = 0
    """Lines of the logs of the user."""
    tombstones: int = 0


class Rest(NamedTuple):
    """What belongs to sessions besides rows."""

    own: DataDir
    """The folder with the files of the user."""
    transcripts: Iterable[tuple[ArchivedFile, bytes]]


class ExportDamaged(MemtuiError):
    """An export is not complete, or was changed."""


def is_export(path: Path) -> bool:
    """Whether a folder is an export."""
    return (path / MANIFEST).is_file()


def has_index(data: DataDir) -> bool:
    """Whether a data folder has an index."""
    return data.work.exists() or (data.snapshots.is_dir() and any(data.snapshots.iterdir()))


@contextmanager
def unpacked(data: DataDir, backup: Path, report: Report = lambda done, total: None) -> Iterator[DataDir]:
    """The files of a backup in a folder inside a data folder, which is removed afterwards.

    Raises BackupDamaged, IndexTooNew if a newer memtui made it, and OSError.
    """
    data.path.mkdir(parents=True, exist_ok=True)
    for old in data.path.glob(f"{_PREFIX}*"):
        # A process died while it imported.
        shutil.rmtree(old, ignore_errors=True)
    folder = Path(mkdtemp(prefix=_PREFIX, dir=data.path))
    try:
        read_backup(backup, folder, report)
        snapshot = Snapshot(DataDir(folder))
        snapshot.close()
        yield DataDir(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def move_in(data: DataDir, other: DataDir) -> None:
    """Make the index of a folder that of a data folder without one, which its caller has locked.

    The folder of the snapshots comes last, as a whole: before, there is no index. Raises OSError.
    """
    for path in sorted(path for path in other.path.rglob("*") if path.is_file()):
        name = path.relative_to(other.path)
        if not (is_own_file(data, name.as_posix()) or path.is_relative_to(other.snapshots)):
            target = data.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, target)
            fault_point("import-moved")
    with suppress(FileNotFoundError):
        data.snapshots.rmdir()
    other.snapshots.rename(data.snapshots)
    fault_point("import-in-place")


def publish_moved(indexer: Indexer, counts: ImportCounts) -> None:
    """Publish an index that was moved in, with its words, which are not in a backup."""
    indexer.publish(complete=True)
    counts.sessions = int(indexer.work.scalar("SELECT count(*) FROM sessions"))
    counts.transcripts = len(TranscriptArchive(indexer.data).files())


def insert_sessions(
    indexer: Indexer, groups: Iterable[SessionRows], exclusions: Exclusions, counts: ImportCounts
) -> None:
    """Insert sessions that the index does not have, and publish them."""
    tombstones = ForgetLog(indexer.data).tombstones()
    rest = iter(groups)
    while some := list(islice(rest, _TOGETHER)):
        allowed = [group for group in some if _is_allowed(group, tombstones, exclusions)]
        refused = sum(len(group.sessions) for group in some) - sum(len(group.sessions) for group in allowed)
        counts.refused += refused
        if allowed:
            inserted = len(indexer.stored.insert([joined(allowed)]))
            counts.sessions += inserted
            counts.known += sum(len(group.sessions) for group in allowed) - inserted
            fault_point("import-inserted")
    indexer.publish(complete=True)


def _is_allowed(group: SessionRows, tombstones: Tombstones, exclusions: Exclusions) -> bool:
    """Whether no session of a group was forgotten here or is excluded."""
    return not any(
        tombstones.forgets(row["agent"], row["session_id"], row["parent_id"])
        or exclusions.excludes_session(row["agent"], row["project"], row["cwd"], folder_of(row["root"]))
        for row in group.named("sessions")
    )


def take_rest(indexer: Indexer, rest: Rest, counts: ImportCounts) -> None:
    """Take over archived transcripts that are not archived here, the logs of the user, and what was forgotten.

    Transcripts of which the index keeps less than everything are left out.
    """
    data, archive = indexer.data, TranscriptArchive(indexer.data)
    known = set(archive.files())
    smaller = key_condition("session", levels(WorkRows(indexer.work), indexer.retention))
    whole = set(
        indexer.work.connection.execute(
            f"SELECT path FROM sources WHERE id NOT IN (SELECT source FROM turns WHERE {smaller})"
        ).fetchall()
    )
    for file, content in rest.transcripts:
        if file.path not in known and (file.source,) in whole:
            archive.put(file, content)
            counts.transcripts += 1
    archive.flush()
    present = indexer.work.connection.execute("SELECT agent, session_id FROM sessions").fetchall()
    counts.tombstones += merge_tombstones(data, rest.own, {(agent, own) for agent, own in present})
    counts.lines += merge_own_files(data, rest.own)


def groups_of_backup(other: DataDir) -> Iterator[SessionRows]:
    """The sessions of an unpacked backup."""
    snapshot = Snapshot(other)
    try:
        keys = [key for (key,) in snapshot.rows("SELECT key FROM sessions ORDER BY key")]
        yield from rows_of(snapshot, keys)
    finally:
        snapshot.close()


def rest_of_backup(other: DataDir) -> Rest:
    """What an unpacked backup has besides rows; without its transcripts if they were moved."""
    return Rest(other, _archived(other))


def _archived(other: DataDir) -> Iterator[tuple[ArchivedFile, bytes]]:
    for file in TranscriptArchive(other).files().values():
        yield file, b"".join(file.pieces())


class Export:
    """An export of another data folder, of which each file is checked when it is read."""

    def __init__(self, folder: Path) -> None:
        """Raises ExportDamaged, and MemtuiError if a newer memtui wrote it."""
        self._folder = folder
        try:
            manifest: Any = json.loads((folder / MANIFEST).read_bytes())
            self._files = {str(name): (int(one["size"]), str(one["digest"])) for name, one in manifest["files"].items()}
            form, schema, version = int(manifest["format"]), int(manifest["schema"]), str(manifest["memtui"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ExportDamaged(f"{folder} is no export of memtui: {MANIFEST} cannot be read.") from error
        if form > FORMAT or schema > VERSION:
            raise IndexTooNew(f"{folder} was written by memtui {version}, which is newer. Update memtui.")
        missing = [name for name in self._files if not (folder / name).is_file()]
        if missing:
            raise ExportDamaged(f"{folder} is not complete: {missing[0]} is missing.")

    def groups(self, report: Report = lambda done, total: None) -> Iterator[SessionRows]:
        """The sessions. Raises ExportDamaged."""
        names = [name for name in self._files if PurePosixPath(name).parts[0] == SESSIONS]
        for number, name in enumerate(names, 1):
            try:
                yield rows_from_lines(self._read(name).splitlines())
            except ValueError as error:
                raise ExportDamaged(f"{self._folder / name} is damaged: {error}.") from error
            report(number, len(names))

    def rest(self) -> Rest:
        """What it has besides rows."""
        own = [name for name in self._files if PurePosixPath(name).parts[0] == OWN]
        for name in own:
            self._read(name)
        return Rest(DataDir(self._folder / OWN), self._transcripts())

    def _transcripts(self) -> Iterator[tuple[ArchivedFile, bytes]]:
        if TRANSCRIPT_LIST not in self._files:
            return
        for line in self._read(TRANSCRIPT_LIST).splitlines():
            try:
                about = json.loads(line)
                file = ArchivedFile(
                    Path(about["path"]), about["agent"], about["source"], int(about["size"]), int(about["mtime"]),
                    int(about["complete"]), about["digest"], int(about["secrets"]), (),
                )  # fmt: skip
                name = str(about["file"])
            except (ValueError, KeyError, TypeError) as error:
                raise ExportDamaged(f"{self._folder / TRANSCRIPT_LIST} is damaged.") from error
            yield file, self._read(name)

    def _read(self, name: str) -> bytes:
        content = (self._folder / name).read_bytes() if name in self._files else b""
        if self._files.get(name) != (len(content), blake2b(content, digest_size=16).hexdigest()):
            raise ExportDamaged(f"{self._folder / name} is damaged, or was changed.")
        return content
