"""Convert what the events and the messages of Kimi CLI have in common: texts of the user, calls and results."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.kimi.messages import add_media, media_text, text_of
from memtui_core.readers.conversion.content import result_text
from memtui_core.readers.conversion.json_values import from_json, items, mapping, string
from memtui_core.readers.conversion.messages import add_agent_call, add_call, add_note, add_result, note, prompt
from memtui_core.readers.conversion.unified_diff import hunks_between
from memtui_core.readers.conversion.user_text import classify
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message, MessageKind

_PROGRAM: Final = re.compile(r"\s*<(system|notification)\b[^>]*>(.*?)</\1>\s*", re.DOTALL)
_CHECKPOINT: Final = re.compile(r"\s*<system>CHECKPOINT \d+</system>\s*")
_COMPACTED: Final = re.compile(r"\s*<system>Previous context has been compacted[^<]*</system>\s*")
_MEDIA_TAG: Final = re.compile(r"\s*</?(?:image|audio|video)\b[^>]*>\s*")
"""What the agent puts around an image, to say where its file is."""
_COMMAND: Final = re.compile(r"\s*/[\w-]+(?::[\w-]+)*(?:\s|\Z)", re.ASCII)
_LOOP: Final = "<choice>...</choice>."
"""The end of a prompt by which the agent asks itself whether to go on."""
_EMPTY_OUTPUT: Final = "Tool output is empty."
_ERROR: Final = "ERROR"
_SUBAGENT_TOOLS: Final = frozenset({"Agent", "Task"})
_MARK: Final = "~"


def user_message(
    content: Any, line: int, offset: int, at: datetime | None, uuid: str, *, by_agent: bool = False
) -> Message | None:
    """A prompt, or a text that a program added; None if it is empty."""
    content = _without_media_tags(content)
    text = text_of(content)
    if (program := _PROGRAM.fullmatch(text)) is not None:
        label = "notification" if program[1] == "notification" else "reminder"
        message = note(line, offset, program[2].strip(), label, at, uuid=uuid)
    elif text.endswith(_LOOP):
        message = note(line, offset, text, "reminder", at, uuid=uuid)
    elif (said := classify(text)).kind == "note":
        message = note(line, offset, said.text, said.label, at, uuid=uuid)
    else:
        kind: MessageKind = "agent" if by_agent else "command" if _COMMAND.match(text) else "human"
        message = prompt(line, offset, said.text, at, kind=kind, uuid=uuid)
        for aside in said.asides:
            add_note(message, aside, "reminder")
    add_media(message, content)
    return message if message.blocks else None


def is_prompt(content: Any) -> bool:
    """Whether a text is one that the user typed."""
    message = user_message(content, 0, 0, None, "")
    return message is not None and message.kind != "note"


def is_mark(entry: Entry) -> bool:
    """Whether an entry marks a place in the context, or counts tokens, and is no message."""
    role = string(entry.get("role")) or ""
    if role == "user":
        return _CHECKPOINT.fullmatch(text_of(entry.get("content"))) is not None
    return role.startswith("_")


def summary_in(entry: Entry) -> str | None:
    """The summary in a message that replaced the messages before it; None for other messages."""
    text = text_of(entry.get("content"))
    found = _COMPACTED.match(text) if string(entry.get("role")) in {"user", "assistant"} else None
    return None if found is None else text[found.end() :].strip()


def add_tool_call(message: Message, name: str | None, arguments: Any, tool_id: str | None) -> None:
    """Add a call; its arguments are a text of JSON."""
    values = from_json(arguments) if arguments else {}
    add_call(message, name, values, tool_id)
    if name in _SUBAGENT_TOOLS and tool_id is not None:
        given = mapping(values)
        kind = string(given.get("subagent_name")) or given.get("subagent_type")
        add_agent_call(message, tool_id, {**given, "subagent_type": kind})


def add_returned(message: Message, value: Entry, tool_id: str | None, *, is_error: bool) -> None:
    """Add the value that a tool returned: what the agent says about it, and its output."""
    add_result(
        message,
        _result_text(string(value.get("message")) or "", value.get("output"), is_error=is_error),
        tool_id,
        is_error=is_error,
        detail=_patch(items(value.get("display"))),
    )


def add_stored_result(message: Message, content: Any, tool_id: str | None) -> None:
    """Add a result as the model got it: what the agent says about it is in tags at the start."""
    parts = [content] if isinstance(content, str) else items(content)
    said = []
    while parts and (match := _PROGRAM.fullmatch(_text(parts[0]))) is not None:
        said.append(match[2])
        parts = parts[1:]
    is_error = bool(said) and said[0].startswith(_ERROR)
    text = "\n".join(said).strip()
    text = text.removeprefix(_ERROR).lstrip(":").strip() if is_error else "" if text == _EMPTY_OUTPUT else text
    add_result(message, _result_text(text, parts, is_error=is_error), tool_id, is_error=is_error)


def _result_text(said: str, output: Any, *, is_error: bool) -> str:
    """The reason of a failure comes first; after a success the output, whose first lines can be numbered."""
    output = [output] if isinstance(output, dict) else output
    if isinstance(output, list):
        output = [media_text(mapping(part)) or part for part in output if not _MEDIA_TAG.fullmatch(_text(part))]
    shown = result_text(output)
    if is_error or not shown or not said:
        return "\n".join(text for text in (said, shown) if text)
    return f"{shown}{said}" if shown.endswith("\n") else f"{shown}\n{said}"


def _patch(display: list[Any]) -> dict[str, Any] | None:
    """The differences that the agent shows, as `detail` of a result; None if it does not say where they are."""
    hunks: list[dict[str, Any]] = []
    for block in map(mapping, display):
        if block.get("type") != "diff" or block.get("is_summary") is True:
            continue
        old, new = block.get("old_text"), block.get("new_text")
        first, second = block.get("old_start"), block.get("new_start")
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        if not isinstance(first, int) or not isinstance(second, int):
            return None
        hunks += hunks_between(old, new, first, second)
    return {"patch": hunks} if hunks else None


def _without_media_tags(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [part for part in content if not _MEDIA_TAG.fullmatch(_text(part))]


def _text(part: Any) -> str:
    return part if isinstance(part, str) else string(mapping(part).get("text")) or ""


class CallIds:
    """Makes the ids of the calls of a session unique: a result belongs to the last call with its id.

    The model chooses the ids: `Shell:0`, `ReadFile:1`. It counts the calls in the messages that it sees. After a
    compaction, and after a step that was interrupted, it uses an id again for another call.
    """

    def __init__(self, start: str = "") -> None:
        self._start = start
        """The start of all ids."""
        self._uses: Counter[tuple[str, str]] = Counter()

    def add(self, tool_id: str | None, branch: str = "") -> None:
        """Note a call of the session, or of a subagent."""
        if tool_id is not None:
            self._uses[branch, tool_id] += 1

    def add_calls(self, message: Entry) -> None:
        """Note the calls in a message."""
        for call in items(message.get("tool_calls")):
            self.add(string(mapping(call).get("id")))

    def unique(self, tool_id: str | None, branch: str = "") -> str | None:
        """The id of the last call with an id; None for None."""
        if tool_id is None:
            return None
        uses = self._uses[branch, tool_id]
        return f"{self._start}{tool_id}{_MARK}{uses}" if uses > 1 else self._start + tool_id
