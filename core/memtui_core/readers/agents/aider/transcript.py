"""Reading a session of Aider's chat history.

The format was learned from version 0.86.2 of Aider (`aider/io.py`, `utils.py`, `repo.py`, `commands.py`, `main.py`, and
in `aider/coders` the modules `base_coder`, `editblock_coder`, `udiff_coder`, `wholefile_coder`, `patch_coder` and
`architect_coder`). The history lacks the output of commands and their exit codes, and the times of answers; numbers of
tokens are rounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from memtui_core.readers.agents.aider.answers import parts_of
from memtui_core.readers.agents.aider.context import add_context, folder_in, version_in
from memtui_core.readers.agents.aider.entries import ANSWER, PROMPT, Entry, entries_of, is_command
from memtui_core.readers.agents.aider.outcomes import Outcomes, PendingEdit
from memtui_core.readers.agents.aider.sessions import is_said, started_at
from memtui_core.readers.agents.aider.typed_times import TypedTimes
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.conversion.json_values import timestamp
from memtui_core.readers.conversion.messages import (
    add_call,
    add_note,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
)
from memtui_core.readers.formats.conversations import ConversationFiles
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.records import Message, Record, Usage

_RUNNING: Final = re.compile(r"Running (.+)")
_INTERRUPTED: Final = "^C"
_ERRORS: Final = (
    *("litellm.", "The API provider", "The LLM did not conform", "Exception while "),
    *("Error:", "Error ", "Unable to "),
)
"""The first words of what Aider prints about a failure."""
_APART: Final = frozenset({"interrupt", "error"})
_UNSAFE: Final = re.compile(r"[^\w.-]+")


class AiderReading(DocumentReading):
    """One pass over a session; an entry is a prompt, an answer, or what Aider printed between them."""

    def __init__(self, files: ConversationFiles, transcript: Transcript, cursor: Cursor) -> None:
        self._files = files
        self._outcomes = Outcomes()
        self._in_command = False
        """Whether the last prompt is a command to which the assistant does not answer."""
        super().__init__(transcript, cursor)

    def load(self) -> Sequence[Any]:
        """The entries, with what others say about them.

        A prompt has the time at which it was typed, or else that of the prompt before or of the session's start.
        """
        path, part = self.transcript.path, self.transcript.part
        sessions = self._files.of(path)
        lines = sessions[part].entries if part in sessions else ()
        entries = entries_of(lines) if is_said(lines) else []
        add_context(entries)
        self._add_times(entries, [*sessions])
        self.facts.session_id = _UNSAFE.sub("-", f"{path.parent.name}-{part}".lstrip("-"))
        self.facts.version = version_in(entries)
        self.facts.enter(folder_in(entries) or path.parent.as_posix())
        return entries

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The message of an entry."""
        if entry["kind"] == PROMPT:
            yield self._prompt(entry, line)
        elif entry["kind"] == ANSWER:
            yield self._answer(entry, line)
        else:
            yield self._output(entry, line)

    def _add_times(self, entries: list[Entry], parts: list[str]) -> None:
        part = self.transcript.part
        start = started_at(part)
        later = parts[parts.index(part) + 1 :] if part in parts else []
        typed = TypedTimes(self.transcript.path, start, next(filter(None, map(started_at, later)), None))
        known = start
        for entry in entries:
            if entry["kind"] == PROMPT:
                known = typed.of(entry["text"]) or known
            if known is not None and (entry["kind"] == PROMPT or entry is entries[0]):
                entry["at"] = known.isoformat()

    def _prompt(self, entry: Entry, line: int) -> Message:
        text, at = entry["text"], timestamp(entry.get("at"))
        if entry.get("echo"):
            return note(line, line, text, "meta", at)
        self._outcomes = Outcomes()
        self._in_command = is_command(text) and not entry.get("answered")
        return prompt(line, line, text, at, kind="command" if is_command(text) else "human")

    def _answer(self, entry: Entry, line: int) -> Message:
        at = timestamp(entry.get("at"))
        message = answer(line, line, at, model=entry.get("model"), usage=_usage(entry.get("tokens")))
        self._outcomes = Outcomes()
        for part in parts_of(entry["text"], entry.get("format")):
            if part.kind == "call":
                tool_id = f"{line}.{len(self._outcomes.open)}"
                add_call(message, part.name, part.arguments, tool_id)
                self._outcomes.open.append(PendingEdit(tool_id, part.arguments or {}))
            else:
                (add_thinking if part.kind == "thinking" else add_text)(message, part.text)
        return message

    def _output(self, entry: Entry, line: int) -> Message:
        """What Aider printed: results of edits, commands that it ran, and notes."""
        message = note(line, line, "", "meta", timestamp(entry.get("at")))
        said: list[str] = []
        for number, text in enumerate(entry["texts"]):
            if match := _RUNNING.fullmatch(text):
                self._add_notes(message, said)
                # The output of the command is not written down.
                _add_done(message, "shell", {"command": match[1]}, f"{line}.{number}", "")
                continue
            for outcome in self._outcomes.of(text):
                if not outcome.tool_id and not outcome.path:
                    said.append(outcome.text)
                    continue
                self._add_notes(message, said)
                if outcome.tool_id:
                    add_result(message, outcome.text, outcome.tool_id, is_error=outcome.is_error)
                else:
                    _add_done(message, "edit", {"path": outcome.path}, f"{line}.{number}", outcome.text)
        self._add_notes(message, said)
        if message.kind == "note" and any(block.kind == "tool_result" for block in message.blocks):
            message.kind, message.role = "results", "user"
        return message

    def _add_notes(self, message: Message, said: list[str]) -> None:
        """Add the texts that were collected, those about errors and interrupts each for itself."""
        for label, texts in groupby(said, self._label):
            for text in texts if label in _APART else ["\n".join(texts)]:
                add_note(message, text, label, is_error=label == "error")
        said.clear()

    def _label(self, text: str) -> str:
        if text.startswith(_INTERRUPTED):
            return "interrupt"
        return "error" if text.startswith(_ERRORS) else "command" if self._in_command else "meta"


def _add_done(message: Message, name: str, arguments: dict[str, Any], tool_id: str, text: str) -> None:
    """Add a call together with its result."""
    message.kind, message.role = "assistant", "assistant"
    add_call(message, name, arguments, tool_id)
    add_result(message, text, tool_id)


def _usage(tokens: dict[str, int] | None) -> Usage | None:
    """The tokens of an answer; those sent include what was written to the cache."""
    if not tokens:
        return None
    written = tokens.get("cache_write", 0)
    sent = max(0, tokens.get("sent", 0) - written)
    return Usage(sent, tokens.get("received", 0), tokens.get("cache_hit", 0), written)
