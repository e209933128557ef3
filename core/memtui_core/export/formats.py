"""The formats of an export, the names of its files, and writing them without overwriting other files.

A new format is a module and a line here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import NamedTuple, Protocol

from memtui_core.errors import MemtuiError
from memtui_core.export.contents import EVERYTHING, Contents
from memtui_core.model import Session, Turn
from memtui_core.text.controls import one_line


class DocumentRenderer(Protocol):
    """Renders turns with their blocks as a document, of which some contents can be left out."""

    def __call__(self, session: Session, turns: Sequence[Turn], contents: Contents = EVERYTHING) -> str:
        """The text of the document."""


class ExportFormat(NamedTuple):
    """What options and pickers need of a format; its module is imported when a document is made."""

    name: str
    """The value of `--format`."""
    title: str
    """Its name in the picker of the app."""
    suffixes: tuple[str, ...]
    """The suffixes of its files; a new file gets the first one."""
    path: str
    """The function that makes a document, as `module:function`."""

    @property
    def document(self) -> DocumentRenderer:
        """Import the function."""
        module, _, function = self.path.partition(":")
        document: DocumentRenderer = getattr(import_module(module), function)
        return document


FORMATS: list[ExportFormat] = [
    ExportFormat("markdown", "Markdown", (".md",), "memtui_core.export.markdown:markdown"),
    ExportFormat("html", "HTML, one file that loads nothing", (".html", ".htm"), "memtui_core.export.html:html"),
    ExportFormat("json", "JSON", (".json",), "memtui_core.export.as_json:as_json"),
]
"""All formats; the first one is the default."""


def format_named(name: str) -> ExportFormat:
    """The format with a name. Raises StopIteration if there is none."""
    return next(each for each in FORMATS if each.name == name)


def format_of(path: Path) -> ExportFormat:
    """The format whose suffix a file has, otherwise the default."""
    return next((each for each in FORMATS if path.suffix.lower() in each.suffixes), FORMATS[0])


_LONGEST_SLUG = 40


def file_name(session: Session, turns: Sequence[Turn], as_format: ExportFormat) -> str:
    """The first words of the title, the start of the id, and the turns if not all are exported.

    `retry-the-upload-1f2e3d4c.md`, `retry-the-upload-1f2e3d4c-turns-3-7.md`.
    """
    parts = [_slug(session.title) or "session", _short_id(session.session_id)]
    if turns and len(turns) != session.turns:
        first, last = turns[0].number, turns[-1].number
        parts.append(f"turn-{first}" if first == last else f"turns-{first}-{last}")
    return "-".join(part for part in parts if part) + as_format.suffixes[0]


def write(path: Path, text: str) -> Path:
    """Write a new file and return its path, which ends in -2, -3 and so on if the file exists already.

    An incomplete file is removed. Raises MemtuiError.
    """
    try:
        return _write(path, text)
    except OSError as error:
        raise MemtuiError(f"{path} cannot be written: {error.strerror or error}.") from error


def _write(path: Path, text: str) -> Path:
    for number in count(2):
        target = path if number == 2 else path.with_name(f"{path.stem}-{number - 1}{path.suffix}")
        try:
            file = target.open("xb")
        except FileExistsError:
            continue
        try:
            with file:
                file.write(text.encode())
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        return target
    raise AssertionError("the numbers never end")


def _slug(title: str) -> str:
    words = re.findall(r"\w+", one_line(title).lower().replace("'", ""))
    slug = ""
    for word in words:
        extended = f"{slug}-{word}" if slug else word[:_LONGEST_SLUG]
        if len(extended) > _LONGEST_SLUG:
            break
        slug = extended
    return slug


def _short_id(session_id: str) -> str:
    """The first eight characters of an id; for a subagent those after its `agent-` prefix, with the prefix."""
    prefix = "agent-" if session_id.startswith("agent-") else ""
    return prefix + re.sub(r"[^A-Za-z0-9]", "", session_id.removeprefix(prefix)[:8])
