"""Tell what the user typed from what Cline adds to a message: results, the state of the editor, reminders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from memtui_core.readers.conversion.json_values import timestamp
from memtui_core.readers.conversion.user_text import COMPACTION_PREFIX, between

_TYPED_TAGS: Final = ("task", "user_message", "feedback")
_DETAILS: Final = ("<environment_details>", "</environment_details>")
_RESULT: Final = re.compile(r"\[(\w{1,60})(?: for .{0,20000}?)?\] Result:\s*", re.DOTALL)
"""Before a result: the tool, and its first argument, which can have several lines."""
_ASKING: Final = frozenset({"ask_followup_question", "ask_question"})
"""Tools whose result is what the user answers."""
_NOTES: Final = {
    "[ERROR]": "error",
    "[TASK RESUMPTION]": "meta",
    "# task_progress": "reminder",
    "# TODO LIST": "reminder",
    "<explicit_instructions": "reminder",
    "<file_content": "reminder",
    "<folder_content": "reminder",
    "<slash_command": "reminder",
}
"""The starts of texts of the program, with the labels of their notes."""
_ISO_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z")
_LOCAL_TIME: Final = re.compile(
    r"(\d{1,2}/\d{1,2}/\d{4}, \d{1,2}:\d\d:\d\d\s[AP]M) \([^\n()]{0,80}?UTC([+-]\d{1,2}):(\d\d)\)"
)
_WORKING_DIRECTORY: Final = re.compile(r"# Current (?:Working|Workspace) Directory \(([^\n]{1,1000}?)\) Files")
_TIME_HEADING: Final = "# Current Time"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a user's text."""

    kind: str
    """typed, compaction, note, result (of the tool in `label`), or more, which continues a result."""
    text: str
    label: str = ""


def split(text: str) -> Iterator[TextPart]:
    """The parts of a text, in order."""
    details, text = between(text, *_DETAILS)
    head = text.lstrip()
    if match := _RESULT.match(head):
        yield from _result(match[1], head[match.end() :])
    elif head.startswith(COMPACTION_PREFIX):
        yield TextPart("compaction", head)
    elif head:
        yield from _said(head)
    if details is not None:
        yield TextPart("note", f"{_DETAILS[0]}{details}{_DETAILS[1]}", "reminder")


def typed_in_result(tool: str, text: str) -> str:
    """What the user typed after a tool asked, was finished or refused, in the text of its result; empty if nothing."""
    for tag in ("feedback", "user_message", *(("answer",) if tool in _ASKING else ())):
        inner, _ = between(text, f"<{tag}>", f"</{tag}>")
        if inner and inner.strip():
            return inner.strip()
    return ""


def time_in(text: str) -> datetime | None:
    """The current time in the state of the editor; None if it is not there."""
    start = text.rfind(_TIME_HEADING)
    if start < 0:
        return None
    text = text[start : start + 300]
    if match := _ISO_TIME.search(text):
        return timestamp(match[0])
    if match := _LOCAL_TIME.search(text):
        hours, minutes = int(match[2]), int(match[3])
        try:
            at = datetime.strptime(re.sub(r"\s", " ", match[1]), "%m/%d/%Y, %I:%M:%S %p")
            zone = timezone(timedelta(hours=hours, minutes=-minutes if hours < 0 else minutes))
            return at.replace(tzinfo=zone).astimezone(UTC)
        except (ValueError, OverflowError):
            return None
    return None


def working_directory_in(text: str) -> str:
    """The working directory in the state of the editor; empty if it is not there."""
    match = _WORKING_DIRECTORY.search(text)
    return match[1] if match else ""


def _result(name: str, text: str) -> Iterator[TextPart]:
    yield TextPart("result", text, name)
    if typed := typed_in_result(name, text):
        yield TextPart("typed", typed)


def _said(text: str) -> Iterator[TextPart]:
    label = next((label for start, label in _NOTES.items() if text.startswith(start)), "")
    for tag in _TYPED_TAGS:
        inner, rest = between(text, f"<{tag}>", f"</{tag}>")
        if inner and inner.strip():
            yield TextPart("typed", inner.strip())
            if rest.strip():
                yield TextPart("note", rest.strip(), label or "meta")
            return
    yield TextPart("note", text.strip(), label) if label else TextPart("more", text.strip())
