"""What is copied from another machine: transcripts, what belongs to them, and nothing else of a home folder.

The places are those that the readers name as their locations, for every system. In them only the files are copied that
the reader of the place accepts, or names as read beside a transcript. Of databases tables are copied, not the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from memtui_core.ingest.machines.listing import ListedFile
from memtui_core.readers.base import Reader
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import INDEX, JOURNAL, WAL, database_of
from memtui_core.readers.locations import copying_of, locations_in
from memtui_core.readers.registry import reader_for, readers

_NO_HOME: Final = Path("/memtui-names-no-home").absolute()
"""A home folder that does not exist: in it, locations are those that an agent has everywhere."""
_SIDE_FILES: Final = (WAL, JOURNAL)


class AgentPlace(NamedTuple):
    """Where an agent may have files."""

    reader: Reader
    pattern: str
    """A path in the home folder with `*` for any part of a name."""
    is_beside: bool
    """Whether it is a file that the reader reads although it does not accept it."""


class ChosenDatabase(NamedTuple):
    """A database of which tables are to be copied."""

    agent: str
    path: str
    """The path of the database in the home folder."""
    files: tuple[ListedFile, ...]
    """The database and its log or journal."""
    copying: Copying

    @property
    def stamp(self) -> str:
        """What changes with the content. An empty log is no change."""
        return " ".join(
            f"{one.path[len(self.path) :]}:{one.size}:{one.mtime}"
            for one in self.files
            if one.size or one.path == self.path
        )


@dataclass(slots=True)
class Selection:
    """What is to be copied of a listing."""

    files: list[ListedFile] = field(default_factory=list)
    databases: list[ChosenDatabase] = field(default_factory=list)
    agents: Counter[str] = field(default_factory=Counter)
    """How many files each agent has, by its id."""

    @property
    def bytes(self) -> int:
        """The size of everything."""
        return sum(one.size for one in (*self.files, *(file for each in self.databases for file in each.files)))


@cache
def places() -> tuple[AgentPlace, ...]:
    """The places of all agents."""
    found: dict[AgentPlace, None] = {}
    for location in locations_in(_NO_HOME):
        reader = next(reader for reader in readers() if reader.agent == location.agent)
        if (pattern := location.path.relative_to(_NO_HOME).as_posix()) != ".":
            found[AgentPlace(reader, pattern, is_beside=False)] = None
    for reader in readers():
        copying = copying_of(reader)
        found.update({AgentPlace(reader, pattern, is_beside=False): None for pattern in copying.locations})
        found.update({AgentPlace(reader, pattern, is_beside=True): None for pattern in copying.beside})
    return tuple(found)


def patterns() -> Sequence[str]:
    """What is to be listed: patterns of files and folders in the home folder."""
    found: dict[str, None] = {}
    for place in places():
        found[place.pattern] = None
        if _is_database(place.reader, Path(place.pattern)):
            found.update({f"{place.pattern}{suffix}": None for suffix in _SIDE_FILES})
    return list(found)


def selection_of(files: Iterable[ListedFile], mirror: Path) -> Selection:
    """The files that are copied, of those listed; `mirror` is where they will be, as a reader may ask for the path."""
    selection = Selection()
    databases: dict[str, tuple[Reader, list[ListedFile]]] = {}
    for file in files:
        path = mirror / file.path
        reader = next((reader for reader in _readers_at(file.path) if _takes(reader, file.path, path)), None)
        if reader is None or path.name.endswith(INDEX):
            continue
        if _is_database(reader, path):
            name = database_of(Path(file.path)).as_posix()
            databases.setdefault(name, (reader, []))[1].append(file)
        else:
            selection.files.append(file)
            selection.agents[reader.agent] += 1
    for name, (reader, parts) in databases.items():
        copying = copying_of(reader)
        if copying.tables and any(part.path == name for part in parts):
            selection.databases.append(ChosenDatabase(reader.agent, name, tuple(parts), copying))
            selection.agents[reader.agent] += 1
    return selection


def _takes(reader: Reader, name: str, path: Path) -> bool:
    if _beside(reader.agent).fullmatch(name):
        return True
    # Through the registry, which bears with a reader of another package that raises.
    return reader_for(path, reader.agent) is not None


def _readers_at(name: str) -> Iterator[Reader]:
    """The readers one of whose places contains a file."""
    for reader, expression in _expressions():
        if expression.match(name):
            yield reader


@cache
def _expressions() -> Sequence[tuple[Reader, re.Pattern[str]]]:
    by_reader: dict[str, tuple[Reader, list[str]]] = {}
    for place in places():
        by_reader.setdefault(place.reader.agent, (place.reader, []))[1].append(_expression(place))
    return [(reader, re.compile(f"(?:{'|'.join(one)})(?:/|\\Z)", re.DOTALL)) for reader, one in by_reader.values()]


@cache
def _beside(agent: str) -> re.Pattern[str]:
    """Matches the files that the reader of an agent names as read beside transcripts; nothing if there are none."""
    parts = [_expression(place) for place in places() if place.is_beside and place.reader.agent == agent]
    return re.compile("|".join(parts) or r"(?!)", re.DOTALL)


def _expression(place: AgentPlace) -> str:
    """What matches a place, and the files beside a database."""
    names = "[^/]*".join(re.escape(part) for part in place.pattern.split("*"))
    return f"{names}(?:{'|'.join(_SIDE_FILES)})?" if _is_database(place.reader, Path(place.pattern)) else names


def _is_database(reader: Reader, path: Path) -> bool:
    asked = getattr(reader, "is_database", None)
    return asked is not None and bool(asked(path))
