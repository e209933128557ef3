"""Changes to a JSON text that leave every other byte of it as it is: what a person wrote keeps its form."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

Path = Sequence[str | int]
"""Keys and places from the outermost value to an inner one."""
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")
_DECODER = json.JSONDecoder()


class Child(NamedTuple):
    """A member of an object or an item of a list, and where it stands."""

    name: str | int
    begin: int
    """Where its key, or the item, begins."""
    value: int
    end: int


def children(text: str, start: int) -> list[Child]:
    """What the object or list that begins at `start` holds, in order."""
    is_object, at = text[start] == "{", _skip(text, start + 1)
    found: list[Child] = []
    while text[at] not in "}]":
        begin, name = at, len(found)
        key: str | int = name
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append(Child(key, begin, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def find(text: str, path: Path) -> Child | None:
    """Where the value of a path stands; None when it is not there. Of equal keys the last one counts."""
    at = _skip(text, 0)
    child = Child("", at, at, _DECODER.raw_decode(text, at)[1])
    for name in path:
        same = [one for one in children(text, child.value) if one.name == name]
        if not same:
            return None
        child = same[-1]
    return child


def add(text: str, path: Path, value: Any, key: str | None = None) -> str:
    """The text with a member more in the object of a path, or with an item more in its list."""
    holder = _holder(text, path)
    held = children(text, holder.value)
    line_end = "\r\n" if "\r\n" in text else "\n"
    around = text[holder.value : held[0].begin] if held else text.strip()
    if "\n" not in around and around != "{}":
        written = _named(key, json.dumps(value, ensure_ascii=False))
        return f"{text[: held[-1].end]}, {written}{text[held[-1].end :]}" if held else _filled(text, holder, written)
    unit = indent_of(text)
    outer = _lead(text, holder.value)
    lead = _lead(text, held[-1].begin) if held else outer + unit
    lines = _named(key, json.dumps(value, ensure_ascii=False, indent=unit)).split("\n")
    written = line_end + (line_end + lead).join([lead + lines[0], *lines[1:]])
    if held:
        return f"{text[: held[-1].end]},{written}{text[held[-1].end :]}"
    return _filled(text, holder, f"{written}{line_end}{outer}")


def remove(text: str, path: Path) -> str:
    """The text without the member or item of a path, which must be there, and without its comma."""
    holder, name = _holder(text, path[:-1]), path[-1]
    held = children(text, holder.value)
    at = max(place for place, child in enumerate(held) if child.name == name)
    if len(held) == 1:
        return _filled(text, holder, "")
    if at:
        return text[: held[at - 1].end] + text[held[at].end :]
    return text[: held[0].begin] + text[held[1].begin :]


def indent_of(text: str) -> str:
    """The indent of the first line that has one; two spaces when none has."""
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _holder(text: str, path: Path) -> Child:
    found = find(text, path)
    if found is None:
        raise KeyError(tuple(path))
    return found


def _filled(text: str, holder: Child, inside: str) -> str:
    return text[: holder.value + 1] + inside + text[holder.end - 1 :]


def _named(key: str | None, value: str) -> str:
    return value if key is None else f"{json.dumps(key, ensure_ascii=False)}: {value}"


def _lead(text: str, at: int) -> str:
    """The blanks before a place, from the beginning of its line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
