"""Reading a session of Junie.

Its code is not public. The format was learned from a recorded session of August 2026, and from shorter samples of other
versions. In older ones `details` of a step has the output of a command; in newer ones it is a summary by a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.junie.messages import records
from memtui_core.readers.agents.junie.reader import INDEX
from memtui_core.readers.agents.junie.steps import Steps
from memtui_core.readers.conversion.json_values import mapping, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.formats.jsonl import Entry, LineReader, decode
from memtui_core.readers.records import BadLine, Record, TitleRank

_WITHOUT_TEXT: Final = re.compile(
    rb'"kind"\s*:\s*"(?:AgentStateUpdated|EnvironmentVariablesUpdated|AgentCurrentStatusUpdated|AgentPatchCreated'
    rb'|TipSuggestionCreated|ContextWindowReport|NextPromptSuggestion|AvailablePullRequests)Event"'
)
"""Events about the state of the agent, some of which are long; a patch is also in the steps that made it."""
_HEAD: Final = 512
"""Bytes of a line in which its kind is."""


class JunieReading(DocumentReading):
    """One pass over a session; an entry is a prompt, a step, or any other event."""

    def load(self) -> Sequence[Any]:
        """The entries of the session."""
        folder = self.transcript.path.parent
        self.facts.session_id = folder.name
        about = self._listed()
        self._title = string(about.get("taskName")) or ""
        self._own_title = ""
        """The title that was set for the session."""
        self.facts.enter(about.get("projectDir"))
        steps = Steps()
        for line in LineReader(self.transcript.path):
            if line.too_long or _WITHOUT_TEXT.search(line.raw[:_HEAD]) is not None:
                continue
            events, reason = decode(line.raw)
            if reason and not line.is_complete:
                self.waiting = True
            elif reason:
                steps.entries.append(BadLine(len(steps.entries), reason))
            for event in events:
                steps.add(event)
        for entry in steps.entries:
            self._collect(mapping(entry))
        return steps.entries

    def head(self) -> Iterable[Record]:
        """The title of the session."""
        yield from title_records(self._title, TitleRank.AI)
        yield from title_records(self._own_title, TitleRank.CUSTOM)

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of an entry."""
        return records(entry, line)

    def _collect(self, entry: Entry) -> None:
        """Update the title and the folder, which are in events of their own."""
        kind, event = entry.get("kind"), mapping(entry.get("event"))
        if kind == "CurrentDirectoryUpdatedEvent":
            self.facts.enter(event.get("currentDirectory"))
        elif kind == "AgentTaskNameUpdatedEvent":
            self._title = self._title or string(event.get("name")) or string(event.get("taskName")) or ""
        elif kind == "SessionTitleSetEvent":
            self._own_title = string(event.get("name")) or ""

    def _listed(self) -> Entry:
        """What the list of sessions says about this one; its last line counts."""
        found: Entry = {}
        folder = self.transcript.path.parent
        name = folder.name.encode("utf-8", "replace")
        with suppress(SourceUnreadable):
            # Every session asks for its own line of a list of all: only that one is worth decoding.
            for line in (line for line in LineReader(folder.with_name(INDEX)) if name in line.raw):
                found = next((one for one in decode(line.raw)[0] if one.get("sessionId") == folder.name), found)
        return found
