"""The requests that several panes post to the screen or to their view."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from textual.message import Message

from memtui.widgets.requests.target import Target
from memtui_core.model import Project, Session
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import path_here

if TYPE_CHECKING:
    from memtui.render.tools.calls import RenderedCall


@dataclass
class TargetChosen(Message):
    """The cursor of a list is on something to show in the transcript; `read` to go there, otherwise as a preview."""

    target: Target
    read: bool
    near: tuple[Target, ...] = ()
    """What the rows beside it show, to be loaded while the cursor rests."""


@dataclass
class LeftAtTop(Message):
    """Go to the widget above a list: the cursor was moved up from the first row.

    Moved by a letter, it stays where that widget is a field: the next letter would be typed.
    """

    by_letter: bool = False


class IndexerRequested(Message):
    """Start the indexer again if it has stopped."""


@dataclass
class ToolCallRequested(Message):
    """Show a tool call in a pager; `call` is None when no call is visible or marked."""

    call: RenderedCall | None
    session: Session


@dataclass
class FileContentRequested(Message):
    """Show the content of a file as a session knew it after a turn; `path` is the path in the index."""

    path: str
    session: int
    turn: int


@dataclass
class RemindersRequested(Message):
    """Show what memtui told the agents of a session."""

    session: Session


@dataclass
class CopyRequested(Message):
    """Copy a text; `what` it is begins the notification (`Turn 5`)."""

    text: str
    what: str


@dataclass
class EditorRequested(Message):
    """Open a file in the user's editor at a 1-based line: the first of `paths` that exists.

    There is no path for a file that only another machine has.
    """

    paths: tuple[Path, ...]
    line: int | None = None
    session: Session | None = None
    """The session that names the file; None for a file of the index."""


@dataclass
class BlameRequested(Message):
    """Show who wrote each line of a file, from the first line on that a turn wrote, if one is named."""

    file: EditorRequested
    """Where the file is, as for an editor."""
    name: str
    """What the screen calls it: its path below the project."""
    session: int | None = None
    """`Session.key` of the turn."""
    turn: int = 0
    """`Turn.number`."""


@dataclass
class FileHandoffRequested(Message):
    """Hand off the history of a file to an agent."""

    path: str
    root: str


AnnotationAction = Literal["pin", "tag", "note", "rename", "archive", "restore"]


@dataclass
class AnnotationRequested(Message):
    """Add something of the user's to sessions with one title, or to a turn of one; change it, or take it away."""

    kind: AnnotationAction
    sessions: tuple[int, ...]
    """`Session.key` of each; empty if none is chosen."""
    title: str = ""
    turn: int = 0
    """`Turn.number`; 0 for the session itself."""


@dataclass
class ForgetRequested(Message):
    """Forget sessions with one title, or all of a project."""

    sessions: tuple[int, ...]
    """`Session.key` of each; empty if none is chosen."""
    title: str = ""
    project: Project | None = None


def editor_request(path: str, session: Session, line: int | None = None) -> EditorRequested:
    """Return the request for a file; `path` is the path that an agent wrote or that the index contains."""
    path = stored(path)
    if session.machine and not session.member:
        here = path_here(path, stored(session.cwd), stored(session.root), stored(session.worktree or ""))
        return EditorRequested((Path(here),) if here is not None else (), line, session)
    folders = dict.fromkeys(filter(None, (session.cwd, session.root)))
    return EditorRequested(tuple(Path(folder) / path for folder in folders) or (Path(path),), line, session)
