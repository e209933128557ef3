"""Where transcripts are looked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui_core.system.locations import folder_of
from memtui_core.system.walk import Regular, Walk


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or file of one agent's transcripts."""

    agent: str
    path: Path

    @property
    def exists(self) -> bool:
        """False for a place that this person does not have."""
        return self.path.exists()


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file in a place, as it is on disk now; `mtime` in nanoseconds, `size` in bytes."""

    agent: str
    path: Path
    size: int
    mtime: int


def default_places(environ: Mapping[str, str] = os.environ) -> list[Place]:
    """The folders in which the agents of this person write, whether or not they exist."""
    claude = folder_of(environ.get("CLAUDE_CONFIG_DIR")) or Path.home() / ".claude"
    return [Place("claude-code", claude / "projects")]


def chosen_places(sources: Sequence[Path]) -> list[Place]:
    """The places to index: those given, else the default ones."""
    if not sources:
        return default_places()
    return [Place("claude-code", path.expanduser().absolute()) for path in sources]


def files(place: Place) -> Iterator[FoundFile]:
    """Every regular file of a place, hidden folders and those behind links included."""
    for found in Walk().below(place.path):
        if isinstance(found, Regular):
            yield FoundFile(place.agent, found.path, found.size, found.mtime)


def narrowed(place: Place, paths: Iterable[Path]) -> list[Place]:
    """The files and folders among some paths that belong to a place, each as a place of its own."""
    return [Place(place.agent, path) for path in paths if path == place.path or place.path in path.parents]
