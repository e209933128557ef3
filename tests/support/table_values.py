"""The rows of an index by table, with names in the place of ids, so that two indexes can be compared."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import COLUMNS, RowSource, stored_columns

NUMBERED = {"sessions": ("key",), "sources": ("id",), "turns": ("id", "batch")}
"""Columns that say nothing about a session: two readings of the same transcripts may differ in them."""


def index_values(data_dir: Path, sessions: Collection[str] | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of the newest snapshot, all or those of sessions by their ids."""
    snapshot = Snapshot(DataDir(data_dir))
    try:
        return table_values(snapshot, sessions)
    finally:
        snapshot.close()


def table_values(source: RowSource, sessions: Collection[str] | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """The sorted rows of each table, without the times at which sources were read or found gone.

    A session is named by agent, id and parent, a source by its path, a turn by its session, path and first line.
    """
    rows = source.rows("SELECT key, agent, session_id, parent_id FROM sessions")
    session_names = {key: unique for key, *unique in rows}
    wanted = {key for key, name in session_names.items() if sessions is None or name[1] in sessions}
    of_sources = source.rows("SELECT source, session FROM turns UNION SELECT id, session FROM sources")
    paths = dict(source.rows("SELECT id, path FROM sources"))
    turns = {
        number: (session_names[session], paths[of], line)
        for number, session, of, line in source.rows("SELECT id, session, source, line FROM turns")
    }
    own_sources = {number for number, session in of_sources if sessions is None or session in wanted}
    values = {}
    for table, columns in COLUMNS.items():
        named = []
        for row in source.rows(f"SELECT {stored_columns(table)} FROM {table}"):
            cells = dict(zip(columns, row, strict=True))
            owner, keys = next(
                (cells[column], keys)
                for column, keys in (
                    ("turn", {number for number, name in turns.items() if sessions is None or name[0][1] in sessions}),
                    ("session", wanted),
                    ("key", wanted),
                    ("id", own_sources),
                    ("source", own_sources),
                )
                if column in cells and not (table in ("sources", "review_items") and column in ("session", "turn"))
            )
            if owner not in keys and not (table == "sources" and sessions is None):
                continue
            for column in (*NUMBERED.get(table, ()), "indexed_at", "gone_at"):
                cells.pop(column, None)
            for column, names in (("session", session_names), ("parent", session_names), ("source", paths)):
                if cells.get(column) is not None:
                    cells[column] = names[cells[column]]
            if "turn" in cells and table != "review_items":
                cells["turn"] = turns[cells["turn"]]
            named.append(tuple(cells.values()))
        values[table] = sorted(named, key=repr)
    return values
