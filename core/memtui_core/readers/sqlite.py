"""Reading the SQLite database of another program without changing or blocking anything.

SQLite creates a log and locks beside a database that is opened in the usual way. A database without changes outside its
file is therefore opened as immutable, which takes no lock and creates nothing. Changes that are only in the log are
read through the shared index of the running program, or, if there is none, from a private copy of the files.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import Transcript

WAL, INDEX, JOURNAL = "-wal", "-shm", "-journal"
_SIDE_FILES: Final = (WAL, INDEX, JOURNAL)
_Stamp = tuple[tuple[int, int, int], ...]


def database_of(path: Path) -> Path:
    """The database to which a file belongs: itself, or without the suffix of a log or an index."""
    for suffix in _SIDE_FILES:
        if path.name.endswith(suffix):
            return path.with_name(path.name.removesuffix(suffix))
    return path


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection to a database with the changes in its log. Raises SourceUnreadable, also in the block."""
    try:
        with _connected(path) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            yield connection
    except (sqlite3.Error, OSError) as error:
        raise SourceUnreadable(f"{path}: {error}") from error


def columns_of(connection: sqlite3.Connection, table: str) -> set[str]:
    """The names of the columns of a table; empty if there is no such table."""
    return {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


class DatabaseListing:
    """Lists the sessions of databases, and remembers the list of a database while its files do not change."""

    def __init__(self, list_sessions: Callable[[sqlite3.Connection, Path], Iterable[Transcript]]) -> None:
        self._list_sessions = list_sessions
        self._known: dict[Path, tuple[_Stamp, list[Transcript]]] = {}

    def transcripts(self, path: Path) -> list[Transcript]:
        """The sessions of a database; none if it was deleted. Raises SourceUnreadable."""
        stamp = stamp_of(path)
        if not stamp:
            return []
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        with opened(path) as connection:
            sessions = list(self._list_sessions(connection, path))
        self._known[path] = (stamp, sessions)
        return sessions


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    if not (_has_content(path, WAL) or _has_content(path, JOURNAL)):
        with _connection(path, "immutable=1") as connection:
            yield connection
        return
    if _has_content(path, INDEX) and not _has_content(path, JOURNAL):
        with _connection(path, "mode=ro") as connection:
            try:
                connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
            except sqlite3.OperationalError:
                # Another program has the database for itself.
                pass
            else:
                yield connection
                return
    with tempfile.TemporaryDirectory(prefix="memtui-") as folder:
        copy = Path(folder) / path.name
        for suffix in ("", WAL, JOURNAL):
            if _side(path, suffix).exists():
                shutil.copyfile(_side(path, suffix), _side(copy, suffix))
        with _connection(copy, "mode=rw") as connection:
            yield connection


@contextmanager
def _connection(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=1)) as connection:
        yield connection


def _side(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _has_content(path: Path, suffix: str) -> bool:
    try:
        return _side(path, suffix).stat().st_size > 0
    except OSError:
        return False


def stamp_of(path: Path) -> _Stamp:
    """What changes with the content of a database; empty if it does not exist. An empty log is no change."""
    stamps = []
    for suffix in ("", WAL, JOURNAL):
        try:
            status = _side(path, suffix).stat()
        except OSError:
            if not suffix:
                return ()
            continue
        if not suffix or status.st_size:
            stamps.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(stamps)


def values_of(row: sqlite3.Row) -> dict[str, Any]:
    """A row as a dictionary by column; binary values are kept."""
    return {name: row[name] for name in row.keys()}  # noqa: SIM118
