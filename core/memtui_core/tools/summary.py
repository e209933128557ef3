"""One line for each tool call, and the text of a turn that carries those lines.

The line says what was done and to what: `Edit ci.yml`, `Bash: cargo test` (docs/spec.md S0.2-S0.13). It is made for
people and for search; file mentions come from the call's input, never from here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

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
_FILE_TOOLS = frozenset({"Read", "Edit", "Write"})
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
    if name in _FILE_TOOLS:
        return _joined(name, " ", _text(fields, "file_path"))
    if name == "Bash":
        return _joined(name, ": ", cut(first_line(_text(fields, "command")), BASH_LENGTH))
    if name == "Grep":
        pattern, path = _text(fields, "pattern"), _text(fields, "path")
        return f"Grep {pattern} in {path}" if pattern and path else _joined(name, " ", pattern)
    if name == "Glob":
        return _joined(name, " ", _text(fields, "pattern"))
    if name in {"Task", "Agent"}:
        description = _text(fields, "description")
        return f"Task: {description}" if description else name
    return name


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


def _text(fields: dict[object, object], key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


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
