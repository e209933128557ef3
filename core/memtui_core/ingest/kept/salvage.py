"""What can still be read from the damaged databases of an index, which were moved aside."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from memtui_core.ingest.sources.rows import UNREAD_STATE
from memtui_core.store.archive.session_rows import SessionRows, group_rows, groups_of_sources
from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import meta_of
from memtui_core.store.snapshot.layers import SEARCH_PATH, attach, attach_file
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.work.connection import WORK, connect
from memtui_core.store.work.overlay import SCHEMA, base_of

_log = logging.getLogger(__name__)
_SOURCES: Final = "SELECT id, path, gone_at IS NOT NULL FROM sources WHERE session IS NOT NULL"
IsLost = Callable[[str, bool], bool]
"""Whether a source, by its path and whether it was gone already, cannot be read from its agent any more."""


class _ConnectionRows(NamedTuple):
    """A connection as a source of rows."""

    connection: duckdb.DuckDBPyConnection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self.connection.execute(sql, list(parameters)).fetchall()


def broken_indexes(data: DataDir) -> list[DataDir]:
    """The folders with what was moved aside, the newest first; each is laid out as a data folder."""
    if not data.broken.is_dir():
        return []
    folders = [path for path in data.broken.iterdir() if path.name.isdigit() and path.is_dir()]
    return [DataDir(path) for path in sorted(folders, key=lambda path: -int(path.name))]


def salvaged_rows(broken: DataDir, is_lost: IsLost) -> Iterator[SessionRows]:
    """The rows of lost sources, as far as any of the databases in a folder has them, the newest state first.

    What one of them has in full may come from another one again, so that it has to be skipped.
    """
    for opened in (_work, _overlay, _snapshot, *(_database(path) for path in _databases(broken))):
        with closing(connect(broken)) as connection:
            try:
                opened(connection, broken)
                rows = _ConnectionRows(connection)
                lost = {number for number, path, is_gone in rows.rows(_SOURCES) if is_lost(path, is_gone)}
                groups = groups_of_sources(rows, lost)
            except (duckdb.Error, OSError, ValueError) as error:
                _log.info("Nothing can be salvaged from %s: %s", broken.path, error)
                continue
            for group in groups:
                with suppress(duckdb.Error):
                    yield _group(rows, group, lost)


def _group(rows: _ConnectionRows, keys: list[int], lost: set[int]) -> SessionRows:
    """What can be read of some sessions; if that is not all, their sources are marked to be read again from the start.

    They may be found later, for example when another location is indexed.
    """
    problems: list[str] = []

    def note(table: str, error: Exception) -> None:
        problems.append(table)
        _log.warning("Rows of %s are lost: %s", table, str(error).splitlines()[0])

    found = group_rows(rows, keys, lost, note)
    if not problems:
        return found
    return SessionRows(
        {**found.tables, "sources": [tuple((row | UNREAD_STATE).values()) for row in found.named("sources")]}
    )


def _work(connection: duckdb.DuckDBPyConnection, data: DataDir) -> None:
    """Open the work database, with its base if it is an overlay."""
    attach_file(connection, data.work, WORK)
    connection.execute(f"USE {WORK}")
    if (base := base_of(meta_of(connection))) is not None:
        attach_file(connection, data.base(base), "base")


def _overlay(connection: duckdb.DuckDBPyConnection, data: DataDir) -> None:
    """Open what a work database has of its own."""
    attach_file(connection, data.work, WORK)
    connection.execute(f"USE {WORK}.{SCHEMA}")


def _snapshot(connection: duckdb.DuckDBPyConnection, data: DataDir) -> None:
    if (manifest := read_manifest(data)) is None:
        raise ValueError("there is no manifest")
    attach(connection, data, manifest)
    connection.execute(SEARCH_PATH)


def _database(path: Path) -> Callable[[duckdb.DuckDBPyConnection, DataDir], None]:
    """Opens one database of a snapshot."""

    def opened(connection: duckdb.DuckDBPyConnection, _: DataDir) -> None:
        attach_file(connection, path, "part")
        connection.execute("USE part")

    return opened


def _databases(data: DataDir) -> list[Path]:
    """The bases and deltas, the newest first, and a delta before a base of its number."""
    found = [path for path in data.snapshots.glob("*.duckdb") if path.name.partition(".")[0].isdigit()]
    return sorted(found, key=lambda path: (-int(path.name.partition(".")[0]), "delta" not in path.name))
