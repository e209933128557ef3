"""What the index knows of a file, for an agent that waits: one short look into the newest snapshot.

It finds what `recall.search_file_context` finds, and is written anew for its start-up time: the
package `duckdb` takes longer to import than the look takes, and the core's values as long again, so the look uses the
engine below that package and plain tuples.
"""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _duckdb

from memtui.hooks.wording import Item
from memtui_core.store.files import DataDir
from memtui_core.store.layers import SEARCH_PATH, attach
from memtui_core.store.manifest import read_manifest
from memtui_core.store.presence import Presence
from memtui_core.text.paths import clean, normalize, worktree_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_TRIES = 5
_KINDS = ("edited", "read", "mentioned")
_RANK = "CASE m.kind WHEN 'edited' THEN 0 WHEN 'read' THEN 1 ELSE 2 END"
_BOUNDARY = (
    "coalesce((SELECT max(c.line) FROM compactions c JOIN sessions x ON x.key = c.session WHERE x.session_id = ?), -1)"
)
"""The line up to which a session's turns are out of its context: that of its last compaction."""
_TOUCHED = (
    f"SELECT m.turn, min({_RANK}) AS kind, arg_min(m.path, {_RANK}), t.started_at, s.session_id, t.number, s.title"
    " FROM file_mentions m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
    f" WHERE NOT s.hidden AND s.root = ? AND (s.session_id <> ? OR t.line <= {_BOUNDARY})"
    " AND (lower(m.path) = ? OR ends_with(lower(m.path), ?))"
    " GROUP BY m.turn, t.started_at, s.session_id, t.number, s.title"
    " ORDER BY kind, t.started_at DESC NULLS LAST, m.turn LIMIT ?"
)
_TEXTS = (
    "SELECT (SELECT user_text FROM turns WHERE id = $turn),"
    " (SELECT arg_max(text, seq) FROM blocks WHERE turn = $turn AND kind = 'text')"
)
"""Of one turn: with its number in the condition only its own part of the tables is read."""


class NoIndex(Exception):
    """There is no snapshot to look into, or it cannot be opened."""


class Look:
    """The newest snapshot of a data folder. Raises NoIndex."""

    def __init__(self, folder: Path) -> None:
        data = DataDir(folder)
        Presence(data).touch()
        self._connection = _open(data)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        found: list[tuple[Any, ...]] = self._connection.execute(sql, list(parameters)).fetchall()
        return found


def file_memories(look: Look, file: str, cwd: str, asker: str, limit: int) -> tuple[str, list[Item]]:
    """A file's path in its project, and the turns that touched it: edits, reads, mentions, the newest first.

    Nothing for a file outside the project, for a project without sessions, and of what the asker has before it.
    """
    project = _project(look, cwd)
    path = normalize(file, *project) if project else None
    if project is None or not path:
        return "", []
    wanted = path.lower()
    rows = look.rows(_TOUCHED, [project[1], asker, asker, wanted, f"/{wanted}", limit])
    return path, [_item(look, *row) for row in rows]


def recent_files(look: Look, session: str, limit: int = 10) -> list[str]:
    """The files that a session touched, the last one first, each once."""
    rows = look.rows(
        "SELECT m.path FROM file_mentions m JOIN sessions s ON s.key = m.session WHERE s.session_id = ?"
        " AND NOT m.is_dir GROUP BY m.path ORDER BY max(m.line) DESC, m.path LIMIT ?",
        [session, limit],
    )
    return [path for (path,) in rows]


def _item(look: Look, turn: int, kind: int, path: str, at: Any, session: str, number: int, title: str) -> Item:
    ((user, said),) = look.rows(_TEXTS.replace("$turn", str(turn)))
    text = f"[User] {user or ''}" + (f"\n\n[Assistant] {said}" if said else "")
    return Item(session, number, at and at.replace(tzinfo=UTC), title, text, f"{_KINDS[kind]} {path}")


def _project(look: Look, cwd: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Folder, root and worktrees, as `here.project_at` finds them."""
    asked = clean(cwd)
    if not asked:
        return None
    rows = look.rows("SELECT DISTINCT root, cwd, worktree FROM sessions WHERE root <> '' AND NOT hidden")
    folders = [f"{folder}/" for folder in (asked, *_repository(asked))]
    found = [
        (len(base), root)
        for root, *bases in rows
        for base in (root, *bases)
        if base and any(folder.startswith(f"{base.rstrip('/')}/") for folder in folders)
    ]
    if not found:
        return None
    _, root = max(found)
    return asked, root, tuple(sorted({tree for other, _, tree in rows if other == root and tree}))


def _repository(folder: str) -> list[str]:
    """The repository of a worktree; a folder that is in none lies below its own repository anyway."""
    marks = (above / ".git" for above in (Path(folder), *Path(folder).parents))
    if worktree_of(folder) is None and not any(mark.is_file() for mark in marks):
        return []
    from memtui_core.system.projects import locate_project

    return [locate_project(folder).root]


def _open(data: DataDir) -> Any:
    reason: Exception | None = None
    for _ in range(_TRIES):
        manifest = read_manifest(data)
        if manifest is None:
            raise NoIndex("nothing is indexed yet")
        connection = _duckdb.connect(":memory:", config={"threads": 2})
        try:
            attach(connection, data, manifest)
            connection.execute(SEARCH_PATH)
            return connection
        except (_duckdb.Error, OSError, ValueError) as error:
            reason = error
    raise NoIndex(f"the index cannot be opened: {reason}")
