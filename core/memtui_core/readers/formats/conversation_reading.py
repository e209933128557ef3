"""Reading one conversation of a file with several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.conversations import ConversationFiles
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.records import Record, TitleRank

Convert = Callable[[Any, int], Iterator[Record]]
"""Converts an entry, given its index, to records."""


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
        self.facts.enter(conversation.cwd)
        return conversation.entries

    def head(self) -> Iterator[Record]:
        """The title."""
        return title_records(self._title, TitleRank.CUSTOM)

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        return self._convert(entry, line)

    def identity(self, branch: str = "") -> Identity:
        """The conversation by its id; the project is named after the file."""
        return Identity(self.transcript.part, folder=self.transcript.path.stem)
