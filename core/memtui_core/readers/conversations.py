"""Files that contain several conversations, such as the export of a chat service: each is a transcript of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui_core.readers.agent import FileReader
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.document import DocumentReading
from memtui_core.readers.json_values import nanoseconds
from memtui_core.readers.records import Record, TitleRank, TitleRecord
from memtui_core.system.walk import RegularFile
from memtui_core.text.redaction import redact


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of a file."""

    id: str
    """Unique in the file; contains no `#`."""
    entries: Sequence[Any]
    title: str = ""
    updated: datetime | None = None
    cwd: str = ""


Convert = Callable[[Any, int], Iterator[Record]]
"""Converts an entry, given its index, to records."""


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

    _files: ConversationFiles

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


class ConversationReading(DocumentReading):
    """One pass over a conversation."""

    def __init__(self, files: ConversationFiles, transcript: Transcript, cursor: Cursor, convert: Convert) -> None:
        self._files = files
        self._convert = convert
        self._title = ""
        super().__init__(transcript, cursor)

    def load(self) -> Sequence[Any]:
        """The messages; none if the conversation was deleted."""
        conversation = self._files.of(self.transcript.path).get(self.transcript.part)
        self.facts.session_id = self.transcript.part
        if conversation is None:
            return ()
        self._title = conversation.title
        if conversation.cwd:
            self.facts.cwd = conversation.cwd
            self.facts.cwds.append(conversation.cwd)
        return conversation.entries

    def head(self) -> Iterator[Record]:
        """The title."""
        if self._title:
            yield TitleRecord(0, TitleRank.CUSTOM, redact(self._title))

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        return self._convert(entry, line)

    def identity(self, branch: str = "") -> Identity:
        """The conversation by its id; the project is named after the file."""
        return Identity(self.transcript.part, folder=self.transcript.path.stem)
