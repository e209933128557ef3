"""What has to be read: files on disk beside what the index knows of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memtui_core.places import FoundFile, Place, files, narrowed
from memtui_core.store.work import Work

HEAD_BYTES = 4096
"""A rewritten file is told by the hash of its first bytes."""


@dataclass(frozen=True, slots=True)
class KnownSource:
    """What the index knows of a file."""

    id: int
    path: str
    size: int
    mtime: int
    offset: int
    line: int
    head_hash: str
    head_size: int
    session: int | None
    gone: bool

    def from_start(self) -> KnownSource:
        """The same source with nothing read of it."""
        return replace(self, offset=0, line=0, head_hash="")


@dataclass(frozen=True, slots=True)
class Pending:
    """A file to read, from its cursor or from the start."""

    file: FoundFile
    known: KnownSource | None
    settled: bool = False
    """Read again because another file took its shared entries over: it takes none over in its turn, or two files that
    share with a third could take from each other for ever."""

    @property
    def to_read(self) -> int:
        """Bytes still to read."""
        return max(0, self.file.size - (self.known.offset if self.known else 0))


@dataclass(frozen=True, slots=True)
class Plan:
    """What changed on disk since the last look."""

    pending: list[Pending]
    """Newest first."""
    gone: list[int]
    """Sources whose file is not there any more."""
    back: list[int]
    """Sources that were gone and are there again, unchanged."""


def known_sources(work: Work, paths: Sequence[str] | None = None) -> dict[str, KnownSource]:
    """Sources by path, all or some."""
    where = "" if paths is None else " WHERE list_contains(?, path)"
    rows = work.connection.execute(
        "SELECT id, path, size, mtime, cursor_offset, cursor_line, head_hash, head_size, session, gone_at IS NOT NULL"
        f" FROM sources{where}",
        [] if paths is None else [list(paths)],
    ).fetchall()
    return {row[1]: KnownSource(*row) for row in rows}


def plan(work: Work, places: Sequence[Place], changed: Collection[Path] | None = None) -> Plan:
    """Compare the places with the index; reads no file, only asks for sizes and times.

    With `changed` only these files and folders are looked at, which costs nothing for all the others.
    """
    seen: dict[str, FoundFile] = {}
    for place in places:
        for below in [place] if changed is None else narrowed(place, changed):
            for file in files(below):
                seen.setdefault(str(file.path), file)
    known = known_sources(work, None if changed is None else [*seen, *map(str, changed)])
    pending = [Pending(file, known.get(path)) for path, file in seen.items() if _changed(file, known.get(path))]
    pending.sort(key=lambda item: (-item.file.mtime, str(item.file.path)))
    missing = [s for path, s in known.items() if path not in seen and not Path(path).exists()]
    return Plan(
        pending,
        [source.id for source in missing if not source.gone],
        [source.id for path, source in known.items() if source.gone and path in seen],
    )


def head_hash(path: Path, size: int) -> str:
    """Hash of the first `size` bytes of a file."""
    with path.open("rb") as file:
        return hashlib.blake2b(file.read(size), digest_size=16).hexdigest()


def _changed(file: FoundFile, known: KnownSource | None) -> bool:
    return known is None or (file.size, file.mtime) != (known.size, known.mtime)
