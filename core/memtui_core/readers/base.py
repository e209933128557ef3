"""What a reader is: all that memtui knows of one agent's files.

A reader is a package beside this module and one line in `registry`. Everything outside handles four values: the
`Transcript`s that a reader names, the `Cursor` up to which one was read, the `Reading` that goes on from there, and the
records that it gives (`records`). None of them says what holds a transcript:

- A file that is only appended to (JSON lines) is one transcript. `jsonl` reads such files for every agent.
- A file that is written anew each time (a JSON document) is one transcript; its reader compares a digest of the entries
  before the last turn, so that only that turn is read again.
- A folder of files is one transcript; each of its files is `accept`ed and leads to it as their `container`.
- A database holds a transcript a session, told apart by `part`; its write-ahead log and lock files lead to it. Looking
  at a database must not change it: SQLite creates an empty log beside the file unless it is opened as immutable.

`Message.offset` and `line` are in the unit of the reader: bytes and lines, rows, or the place in a list.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from memtui_core.readers.records import Facts, Message, Record
from memtui_core.system.walk import Regular

PART_MARK: Final = "#"
"""Stands between the path of a container and the part that a transcript is."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What the store keeps as one source: a file or folder, or one session of a database."""

    agent: str
    path: Path
    size: int
    """How much it holds, in a unit of the reader; one that has become smaller is read anew, 0 is empty."""
    mtime: int
    """Another number whenever the content is another one: nanoseconds since 1970 for a file."""
    part: str = ""
    """Which of several in the same file or folder; holds no `#`."""

    @property
    def name(self) -> str:
        """The path by which the store knows it: that of the file, with `#part` behind it where there are several."""
        return f"{self.path}{PART_MARK}{self.part}" if self.part else str(self.path)


def container_of(name: str) -> Path:
    """The file or folder of a transcript, given the name by which the store knows it."""
    path, _, part = name.rpartition(PART_MARK)
    return Path(path) if path and part and not os.path.lexists(name) else Path(name)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where reading goes on: made by a reader, kept by the store, and given back to that reader.

    Only `line` means the same for everybody; the other values are the reader's own.
    """

    position: int = 0
    """How far the container was read: a byte, a row. What `Transcript.size` has beyond it is shown as still to do."""
    line: int = 0
    """The first entry that will be read again: what the store holds from there on is removed before."""
    digest: str = ""
    """What shows that the entries before are still the ones that were read."""
    digested: int = 0
    """How much of the container the digest is of."""


START: Final = Cursor()
"""The cursor of a transcript of which nothing was read."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Which session a transcript is."""

    session_id: str
    parent_id: str | None = None
    """The session that started it, for the transcript of a subagent."""
    folder: str = ""
    """Name of the folder by which the project is guessed when no entry says where the agent worked."""
    hidden: bool = False
    """A session that only repeats another one, and is kept out of sight."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long an agent keeps its transcripts."""

    agent: str
    """The agent's name in a sentence."""
    days: int
    settings: Path
    """The file that says so, or may."""
    key: str
    """The name of the setting."""


class Reading(Protocol):
    """One pass over a transcript from a cursor on; iterating gives its records in order.

    Iterating raises SourceUnreadable when the container cannot be read; an entry that cannot is a `BadLine`.
    """

    facts: Facts
    """What the entries read so far say of the session."""
    anew: bool
    """Whether it begins at the start: nothing was read before, or something else stands there now."""

    @property
    def lines(self) -> int:
        """How many entries the transcript has up to where it was read, unreadable ones included."""

    @property
    def waiting(self) -> bool:
        """Whether the last entry is incomplete, and left for later."""

    @property
    def can_go_on(self) -> bool:
        """Whether `go_on` would give exactly the entries that follow."""

    def __iter__(self) -> Iterator[Record]:
        """The records from here to the end."""

    def identity(self, branch: str = "") -> Identity:
        """Which session it is, as far as that is known by now; or which one a branch is, see `Message.branch`."""

    def cursor(self, first: Message | None) -> Cursor:
        """The cursor at a message, which is read again from there on; at the end for None."""

    def go_on(self, transcript: Transcript) -> bool:
        """Iterate next over what came since; False when the transcript did not only grow, and must be opened anew."""


class Reader(Protocol):
    """All that memtui knows of one agent."""

    agent: str
    """The id by which the store and the filters know the agent."""
    name: str
    """Its name in a sentence."""
    short_name: str
    """Its name at the head of a turn."""
    own_folders: Sequence[str]
    """Parts of the paths of files that the agent keeps for itself: to read or write these is no work on a project."""

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders and files in which the agent keeps its transcripts, whether or not they exist."""

    def accepts(self, path: Path) -> bool:
        """Whether a file is, or belongs to, a transcript of this agent; may look at the first bytes, and never raises.

        A file may be gone by now.
        """

    def container(self, path: Path) -> Path:
        """What holds the transcripts that an accepted file belongs to: the file itself, another one, or a folder."""

    def transcripts(self, file: Regular) -> Iterable[Transcript]:
        """The transcripts in the container of an accepted file, as they are now. Raises SourceUnreadable."""

    def beside(self, path: Path) -> Sequence[Path]:
        """Where the transcripts of a session's subagents lie, given its own file."""

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a transcript to go on from a cursor."""

    def retention(self, location: Path) -> Retention | None:
        """When the agent deletes what lies in a location; None where that is not known."""

    def resume_command(self, session_id: str) -> list[str] | None:
        """What goes on with a session, to be run in the folder of the session; None when the agent has no such way."""
