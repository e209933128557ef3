"""The session and turn that wrote each line of a file on this disk, with the evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from memtui_core.errors import SourceUnreadable
from memtui_core.memory.blame.attribution import attribute, lines_of_file
from memtui_core.memory.blame.known_edits import FilePlace, KnownEdit, read_known_edits
from memtui_core.queries.columns import Columns, label
from memtui_core.queries.current_project import project_at
from memtui_core.queries.names import session_title
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.characters import storable
from memtui_core.text.paths import clean

Evidence = Literal["wrote", "committed"]
_LARGEST: Final = 20_000_000
"""Bytes of a file that is read."""


@dataclass(frozen=True, slots=True)
class LineWriter:
    """The turn of a session that wrote lines of a file."""

    session: int
    """Its key."""
    session_id: str
    title: str
    agent: str
    """The id of the agent."""
    turn: int
    at: datetime | None
    """When it was written; None if the transcript does not tell."""
    seq: int
    """`Block.seq` of the tool call that wrote it."""
    path: str
    """The file, as the agent wrote its path."""


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line of a file, and who wrote it."""

    number: int
    """From 1."""
    text: str
    writer: LineWriter | None = None
    """None if nothing proves who wrote it."""
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class _WritingSession:
    key: int
    session_id: str
    title: str
    agent: str


_SESSION: Final = Columns(
    _WritingSession,
    key="s.key",
    session_id=label("s.session_id"),
    title=session_title(untitled=""),
    agent="s.agent",
)


def blame_file(snapshot: Snapshot, path: Path) -> list[BlamedLine]:
    """The lines of a file on this disk, each with the turn that wrote it. Raises SourceUnreadable."""
    content = _content(path)
    edits = read_known_edits(snapshot, place_of_file(snapshot, path))
    wrote = attribute([edit.event for edit in edits], content)
    writers = _writers(snapshot, {index: edits[index] for index in wrote if index is not None})
    return [
        BlamedLine(number, text) if index is None else BlamedLine(number, text, writers[index], "wrote")
        for number, (text, index) in enumerate(zip(lines_of_file(content), wrote, strict=True), 1)
    ]


def place_of_file(snapshot: Snapshot, path: Path) -> FilePlace:
    """How sessions may have named a file of this disk."""
    # The parts of a path are those that the sessions saw; a link leads to another name of the same file.
    shown = storable(clean(str(path.absolute())))
    folder = shown.rpartition("/")[0] or "/"
    project = project_at(snapshot, folder)
    below = project.relative(shown) if project is not None else None
    if project is None or below is None:
        return FilePlace("", shown, (shown,))
    copies = (f"{top}/{below}" for top in (project.root, *project.worktrees))
    return FilePlace(project.root, below, tuple(dict.fromkeys((shown, *copies))))


def _content(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise SourceUnreadable(f"{path} is larger than {_LARGEST // 1_000_000} MB.")
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error


def _writers(snapshot: Snapshot, edits: dict[int, KnownEdit]) -> dict[int, LineWriter]:
    """Who made each of some edits, by the index of the edit."""
    sessions = {session.key: session for session in _sessions(snapshot, {edit.session for edit in edits.values()})}
    return {
        index: LineWriter(
            edit.session,
            sessions[edit.session].session_id,
            sessions[edit.session].title,
            sessions[edit.session].agent,
            edit.turn,
            edit.at,
            edit.call.seq,
            edit.path,
        )
        for index, edit in edits.items()
    }


def _sessions(snapshot: Snapshot, keys: Iterable[int]) -> list[_WritingSession]:
    return _SESSION.select(snapshot, "FROM sessions s WHERE list_contains(?, s.key)", [list(keys)])
