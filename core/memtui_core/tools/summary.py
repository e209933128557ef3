"""One line for each tool call, and the text of a turn that carries those lines.

The line says what was done and to what: `Edit ci.yml`, `Bash: cargo test` (docs/spec.md S0.2-S0.13). It is made for
people and for search; file mentions come from the call's input, never from here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from memtui_core.text.controls import one_line
from memtui_core.tools.call import ToolCall
from memtui_core.tools.families import LISTINGS, PATHS, Family, call_family, command_of, family_of, text_of

BASH_LENGTH = 60
"""Code points of a command that its line keeps (docs/spec.md S0.3)."""

BOOKKEEPING = frozenset(
    {
        "AskUserQuestion",
        "EnterPlanMode",
        "ExitPlanMode",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskOutput",
        "TaskStop",
        "TaskUpdate",
        "TodoRead",
        "TodoWrite",
        "ToolSearch",
    }
)
"""Tools by which an agent keeps its own books: in the data, but left out of texts for meaning."""

USER = "[User] "
ASSISTANT = "\n\n[Assistant] "
"""What stands before the two parts of a turn's text (docs/spec.md S0.16)."""
_BY_NAME = frozenset({"MultiEdit", "NotebookEdit", "NotebookRead"})
"""Tools for files whose line is their name only."""
LONGEST_HEADLINE = 160
_JOINERS = frozenset({0x200C, 0x200D})
_VIRAMA = 9
"""Canonical combining class of the sign that ties a consonant to the next one, as in क्ष."""


def summarize(name: object, tool_input: object) -> str | None:
    """The line of a tool call; None when the call has no name.

    A field that is missing, empty or not a string leaves the bare name.
    """
    if not isinstance(name, str) or not name:
        return None
    fields = tool_input if isinstance(tool_input, dict) else {}
    return _shape(name, call_family(name, fields), fields)


def headline(call: ToolCall, root: str) -> str:
    """One line of a call for a document: the same, and where that is only the name also the files, or what it was for.

    `root` is left out of paths.
    """
    base = root.rstrip("/") + "/" if root else ""
    fields = {
        name: value.removeprefix(base) if name in PATHS and isinstance(value, str) else value
        for name, value in call.fields.items()
    }
    line = _shape(call.name, call.family, fields)
    if line == call.name and call.family in {"read", "edit", "write", "search"}:
        line = _joined(line, " ", ", ".join(path.removeprefix(base) for path in call.paths))
    elif line == call.name:
        line = _joined(line, ": ", call.subject)
    return one_line(line, LONGEST_HEADLINE)


def _shape(name: str, family: Family, fields: Mapping[str, Any]) -> str:
    """The line of a call: its tool's name, and what the family of the tool tells of first."""
    if family in {"read", "edit", "write"} and family_of(name) != "other" and name not in _BY_NAME:
        return _joined(name, " ", text_of(fields, PATHS))
    if family == "shell":
        return _joined(name, ": ", cut(first_line(command_of(fields)), BASH_LENGTH))
    if family == "search":
        pattern, path = text_of(fields, ("pattern", "query")), text_of(fields, PATHS)
        in_path = f" in {path}" if pattern and path and name.lower() not in LISTINGS else ""
        return _joined(name, " ", pattern) + in_path
    description = text_of(fields, ("description",))
    return f"Task: {description}" if family == "task" and description else name


def tools_line(summaries: Sequence[str]) -> str:
    """What follows a turn's text: a blank line and `[Tools] a | b`; empty for no calls."""
    return "\n\n[Tools] " + " | ".join(summaries) if summaries else ""


def turn_text(user: str, assistant: str, summaries: Sequence[str], forward: str | None) -> str:
    """A turn as one text, `forward` being the next turn's user text.

    An assistant that only called tools has no `[Assistant]` part.
    """
    said = f"{ASSISTANT}{assistant}" if assistant else ""
    following = f"\n\n{USER}{forward}" if forward is not None else ""
    return f"{USER}{user}{said}{tools_line(summaries)}{following}"


def first_line(text: str) -> str:
    """The first line that holds something, without its line end; empty when all are blank."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        for line in text[start:end].split("\r"):
            if line.strip():
                return line
        start = end + 1
    return ""


def cut(text: str, length: int) -> str:
    """At most `length` code points of a text; a cluster that would be split is left out whole."""
    if len(text) <= length:
        return text
    end = length
    while end > 0 and _tied(text, end):
        end -= 1
    # A cluster longer than the whole cut has no border to stop at.
    return text[: end or length]


def _joined(name: str, separator: str, value: str) -> str:
    return f"{name}{separator}{value}" if value else name


def _tied(text: str, index: int) -> bool:
    """Whether the code points on both sides of a place belong to one cluster."""
    before, after = text[index - 1], text[index]
    if ord(after) < 0x300:
        return False
    point = ord(after)
    if point in _JOINERS or ord(before) == 0x200D or unicodedata.category(after).startswith("M"):
        return True
    if unicodedata.combining(before) == _VIRAMA and unicodedata.category(after) == "Lo":
        return True
    if 0x1F3FB <= point <= 0x1F3FF or 0xE0020 <= point <= 0xE007F:
        return True
    if _is_regional(before) and _is_regional(after):
        run = 0
        while run < index and _is_regional(text[index - 1 - run]):
            run += 1
        return run % 2 == 1
    # Vowels and finals of decomposed Hangul follow their syllable.
    jamo = 0x1160 <= point <= 0x11FF and 0x1100 <= ord(before) <= 0x11FF
    return jamo or (0x11A8 <= point <= 0x11FF and 0xAC00 <= ord(before) <= 0xD7A3)


def _is_regional(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF
