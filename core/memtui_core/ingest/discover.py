"""Find what must be read, by comparing the transcripts on the disk with the sources in the index."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.base import PART_MARK, START, Cursor, Transcript, container_of, source_name
from memtui_core.readers.exclusions import NOTHING, Exclusions
from memtui_core.readers.formats.jsonl import LINES
from memtui_core.readers.locations import BlockedPath, Location, OtherFile, Recognized, Scan, narrowed
from memtui_core.store.tables import key_condition
from memtui_core.system.walk import Obstacle, through_link

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

EXCLUDED: Final = "excluded"
"""The state of a source whose session the settings exclude."""
FORGOTTEN: Final = "forgotten"
"""The state of a source whose session the user has forgotten."""
COPY: Final = "copy"
"""The state of a source all of whose entries belong to other sources."""
PROMPTS: Final = "prompts"
"""The state of a source that has only the prompts of its session."""
SUPERSEDED: Final = "superseded"
"""The state of such a source when another source has turns of the session."""
WAITING: Final = "waiting"
"""The state of a source of which the last line is incomplete."""
LONGEST_CHAIN: Final = 3
"""The length at which a chain of transcripts ends, each read again because of the one before: two forks of each other
could go on forever."""
LARGEST_PIECE: Final = 32_000_000
"""Bytes of a file of lines that are read at once."""
NO_FILE: Final = -1
"""The size in the row of a path that cannot be read."""
_CONTAINER: Final = f"regexp_extract(path, '^(.*){PART_MARK}[^{PART_MARK}]*$', 1)"
"""SQL for the container of a source that is one of several in a file or database; empty for other sources."""


@dataclass(frozen=True, slots=True)
class KnownSource:
    """A source in the index: a transcript, another file, or a path that cannot be read."""

    id: int
    name: str
    agent: str
    size: int
    mtime: int
    session: int | None
    gone: bool
    error: str | None
    cursor: Cursor
    state: str = ""
    """What was found when it was last read; `SourceRow` lists the states."""
    lines: int = 0
    """The number of lines that it had when it was last read; an incomplete last line counts."""

    @property
    def is_excluded(self) -> bool:
        """Whether the settings excluded it when it was last read."""
        return self.state == EXCLUDED

    @property
    def is_copy(self) -> bool:
        """Whether all of its entries were in other transcripts when it was last read."""
        return self.state == COPY

    @property
    def is_obstacle(self) -> bool:
        """Whether the path could not be read in the last scan."""
        return self.size == NO_FILE

    @property
    def complete_lines(self) -> int:
        """The number of lines that were read."""
        return self.lines - (self.state == WAITING)

    def from_start(self) -> KnownSource:
        """The same source with the cursor at the start."""
        return replace(self, cursor=START)


@dataclass(frozen=True, slots=True)
class Pending:
    """A transcript to read."""

    transcript: Transcript
    known: KnownSource | None
    is_displaced: bool = False
    """Whether it is read again because some of its entries belong to another transcript now. It displaces none then:
    two transcripts that share entries with a third one would displace each other forever."""
    chain_length: int = 0
    """The number of transcripts before it in a chain, each read again because of the one before."""
    is_continued: bool = False
    """Whether it is the next piece of a transcript of which one was read just now."""

    @property
    def cursor(self) -> Cursor:
        """Where to continue; the start if the transcript shrank or belongs to another reader than before."""
        known = self.known
        return START if known is None or self.shrank or self.transcript.agent != known.agent else known.cursor

    @property
    def shrank(self) -> bool:
        """Whether the transcript is smaller than when it was last read."""
        return self.known is not None and self.transcript.size < self.known.size

    @property
    def unread_bytes(self) -> int:
        """Bytes that are not read yet."""
        until = min(self.transcript.until or self.transcript.size, self.transcript.size)
        return max(0, until - (self.known.cursor.position if self.known else 0))

    @property
    def whole(self) -> Transcript:
        """The transcript without an end before that of the file."""
        return replace(self.transcript, until=0)

    def next_piece(self, sources: Mapping[str, KnownSource]) -> Pending:
        """What follows a piece that was stored; `sources` has the source as it is now."""
        return replace(self, transcript=self.whole, known=sources[self.transcript.name], is_continued=True)

    def piece(self) -> Pending:
        """The part of a large file that is read at once, if its reader can stop there; else itself.

        What was read is stored before the next piece, so that memory does not depend on the size of a file, and a
        process that dies loses one piece.
        """
        if self.transcript.part or self.transcript.path.suffix != LINES or self.unread_bytes <= LARGEST_PIECE:
            return self
        # The cursor may be far before the end of the last piece: at the start of the turn that is not complete.
        is_later = self.is_continued or self.cursor != START
        start = self.known.size if self.known is not None and is_later else 0
        until = max(start, self.cursor.position) + LARGEST_PIECE
        if until >= self.transcript.size:
            return self
        return replace(self, transcript=replace(self.transcript, until=until))


@dataclass(frozen=True, slots=True)
class Plan:
    """The differences between disk and index."""

    pending: list[Pending]
    """Newest first."""
    others: list[tuple[OtherFile, KnownSource | None]]
    """New or changed files that belong to no transcript."""
    blocked: list[tuple[BlockedPath, KnownSource | None]]
    """Paths that cannot be read, if the index does not record the reason yet."""
    gone: list[int]
    """Sources whose transcript was deleted."""
    back: list[int]
    """Sources whose transcript was deleted and exists again."""
    cleared: list[int]
    """Sources that recorded an unreadable path, if the path can be read or was deleted."""
    seen: Collection[str]
    """The names of what is in the locations."""

    @property
    def has_unread(self) -> bool:
        """Whether the index must be changed even without reading the pending transcripts."""
        return bool(self.others or self.blocked or self.gone or self.back or self.cleared)


@dataclass(slots=True)
class ScanResult:
    """What was found in some locations, by the name of the source."""

    transcripts: dict[str, Transcript] = field(default_factory=dict)
    others: dict[str, OtherFile] = field(default_factory=dict)
    blocked: dict[str, BlockedPath] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)


def known_sources(work: WorkDatabase, paths: Collection[str] | None = None) -> dict[str, KnownSource]:
    """Sources by name: all, or those whose name or container is one of some paths."""
    where = "TRUE" if paths is None else f"list_contains($1, path) OR list_contains($1, {_CONTAINER})"
    return {source.name: source for source in _sources(work, where, [] if paths is None else [list(paths)])}


def sources_with(work: WorkDatabase, ids: Collection[int]) -> list[KnownSource]:
    """The sources with some ids."""
    return _sources(work, key_condition("id", sorted(ids)), []) if ids else []


def _sources(work: WorkDatabase, condition: str, parameters: list[list[str]]) -> list[KnownSource]:
    rows = work.connection.execute(
        "SELECT id, path, agent, size, mtime, session, gone_at IS NOT NULL, error,"
        f" cursor_offset, cursor_line, head_hash, head_size, state, lines FROM sources WHERE {condition}",
        parameters,
    ).fetchall()
    return [
        KnownSource(number, name, agent, size, mtime, session, gone, error, Cursor(*cursor), state, lines)
        for number, name, agent, size, mtime, session, gone, error, *cursor, state, lines in rows
    ]


def plan(
    work: WorkDatabase,
    locations: Sequence[Location],
    changed: Collection[Path] | None = None,
    exclusions: Exclusions = NOTHING,
    *,
    checks_excluded: bool = False,
    recognized: Recognized | None = None,
) -> Plan:
    """Compare the locations with the index, by the sizes and times of files.

    With `checks_excluded`, excluded sources are read again even if they did not change, because settings may have. What
    is `recognized` need not be asked of the readers again.

    With `changed`, only these files and folders are scanned. If one of them is new and was reached through a link, all
    locations are scanned: only that tells under which of several paths a file is indexed.
    """
    if changed is not None and _may_have_two_paths(work, locations, changed):
        changed = None
    if changed is not None:
        locations = [part for location in locations for part in narrowed(location, changed)]
    found = scan(locations, exclusions, recognized)
    seen = {*found.transcripts, *found.others, *found.blocked}
    paths = (
        None
        if changed is None
        else {*seen, *map(source_name, changed), *(source_name(part.path) for part in locations)}
    )
    return compared(found, known_sources(work, paths), checks_excluded=checks_excluded)


def compared(scan: ScanResult, known: Mapping[str, KnownSource], *, checks_excluded: bool = False) -> Plan:
    """The differences between what a scan found and the sources in the index, by name; see `plan`."""
    seen = {*scan.transcripts, *scan.others, *scan.blocked}
    unseen = [source for name, source in known.items() if name not in seen]
    cleared = [source.id for source in unseen if source.is_obstacle and source.session is None]
    missing = [source for source in unseen if source.id not in cleared and _is_missing(source, scan.listed)]
    pending = [
        Pending(transcript, known.get(name))
        for name, transcript in scan.transcripts.items()
        if (_is_changed(transcript, source := known.get(name)) and not _is_superseded(transcript, source))
        or (checks_excluded and source is not None and source.is_excluded)
    ]
    return Plan(
        sorted(pending, key=lambda item: (-item.transcript.mtime, item.transcript.name)),
        [
            (other, source)
            for name, other in scan.others.items()
            if (source := known.get(name)) is None or (other.file.size, other.file.mtime) != (source.size, source.mtime)
        ],
        [
            (blocked, known.get(name))
            for name, blocked in scan.blocked.items()
            if _is_unrecorded(blocked.obstacle, known.get(name))
        ],
        gone=[source.id for source in missing if not source.gone],
        back=[
            source.id
            for name, source in known.items()
            if source.gone and (name in scan.transcripts or name in scan.others)
        ],
        cleared=cleared,
        seen=seen,
    )


def transcript_of(source: KnownSource) -> Transcript | None:
    """The current transcript of a source; None if it was deleted."""
    entries = Scan().below(Location(source.agent, container_of(source.name)))
    return next((entry for entry in entries if isinstance(entry, Transcript) and entry.name == source.name), None)


def scan(
    locations: Sequence[Location], exclusions: Exclusions = NOTHING, recognized: Recognized | None = None
) -> ScanResult:
    """What there is in some locations; no transcript is read, and what is `recognized` is not even opened."""
    result, scan = ScanResult(), Scan(exclusions, recognized)
    for location in locations:
        for entry in scan.below(location):
            if isinstance(entry, Transcript):
                result.transcripts.setdefault(entry.name, entry)
            elif isinstance(entry, OtherFile):
                result.others.setdefault(source_name(entry.file.path), entry)
            else:
                result.blocked.setdefault(source_name(entry.obstacle.path), entry)
    result.listed = scan.listed
    return result


def _may_have_two_paths(work: WorkDatabase, locations: Sequence[Location], changed: Collection[Path]) -> bool:
    linked = [source_name(path) for path in changed if any(through_link(location.path, path) for location in locations)]
    return bool(linked) and len(known_sources(work, linked)) < len(linked)


def _is_missing(source: KnownSource, listed: Collection[str]) -> bool:
    """Whether a transcript was deleted; False if nobody can tell, because its folder or container cannot be read."""
    container = container_of(source.name)
    if str(container) in listed:
        return True
    try:
        container.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _is_unrecorded(obstacle: Obstacle, known: KnownSource | None) -> bool:
    return known is None or known.gone or not known.is_obstacle or known.error != obstacle.reason


def _is_superseded(transcript: Transcript, known: KnownSource | None) -> bool:
    """Whether a transcript has only prompts of a session whose turns the index has from another source."""
    return transcript.prompts_only and known is not None and known.state == SUPERSEDED


def _is_changed(transcript: Transcript, known: KnownSource | None) -> bool:
    return known is None or (transcript.agent, transcript.size, transcript.mtime) != (
        known.agent,
        known.size,
        known.mtime,
    )
