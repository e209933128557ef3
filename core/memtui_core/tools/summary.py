"""The summary line of a tool call.

The line contains the tool and its target: `Edit ci.yml`, `Bash: cargo test`. It is for display
and search; file mentions are taken from the input of the call, not from this line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from memtui_core.text.controls import one_line
from memtui_core.tools.call import ToolCall
from memtui_core.tools.meaning import meaning_of
from memtui_core.tools.vocabulary import Family, text_of, vocabulary

BASH_LENGTH = 60
"""The most code points of a command in its line."""
LONGEST_HEADLINE = 160
_JOINERS = frozenset({0x200C, 0x200D})
_VIRAMA = 9
"""The canonical combining class of the character that joins a consonant to the next one, as in क्ष."""


def summarize(name: object, tool_input: object) -> str | None:
    """The line of a tool call; None if the call has no name.

    If the field is missing, empty or not a string, the line is only the name.
    """
    if not isinstance(name, str) or not name:
        return None
    fields = tool_input if isinstance(tool_input, dict) else {}
    if name.lower() in vocabulary().names.scripts:
        fields = dict(meaning_of(name, fields))
    return _line(name, vocabulary().call_family(name, fields), fields)


def headline(call: ToolCall, root: str) -> str:
    """The line of a call for a document: the summary line, and the files or the purpose if that is only the name.

    Paths are relative to `root`.
    """
    paths = vocabulary().names.paths
    base = root.rstrip("/") + "/" if root else ""
    fields = {
        name: value.removeprefix(base) if name in paths and isinstance(value, str) else value
        for name, value in call.fields.items()
    }
    line = _line(call.name, call.family, fields if not call.command else {**fields, "command": call.command})
    if line == call.name and call.family in {"read", "edit", "write", "search"}:
        line = _joined(line, " ", ", ".join(path.removeprefix(base) for path in call.paths))
    elif line == call.name:
        line = _joined(line, ": ", call.subject)
    return one_line(line, LONGEST_HEADLINE)


def _line(name: str, family: Family, fields: Mapping[str, Any]) -> str:
    """The line of a call: the name of the tool, and the most important argument for its family."""
    words = vocabulary()
    if family in {"read", "edit", "write"} and words.family_of(name) != "other" and name not in words.names.name_only:
        return _joined(name, " ", words.path_of(fields))
    if family == "shell":
        return _joined(name, ": ", cut(first_line(words.command_of(fields)), BASH_LENGTH))
    if family == "search":
        pattern, path = text_of(fields, ("pattern", "query")), text_of(fields, words.names.paths)
        in_path = f" in {path}" if pattern and path and name.lower() not in words.names.listings else ""
        return _joined(name, " ", pattern) + in_path
    description = text_of(fields, ("description",))
    return f"Task: {description}" if family == "task" and description else name


def first_line(text: str) -> str:
    """The first line that is not blank, without its line end; empty if all lines are blank."""
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
    """The first `length` code points of a text; a grapheme cluster that would be split is left out."""
    if len(text) <= length:
        return text
    end = length
    while end > 0 and _in_cluster(text, end):
        end -= 1
    # A cluster that is longer than `length` is split.
    return text[: end or length]


def _joined(name: str, separator: str, value: str) -> str:
    return f"{name}{separator}{value}" if value else name


def _in_cluster(text: str, index: int) -> bool:
    """Whether the code points before and at an index belong to the same cluster."""
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
