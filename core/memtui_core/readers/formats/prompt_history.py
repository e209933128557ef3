"""The prompts that an agent keeps in a file of its own, and that outlive the transcripts of their sessions.

Each session of the file is a transcript with prompts only. It is listed if its transcript is no longer on the disk;
what the index has of the transcript counts more (`Transcript.prompts_only`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.base import PART_MARK, Cursor, Transcript
from memtui_core.readers.conversion.json_values import nanoseconds
from memtui_core.readers.conversion.messages import add_note, note, prompt
from memtui_core.readers.formats.conversation_reading import ConversationReading
from memtui_core.readers.formats.conversations import Conversation, ConversationFiles
from memtui_core.readers.formats.jsonl import Entry, LineReader, decode
from memtui_core.readers.records import BadLine, Message, Record

_NOTICE: Final = "Only the prompts are left: the transcript is not on the disk."


@dataclass(frozen=True, slots=True)
class KeptPrompt:
    """A prompt in the file."""

    session_id: str
    text: str
    at: datetime | None
    cwd: str = ""


class PromptHistory:
    """Lists and reads the sessions of such files."""

    def __init__(
        self,
        agent: str,
        prompt_in: Callable[[Entry], KeptPrompt | None],
        on_disk: Callable[[Path, Mapping[str, KeptPrompt]], set[str]],
    ) -> None:
        """Take how to read a line, and which of some sessions have a transcript on the disk.

        `on_disk` gets the file, and the first prompt of each session by its id.
        """
        self._agent, self._prompt_in, self._on_disk = agent, prompt_in, on_disk
        self._files = ConversationFiles(self._load)

    def transcripts(self, path: Path, mtime: int) -> Iterator[Transcript]:
        """The sessions of a file whose transcripts are not on the disk. Raises SourceUnreadable."""
        sessions = self._files.of(path)
        first = {session: next(iter(_prompts(one))) for session, one in sessions.items()}
        present = self._on_disk(path, first)
        for session, conversation in sessions.items():
            if session not in present:
                at = nanoseconds(conversation.updated) or mtime
                yield Transcript(self._agent, path, len(conversation.entries), at, session, prompts_only=True)

    def read(self, transcript: Transcript, cursor: Cursor) -> ConversationReading:
        """The prompts of a session."""
        return ConversationReading(self._files, transcript, cursor, _records)

    def _load(self, path: Path) -> list[Conversation]:
        sessions: dict[str, list[Any]] = {}
        open_session: list[Any] = []
        """The entries of the session of the line before, to which a line that cannot be read belongs."""
        for line in LineReader(path):
            entries, reason = decode(line.raw)
            for kept in filter(None, map(self._prompt_in, entries)):
                if kept.session_id and PART_MARK not in kept.session_id:
                    open_session = sessions.setdefault(kept.session_id, [])
                    open_session.append(kept)
            if reason and line.is_complete and open_session:
                open_session.append(BadLine(len(open_session), reason))
        return [_conversation(session, entries) for session, entries in sessions.items()]


def _conversation(session: str, entries: list[Any]) -> Conversation:
    prompts = [entry for entry in entries if isinstance(entry, KeptPrompt)]
    updated = max((kept.at for kept in prompts if kept.at is not None), default=None)
    return Conversation(session, entries, "", updated, next((kept.cwd for kept in prompts if kept.cwd), ""))


def _prompts(conversation: Conversation) -> Iterator[KeptPrompt]:
    return (entry for entry in conversation.entries if isinstance(entry, KeptPrompt))


def _records(kept: KeptPrompt, line: int) -> Iterator[Record]:
    uuid = f"{kept.session_id}/prompt {line}"
    message: Message
    if kept.text.startswith("!"):
        message = note(line, line, kept.text, "shell", kept.at, uuid=uuid)
    else:
        is_command = kept.text.startswith("/") and "/" not in kept.text.split(None, 1)[0][1:]
        message = prompt(line, line, kept.text, kept.at, kind="command" if is_command else "human", uuid=uuid)
    if line == 0:
        add_note(message, _NOTICE, "notification")
    if message.blocks:
        yield message
