"""The formats of an export. A new format is a module and a line here."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol

from memtui_core.model import Session, Turn


class DocumentRenderer(Protocol):
    """Renders turns with their blocks as a document; thinking and tool calls can be left out."""

    def __call__(self, session: Session, turns: Sequence[Turn], *, thinking: bool = True, tools: bool = True) -> str:
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
