"""The folders and files to scan for transcripts."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from memtui_core.readers.base import Reader, Retention, Transcript
from memtui_core.readers.copying import NO_MORE, Copying
from memtui_core.readers.exclusions import NOTHING, Exclusions
from memtui_core.readers.formats.jsonl import LINES
from memtui_core.readers.registry import has_added_readers, reader_for, reader_of, readers
from memtui_core.system.failures import fault_text, is_of_machine
from memtui_core.system.locations import PLATFORM
from memtui_core.system.walk import FileWalk, Obstacle, RegularFile

_log = logging.getLogger(__name__)
_PLATFORMS: Final = ("linux", "darwin", "win32")
"""The systems whose folders agents have."""


@dataclass(frozen=True, slots=True)
class Location:
    """A folder or file with transcripts of one agent, or of any agent if `agent` is None."""

    agent: str | None
    path: Path


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A file in a location that belongs to no transcript."""

    agent: str
    file: RegularFile


@dataclass(frozen=True, slots=True)
class BlockedPath:
    """A path in a location that cannot be read."""

    agent: str
    obstacle: Obstacle


def default_locations(environ: Mapping[str, str] = os.environ) -> list[Location]:
    """The locations of all agents of the user; they need not exist."""
    return [Location(reader.agent, path) for reader in reversed(readers()) for path in _locations_of(reader, environ)]


def _locations_of(reader: Reader, environ: Mapping[str, str]) -> Sequence[Path]:
    try:
        return reader.default_locations(environ)
    except Exception as error:
        _log.warning("The reader of %s names no locations: %s", reader.agent, error)
        return ()


def locations_in(home: Path) -> list[Location]:
    """The locations of all agents in a home folder, whichever system it is from; most do not exist."""
    found: dict[Location, None] = {}
    for reader in reversed(readers()):
        for platform in _PLATFORMS:
            environ = {"HOME": str(home), "USERPROFILE": str(home), PLATFORM: platform}
            found.update({Location(reader.agent, path): None for path in _locations_of(reader, environ)})
        for pattern in copying_of(reader).locations:
            found.update({Location(reader.agent, path): None for path in sorted(home.glob(pattern))})
    # A reader of another package may know only the home folder of this user.
    return [location for location in found if location.path.is_relative_to(home)]


def copying_of(reader: Reader) -> Copying:
    """What a copy of the transcripts of an agent consists of besides its default locations."""
    # Not a member of the protocol: readers of other packages need not have it.
    declared: Copying = getattr(reader, "copying", NO_MORE)
    return declared


def chosen_locations(
    sources: Sequence[Path],
    agent: str | None = None,
    *,
    added: Sequence[Path] = (),
    mirrors: Iterable[Path] = (),
    exclusions: Exclusions = NOTHING,
) -> list[Location]:
    """The locations to index: the given ones, of one agent or of any; if none are given, the default ones and `added`.

    `mirrors` are copies of the home folders of other machines, with the locations in each. The locations of excluded
    agents are left out.
    """
    if sources:
        return [Location(agent, path.expanduser().absolute()) for path in sources]
    own = [*default_locations(), *(location for home in mirrors for location in locations_in(home))]
    kept = [location for location in own if not exclusions.excludes_agent(location.agent or "")]
    return kept + [Location(None, path.expanduser().absolute()) for path in added]


def locations_of_session(transcript: Path) -> list[Location]:
    """The existing locations of a session: its own file and the folders with the transcripts of its subagents."""
    reader = reader_for(transcript)
    if reader is None:
        return []
    return [
        Location(reader.agent, path) for path in (transcript, *reader.subagent_locations(transcript)) if path.exists()
    ]


def narrowed(location: Location, paths: Iterable[Path]) -> list[Location]:
    """The paths inside a location, each as a location. A path inside a container is replaced by its container."""
    containers = dict.fromkeys(_container(path, location.agent) for path in paths)
    return [
        Location(location.agent, path) for path in containers if path == location.path or location.path in path.parents
    ]


def retention(location: Location) -> Retention | None:
    """For how long an agent keeps the transcripts in a location; None if that is unknown.

    A location without an agent may be a copy: it counts as the agent's own only if the settings file exists.
    """
    for reader in readers():
        kept = None
        # Only for a hint: a settings file that cannot be read is no reason to stop.
        with suppress(Exception):
            kept = reader.retention(location.path) if location.agent in (None, reader.agent) else None
        if kept is not None and (location.agent or kept.settings.exists()):
            return kept
    return None


_FileState = tuple[str | None, int, int]
"""The agent of a file, None if it belongs to no transcript, its size and its time."""
RecognizedFiles = dict[str, tuple[int, dict[str, _FileState]]]
"""The time of each folder, and the states of its files by name."""


class Recognized:
    """The agents of the JSON lines files that one scan finds in locations of any agent: to tell, readers open a file.

    What the scan `before` found holds for a file with the same size and time, as long as its folder has the same files:
    some readers look at those beside. It does not hold if there are readers of other packages.
    """

    def __init__(self, before: RecognizedFiles | None = None) -> None:
        self._before = before or {}
        self.files: RecognizedFiles = {}
        """What the next scan needs."""
        self._folder = ""
        self._states: dict[str, _FileState] = {}
        """The files of the last folder."""

    def reader_for(self, file: RegularFile) -> Reader | None:
        """The reader that accepts a file, of all readers; None if it belongs to no transcript."""
        if file.path.suffix != LINES or self._are_added:
            return reader_for(file.path)
        folder, name = os.path.split(file.path)
        if folder != self._folder:
            self._enter(folder)
        agent, size, changed = self._states.get(name, ("", 0, 0))
        if (size, changed) == (file.size, file.mtime):
            return reader_of(agent) if agent is not None else None
        reader = reader_for(file.path)
        self._states[name] = reader.agent if reader is not None else None, file.size, file.mtime
        return reader

    @cached_property
    def _are_added(self) -> bool:
        return has_added_readers()

    def _enter(self, folder: str) -> None:
        try:
            changed = Path(folder).stat().st_mtime_ns
        except OSError:
            changed = 0
        before, states = self._before.get(folder, (0, {}))
        self._folder, self._states = folder, dict(states) if before == changed else {}
        self.files[folder] = changed, self._states


class Scan:
    """One scan of locations, which yields each container once.

    Only containers with several transcripts are opened, and files that are not `recognized`. Excluded paths and agents
    are left out. `listed` are the containers whose transcripts were listed, so without those that cannot be read.
    """

    def __init__(self, exclusions: Exclusions = NOTHING, recognized: Recognized | None = None) -> None:
        self._exclusions = exclusions
        self._recognized = recognized or Recognized()
        # Strings, because paths take longer to hash, and a scan visits every file.
        self.listed: set[str] = set()
        self._walk = FileWalk()
        self._seen: set[str] = set()

    def below(self, location: Location) -> Iterator[Transcript | OtherFile | BlockedPath]:
        """The transcripts, other files and unreadable paths of a location."""
        for entry in self._walk.below(location.path):
            if self._exclusions.excludes_path(entry.path):
                continue
            if isinstance(entry, Obstacle):
                yield BlockedPath(location.agent or "", entry)
            elif (reader := self._reader_for(entry, location.agent)) is None:
                yield OtherFile(location.agent or "", entry)
            elif (name := str(container := reader.container(entry.path))) not in self._seen:
                self._seen.add(name)
                # The log of a database has another name than the database.
                if self._exclusions.excludes_agent(reader.agent) or self._exclusions.excludes_path(container):
                    continue
                try:
                    yield from reader.transcripts(entry)
                except Exception as error:
                    if is_of_machine(error):
                        raise
                    yield BlockedPath(reader.agent, Obstacle(container, fault_text(error)))
                else:
                    self.listed.add(name)

    def _reader_for(self, file: RegularFile, agent: str | None) -> Reader | None:
        return self._recognized.reader_for(file) if agent is None else reader_for(file.path, agent)


def has_transcripts(locations: Sequence[Location]) -> bool:
    """Whether there is a transcript in any of the locations."""
    scan = Scan()
    return any(isinstance(entry, Transcript) for location in locations for entry in scan.below(location))


def _container(path: Path, agent: str | None) -> Path:
    reader = reader_for(path, agent)
    return path if reader is None else reader.container(path)
