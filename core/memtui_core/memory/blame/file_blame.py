"""The session and turn that wrote each line of a file on this disk, with the evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from stat import S_ISREG
from typing import Final

from memtui_core.errors import SourceUnreadable
from memtui_core.memory.blame.attribution import attribute, lines_of_file, tells
from memtui_core.memory.blame.committed import committed_lines
from memtui_core.memory.blame.known_edits import FilePlace, KnownEdit, read_known_edits
from memtui_core.memory.blame.values import BlamedLine, LineWriter, SessionCommit, WritingSession
from memtui_core.memory.blame.writing_sessions import writing_sessions
from memtui_core.queries.current_project import CurrentProject, local_folders, project_at
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.system.projects import remote_address, repository_key, repository_of
from memtui_core.text.characters import storable
from memtui_core.text.machine_folders import machine_of
from memtui_core.text.paths import clean, normalize

_LARGEST: Final = 20_000_000
"""Bytes of a file that is read."""
_BEGINNING: Final = 8000
"""Bytes in which a file that is no text has a zero."""


def blame_file(snapshot: Snapshot, path: Path) -> list[BlamedLine]:
    """The lines of a file on this disk, each with the turn that wrote it. Raises SourceUnreadable."""
    content = text_of_file(path)
    [place] = places_of_files(snapshot, [path])
    edits = read_known_edits(snapshot, place)
    texts = lines_of_file(content)
    wrote = attribute([edit.event for edit in edits], content)
    unclaimed = [number for number, index in enumerate(wrote, 1) if index is None and tells(texts[number - 1])]
    committed = committed_lines(snapshot, place.roots, path, unclaimed, edits) if unclaimed else {}
    sources = [edits[index] for index in wrote if index is not None] + [by.source for by in committed.values()]
    sessions = {session.key: session for session in writing_sessions(snapshot, {source.session for source in sources})}
    lines: list[BlamedLine] = []
    for number, (text, index) in enumerate(zip(texts, wrote, strict=True), 1):
        if index is not None:
            lines.append(BlamedLine(number, text, _writer(sessions, edits[index]), "wrote"))
        elif (by := committed.get(number)) is not None:
            lines.append(BlamedLine(number, text, _writer(sessions, by.source), "committed", by.commit))
        else:
            lines.append(BlamedLine(number, text))
    return lines


def places_of_files(snapshot: Snapshot, paths: Sequence[Path]) -> list[FilePlace]:
    """How sessions may have named some files of this disk."""
    folders = local_folders(snapshot.rows("SELECT DISTINCT root, cwd, worktree FROM sessions WHERE NOT hidden"))

    @cache
    def project(folder: str) -> tuple[str, CurrentProject | None, tuple[str, ...]]:
        """The root of a folder, its project, and the roots of the repository."""
        found = project_at(snapshot, folder, folders)
        root = found.root if found is not None else repository_of(folder) or ""
        return root, found, roots(root) if root else ()

    @cache
    def roots(root: str) -> tuple[str, ...]:
        return roots_of_repository(snapshot, root)

    return [_place(path, project) for path in paths]


def _place(path: Path, project_of: Callable[[str], tuple[str, CurrentProject | None, tuple[str, ...]]]) -> FilePlace:
    # Sessions name a folder by the path of a link, or by that to which it leads.
    names = list(dict.fromkeys(storable(clean(str(name))) for name in (path.absolute(), path.resolve())))
    for shown in names:
        folder = shown.rpartition("/")[0] or "/"
        root, project, roots = project_of(folder)
        worktrees = project.worktrees if project is not None else ()
        below = normalize(shown, folder, root, worktrees) if root else None
        if root and below is not None and (project is not None or len(roots) > 1):
            return FilePlace(
                roots, below, tuple(dict.fromkeys((shown, *(f"{top}/{below}" for top in (*roots, *worktrees)))))
            )
    return FilePlace((), names[0], tuple(names))


def roots_of_repository(snapshot: Snapshot, root: str) -> tuple[str, ...]:
    """A folder of this disk, and the roots of sessions that are clones of the same repository, by their remotes."""
    key = repository_key(remote_address(root))
    rows = (
        snapshot.rows("SELECT DISTINCT root FROM sessions WHERE NOT hidden AND root <> '' ORDER BY root") if key else ()
    )
    clones = (other for (other,) in rows if not machine_of(other) and repository_key(remote_address(other)) == key)
    return tuple(dict.fromkeys((root, *clones)))


def text_of_file(path: Path) -> str:
    """The text of a file on this disk. Raises SourceUnreadable, also for a file that is no text or too large."""
    try:
        about = path.stat()
        if about.st_size > _LARGEST:
            raise SourceUnreadable(f"{path} is larger than {_LARGEST // 1_000_000} MB.")
        if not S_ISREG(about.st_mode):
            # A pipe or a device may have no end.
            raise SourceUnreadable(f"{path} is no file with a text.")
        content = path.read_bytes()
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
    # git takes a file for text by the same sign.
    if b"\0" in content[:_BEGINNING]:
        raise SourceUnreadable(f"{path} is no text.")
    return content.decode("utf-8", "replace")


def _writer(sessions: Mapping[int, WritingSession], source: KnownEdit | SessionCommit) -> LineWriter:
    """Who made an edit or a commit."""
    own = sessions[source.session]
    seq, path = (source.call.seq, source.path) if isinstance(source, KnownEdit) else (source.seq, "")
    return LineWriter(own.key, own.session_id, own.title, own.agent, source.turn, source.at, seq, path)
