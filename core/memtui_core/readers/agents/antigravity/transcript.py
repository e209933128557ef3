"""Convert a transcript of Antigravity to records, step by step.

A step of the planner has calls without ids. A step of a tool is the result of the first call that waits for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import from_json, items, mapping, object_from, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_call,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
    with_notes,
)
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.conversion.user_text import between
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import BoundaryRecord, Record

_USERS: Final = frozenset({"USER_EXPLICIT", "USER", "user"})
_MODELS: Final = frozenset({"MODEL", "planner"})
_MODEL: Final = re.compile(rb'"(?:MODEL|planner)"')
_SYSTEM_NOTES: Final = frozenset({"SYSTEM_MESSAGE", "EPHEMERAL_MESSAGE", "CONVERSATION_HISTORY", "KNOWLEDGE_ARTIFACTS"})
_FAILED: Final = frozenset({"ERROR", "FAILED", "CANCELED", "CANCELLED", "INVALID"})
_TOOLS: Final = {
    "LIST_DIRECTORY": ("list_dir",),
    "VIEW_FILE": ("view_file", "view_file_outline", "view_code_item"),
    "RUN_COMMAND": ("run_command",),
    "COMMAND_STATUS": ("command_status",),
    "CODE_ACTION": ("write_to_file", "replace_file_content", "multi_replace_file_content", "write_file"),
    "GREP_SEARCH": ("grep_search",),
    "FIND": ("find_by_name",),
    "SEARCH_WEB": ("search_web",),
    "READ_URL_CONTENT": ("read_url_content",),
}
"""The calls that end in a step of a type; other steps can end any call."""
_DIFF: Final = ("[diff_block_start]", "[diff_block_end]")
_REQUEST: Final = ("<USER_REQUEST>", "</USER_REQUEST>")
_METADATA: Final = ("<ADDITIONAL_METADATA>", "</ADDITIONAL_METADATA>")
_SETTINGS: Final = ("<USER_SETTINGS_CHANGE>", "</USER_SETTINGS_CHANGE>")


class AntigravityReading(GrowingReading):
    """One pass over a transcript of Antigravity."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self.facts.session_id = _session_of(self.path)
        self._open: list[tuple[str, str]] = []
        """The ids and names of the calls of the turn that wait for a result."""
        self._has_answered = False

    def has_state(self, raw: bytes) -> bool:
        """Whether a step may name the working directory, or be the first one of the model."""
        return (not self.facts.cwd and b"wd" in raw) or (not self._has_answered and _MODEL.search(raw) is not None)

    def follow(self, entry: Entry) -> None:
        """The first folder in which a command ran is the working directory."""
        self._has_answered = self._has_answered or string(entry.get("source")) in _MODELS
        folders = [string(_arguments(mapping(call)).get("Cwd")) for call in items(entry.get("tool_calls"))]
        if string(entry.get("source")) in _USERS:
            folders.append(split(string(entry.get("content")) or "").cwd)
        for folder in folders:
            self.facts.enter(folder)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of a step."""
        source, kind = string(entry.get("source")) or "", string(entry.get("type")) or ""
        content, at = string(entry.get("content")) or "", timestamp(entry.get("created_at"))
        key = f"{self.facts.session_id}/{_number(entry, line)}"
        if kind == "USER_INPUT" or (source in _USERS and not kind):
            self._open = []
            said = split(content)
            message = prompt(line, offset, said.typed, at, uuid=key)
            yield from with_notes(message, [(said.added, "reminder")])
        elif kind == "CHECKPOINT" and not self._has_answered:
            # It repeats what the model gets at first: nothing of this conversation was replaced.
            message = note(line, offset, content, "reminder", at, uuid=key)
            if message.blocks:
                yield message
        elif kind == "CHECKPOINT":
            self._open = []
            yield BoundaryRecord(line, at, None, None)
            if content.strip():
                yield prompt(line, offset, content, at, kind="compaction", uuid=key)
        elif kind in _SYSTEM_NOTES or kind == "ERROR_MESSAGE":
            label = "error" if kind == "ERROR_MESSAGE" else "reminder"
            message = note(line, offset, content, label, at, is_error=label == "error", uuid=key)
            if message.blocks:
                yield message
        elif source in _MODELS:
            yield from self._model_records(entry, line, offset, key)
        else:
            yield unknown_entry(entry, line)

    def _model_records(self, entry: Entry, line: int, offset: int, key: str) -> Iterator[Record]:
        kind, content = string(entry.get("type")) or "", string(entry.get("content")) or ""
        at = timestamp(entry.get("created_at"))
        is_answer = kind in {"", "PLANNER_RESPONSE"}
        message = answer(line, offset, at, uuid=key, message_id=key, model=string(entry.get("model")))
        add_thinking(message, string(entry.get("thinking")) or "")
        if is_answer:
            add_text(message, content)
        for number, call in enumerate(map(mapping, items(entry.get("tool_calls")))):
            name, call_id = string(call.get("name")) or "tool", f"{_number(entry, line)}.{number}"
            add_call(message, name, _arguments(call), call_id)
            self._open.append((call_id, name))
        if not is_answer:
            found = self._call_of(kind)
            call_id = found or f"{_number(entry, line)}.step"
            if found is None:
                # The call is not in the transcript: the step itself stands for it.
                add_call(message, kind.lower(), None, call_id)
            failed = (string(entry.get("status")) or "").upper() in _FAILED
            add_result(message, content, call_id, is_error=failed, detail=patch_detail(_diff_in(content)))
        if message.blocks:
            yield message

    def _call_of(self, kind: str) -> str | None:
        """The first open call that a step of a type can end."""
        names = _TOOLS.get(kind)
        others = {name for known in _TOOLS.values() for name in known}
        for place, (call_id, name) in enumerate(self._open):
            if name in names if names is not None else name not in others or kind == "GENERIC":
                del self._open[place]
                return call_id
        return None


def _session_of(path: Path) -> str:
    """The name of the session's folder; for a copy elsewhere, that of the file."""
    return path.parts[-4] if path.parts[-3:-1] == (".system_generated", "logs") and len(path.parts) > 3 else path.stem


def _number(entry: Entry, line: int) -> int:
    number = entry.get("step_index")
    return number if isinstance(number, int) and not isinstance(number, bool) else line


def _arguments(call: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call, each of which is JSON in a text."""
    return {name: _decoded(value) for name, value in mapping(call.get("args")).items()}


def _decoded(value: Any) -> Any:
    return from_json(value) if isinstance(value, str) and value[:1] in {'"', "[", "{"} else value


def _diff_in(content: str) -> str:
    start, end = content.find(_DIFF[0]), content.find(_DIFF[1])
    return content[start + len(_DIFF[0]) : end].strip("\n") if 0 <= start < end else ""


@dataclass(frozen=True, slots=True)
class UserText:
    """The parts of a user's text."""

    typed: str
    added: str
    """The text of the program."""
    cwd: str


def split(text: str) -> UserText:
    """The parts of a text; one without `<USER_REQUEST>` was typed."""
    metadata, text = between(text, *_METADATA)
    settings, text = between(text, *_SETTINGS)
    request, rest = between(text, *_REQUEST)
    typed, around = (request, rest) if request else (text, "")
    added = [part.strip() for part in (metadata, settings, around) if part and part.strip()]
    return UserText(typed.strip(), "\n".join(added), string(object_from(metadata).get("cwd")) or "")
