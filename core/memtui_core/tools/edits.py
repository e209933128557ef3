"""What a tool call changes in which files: the only rule of what counts as an edit.

Edits are: the tools of the families edit and write, `apply_patch` among them; what a shell command writes
(`ShellFile.use`), of which nobody knows the content; and tools that are not in the table whose name says that they
change the file that they name. That a call failed, so that nothing was changed, is for those who read it to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memtui_core.tools.families import CELLS, CONTENTS, NEW_TEXTS, OLD_TEXTS, PATCHES, Family, text_of

PATCH_BEGINS = "*** Begin Patch"
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)|\*\*\* (Move) to: (.+)")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one file, as its call asks for it."""

    path: str
    """As the agent wrote it; empty where the call names no file."""
    kind: Literal["replace", "write", "part", "unknown"]
    """replace: `old`, which occurs in the file, becomes `new`; write: `new` is the whole content; part: a part of the
    file becomes `new`, but the call does not certainly tell where; unknown: the call does not tell what changed."""
    old: str = ""
    new: str = ""
    everywhere: bool = False
    """`old` is replaced wherever it occurs."""


def edits_of(family: Family, path: str, fields: Mapping[str, Any]) -> tuple[Edit, ...]:
    """The edits of a call that edits or writes the file at a path, in order."""
    if isinstance(cell := _given(fields, CELLS), str):
        return (Edit(path, "part", "", cell),)
    if family == "write":
        content = _given(fields, CONTENTS)
        return (Edit(path, "write", "", content) if isinstance(content, str) else Edit(path, "unknown"),)
    parts = fields.get("edits")
    return tuple(_replacement(path, part) for part in (parts if isinstance(parts, list) else [fields]))


def edits_of_patch(patch: str) -> tuple[Edit, ...]:
    """The edits of a patch in the form of `apply_patch`: a file as a whole, or its hunks."""
    return tuple(_of_patch(patch)) if patch else ()


def patch_of(fields: Mapping[str, Any], text: str) -> str:
    """The patch of a call: of an argument, or the whole input where that is no JSON; empty for none."""
    given = text_of(fields, PATCHES) or text
    return given if given.lstrip().startswith(PATCH_BEGINS) else ""


def _replacement(path: str, part: Any) -> Edit:
    old = _given(part, OLD_TEXTS) if isinstance(part, dict) else None
    new = _given(part, NEW_TEXTS) if isinstance(part, dict) else None
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


def _given(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if name in fields), None)
