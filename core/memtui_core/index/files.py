"""The files that sessions touched, and their history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.memory.blame.values import BlamedLine, CommitOrigin, CommitTurn, LineReason, LineWriter
from memtui_core.model import FileTouch
from memtui_core.queries.current_project import CurrentProject
from memtui_core.queries.file_history import (
    ContentLine,
    DiffHunk,
    FileContent,
    TouchCall,
    TouchDetails,
    TurnTouch,
    file_content_at,
    file_history,
    numbered_lines,
    patch_text,
    touch_details,
)
from memtui_core.queries.files import FileRow, paths_on_disk, turn_touches
from memtui_core.search.path_search import (
    FileResults,
    ResolvedFiles,
    TouchResults,
    find_files,
    find_touches,
    paths_of_session,
    reads_and_edits,
    resolve_project_files,
)

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.memory.blame.git import NoteOutcome

__all__ = [
    "BlamedLine",
    "CommitOrigin",
    "CommitTurn",
    "ContentLine",
    "DiffHunk",
    "FileContent",
    "FileResults",
    "FileRow",
    "Files",
    "LineReason",
    "LineWriter",
    "TouchCall",
    "TouchDetails",
    "TurnTouch",
    "numbered_lines",
    "patch_text",
    "paths_on_disk",
]


class Files:
    """Queries for files over all sessions."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def find(self, pattern: str = "", root: str | None = None) -> FileResults:
        """The files of a project, or of all, whose path contains a pattern, the last touched first.

        If none does, the result is the files of the same name in other folders, the closest first, with a note for the
        user, or else files with a similar path.
        """
        return find_files(self._index.snapshot, pattern, root)

    def resolve(self, path: str, project: CurrentProject | None, *, mistyped: bool = False) -> ResolvedFiles:
        """The indexed files that a path stands for in a project, or in all: itself, or the closest of that name.

        With `mistyped`, files with a similar name count too. The result is empty if there are none.
        """
        root = project.root if project else None
        return resolve_project_files(self._index.snapshot, path, root, mistyped=mistyped)

    def touches(self, pattern: str, root: str | None = None) -> TouchResults:
        """The turns that touched the files of a pattern, edits first, newest first; of one project or of all."""
        return find_touches(self._index.snapshot, pattern, root)

    def of_turn(self, session: int, turn: int) -> list[FileTouch]:
        """The files that one turn touched: edited, then read, then mentioned."""
        return turn_touches(self._index.snapshot_of(session), session, turn)

    def history(self, file: FileRow) -> list[TurnTouch]:
        """What the turns of all sessions did to one file, with the lines that edits added and removed, newest first."""
        return file_history(self._index.snapshot, file)

    def touch_details(self, touch: TurnTouch) -> TouchDetails:
        """The tool calls with which a turn touched a file, and their changes. Raises SessionUnknown."""
        return touch_details(self._index.snapshot_of(touch.touch.session), touch)

    def in_session(self, session: int, path: str) -> list[str]:
        """The files of a session, as the index has them, that a path stands for; empty if there is none."""
        return paths_of_session(self._index.snapshot_of(session), session, path)

    def content_at(self, session: int, path: str, turn: int) -> FileContent:
        """What a session knew of a file at the end of one of its turns. Raises SessionUnknown."""
        return file_content_at(self._index.snapshot_of(session), session, path, turn)

    def versions(self, path: str, limit: int) -> list[tuple[FileTouch, FileContent]]:
        """The newest turns that read or edited the files that a path stands for, with what was known at their ends."""
        touches = reads_and_edits(self._index.snapshot, path, limit)
        return [(touch, self.content_at(touch.session, touch.path, touch.turn)) for touch in touches]

    def lines(self, path: Path) -> list[str]:
        """The lines of a file on this disk, as `blame` numbers them.

        Raises SourceUnreadable, also for a file that is no text or too large.
        """
        from memtui_core.memory.blame.attribution import lines_of_file
        from memtui_core.memory.blame.file_blame import text_of_file

        return lines_of_file(text_of_file(path))

    def blame(self, path: Path) -> list[BlamedLine]:
        """The lines of a file on this disk, each with the turn that wrote it, if that is proved.

        Raises SourceUnreadable, also for a file that is no text or too large.
        """
        from memtui_core.memory.blame.file_blame import blame_file

        return blame_file(self._index.snapshot, path)

    def edited_elsewhere(self, path: Path) -> list[str]:
        """Folders that are not known to be the repository of a file, but in which sessions edited one like it.

        It has the same path there and lines in common; the last edited comes first. Raises
        SourceUnreadable.
        """
        from memtui_core.memory.blame.edited_elsewhere import folders_with_such_edits

        return folders_with_such_edits(self._index.snapshot, path)

    def why(self, writer: LineWriter) -> LineReason:
        """Why a line was written: what the transcript says around the edit of its writer."""
        from memtui_core.memory.blame.reasons import reason_of

        return reason_of(self._index.snapshot, writer)

    def commit(self, name: str, folder: Path) -> CommitOrigin:
        """The turns behind a commit of the repository that contains a folder, with the evidence.

        Raises NothingSelected.
        """
        from memtui_core.memory.blame.commit_origin import origin_of_commit

        return origin_of_commit(self._index.snapshot, folder, name)

    def write_note(self, commit: str, folder: Path, text: str) -> NoteOutcome:
        """Attach a note to a commit of the repository that contains a folder, in `refs/notes/memtui`.

        A different note of that ref stays.
        """
        from memtui_core.memory.blame.git import Git

        return Git(folder).write_note(commit, text)
