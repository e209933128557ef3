"""The reader protocol: everything memtui knows about one agent is behind it.

A reader is a package in `agents` and one line in `registry`, or an entry point of another package (`added_agents`). All
other code handles four values: a `Transcript`, the `Cursor` up to which it was read, the `Reading` that continues from
there, and the records that the reading yields (`records`). None of them depends on the container:

- An append-only file (JSON lines) is one transcript. `jsonl` reads such files for every agent.
- A file that the agent rewrites (a JSON document) is one transcript. Its reader compares a digest of the entries before
  the last turn, so that only that turn is read again.
- A folder of files is one transcript. The reader accepts each file and names the folder as their `container`.
- A database contains one transcript for each session, identified by `part`. Its log and lock files have the database as
  their container. A scan must not change a database: SQLite creates a log next to it unless it is opened as immutable.

`Message.offset` and `Message.line` are in the unit of the reader: bytes and lines, rows, or positions in a list.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeGuard

from memtui_core.readers.records import Message, Record, SessionFacts
from memtui_core.system.walk import RegularFile
from memtui_core.text.characters import has_bytes, on_disk, storable
from memtui_core.tools.profile import Profile

if TYPE_CHECKING:
    from memtui_core.readers.new_session import NewSession, Rewinding, SessionFile

PART_MARK: Final = "#"
"""Separates the path of a container from the part, in the name of a transcript."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What the store keeps as one source: a file, a folder, or one session of a database."""

    agent: str
    path: Path
    size: int
    """The size in bytes, or in a unit of the reader. A transcript that shrank is read from the start; 0 means empty."""
    mtime: int
    """A number that changes with the content: for a file, the modification time in nanoseconds since 1970."""
    part: str = ""
    """The id of the transcript in a container with several; contains no `#`."""
    until: int = 0
    """Where reading ends for now, in bytes, if the reader can: a large file is read in pieces. 0 means its end."""
    prompts_only: bool = False
    """Whether it has only the prompts of a session: its turns count as long as no other transcript has the session."""

    @property
    def name(self) -> str:
        """The name of the source in the store: the path of the container, followed by `#part` if there is a part."""
        path = source_name(self.path)
        return f"{path}{PART_MARK}{self.part}" if self.part else path


def source_name(path: Path) -> str:
    """The name of a file in the store. It need not be valid Unicode on the disk; `container_of` is the inverse."""
    return storable(str(path))


def is_part(value: Any) -> TypeGuard[str]:
    """Whether a value of a file can be the part of a transcript."""
    return isinstance(value, str) and value != "" and PART_MARK not in value


def container_of(name: str) -> Path:
    """The container of a transcript, given the name of its source in the store."""
    if has_bytes(name) and not os.path.lexists(name):
        name = on_disk(name)
    path, _, part = name.rpartition(PART_MARK)
    return Path(path) if path and part and not os.path.lexists(name) else Path(name)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where reading continues: created by a reader, stored, and passed back to that reader.

    Only `line` has a meaning outside the reader.
    """

    position: int = 0
    """How far the container was read: a byte offset, a row. `Transcript.size` minus it is shown as remaining work."""
    line: int = 0
    """The number of the first entry that is read again. What the store has from that entry on is removed first."""
    digest: str = ""
    """Proves that the entries before are still those that were read."""
    digested: int = 0
    """How much of the container the digest covers."""


START: Final = Cursor()
"""The cursor of a transcript of which nothing was read."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Which session a transcript is."""

    session_id: str
    parent_id: str | None = None
    """The session that started this one, for a subagent."""
    folder: str = ""
    """The folder name from which the project is guessed if no entry contains a working directory."""
    hidden: bool = False
    """Whether the session only repeats another one, and is not shown."""


@dataclass(frozen=True, slots=True)
class Retention:
    """For how long an agent keeps its transcripts."""

    agent: str
    """The id of the agent."""
    name: str
    """The agent's name in a sentence."""
    days: int
    settings: Path
    """The settings file that can change the number of days."""
    key: str
    """The name of the setting."""


class Reading(Protocol):
    """One pass over a transcript, starting at a cursor. Iterating yields the records in order.

    Iterating raises SourceUnreadable if the container cannot be read. An entry that cannot be read is a `BadLine`.
    """

    facts: SessionFacts
    """Session metadata from the entries read so far."""
    from_start: bool
    """Whether the reading ignores the cursor and starts at the first entry: nothing was read, or entries changed."""

    @property
    def lines(self) -> int:
        """The number of entries from the first one of the transcript to the last one read, bad ones included."""

    @property
    def waiting(self) -> bool:
        """Whether the last entry is incomplete and was not read."""

    @property
    def can_continue(self) -> bool:
        """Whether `resume` can continue exactly after the last entry read."""

    def __iter__(self) -> Iterator[Record]:
        """The remaining records."""

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session from the entries read so far, or of a branch of it (see `Message.branch`)."""

    def cursor(self, first: Message | None) -> Cursor:
        """The cursor from which a message and all that follows is read again; for None, the cursor at the end."""

    def resume(self, transcript: Transcript) -> bool:
        """Continue with entries added since. False if the transcript did not only grow and must be opened again."""


class Reader(Protocol):
    """Everything memtui knows about one agent."""

    agent: str
    """The id of the agent in the store and in filters."""
    name: str
    """The name of the agent in a sentence."""
    short_name: str
    """The name in the heading of a turn."""
    label: str
    """Two letters that tell the agent from others in lists."""
    profile: Profile
    """What the agent calls its tools."""
    own_folders: Sequence[str]
    """Parts of the paths of the agent's private files: reading or writing those is not work on a project."""
    samples_only: bool
    """Whether the reader was tested on sample files only, not on recorded sessions."""
    tested_version: str
    """The newest version of the agent whose recorded sessions the reader was tested on; empty if that is unknown."""

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders and files in which the agent keeps its transcripts; they need not exist."""

    def accepts(self, path: Path) -> bool:
        """Whether a file is, or belongs to, a transcript of this agent.

        The file may have been deleted. An implementation may read the first bytes, and never raises.
        """

    def container(self, path: Path) -> Path:
        """The container of an accepted file: the file itself, another file, or a folder."""

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The current transcripts of the container of an accepted file. Raises SourceUnreadable."""

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folders with the transcripts of a session's subagents, given the session's file; they need not exist."""

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a transcript at a cursor."""

    def retention(self, location: Path) -> Retention | None:
        """For how long the agent keeps the transcripts in a location; None if that is unknown."""

    def resume_command(self, session_id: str) -> list[str] | None:
        """The command that resumes a session, to be run in the session's folder; None if the agent has none."""

    def start_command(self, prompt: str) -> list[str] | None:
        """The command that starts a new session with a prompt; None if the agent has none."""

    def session_file(self, session: NewSession, environ: Mapping[str, str]) -> SessionFile | None:
        """The file by which the agent can resume a session; None if memtui cannot write it. Nothing is written here."""

    def rewound(self, rewinding: Rewinding, environ: Mapping[str, str]) -> SessionFile | None:
        """The file by which the agent can go on from an earlier place of a session; None if memtui cannot write it.

        Nothing is written here. Raises NothingBefore if there is nothing before that place, and SourceUnreadable.
        """
