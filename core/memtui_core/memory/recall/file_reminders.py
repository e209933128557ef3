"""Recall of a file for a hook before a tool call, which has to answer in a fraction of a second.

The results are those of `similar_turns.search_file_context`. The code is separate for its start-up time: importing the
package `duckdb` takes longer than the queries, and the models of the core as long again, so this module uses the engine
below that package and plain tuples.
"""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _duckdb

from memtui_core.errors import IndexBroken, IndexMissing
from memtui_core.memory.recall.recalled_turn import RecalledTurn
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import Presence
from memtui_core.store.snapshot.layers import SEARCH_PATH, attach
from memtui_core.store.snapshot.manifest import read_manifest

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memtui_core.queries.current_project import CurrentProject

_ATTEMPTS = 5
"""Attempts to open a snapshot while the indexer publishes newer ones."""
_KINDS = ("edited", "read", "mentioned")
_RANK = "CASE m.kind WHEN 'edited' THEN 0 WHEN 'read' THEN 1 ELSE 2 END"
_BOUNDARY = (
    "coalesce((SELECT max(c.line) FROM compactions c JOIN sessions x ON x.key = c.session WHERE x.session_id = ?), -1)"
)
"""The line of a session's last compaction: its turns up to there are no longer in its context."""
_TURNS = (
    f"SELECT m.turn, min({_RANK}) AS kind, arg_min(m.path, {_RANK}), t.started_at, s.session_id, t.number, t.line,"
    " s.title FROM file_mentions m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
    f" WHERE NOT s.hidden AND s.root = ? AND (s.session_id <> ? OR t.line <= {_BOUNDARY})"
    " AND (lower(m.path) = ? OR ends_with(lower(m.path), ?))"
    " GROUP BY m.turn, t.started_at, s.session_id, t.number, t.line, s.title"
    " ORDER BY kind, t.started_at DESC NULLS LAST, m.turn LIMIT ?"
)
_ID, _NUMBER = 4, 5
"""The columns of the id of the session and the number of the turn."""
_TEXTS = (
    "SELECT (SELECT user_text FROM turns WHERE id = $turn),"
    " (SELECT arg_max(text, seq) FROM blocks WHERE turn = $turn AND kind = 'text')"
)
"""Prompt and last answer of one turn. With the id as a literal DuckDB reads only the turn's part of the tables."""


class SnapshotConnection:
    """A connection to the newest snapshot of a data folder. Raises IndexMissing and IndexBroken."""

    def __init__(self, folder: Path) -> None:
        data = DataDir(folder)
        Presence(data).touch()
        self._connection = _connect(data)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        rows: list[tuple[Any, ...]] = self._connection.execute(sql, list(parameters)).fetchall()
        return rows


def turns_of_file(
    snapshot: SnapshotConnection,
    file: str,
    project: CurrentProject | None,
    session: str,
    limit: int,
    without: Collection[str] = (),
) -> tuple[str, list[RecalledTurn]]:
    """A file's path in a project, and the turns that touched it.

    Edits first, then reads, then mentions, newest first. The turns that `session` has in its context are left out, and
    those whose `reference` is in `without`.
    Empty for a file outside the project and for a project without sessions.
    """
    path = project.relative(file) if project else None
    if project is None or not path:
        return "", []
    lower = path.lower()
    rows = snapshot.rows(_TURNS, [project.root, session, session, lower, f"/{lower}", limit + len(without)])
    new = [row for row in rows if f"{row[_ID]}:{row[_NUMBER]}" not in without]
    return path, [_recalled_turn(snapshot, *row) for row in new[:limit]]


def recent_files(snapshot: SnapshotConnection, session: str, limit: int = 10) -> list[str]:
    """The files that a session touched, last one first, each once."""
    rows = snapshot.rows(
        "SELECT m.path FROM file_mentions m JOIN sessions s ON s.key = m.session WHERE s.session_id = ?"
        " AND NOT m.is_dir GROUP BY m.path ORDER BY max(m.line) DESC, m.path LIMIT ?",
        [session, limit],
    )
    return [path for (path,) in rows]


def _recalled_turn(
    snapshot: SnapshotConnection,
    turn_id: int,
    kind: int,
    path: str,
    started_at: Any,
    session_id: str,
    number: int,
    line: int,
    title: str,
) -> RecalledTurn:
    ((prompt, answer),) = snapshot.rows(_TEXTS.replace("$turn", str(turn_id)))
    text = f"[User] {prompt or ''}" + (f"\n\n[Assistant] {answer}" if answer else "")
    at = started_at and started_at.replace(tzinfo=UTC)
    return RecalledTurn(session_id, number, line, at, title, text, files=(path,), kind=_KINDS[kind])


def _connect(data: DataDir) -> Any:
    reason: Exception | None = None
    for _ in range(_ATTEMPTS):
        manifest = read_manifest(data)
        if manifest is None:
            raise IndexMissing("Nothing is indexed yet.")
        connection = _duckdb.connect(":memory:", config={"threads": 2})
        try:
            attach(connection, data, manifest)
            connection.execute(SEARCH_PATH)
            return connection
        except (_duckdb.Error, OSError, ValueError) as error:
            reason = error
    raise IndexBroken(f"The index cannot be opened: {reason}")
