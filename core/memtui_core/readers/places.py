"""Where transcripts are looked for, and where memtui's own files belong."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

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


def data_dir(override: Path | None = None) -> Path:
    """Folder of the index: the argument, else MEMTUI_DATA_DIR, else the user's data folder."""
    chosen = override or _path(os.environ.get("MEMTUI_DATA_DIR"))
    return chosen or platformdirs.user_data_path("memtui", appauthor=False)


def config_file(override: Path | None = None) -> Path:
    """The settings: the argument, else MEMTUI_CONFIG, else `config.toml` in the user's config folder."""
    chosen = override or _path(os.environ.get("MEMTUI_CONFIG"))
    return chosen or platformdirs.user_config_path("memtui", appauthor=False) / "config.toml"


def default_places(environ: Mapping[str, str] = os.environ) -> list[Place]:
    """The folders in which the agents of this person write, whether or not they exist."""
    claude = _path(environ.get("CLAUDE_CONFIG_DIR")) or Path.home() / ".claude"
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


def _path(value: str | None) -> Path | None:
    return Path(value).expanduser() if value else None


def here() -> str:
    """The folder that memtui was started in; empty when it is gone."""
    try:
        return Path.cwd().as_posix()
    except OSError:
        return ""
