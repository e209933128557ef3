"""A session that is a folder of JSON files, each written once and for all, unless somebody edits it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from memtui_brook.messages import message_of
from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import START, Cursor, Identity, Transcript
from memtui_core.readers.records import BadLine, Message, Record, SessionFacts, TitleRank, TitleRecord

SUFFIX = ".brook"
ABOUT = "about.json"


def files_in(folder: Path) -> list[Path]:
    """What is written down about a session, then its messages in order."""
    return sorted(folder.glob("*.json"), key=lambda path: (path.name != ABOUT, path.name))


class FolderReading:
    """One pass over a session; a cursor counts messages, and its digest is that of those before it."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        self._folder = transcript.path
        self._files = [path for path in files_in(self._folder) if path.name != ABOUT]
        self.from_start = cursor == START or self._digest(cursor.line) != cursor.digest
        self._first = 0 if self.from_start else cursor.line
        self.facts = SessionFacts()
        self._parent: str | None = None

    @property
    def lines(self) -> int:
        """The number of messages."""
        return len(self._files)

    @property
    def waiting(self) -> bool:
        """Never: a file is written at once."""
        return False

    @property
    def can_continue(self) -> bool:
        """Never: the files are listed again."""
        return False

    def __iter__(self) -> Iterator[Record]:
        try:
            about = json.loads((self._folder / ABOUT).read_bytes())
            self.facts.session_id, self.facts.cwd = about["session"], about["cwd"]
            self._parent = about.get("parent")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SourceUnreadable(f"{self._folder / ABOUT}: {error}") from error
        yield TitleRecord(0, TitleRank.CUSTOM, about["title"])
        for line, path in list(enumerate(self._files))[self._first :]:
            try:
                value = json.loads(path.read_bytes())
            except ValueError:
                yield BadLine(line, "not JSON")
                continue
            yield message_of(value, self.facts.session_id, line, line)

    def identity(self, branch: str = "") -> Identity:
        """The session, which `about.json` names."""
        return Identity(self.facts.session_id or self._folder.stem, self._parent, self._folder.parent.name)

    def cursor(self, first: Message | None) -> Cursor:
        """The number of a message, or of those that there are."""
        line = len(self._files) if first is None else first.line
        return Cursor(0, line, self._digest(line))

    def resume(self, transcript: Transcript) -> bool:
        """Never."""
        return False

    def _digest(self, line: int) -> str:
        content = b"\n".join(path.read_bytes() for path in self._files[:line])
        return hashlib.blake2b(content, digest_size=8).hexdigest()
