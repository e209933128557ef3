"""A snapshot of which only some projects can be read: its tables have no row of any other.

Whatever is asked, lists, searches or counts, sees only these rows, so that no query has to know of the restriction.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from typing import Any, Final

from memtui_core.store.tables import COLUMNS, column_list

_SESSIONS: Final = "session IN (SELECT key FROM memory.main.sessions)"
_TURNS: Final = "turn IN (SELECT id FROM memory.main.shown_turns)"
_SOURCES: Final = "source IN (SELECT id FROM memory.main.shown_sources)"


class RestrictedLayers:
    """The tables of a snapshot, with the rows of the sessions of some roots only."""

    def __init__(self, connection: Any, layers: Any, roots: Collection[str]) -> None:
        self._connection = connection
        self._layers = layers
        self._lock = threading.Lock()
        self._left = list(COLUMNS)
        layers.merge_for("sessions turns sources")
        with connection.cursor() as cursor:
            self._restrict(cursor, "sessions", _is_one_of("root", roots))
            self._restrict(cursor, "turns", _SESSIONS)
            cursor.execute("CREATE TABLE memory.main.shown_turns AS SELECT id FROM memory.main.turns")
            sources = self._whole(cursor, "sources")
            cursor.execute(
                "CREATE TABLE memory.main.shown_sources AS SELECT source AS id FROM memory.main.turns"
                f" UNION SELECT id FROM {sources} WHERE {_SESSIONS}"
            )
            self._show(cursor, "sources", sources, "id IN (SELECT id FROM memory.main.shown_sources)")

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of changes of each table in the journal."""
        counts: Mapping[str, int] = self._layers.counts
        return counts

    def merge_for(self, sql: str) -> None:
        """Merge and restrict the tables that a query names; any thread may call it."""
        self._layers.merge_for(sql)
        if not any(table in sql for table in self._left):
            return
        with self._lock, self._connection.cursor() as cursor:
            for table in [table for table in self._left if table in sql]:
                columns = COLUMNS[table]
                self._restrict(
                    cursor, table, _SESSIONS if "session" in columns else _TURNS if "turn" in columns else _SOURCES
                )

    def _restrict(self, cursor: Any, table: str, condition: str) -> None:
        self._show(cursor, table, self._whole(cursor, table), condition)

    def _show(self, cursor: Any, table: str, whole: str, condition: str) -> None:
        # Sessions are few, and each other condition asks for them.
        kind = "TABLE" if table == "sessions" else "VIEW"
        cursor.execute(
            f"CREATE {kind} memory.main.{table} AS SELECT {column_list(table)} FROM {whole} WHERE {condition}"
        )
        self._left = [other for other in self._left if other != table]

    def _whole(self, cursor: Any, table: str) -> str:
        """The name of a table with the rows of all projects: that of the base, or the merged one, which is renamed."""
        sql = (
            "SELECT 'TABLE' FROM duckdb_tables() WHERE database_name = 'memory' AND table_name = ?"
            " UNION ALL SELECT 'VIEW' FROM duckdb_views() WHERE database_name = 'memory' AND view_name = ?"
        )
        found = cursor.execute(sql, [table, table]).fetchall()
        if not found:
            return f"base.main.{table}"
        cursor.execute(f"ALTER {found[0][0]} memory.main.{table} RENAME TO all_{table}")
        return f"memory.main.all_{table}"


def _is_one_of(column: str, values: Collection[str]) -> str:
    quoted = ", ".join("'" + value.replace("'", "''") + "'" for value in sorted(values))
    return f"{column} IN ({quoted})" if quoted else "FALSE"
