"""Where transcripts are looked for, and what lies there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import Retention, Transcript
from memtui_core.readers.registry import reader_for, readers
from memtui_core.system.walk import Obstacle, Regular, Walk


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or file of transcripts: of one agent, or of whichever agent accepts a file in it."""

    agent: str | None
    path: Path


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A file in a place that belongs to no transcript."""

    agent: str
    file: Regular


@dataclass(frozen=True, slots=True)
class Blocked:
    """What cannot be read in a place."""

    agent: str
    obstacle: Obstacle


def default_places(environ: Mapping[str, str] = os.environ) -> list[Place]:
    """The places in which the agents of this person write, whether or not they exist."""
    return [Place(reader.agent, path) for reader in reversed(readers()) for path in reader.default_places(environ)]


def chosen_places(sources: Sequence[Path]) -> list[Place]:
    """The places to index: those given, else the default ones."""
    return [Place(None, path.expanduser().absolute()) for path in sources] or default_places()


def places_of_session(transcript: Path) -> list[Place]:
    """A session's own file and where those of its subagents lie, as far as they are there."""
    reader = reader_for(transcript)
    if reader is None:
        return []
    return [Place(reader.agent, path) for path in (transcript, *reader.beside(transcript)) if path.exists()]


def narrowed(place: Place, paths: Iterable[Path]) -> list[Place]:
    """The files and folders among some paths that belong to a place, each as a place of its own.

    A file that is only a part of a transcript stands for the whole.
    """
    containers = dict.fromkeys(_container(path, place.agent) for path in paths)
    return [Place(place.agent, path) for path in containers if path == place.path or place.path in path.parents]


def retention(place: Place) -> tuple[str, Retention] | None:
    """The name of the agent whose transcripts lie in a place, and how long it keeps them; None where it is not known.

    A place that was named need not be an agent's own: the settings must be there.
    """
    for reader in readers():
        if place.agent in (None, reader.agent) and (kept := reader.retention(place.path)) is not None:
            return (reader.name, kept) if place.agent or kept.settings.exists() else None
    return None


class Scan:
    """One look at places: yields what lies there, each container once, and opens only what holds several transcripts.

    `listed` are the containers whose transcripts are known by now; those that could not be opened are not among them.
    """

    def __init__(self) -> None:
        self.listed: set[Path] = set()
        self._walk = Walk()
        self._seen: set[Path] = set()

    def below(self, place: Place) -> Iterator[Transcript | OtherFile | Blocked]:
        """What a place holds."""
        for entry in self._walk.below(place.path):
            if isinstance(entry, Obstacle):
                yield Blocked(place.agent or "", entry)
            elif (reader := reader_for(entry.path, place.agent)) is None:
                yield OtherFile(place.agent or "", entry)
            elif (container := reader.container(entry.path)) not in self._seen:
                self._seen.add(container)
                try:
                    yield from reader.transcripts(entry)
                except SourceUnreadable as error:
                    yield Blocked(reader.agent, Obstacle(container, str(error)))
                else:
                    self.listed.add(container)


def has_transcripts(places: Sequence[Place]) -> bool:
    """Whether anything that memtui reads lies in some places."""
    scan = Scan()
    return any(isinstance(entry, Transcript) for place in places for entry in scan.below(place))


def _container(path: Path, agent: str | None) -> Path:
    reader = reader_for(path, agent)
    return path if reader is None else reader.container(path)
