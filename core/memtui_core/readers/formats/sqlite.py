"""Reading the SQLite database of another program without changing or blocking anything.

SQLite creates a log and locks beside a database that is opened in the usual way. A database without changes outside its
file is therefore opened as immutable, which takes no lock and creates nothing. Changes that are only in the log are
read with the index of the running program, which is not written, or, if there is no index, from a private copy of the
files.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import Transcript
from memtui_core.readers.formats.databases import INDEX, JOURNAL, WAL

_COPIES: Final = 3
"""How often a database is copied if a program writes to it in the meantime."""
_Stamp = tuple[tuple[int, int, int], ...]


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection to a database with the changes in its log. Raises SourceUnreadable, also in the block.

    All queries in the block read the same state of the database.
    """
    try:
        with _connected(path) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            yield connection
    except UnicodeDecodeError as error:
        # Values are decoded in any case, but not the names of tables and columns.
        raise SourceUnreadable(f"{path}: a name in the schema is not UTF-8") from error
    except (sqlite3.Error, OSError) as error:
        raise SourceUnreadable(f"{path}: {error}") from error


def columns_of(connection: sqlite3.Connection, table: str) -> set[str]:
    """The names of the columns of a table; empty if there is no such table."""
    return {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def values_of(row: sqlite3.Row) -> dict[str, Any]:
    """A row as a dictionary by column; binary values are kept."""
    return {name: row[name] for name in row.keys()}  # noqa: SIM118


def bytes_of(value: Any) -> bytes:
    """A text or binary value of a column; empty for any other value."""
    return value.encode("utf-8", "replace") if isinstance(value, str) else value if isinstance(value, bytes) else b""


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
        # Without `mode=ro`, a missing file is created, although it is opened as immutable.
        with _connection(path, "mode=ro&immutable=1") as connection:
            yield connection
        return
    if _has_content(path, INDEX) and not _has_content(path, JOURNAL):
        # With `readonly_shm`, not even the marks of readers are written to the index.
        with _connection(path, "mode=ro&readonly_shm=1") as connection:
            if _can_read(connection):
                yield connection
                return
    with tempfile.TemporaryDirectory(prefix="memtui-") as folder:
        copy = _copied(path, Path(folder))
        with _connection(copy, "mode=rw") as connection:
            yield connection


def _can_read(connection: sqlite3.Connection) -> bool:
    """Whether no other program has the database for itself."""
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except sqlite3.OperationalError:
        return False
    return True


def _copied(path: Path, folder: Path) -> Path:
    """Copy a database with its log. Raises SourceUnreadable if the files changed each time they were copied."""
    copy = folder / path.name
    for _ in range(_COPIES):
        before = stamp_of(path)
        for suffix in ("", WAL, JOURNAL):
            _side(copy, suffix).unlink(missing_ok=True)
            if not suffix or _has_content(path, suffix):
                shutil.copyfile(_side(path, suffix), _side(copy, suffix))
        if stamp_of(path) == before:
            return copy
    raise SourceUnreadable(f"{path}: a program wrote to the database while it was read")


@contextmanager
def _connection(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    address = f"{path.absolute().as_uri()}?{mode}"
    with closing(sqlite3.connect(address, uri=True, timeout=1, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        yield connection


def _side(path: Path, suffix: str) -> Path:
    """A file beside a database, or the database itself; SQLite puts it beside the target of a link."""
    path = Path(os.path.realpath(path))
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
