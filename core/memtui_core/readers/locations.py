"""Where transcripts are looked for, and what lies there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui_core.readers.base import Retention, Transcript
from memtui_core.readers.registry import reader_for, readers
from memtui_core.system.failures import fault_text, is_of_machine
from memtui_core.system.walk import Obstacle, Regular, Walk


@dataclass(frozen=True, slots=True)
class Location:
    """A folder or file of transcripts: of one agent, or of whichever agent accepts a file in it."""

    agent: str | None
    path: Path


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A file in a location that belongs to no transcript."""

    agent: str
    file: Regular


@dataclass(frozen=True, slots=True)
class Blocked:
    """What cannot be read in a location."""

    agent: str
    obstacle: Obstacle


def default_locations(environ: Mapping[str, str] = os.environ) -> list[Location]:
    """The locations in which the agents of this person write, whether or not they exist."""
    return [
        Location(reader.agent, path) for reader in reversed(readers()) for path in reader.default_locations(environ)
    ]


def chosen_locations(sources: Sequence[Path]) -> list[Location]:
    """The locations to index: those given, else the default ones."""
    return [Location(None, path.expanduser().absolute()) for path in sources] or default_locations()


def locations_of_session(transcript: Path) -> list[Location]:
    """A session's own file and where those of its subagents lie, as far as they are there."""
    reader = reader_for(transcript)
    if reader is None:
        return []
    return [Location(reader.agent, path) for path in (transcript, *reader.beside(transcript)) if path.exists()]


def narrowed(location: Location, paths: Iterable[Path]) -> list[Location]:
    """The files and folders among some paths that belong to a location, each as a location of its own.

    A file that is only a part of a transcript stands for the whole.
    """
    containers = dict.fromkeys(_container(path, location.agent) for path in paths)
    return [
        Location(location.agent, path) for path in containers if path == location.path or location.path in path.parents
    ]


def retention(location: Location) -> Retention | None:
    """How long the agent whose location it is keeps its transcripts; None where that is not known.

    A location that was named need not be an agent's own: the settings must be there.
    """
    for reader in readers():
        kept = reader.retention(location.path) if location.agent in (None, reader.agent) else None
        if kept is not None and (location.agent or kept.settings.exists()):
            return kept
    return None


class Scan:
    """One look at locations: yields what lies there, each container once.

    Only what holds several transcripts is opened. `listed` are the containers whose transcripts are known by now;
    those that could not be opened are not among them.
    """

    def __init__(self) -> None:
        self.listed: set[Path] = set()
        self._walk = Walk()
        self._seen: set[Path] = set()

    def below(self, location: Location) -> Iterator[Transcript | OtherFile | Blocked]:
        """What a location holds."""
        for entry in self._walk.below(location.path):
            if isinstance(entry, Obstacle):
                yield Blocked(location.agent or "", entry)
            elif (reader := reader_for(entry.path, location.agent)) is None:
                yield OtherFile(location.agent or "", entry)
            elif (container := reader.container(entry.path)) not in self._seen:
                self._seen.add(container)
                try:
                    yield from reader.transcripts(entry)
                except Exception as error:
                    if is_of_machine(error):
                        raise
                    yield Blocked(reader.agent, Obstacle(container, fault_text(error)))
                else:
                    self.listed.add(container)


def has_transcripts(locations: Sequence[Location]) -> bool:
    """Whether anything that memtui reads lies in some locations."""
    scan = Scan()
    return any(isinstance(entry, Transcript) for location in locations for entry in scan.below(location))


def _container(path: Path, agent: str | None) -> Path:
    reader = reader_for(path, agent)
    return path if reader is None else reader.container(path)
