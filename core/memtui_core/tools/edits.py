"""The edits of a tool call: the only definition of what counts as an edit.

Edits are made by the tools of the families edit and write, including `apply_patch`; by shell commands that write files
(`ShellFile.use`), of which the content is unknown; and by tools that are in no profile if their name says that they
change the file in their arguments. Edits of a failed call are included: callers check whether it failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from memtui_core.tools.search_replace import replacements
from memtui_core.tools.vocabulary import Family, text_of, vocabulary

PATCH_BEGINS = "*** Begin Patch"
_SECTION_MARKS = ("[", "¶")
_SECTION = re.compile(r"[\[¶](.*)#[0-9A-Fa-f]{4}\]?")
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)|\*\*\* (Move) to: (.+)")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one file, as the call requests it."""

    path: str
    """The path as the agent wrote it; empty if the call names no file."""
    kind: Literal["replace", "write", "part", "unknown"]
    """replace: `old`, which occurs in the file, becomes `new`; write: `new` is the whole content; part: a part of the
    file becomes `new`, at a position that is not certain; unknown: what changed is not in the call."""
    old: str = ""
    new: str = ""
    everywhere: bool = False
    """Whether all occurrences of `old` are replaced."""


def edits_of(family: Family, path: str, fields: Mapping[str, Any]) -> tuple[Edit, ...]:
    """The edits of a call that edits or writes the file at a path, in order."""
    names = vocabulary().names
    if isinstance(cell := _argument(fields, names.cells), str):
        return (Edit(path, "part", "", cell),)
    if family == "write":
        content = _argument(fields, names.contents)
        if not isinstance(content, str):
            return (Edit(path, "unknown"),)
        return (Edit(path, "part" if fields.get("mode") == "append" else "write", "", content),)
    if found := tuple(Edit(path, "replace", old, new) for old, new in replacements(text_of(fields, names.blocks))):
        return found
    for numbered in names.numbered:
        if found := tuple(_numbered(path, fields, numbered)):
            return found
    parts = _argument(fields, names.edit_lists)
    parts = parts if isinstance(parts, list) else [parts if isinstance(parts, dict) else fields]
    return tuple(_replacement(path, part) for part in parts)


def edits_of_patch(patch: str) -> tuple[Edit, ...]:
    """The edits of a patch in the format of `apply_patch`: a whole file, or the hunks of a file."""
    return tuple(_of_patch(patch)) if patch else ()


def edits_of_sections(text: str) -> tuple[Edit, ...]:
    """The edits of a text with a section for each file, `[path#1A2B]` or `¶path#1A2B`, as Oh My Pi writes them.

    The operations name lines by their numbers, and new lines begin with `+`.
    """
    return tuple(_of_sections(text)) if text.lstrip()[:1] in _SECTION_MARKS else ()


def patch_of(fields: Mapping[str, Any], text: str) -> str:
    """The patch of a call: an argument, or the whole input if it is a text; empty if there is none."""
    patch = text_of(fields, vocabulary().names.patches) or _decoded(text)
    return patch if patch.lstrip().startswith(PATCH_BEGINS) else ""


def _decoded(text: str) -> str:
    """The text that is encoded as a JSON string; other inputs as they are."""
    if not text.startswith('"'):
        return text
    try:
        return str(orjson.loads(text))
    except orjson.JSONDecodeError:
        return text


def _numbered(path: str, fields: Mapping[str, Any], names: tuple[str, str]) -> Iterator[Edit]:
    """The edits whose arguments have numbers; without a text before, one inserts."""
    number = 1
    while any(f"{name}_{number}" in fields for name in names):
        old, new = (fields.get(f"{name}_{number}", "") for name in names)
        if not isinstance(old, str) or not isinstance(new, str):
            yield Edit(path, "unknown")
        else:
            yield Edit(path, "replace" if old else "part", old, new)
        number += 1


def _replacement(path: str, part: Any) -> Edit:
    names = vocabulary().names
    old = _argument(part, names.old_texts) if isinstance(part, dict) else None
    new = _argument(part, names.new_texts) if isinstance(part, dict) else None
    new = "" if new is None else new
    if not isinstance(old, str) or not isinstance(new, str):
        return Edit(path, "unknown")
    return Edit(path, "replace", old, new, part.get("replace_all", part.get("replaceAll")) is True)


def _of_patch(patch: str) -> Iterator[Edit]:
    path, kind = "", ""
    old: list[str] = []
    new: list[str] = []
    for line in [*patch.split("\n"), "*** End Patch"]:
        begins = line.startswith(("***", "@@"))
        if begins and path and (old or new):
            text = "\n".join(new)
            yield Edit(path, "write", "", text + "\n") if kind == "Add" else Edit(path, "part", "\n".join(old), text)
            old, new = [], []
        header = _FILE.fullmatch(line.rstrip()) if begins else None
        if header is not None:
            kind, path = header[1] or header[3], (header[2] or header[4]).strip()
            if kind in {"Delete", "Move"}:
                yield Edit(path, "unknown")
        elif not begins and path:
            old += [line[1:]] if line[:1] in {"-", " "} else []
            new += [line[1:]] if line[:1] in {"+", " "} else []


def _of_sections(text: str) -> Iterator[Edit]:
    path = ""
    is_empty = True
    new: list[str] = []
    for line in [*text.split("\n"), "[#0000]"]:
        header = _SECTION.fullmatch(line.rstrip()) if line[:1] in _SECTION_MARKS else None
        if not line.startswith("+") and new:
            yield Edit(path, "part", "", "\n".join(new))
            is_empty, new = False, []
        if header is not None:
            if path and is_empty:
                yield Edit(path, "unknown")
            path, is_empty = header[1], True
        elif line.startswith("+") and path:
            new.append(line[1:])


def _argument(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if name in fields), None)
