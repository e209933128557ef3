"""What has to be read: files on disk beside what the index knows of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtui_core.readers.places import FoundFile, Place, narrowed
from memtui_core.store.work import Work
from memtui_core.system.walk import Obstacle, Walk, through_link

HEAD_BYTES = 4096
"""A rewritten file is told by the hash of its first bytes."""
NO_FILE = -1
"""Size of a source that stands for a path where no file can be read."""


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
    error: str | None = None

    @property
    def is_obstacle(self) -> bool:
        """Whether no file could be seen there when it was last looked at."""
        return self.size == NO_FILE

    def from_start(self) -> KnownSource:
        """The same source with nothing read of it."""
        return replace(self, offset=0, line=0, head_hash="")


@dataclass(frozen=True, slots=True)
class Blocked:
    """A path that cannot be read, and for which the index does not say so yet."""

    agent: str
    obstacle: Obstacle
    known: KnownSource | None


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
    blocked: list[Blocked] = field(default_factory=list)
    cleared: list[int] = field(default_factory=list)
    """Sources that stood for a path that could not be read, of which nothing is left to say."""


def known_sources(work: Work, paths: Sequence[str] | None = None) -> dict[str, KnownSource]:
    """Sources by path, all or some."""
    where = "" if paths is None else " WHERE list_contains(?, path)"
    rows = work.connection.execute(
        "SELECT id, path, size, mtime, cursor_offset, cursor_line, head_hash, head_size, session, gone_at IS NOT NULL,"
        " error"
        f" FROM sources{where}",
        [] if paths is None else [list(paths)],
    ).fetchall()
    return {row[1]: KnownSource(*row) for row in rows}


def plan(work: Work, places: Sequence[Place], changed: Collection[Path] | None = None) -> Plan:
    """Compare the places with the index; reads no file, only asks for sizes and times.

    With `changed` only these files and folders are looked at, which costs nothing for all the others; where a link
    leads to a new one, only a look at all of them tells which of its paths counts.
    """
    if changed is not None and _may_have_two_paths(work, places, changed):
        changed = None
    seen: dict[str, FoundFile] = {}
    obstacles: dict[str, tuple[str, Obstacle]] = {}
    walk = Walk()
    for place in places:
        for below in [place] if changed is None else narrowed(place, changed):
            for found in walk.below(below.path):
                if isinstance(found, Obstacle):
                    obstacles.setdefault(str(found.path), (place.agent, found))
                else:
                    seen.setdefault(str(found.path), FoundFile(place.agent, found.path, found.size, found.mtime))
    known = known_sources(work, None if changed is None else [*seen, *obstacles, *map(str, changed)])
    pending = [Pending(file, known.get(path)) for path, file in seen.items() if _changed(file, known.get(path))]
    pending.sort(key=lambda item: (-item.file.mtime, str(item.file.path)))
    unseen = {path: source for path, source in known.items() if path not in seen and path not in obstacles}
    cleared = [source.id for source in unseen.values() if source.is_obstacle and source.session is None]
    missing = [source for path, source in unseen.items() if source.id not in cleared and _is_missing(Path(path))]
    return Plan(
        pending,
        [source.id for source in missing if not source.gone],
        [source.id for path, source in known.items() if source.gone and path in seen],
        [
            Blocked(agent, one, known.get(path))
            for path, (agent, one) in obstacles.items()
            if _news(one, known.get(path))
        ],
        cleared,
    )


def head_hash(path: Path, size: int) -> str:
    """Hash of the first `size` bytes of a file."""
    with path.open("rb") as file:
        return hashlib.blake2b(file.read(size), digest_size=16).hexdigest()


def _may_have_two_paths(work: Work, places: Sequence[Place], changed: Collection[Path]) -> bool:
    linked = [str(path) for path in changed if any(through_link(place.path, path) for place in places)]
    return bool(linked) and len(known_sources(work, linked)) < len(linked)


def _is_missing(path: Path) -> bool:
    """Whether a file is not there; in a folder that cannot be read that is not known."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _news(obstacle: Obstacle, known: KnownSource | None) -> bool:
    return known is None or known.gone or not known.is_obstacle or known.error != obstacle.reason


def _changed(file: FoundFile, known: KnownSource | None) -> bool:
    return known is None or (file.size, file.mtime) != (known.size, known.mtime)
