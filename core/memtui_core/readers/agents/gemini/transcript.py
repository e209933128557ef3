"""Convert a session of Gemini CLI to records, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtui_core.readers.agents.gemini.entries import REWIND, SessionEntries
from memtui_core.readers.agents.gemini.file_names import parent_of, project_folder
from memtui_core.readers.agents.gemini.messages import assistant_records, note_record, user_records
from memtui_core.readers.agents.gemini.project_path import working_directory
from memtui_core.readers.agents.gemini.user_parts import prompt_text
from memtui_core.readers.base import Identity
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.conversion.messages import note, title_records
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.records import Record, TitleRank
from memtui_core.text.controls import one_line

_LONGEST_PROMPT = 80
_WORKFLOW = "workflowSummary"
"""What the header says of the steps of the session; it is shown at the end."""


class GeminiReading(DocumentReading):
    """One pass over a session of Gemini CLI."""

    def load(self) -> Sequence[Any]:
        """The messages, each in its last version, the places at which messages were taken back, and the workflow."""
        session = SessionEntries(self.transcript)
        self._header = session.header
        self._parent = parent_of(self.transcript.path)
        self.waiting = session.waiting
        self._answered = {
            string(call.get("id"))
            for entry in session.entries
            for call in map(mapping, items(mapping(entry).get("toolCalls")))
        }
        """The calls whose results are with the call, so that the answer in the history repeats them."""
        self.facts.session_id = string(session.header.get("sessionId")) or ""
        self.facts.enter(working_directory(self.transcript.path, session.header, session.entries))
        workflow = string(mapping(session.header.get("memoryScratchpad")).get(_WORKFLOW))
        return [*session.entries, *([{_WORKFLOW: workflow}] if workflow else [])]

    def head(self) -> Iterable[Record]:
        """The title: a summary that Gemini CLI writes at the next start."""
        return title_records(self._header.get("summary"), TitleRank.AI)

    def identity(self, branch: str = "") -> Identity:
        """The session by the id in its header; the folder of the project has its name or the hash of its path."""
        folder = project_folder(self.transcript.path)
        name = folder.name if folder is not None and len(folder.name) != 64 else ""
        session_id = self.facts.session_id or self.transcript.path.stem
        return Identity(session_id, self._parent if self._parent != session_id else None, name)

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message or a rewind."""
        if REWIND in entry:
            yield note(line, line, self._rewind_text(string(entry.get(REWIND)), line), "meta", None)
            return
        if _WORKFLOW in entry:
            yield note(line, line, string(entry.get(_WORKFLOW)) or "", "meta", None)
            return
        kind = string(entry.get("type")) or string(entry.get("role"))
        key = f"{self.facts.session_id}/{string(entry.get('id')) or line}"
        if kind == "user":
            yield from user_records(entry, line, key, self._answered, is_subagent=self._parent is not None)
        elif kind in {"gemini", "model", "assistant"}:
            yield from assistant_records(entry, line, key)
        elif kind in {"info", "warning", "error"}:
            yield from note_record(entry, line, key, kind)
        else:
            yield unknown_entry(entry, line)

    def _rewind_text(self, target: str | None, line: int) -> str:
        before = (mapping(entry) for entry in self.entries[:line])
        message = next((entry for entry in before if target is not None and entry.get("id") == target), None)
        if message is None:
            return "The conversation was taken back to its start."
        said = one_line(prompt_text(message), _LONGEST_PROMPT)
        return f"The conversation was taken back to before: {said}"
