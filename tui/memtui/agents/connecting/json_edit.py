"""Edits to a JSON text that leave every other byte unchanged, so that the user's formatting and comments stay.

Places are found in a copy of the text in which comments and superfluous commas are blanks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

JsonPath = Sequence[str | int]
"""Keys and positions from the outermost value to an inner one."""
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")
_NOT_SPACE = re.compile(r"[^\r\n]")
_DECODER = json.JSONDecoder()
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n\r]*|/\*.*?\*/', re.DOTALL)
"""A string, or a comment."""
_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{\[][ \t\r\n]*,|,(?=[ \t\r\n]*[}\]])')
"""A string, a comma after an opening bracket, which is an error, or one before a closing bracket."""


class Member(NamedTuple):
    """A member of an object or an item of a list, as offsets in the text."""

    name: str | int
    """Its key, or its position in the list."""
    start: int
    """Start of its key, or of the item."""
    value: int
    """Start of its value."""
    end: int


def without_comments(text: str) -> str:
    """Plain JSON of the same length: comments, and commas before closing brackets, are replaced by blanks."""
    try:
        json.loads(text)
    except ValueError:
        pass
    else:
        # Most settings are plain JSON, and some are large.
        return text
    return _LAST_COMMA.sub(_blank, _COMMENT.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    """As many blanks as a comment or a comma has characters; all else as it is."""
    return _NOT_SPACE.sub(" ", match[0]) if match[0][0] in "/," else match[0]


def members(text: str, start: int) -> list[Member]:
    """The members of the object, or the items of the list, that starts at an offset of a text without comments."""
    is_object, at = text[start] == "{", _skip_space(text, start + 1)
    result: list[Member] = []
    while text[at] not in "}]":
        member_start, name = at, len(result)
        key: str | int = name
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip_space(text, _skip_space(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        result.append(Member(key, member_start, at, end))
        at = _skip_space(text, end)
        if text[at] == ",":
            at = _skip_space(text, at + 1)
    return result


def find(text: str, path: JsonPath) -> Member | None:
    """The value at a path; None if there is none. Of equal keys the last one counts."""
    text = without_comments(text)
    at = _skip_space(text, 0)
    member = Member("", at, at, _DECODER.raw_decode(text, at)[1])
    for name in path:
        named = [child for child in members(text, member.value) if child.name == name]
        if not named:
            return None
        member = named[-1]
    return member


def add(text: str, path: JsonPath, value: Any, key: str | None = None) -> str:
    """The text with a member added to the object at a path, or an item added to the list."""
    plain = without_comments(text)
    container = _container(plain, path)
    present = members(plain, container.value)
    line_end = "\r\n" if "\r\n" in text else "\n"
    around = text[container.value : present[0].start] if present else text.strip()
    if "\n" not in around and around != "{}":
        inline = _member_text(key, json.dumps(value, ensure_ascii=False))
        if present:
            return f"{text[: present[-1].end]}, {inline}{text[present[-1].end :]}"
        return text[: container.value + 1] + inline + text[container.value + 1 :]
    unit = indent_of(text)
    outer = _line_indent(text, container.value)
    indent = _line_indent(text, present[-1].start) if present else outer + unit
    lines = _member_text(key, json.dumps(value, ensure_ascii=False, indent=unit)).split("\n")
    added = line_end + (line_end + indent).join([indent + lines[0], *lines[1:]])
    if present:
        return f"{text[: present[-1].end]},{added}{text[present[-1].end :]}"
    inside = text[container.value + 1 : container.end - 1]
    return text[: container.value + 1] + added + (inside or f"{line_end}{outer}") + text[container.end - 1 :]


def remove(text: str, path: JsonPath) -> str:
    """The text without the member or item at a path, which must exist, and without its comma."""
    plain, name = without_comments(text), path[-1]
    container = _container(plain, path[:-1])
    present = members(plain, container.value)
    at = max(position for position, member in enumerate(present) if member.name == name)
    if len(present) == 1:
        start, end, close = present[0].start, present[0].end, container.end - 1
        comma = _COMMENT.sub(_blank, text).find(",", end, close)
        after = text[end:close] if comma < 0 else text[end:comma] + text[comma + 1 : close]
        rest = text[container.value + 1 : start] + after
        return _with_content(text, container, rest if rest.strip(" \t\r\n") else "")
    if at:
        return text[: present[at - 1].end] + text[present[at].end :]
    return text[: present[0].start] + text[present[1].start :]


def indent_of(text: str) -> str:
    """The indent of the first indented line; two spaces if there is none."""
    match = _INDENT.search(text)
    return match[1] if match else "  "


def _container(text: str, path: JsonPath) -> Member:
    container = find(text, path)
    if container is None:
        raise KeyError(tuple(path))
    return container


def _with_content(text: str, container: Member, content: str) -> str:
    """The text with everything between the brackets of an object or a list replaced."""
    return text[: container.value + 1] + content + text[container.end - 1 :]


def _member_text(key: str | None, value: str) -> str:
    return value if key is None else f"{json.dumps(key, ensure_ascii=False)}: {value}"


def _line_indent(text: str, at: int) -> str:
    """The indent of the line that contains an offset."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
