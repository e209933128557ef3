"""Read the messages of Kimi CLI as the model got them, for what no events exist of.

The files of a session repeat each other: after a compaction the last messages are kept, and when the agent goes back to
a checkpoint all messages before it. Each message counts once. The messages have no times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.kimi.cli_about import model_of, titles_of, working_directory_of
from memtui_core.readers.agents.kimi.cli_content import (
    CallIds,
    add_stored_result,
    add_tool_call,
    is_mark,
    is_prompt,
    summary_in,
    user_message,
)
from memtui_core.readers.agents.kimi.cli_files import SessionFiles
from memtui_core.readers.agents.kimi.file_names import subagent_session
from memtui_core.readers.agents.kimi.messages import part_message, text_of
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.conversion.messages import answer, note, prompt, results
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.formats.jsonl import Entry, LineReader, decode
from memtui_core.readers.records import BadLine, BoundaryRecord, Message, Record

_MEDIA_FOLLOW: Final = "Non-text parts are sent as a user message below"
"""What a result says whose images are in the next message, in the first versions."""


class ContextReading(DocumentReading):
    """One pass over the messages of a session or subagent without events."""

    def __init__(self, files: SessionFiles, transcript: Transcript, cursor: Cursor) -> None:
        self._files = files
        self._model = model_of(files)
        self._ids = CallIds()
        super().__init__(transcript, cursor)

    def load(self) -> Sequence[Entry | BadLine]:
        """The messages of all files."""
        self.facts.session_id = self._files.session
        self.facts.enter(working_directory_of(self._files))
        return entries_of(self._files.contexts)

    def head(self) -> Iterator[Record]:
        """The title."""
        yield from titles_of(self._files)

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session or subagent."""
        return identity_of(self._files)

    def follow(self, entry: Entry) -> None:
        """Note the calls of a message."""
        self._ids.add_calls(entry)

    def records(self, entry: Entry, line: int) -> Iterator[Record]:
        """The records of a message."""
        key = f"{identity_of(self._files).session_id} {line}"
        return records_of(entry, line, line, key, self._ids, by_agent=bool(self._files.agent), model=self._model)


def identity_of(files: SessionFiles) -> Identity:
    """The identity of a session, or of a subagent, whose id is unique in its session only."""
    if files.agent:
        return Identity(subagent_session(files.session, files.agent), files.session)
    return Identity(files.session)


def records_of(
    entry: Entry, line: int, offset: int, key: str, ids: CallIds, *, by_agent: bool = False, model: str | None = None
) -> Iterator[Record]:
    """The records of a message; `key` names its place in the session, and `ids` has its calls already."""
    role, content = string(entry.get("role")), entry.get("content")
    key = f"{key} {role} {text_of(content)[:200]}"
    message: Message | None = None
    if (summary := summary_in(entry)) is not None:
        yield BoundaryRecord(line, None, None, None)
        message = prompt(line, offset, summary, None, kind="compaction", uuid=key) if summary else None
    elif role == "user":
        message = user_message(content, line, offset, None, key, by_agent=by_agent)
    elif role == "assistant":
        message = answer(line, offset, None, uuid=key, model=model)
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else map(mapping, items(content)):
            message.blocks += part_message(part, line, offset, None).blocks
        for call in map(mapping, items(entry.get("tool_calls"))):
            function, tool_id = mapping(call.get("function")), ids.unique(string(call.get("id")))
            add_tool_call(message, string(function.get("name")), function.get("arguments"), tool_id)
    elif role == "tool":
        message = results(line, offset, None, uuid=key)
        add_stored_result(message, content, ids.unique(string(entry.get("tool_call_id"))))
    elif role == "system":
        message = note(line, offset, text_of(content), "meta", None, uuid=key)
    else:
        yield unknown_entry(entry, line, role and f"message {role}")
    if message is not None and message.blocks:
        yield message


def entries_of(contexts: Iterable[Path]) -> list[Entry | BadLine]:
    """The messages of all files of a session, each once, in order. Raises SourceUnreadable."""
    merged: list[Entry | BadLine] = []
    before: list[Entry] = []
    for path in contexts:
        found = list(_entries_in(path))
        messages = [entry for entry in found if not isinstance(entry, BadLine)]
        repeated = {id(messages[place]) for place in _repeated(before, messages)}
        merged += [entry for entry in found if id(entry) not in repeated]
        before = messages
    for line, entry in enumerate(merged):
        if isinstance(entry, BadLine):
            entry.line = line
    return merged


def summaries_of(contexts: Iterable[Path]) -> list[str]:
    """The summaries of the compactions of a session, in order; those in files that cannot be read are left out."""
    found: list[str] = []
    for path in contexts:
        try:
            first = next((entry for entry in _entries_in(path) if not isinstance(entry, BadLine)), {})
        except SourceUnreadable:
            continue
        summary = summary_in(first)
        # After the agent went back to a checkpoint, two files begin with the same summary.
        if summary is not None and summary not in found[-1:]:
            found.append(summary)
    return found


def entries_before(contexts: Sequence[Path], first: Any) -> list[Entry]:
    """The messages that are older than the events, which begin with the input `first`; none if that is uncertain.

    A session can have begun in a version that did not write events.
    """
    text = text_of(first)
    try:
        oldest = next((entry for path in contexts for entry in _entries_in(path) if _is_typed(entry)), None)
        if not text or text.startswith("/") or oldest is None or text_of(mapping(oldest).get("content")) == text:
            return []
        entries = [entry for entry in entries_of(contexts) if not isinstance(entry, BadLine)]
    except SourceUnreadable:
        # The events are there; without the messages only what is older is missing.
        return []
    if not entries or summary_in(entries[0]) is not None:
        return []
    same = (place for place, entry in enumerate(entries) if _is_typed(entry) and text_of(entry.get("content")) == text)
    return entries[: next(same, 0)]


def _is_typed(entry: Entry | BadLine) -> bool:
    return isinstance(entry, dict) and entry.get("role") == "user" and is_prompt(entry.get("content"))


def _is_by_program(entry: Entry) -> bool:
    return entry.get("role") == "user" and not is_prompt(entry.get("content"))


def _entries_in(path: Path) -> Iterator[Entry | BadLine]:
    """The messages of one file, without marks; images that follow a result are a part of it."""
    result: Entry | None = None
    for line in LineReader(path):
        entries, reason = ([], "longer than 256 MB") if line.too_long else decode(line.raw)
        if reason and line.is_complete:
            yield BadLine(line.number, reason)
        for entry in entries:
            if is_mark(entry):
                continue
            role, content = entry.get("role"), entry.get("content")
            if result is not None and role == "user" and isinstance(content, list) and not text_of(content):
                result["content"] = [*_parts(result), *content]
                continue
            result = entry if role == "tool" and _MEDIA_FOLLOW in text_of(content) else None
            yield entry


def _parts(entry: Entry) -> list[Any]:
    content = entry.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else items(content)


def _repeated(before: list[Entry], messages: list[Entry]) -> range:
    """The places of the messages that the file before contains, too."""
    pairs = zip(before, messages, strict=False)
    same = next((place for place, (old, new) in enumerate(pairs) if old != new), min(len(before), len(messages)))
    # The same prompt can be typed again after the context was cleared.
    goes_back = any(one.get("role") == "assistant" for one in messages[:same])
    if same and (goes_back or same == len(messages) or _is_by_program(messages[same])):
        return range(same)
    if messages and summary_in(messages[0]) is not None:
        longest = min(len(before), len(messages) - 1)
        kept = next((size for size in range(longest, 0, -1) if before[-size:] == messages[1 : 1 + size]), 0)
        return range(1, 1 + kept)
    return range(0)
