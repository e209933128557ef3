"""What an agent reads before a tool opens a file: by small files of the indexer, and by the index where these end.

The small files are as the index was when the indexer wrote them last, at most every half a minute. What is forgotten is
gone from them at once.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memtui_core.memory.recall.file_changes import changes_since, file_changes
from memtui_core.memory.recall.recalled_turn import RecalledTurn
from memtui_core.queries.current_project import project_at
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.touched import folders_file, project_file, unpacked

if TYPE_CHECKING:
    from collections.abc import Collection

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FileRecall(NamedTuple):
    """The turns that touched a file; path and turns are empty for a file outside all projects."""

    path: str
    """The path in its project."""
    turns: list[RecalledTurn]
    changes: dict[str, str]
    """What became of the file since, by the references of the turns."""


def recall_of_file(folder: Path, file: str, cwd: str, session: str, limit: int, without: Collection[str]) -> FileRecall:
    """What `turns_of_file` and `file_changes` answer for the project in which `cwd` is.

    Texts may be cut behind the characters of which a reminder is made. Raises IndexMissing and IndexBroken.
    """
    try:
        return _by_files(DataDir(folder), file, cwd, session, limit, without)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError):
        # There is no such file, another version wrote it, or it does not tell.
        pass
    from memtui_core.memory.recall.file_reminders import SnapshotConnection, turns_of_file

    snapshot = SnapshotConnection(folder)
    project = project_at(snapshot, cwd)
    path, turns = turns_of_file(snapshot, file, project, session, limit, without)
    return FileRecall(path, turns, file_changes(snapshot, project, turns) if project is not None and turns else {})


def _by_files(data: DataDir, file: str, cwd: str, session: str, limit: int, without: Collection[str]) -> FileRecall:
    """The answer of the small files. Raises LookupError if only the index knows it."""
    project = project_at(None, cwd, json.loads(folders_file(data).read_bytes()))
    path = project.relative(file) if project is not None else None
    if project is None or not path:
        return FileRecall("", [], {})
    content = unpacked(project_file(data, project.root).read_bytes())
    if content["root"] != project.root:
        raise LookupError(project.root)
    turns, ends = [], {}
    for row in _rows(content, path.lower()):
        if row is None:
            raise LookupError(path)
        turn, ended_at = _turn(content["turns"][row[0]], row[1], row[2])
        is_in_context = turn.session_id == session and turn.line > content["boundaries"].get(session, -1)
        if is_in_context or turn.reference in without:
            continue
        turns.append(turn)
        if ended_at is not None:
            ends[turn.reference] = ended_at
        if len(turns) == limit:
            break
    return FileRecall(path, turns, changes_since(project, turns, ends, lambda name: _time(content["edited"].get(name))))


def _rows(content: dict[str, Any], path: str) -> list[Any]:
    """The place of each turn that touched a file, how, and the path; None stands for more that only the index knows."""
    files, names = content["files"], content["names"]
    if path in files:
        rows: list[Any] = files[path]
        return rows
    # It may be the end of a path that was touched.
    is_known = names is None or path.rpartition("/")[2] in names or any(one.endswith(f"/{path}") for one in files)
    return [None] if is_known else []


def _turn(fields: list[Any], kind: str, path: str) -> tuple[RecalledTurn, datetime | None]:
    """A turn that touched a file, and when it ended."""
    session_id, number, line, started_at, ended_at, title, text = fields
    turn = RecalledTurn(session_id, number, line, _time(started_at), title, text, files=(path,), kind=kind)
    return turn, _time(ended_at)


def _time(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else _EPOCH + timedelta(microseconds=microseconds)
