"""Reading a session of Mistral Vibe.

Learned from the sources of mistralai/mistral-vibe at several commits: `vibe/core/session/session_logger.py` (025ba238),
`session_loader.py` (1df2ddf3) and `session_migration.py` (a7e2f81a), `vibe/core/types.py` (025ba238),
`vibe/core/compaction/manager.py` (3959cf4e) and `context.py` (028ad5a0), `vibe/core/tools/builtins/task.py` (11f76911).

Messages have no times. The first one has that at which the session began, and the last one that at which it was saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtui_core.readers.agents.vibe.file_names import MESSAGES, META
from memtui_core.readers.agents.vibe.messages import MessageContext, records_of
from memtui_core.readers.agents.vibe.metadata import Metadata, metadata_of, starter_of
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.json_values import mapping, timestamp
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.beside import object_beside
from memtui_core.readers.formats.document import DocumentReading, lines_in, messages_in, object_in, objects_of
from memtui_core.readers.records import BadLine, Record, Usage


class VibeReading(DocumentReading):
    """One pass over a session, whose messages the agent writes anew when the user goes back.

    An entry is {"message", "at", "usage"}: what the metadata say of a message is part of it, so that it is read again
    when they change.
    """

    _about: Metadata

    def load(self) -> Sequence[Any]:
        """The messages of the session. Raises SourceUnreadable."""
        path = self.transcript.path
        if path.name == MESSAGES:
            messages, self.waiting = lines_in(self.transcript)
            self._about = metadata_of(object_beside(path.with_name(META)), path.parent.name)
        else:
            document = object_in(path)
            messages = objects_of(messages_in(document, path))
            self._about = metadata_of(document.get("metadata"), path.stem)
        self._starter = starter_of(path, self._about)
        facts, about = self.facts, self._about
        facts.session_id, facts.branch = about.session_id, about.branch
        for folder in about.cwds:
            facts.enter(folder)
        return _entries(messages, about)

    def identity(self, branch: str = "") -> Identity:
        """The session by its id."""
        return Identity(self._about.session_id, self._starter)

    def head(self) -> Iterable[Record]:
        """The title."""
        return title_records(self._about.title, self._about.rank) if self.entries else ()

    def follow(self, entry: Any) -> None:
        """Note that the session continues another one, if its first message is a summary."""
        if entry is self.entries[0] and self._continues and mapping(entry["message"]).get("injected") is True:
            self.facts.forked_from = self._about.parent_id

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        usage = Usage(*entry["usage"]) if entry["usage"] else None
        context = MessageContext(
            timestamp(entry["at"]), self._about.model, usage, self._starter is not None, line == 0 and self._continues
        )
        return records_of(entry["message"], line, context)

    @property
    def _continues(self) -> bool:
        return self._starter is None and self._about.parent_id is not None


def _entries(messages: Sequence[Any], about: Metadata) -> list[Any]:
    """The messages with their times, and the last answer with the tokens of the session."""
    entries: list[Any] = [
        message if isinstance(message, BadLine) else {"message": message, "at": None, "usage": None}
        for message in messages
    ]
    said = [entry for entry in entries if isinstance(entry, dict)]
    for entry, at in zip(said[-1:] + said[:1], (about.saved, about.started), strict=False):
        entry["at"] = at.isoformat() if at is not None else None
    answers = [entry for entry in said if entry["message"].get("role") == "assistant"]
    if answers and about.usage is not None:
        answers[-1]["usage"] = [about.usage.input, about.usage.output]
    return entries
