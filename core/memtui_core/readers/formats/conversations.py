"""Files that contain several conversations, such as the export of a chat service: each is a transcript of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from memtui_core.readers.agent import FileReader, declared
from memtui_core.readers.base import PART_MARK, Cursor, Reading, Transcript
from memtui_core.readers.conversion.json_values import nanoseconds
from memtui_core.system.walk import RegularFile


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of a file."""

    id: str
    """Unique in the file; contains no `#`."""
    entries: Sequence[Any]
    title: str = ""
    updated: datetime | None = None
    cwd: str = ""


def id_in_file(path: Path, name: str) -> str:
    """An id for what has a name that can occur in other files, too."""
    digest = hashlib.blake2b(str(path).encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return f"{name.replace(PART_MARK, '-')}-{digest}"


@dataclass(slots=True)
class ConversationFiles:
    """Loads the conversations of files, and keeps those of the last file."""

    load: Callable[[Path], Sequence[Conversation]]
    """Raises SourceUnreadable."""
    _path: Path | None = None
    _stamp: tuple[int, int] = (0, 0)
    _conversations: dict[str, Conversation] = field(default_factory=dict)

    def of(self, path: Path) -> dict[str, Conversation]:
        """The conversations of a file by their ids. Raises SourceUnreadable and OSError."""
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        if (self._path, self._stamp) != (path, stamp):
            # A conversation that occurs twice counts as it was last written.
            self._conversations = {conversation.id: conversation for conversation in self.load(path)}
            self._path, self._stamp = path, stamp
        return self._conversations


class ConversationsReader(FileReader):
    """The parts of a reader that all files with several conversations share."""

    conversations: str
    """The function that loads the conversations of a file, as `declared` takes it. Raises SourceUnreadable."""
    records: str
    """The function that converts an entry, given its index, to records, as `declared` takes it."""

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """None: such a file is read when it is named."""
        return ()

    def transcripts(self, file: RegularFile) -> list[Transcript]:
        """The conversations of the file. Raises SourceUnreadable."""
        return [
            Transcript(
                self.agent,
                file.path,
                len(conversation.entries),
                nanoseconds(conversation.updated) or file.mtime,
                conversation.id,
            )
            for conversation in self._files.of(file.path).values()
        ]

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a conversation."""
        from memtui_core.readers.formats.conversation_reading import ConversationReading

        return ConversationReading(self._files, transcript, cursor, declared(self.records))

    @cached_property
    def _files(self) -> ConversationFiles:
        return ConversationFiles(declared(self.conversations))
