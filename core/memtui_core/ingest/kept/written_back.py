"""Write back transcripts that their agents have deleted."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memtui_core.errors import MemtuiError
from memtui_core.readers.base import container_of
from memtui_core.readers.locations import default_locations, retention
from memtui_core.store.archive.transcripts import ArchivedFile, TranscriptArchive
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.system.atomic_files import sync
from memtui_core.system.fault_points import fault_point

_DAY: Final = 86_400
_FILES: Final = """
    WITH RECURSIVE family(key) AS (
        SELECT ? UNION SELECT s.key FROM sessions s JOIN family f ON s.parent = f.key
    )
    SELECT path, size FROM sources
    WHERE state NOT IN ('prompts', 'superseded') AND (session IN (SELECT key FROM family)
        OR id IN (SELECT source FROM turns WHERE session IN (SELECT key FROM family)))
    ORDER BY path
"""


@dataclass(frozen=True, slots=True)
class Restorable:
    """A file of a session that can be written."""

    file: ArchivedFile
    target: Path
    missing: int
    """Bytes at its end that the index has read and the archive has not."""

    @property
    def exists(self) -> bool:
        """Whether there is something at the target."""
        return os.path.lexists(self.target)


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """The transcripts of a session and of its subagents."""

    sources: tuple[str, ...]
    """The names of all of them in the index."""
    restorable: tuple[Restorable, ...]

    @property
    def lost(self) -> list[str]:
        """The names of those that are neither archived nor on the disk."""
        archived = {one.file.source for one in self.restorable}
        return [name for name in self.sources if name not in archived and not os.path.lexists(container_of(name))]


def files_of_session(
    snapshot: Snapshot, archive: TranscriptArchive, session: int, folder: Path | None = None
) -> SessionFiles:
    """What can be written of a session and its subagents: to where it was, or into a folder. Raises OSError."""
    sizes: dict[str, int] = dict(snapshot.rows(_FILES, [session]))
    files = [file for file in archive.files().values() if file.source in sizes]
    top = Path(os.path.commonpath([str(file.path.parent) for file in files])) if files else Path()
    return SessionFiles(
        tuple(sizes),
        tuple(
            Restorable(
                file,
                file.path if folder is None else folder / file.path.relative_to(top),
                max(0, sizes[file.source] - file.size) if str(file.path) == file.source else 0,
            )
            for file in files
        ),
    )


def time_kept(file: ArchivedFile, now: float) -> bool:
    """Whether a file may get back the time at which it was changed: its agent would not delete it at once."""
    kept = (retention(place) for place in default_locations() if file.path.is_relative_to(place.path))
    days = min((one.days for one in kept if one is not None), default=None)
    return days is None or file.mtime / 1e9 + (days - 1) * _DAY > now


def write_files(files: Sequence[Restorable], *, keeps_time: bool = False) -> int:
    """Write files that do not exist yet, complete or not at all; how many have the time of now.

    The others have the time at which they were changed. Raises MemtuiError for a file that exists meanwhile, OSError,
    and RecordDamaged.
    """
    renewed, now = 0, time.time()
    for one in files:
        one.target.parent.mkdir(parents=True, exist_ok=True)
        # The next attempt replaces what a process that died has left.
        part = one.target.with_name(f".{one.target.name}.memtui-part")
        try:
            with part.open("wb") as output:
                for piece in one.file.pieces():
                    output.write(piece)
                sync(output)
            fault_point("transcript-written")
            if keeps_time or time_kept(one.file, now):
                os.utime(part, ns=(one.file.mtime, one.file.mtime))
            else:
                renewed += 1
            _put(part, one.target)
        finally:
            with suppress(FileNotFoundError):
                part.unlink()
    return renewed


def _put(part: Path, target: Path) -> None:
    """Give a file its name, unless that is taken."""
    try:
        # Unlike a rename, it replaces nothing.
        target.hardlink_to(part)
        return
    except FileExistsError as error:
        raise MemtuiError(f"{target} exists, and is not replaced.") from error
    except OSError:
        # The file system has no such links.
        pass
    if os.path.lexists(target):
        raise MemtuiError(f"{target} exists, and is not replaced.")
    part.rename(target)
