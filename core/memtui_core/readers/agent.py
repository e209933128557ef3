"""The parts of a reader that most agents share: a transcript is one file, and nothing else is known about the agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui_core.readers.base import Cursor, Reading, Retention, Transcript
from memtui_core.readers.copying import NO_MORE, Copying
from memtui_core.system.walk import RegularFile
from memtui_core.tools.profile import Profile

if TYPE_CHECKING:
    from memtui_core.readers.new_session import NewSession, Rewinding, SessionFile


class FileReader:
    """The defaults of a `Reader` whose transcripts are files. An agent's reader overrides what it knows better."""

    agent: str
    name: str
    short_name: str
    label: str
    profile: Profile = Profile()
    own_folders: Sequence[str] = ()
    samples_only: bool = False
    tested_version: str = ""
    copying: Copying = NO_MORE
    """What is copied from another machine besides the default locations."""
    reading: str
    """The class of its readings, as `declared` takes it: it is made with a transcript and a cursor."""
    resume: Sequence[str] = ()
    """The command that resumes a session, before its id; empty if the agent cannot resume one by its id."""
    start: Sequence[str] = ()
    """The command that starts a session, before the prompt; empty if the agent cannot be started with one."""
    connection: str = ""
    """The `Connection` of the agent, as `declared` takes it; empty if memtui cannot connect to it."""

    def is_database(self, path: Path) -> bool:
        """Whether an accepted file is an SQLite database, or lies beside one: no."""
        return False

    def container(self, path: Path) -> Path:
        """The file itself."""
        return path

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The file as one transcript."""
        return (Transcript(self.agent, file.path, file.size, file.mtime),)

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """None."""
        return ()

    def reading_of(self, transcript: Transcript) -> str:
        """The class of the reading of a transcript: the one that is declared."""
        return self.reading

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a transcript at a cursor."""
        reading: Reading = declared(self.reading_of(transcript))(transcript, cursor)
        return reading

    def retention(self, location: Path) -> Retention | None:
        """Unknown."""
        return None

    def resume_command(self, session_id: str) -> list[str] | None:
        """The command that is declared."""
        return [*self.resume, session_id] if self.resume else None

    def start_command(self, prompt: str) -> list[str] | None:
        """The command that is declared."""
        return [*self.start, prompt] if self.start else None

    def session_file(self, session: NewSession, environ: Mapping[str, str]) -> SessionFile | None:
        """None: memtui cannot write a session for the agent."""
        return None

    def rewound(self, rewinding: Rewinding, environ: Mapping[str, str]) -> SessionFile | None:
        """None: memtui cannot rewind a session of the agent."""
        return None


def declared(name: str) -> Any:
    """What a reader names as `module:name`, and most processes need not import.

    Hooks and the app use names and commands only: importing the decoders would delay their start.
    """
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
