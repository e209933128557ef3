"""What has to be read: transcripts on disk beside what the index knows of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from memtui_core.readers.base import PART_MARK, START, Cursor, Transcript, container_of
from memtui_core.readers.locations import Blocked, Location, OtherFile, Scan, narrowed
from memtui_core.store.work import Work
from memtui_core.system.walk import Obstacle, through_link

NO_FILE: Final = -1
"""Size of a source that stands for a path where no file can be read."""
_CONTAINER: Final = f"regexp_extract(path, '^(.*){PART_MARK}[^{PART_MARK}]*$', 1)"
"""SQL for the container of a transcript that is one of several; empty for another one."""


@dataclass(frozen=True, slots=True)
class KnownSource:
    """What the index knows of a transcript, or of another file."""

    id: int
    name: str
    agent: str
    size: int
    mtime: int
    session: int | None
    gone: bool
    error: str | None
    cursor: Cursor

    @property
    def is_obstacle(self) -> bool:
        """Whether no file could be seen there when it was last looked at."""
        return self.size == NO_FILE

    def from_start(self) -> KnownSource:
        """The same source with nothing read of it."""
        return replace(self, cursor=START)


@dataclass(frozen=True, slots=True)
class Pending:
    """A transcript to read, from its cursor or from the start."""

    transcript: Transcript
    known: KnownSource | None
    settled: bool = False
    """Read again because another file took its shared entries over: it takes none over in its turn, or two files that
    share with a third could take from each other for ever."""

    @property
    def cursor(self) -> Cursor:
        """Where reading goes on; the start for one that became smaller, or that another reader takes over."""
        known, transcript = self.known, self.transcript
        if known is None or transcript.size < known.size or transcript.agent != known.agent:
            return START
        return known.cursor

    @property
    def to_read(self) -> int:
        """Bytes still to read."""
        return max(0, self.transcript.size - (self.known.cursor.position if self.known else 0))


@dataclass(frozen=True, slots=True)
class Plan:
    """What changed on disk since the last look."""

    pending: list[Pending]
    """Newest first."""
    others: list[tuple[OtherFile, KnownSource | None]]
    """Files that are no transcripts, and of which the index does not say so yet."""
    blocked: list[tuple[Blocked, KnownSource | None]]
    """Paths that cannot be read, and for which the index does not say so yet."""
    gone: list[int]
    """Sources whose transcript is not there any more."""
    back: list[int]
    """Sources that were gone and are there again, unchanged."""
    cleared: list[int]
    """Sources that stood for a path that could not be read, of which nothing is left to say."""

    @property
    def bookkeeping(self) -> bool:
        """Whether there is something to write down beside what is to be read."""
        return bool(self.others or self.blocked or self.gone or self.back or self.cleared)


@dataclass(slots=True)
class _Look:
    """What lies in some locations, each entry by the name that it has in the store."""

    transcripts: dict[str, Transcript] = field(default_factory=dict)
    others: dict[str, OtherFile] = field(default_factory=dict)
    blocked: dict[str, Blocked] = field(default_factory=dict)
    listed: set[Path] = field(default_factory=set)

    def names(self) -> set[str]:
        """All there is."""
        return {*self.transcripts, *self.others, *self.blocked}


def known_sources(work: Work, paths: Collection[str] | None = None) -> dict[str, KnownSource]:
    """Sources by name: all, or those of some names and containers."""
    where = "" if paths is None else f" WHERE list_contains($1, path) OR list_contains($1, {_CONTAINER})"
    rows = work.connection.execute(
        "SELECT id, path, agent, size, mtime, session, gone_at IS NOT NULL, error,"
        f" cursor_offset, cursor_line, head_hash, head_size FROM sources{where}",
        [] if paths is None else [list(paths)],
    ).fetchall()
    return {
        name: KnownSource(number, name, agent, size, mtime, session, gone, error, Cursor(*cursor))
        for number, name, agent, size, mtime, session, gone, error, *cursor in rows
    }


def plan(work: Work, locations: Sequence[Location], changed: Collection[Path] | None = None) -> Plan:
    """Compare the locations with the index; of files only sizes and times are asked for.

    With `changed` only these files and folders are looked at, which costs nothing for all the others; where a link
    leads to a new one, only a look at all of them tells which of its paths counts.
    """
    if changed is not None and _may_have_two_paths(work, locations, changed):
        changed = None
    names: set[str] | None = None
    if changed is not None:
        locations = [part for location in locations for part in narrowed(location, changed)]
        names = {*map(str, changed), *(str(part.path) for part in locations)}
    look = _look_at(locations)
    names = None if names is None else names | look.names()
    known = known_sources(work, names)
    unseen = [source for name, source in known.items() if name not in look.names()]
    cleared = [source.id for source in unseen if source.is_obstacle and source.session is None]
    missing = [source for source in unseen if source.id not in cleared and _is_missing(source, look.listed)]
    pending = [
        Pending(one, known.get(name)) for name, one in look.transcripts.items() if _changed(one, known.get(name))
    ]
    return Plan(
        sorted(pending, key=lambda item: (-item.transcript.mtime, item.transcript.name)),
        [
            (other, source)
            for name, other in look.others.items()
            if (source := known.get(name)) is None or (other.file.size, other.file.mtime) != (source.size, source.mtime)
        ],
        [
            (blocked, known.get(name))
            for name, blocked in look.blocked.items()
            if _is_news(blocked.obstacle, known.get(name))
        ],
        gone=[source.id for source in missing if not source.gone],
        back=[source.id for source in known.values() if source.gone and source.name in look.names() - {*look.blocked}],
        cleared=cleared,
    )


def transcript_of(source: KnownSource) -> Transcript | None:
    """The transcript of a source as it is now; None when it is not there."""
    entries = Scan().below(Location(source.agent, container_of(source.name)))
    return next((one for one in entries if isinstance(one, Transcript) and one.name == source.name), None)


def _look_at(locations: Sequence[Location]) -> _Look:
    look, scan = _Look(), Scan()
    for location in locations:
        for entry in scan.below(location):
            if isinstance(entry, Transcript):
                look.transcripts.setdefault(entry.name, entry)
            elif isinstance(entry, OtherFile):
                look.others.setdefault(str(entry.file.path), entry)
            else:
                look.blocked.setdefault(str(entry.obstacle.path), entry)
    look.listed = scan.listed
    return look


def _may_have_two_paths(work: Work, locations: Sequence[Location], changed: Collection[Path]) -> bool:
    linked = [str(path) for path in changed if any(through_link(location.path, path) for location in locations)]
    return bool(linked) and len(known_sources(work, linked)) < len(linked)


def _is_missing(source: KnownSource, listed: Collection[Path]) -> bool:
    """Whether a transcript is not there; in a folder or file that cannot be read that is not known."""
    container = container_of(source.name)
    if container in listed:
        return True
    try:
        container.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _is_news(obstacle: Obstacle, known: KnownSource | None) -> bool:
    return known is None or known.gone or not known.is_obstacle or known.error != obstacle.reason


def _changed(transcript: Transcript, known: KnownSource | None) -> bool:
    return known is None or (transcript.agent, transcript.size, transcript.mtime) != (
        known.agent,
        known.size,
        known.mtime,
    )
