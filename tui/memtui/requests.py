"""What several panes ask of the screen: a tool call in full, what a file held, a file in the editor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from memtui.render.calls import RenderedCall
from memtui_core.model import Session


@dataclass
class IndexerRequested(Message):
    """Start the indexer again where it has stopped."""


@dataclass
class ToolCallRequested(Message):
    """Show a tool call on a screen of its own; None where there is none."""

    call: RenderedCall | None
    session: Session


@dataclass
class FileContentRequested(Message):
    """Show what a file held, as a session knew it after one of its turns; `path` as the index names it."""

    path: str
    session: int
    turn: int


@dataclass
class EditorRequested(Message):
    """Open a file in the user's editor at a 1-based line: the first of `places` that exists."""

    places: tuple[Path, ...]
    line: int | None = None


@dataclass
class FileHandoffRequested(Message):
    """Hand the history of a file on to an agent."""

    path: str
    root: str


def editor_request(path: str, session: Session, line: int | None = None) -> EditorRequested:
    """The request for a file by a path as an agent wrote it, or as the index names it."""
    folders = dict.fromkeys(filter(None, (session.cwd, session.root)))
    return EditorRequested(tuple(Path(folder) / path for folder in folders) or (Path(path),), line)
