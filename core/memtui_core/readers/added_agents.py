"""Agents of other packages: the entry points `memtui.agents` of the installed distributions.

The value of an entry point is a reader, or its class. It is loaded when readers are listed, once in a process.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from memtui_core.readers.base import Reader

GROUP: Final = "memtui.agents"


class BrokenAgent(NamedTuple):
    """An entry point whose reader cannot be used."""

    name: str
    """The entry point as it is declared: `brook = brook_for_memtui:Brook`."""
    reason: str


class AddedAgents(NamedTuple):
    """What the entry points contain."""

    readers: tuple[Reader, ...]
    broken: tuple[BrokenAgent, ...]


@cache
def added_agents(taken: frozenset[str]) -> AddedAgents:
    """The readers of other packages, by the names of their entry points; they need ids that are not taken."""
    from importlib.metadata import entry_points

    readers: list[Reader] = []
    broken: list[BrokenAgent] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            reader = _reader_of(entry)
            if reader.agent in {*taken, *(other.agent for other in readers)}:
                raise ValueError(f"there is another reader of {reader.agent!r}")
            readers.append(reader)
        except (Exception, SystemExit) as error:
            broken.append(BrokenAgent(f"{entry.name} = {entry.value}", f"{type(error).__name__}: {error}"))
    return AddedAgents(tuple(readers), tuple(broken))


def _reader_of(entry: EntryPoint) -> Reader:
    """The reader of an entry point, tried on a file that belongs to nobody. Raises whatever its code raises."""
    from memtui_core.readers.base import Reader
    from memtui_core.tools.profile import Profile
    from memtui_core.tools.vocabulary import Vocabulary

    value: Any = entry.load()
    reader: Any = value() if isinstance(value, type) else value
    members = {*Reader.__annotations__, *(name for name in vars(Reader) if not name.startswith("_"))}
    if missing := sorted(name for name in members if not hasattr(reader, name)):
        raise TypeError(f"a reader without {', '.join(missing)}")
    if not isinstance(reader.profile, Profile):
        raise TypeError("a profile that is no Profile")
    # Of all agents one vocabulary is made: what cannot be merged would stop the reading of every transcript.
    words = Vocabulary((reader.profile,))
    for pattern in ("argument_with_path", "exit_phrase", "exit_line", "error_phrase"):
        getattr(words, pattern)
    if not all(isinstance(folder, str) for folder in reader.own_folders):
        raise TypeError("own_folders that are no texts")
    reader.start_command("")
    reader.accepts(Path(os.devnull))
    reader.default_locations(os.environ)
    checked: Reader = reader
    return checked
