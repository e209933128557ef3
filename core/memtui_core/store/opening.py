"""Open the work database, or make it from the newest snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from memtui_core.errors import IndexBroken
from memtui_core.store.delta import apply_layers
from memtui_core.store.files import DataDir, copy_atomically, replace_file
from memtui_core.store.layers import attach_file
from memtui_core.store.manifest import Manifest, newest_base
from memtui_core.store.overlay import CONFIG, base_of, create_overlay, read_layers
from memtui_core.store.schema import VERSION, migrate, version_of
from memtui_core.system.failures import damaged, is_of_machine

_PARTS = (".overlay", ".restored", ".rewritten")
"""The files that are renamed to the work database when they are complete."""


class Carried(NamedTuple):
    """What a work database keeps when it becomes an overlay of another base."""

    meta: Mapping[str, str]
    dropped_turns: Sequence[tuple[int, int]]


def open_work(data: DataDir, published: Manifest | None) -> tuple[duckdb.DuckDBPyConnection, str | None]:
    """The connection, and why the file was replaced; None if it was not.

    An overlay has its base attached, and is of the newest schema; a whole database may be of an older one. A file that
    cannot be opened is replaced by the newest snapshot, or by an empty database if there is none. Raises IndexBroken if
    a part of the index cannot be read and nothing can replace it.
    """
    for leftover in _PARTS:
        _remove(data.work.with_suffix(leftover))
    snapshot = _newest(data, published)
    if not data.work.exists():
        if snapshot is None:
            return duckdb.connect(str(data.work), config=CONFIG), None
        return _restored(data, snapshot), f"{data.work} does not exist"
    try:
        connection = duckdb.connect(str(data.work), config=CONFIG)
        base = base_of(connection)
    except duckdb.Error as error:
        if is_of_machine(error):
            # The file is not damaged if the disk is full or another process has it open.
            raise
        data.work.replace(data.work.with_suffix(".broken"))
        data.work_log.unlink(missing_ok=True)
        if snapshot is None or not data.base(snapshot.base).exists():
            return duckdb.connect(str(data.work), config=CONFIG), str(error).splitlines()[0]
        return _restored(data, snapshot), str(error).splitlines()[0]
    if base is None:
        return connection, None
    [(batch,)] = connection.execute("SELECT value FROM meta WHERE key = 'batch'").fetchall()
    is_behind = published is not None and published.base != base and published.batch >= int(batch)
    if snapshot is not None and (is_behind or version_of(connection) < VERSION):
        # A process died after it had published a base, or the changes are of an older schema.
        connection.close()
        return _restored(data, snapshot), None
    if not data.base(base).exists() and snapshot is not None and snapshot.base != base:
        connection.close()
        return _restored(data, snapshot), f"{data.base(base)} does not exist"
    size = published.base_bytes if published is not None and published.base == base else 0
    try:
        attach_file(connection, data.base(base), "base", size)
    except (duckdb.Error, OSError, ValueError) as error:
        connection.close()
        raise _beyond_repair(data, error) from error
    return connection, None


def make_overlay(data: DataDir, base: int, carried: Carried) -> Path:
    """Write an empty overlay of a base to a file that can replace the work database."""
    part = data.work.with_suffix(".overlay")
    connection = create_overlay(part, data, base, carried.meta)
    try:
        turns, batches = [turn for turn, _ in carried.dropped_turns], [batch for _, batch in carried.dropped_turns]
        connection.execute(
            "INSERT INTO dropped_turns SELECT unnest(?::INTEGER[]), unnest(?::INTEGER[])", [turns, batches]
        )
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
    return part


def _newest(data: DataDir, published: Manifest | None) -> Manifest | None:
    """The newest snapshot: a base may be complete and not published, if a process died in between."""
    newest = newest_base(data)
    is_newer = newest is not None and (published is None or newest.batch > published.batch)
    return newest if is_newer else published


def _restored(data: DataDir, snapshot: Manifest) -> duckdb.DuckDBPyConnection:
    """Create the work database from a snapshot and open it: an overlay, but whole if the base is of an older schema."""
    try:
        with duckdb.connect(":memory:") as connection:
            attach_file(connection, data.base(snapshot.base), "base")
            connection.execute("USE base")
            version = version_of(connection)
            meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        if version != VERSION:
            _restore_whole(data, snapshot)
            return duckdb.connect(str(data.work), config=CONFIG)
        meta |= {"batch": str(snapshot.batch)}
        if (vectors := snapshot.vectors) is not None:
            meta |= {"model": vectors.model, "vectors": str(vectors.file), "dimension": str(vectors.dimension)}
        part = data.work.with_suffix(".restored")
        connection = create_overlay(part, data, snapshot.base, meta)
        try:
            connection.execute("BEGIN")
            read_layers(connection, data, snapshot)
            connection.execute("COMMIT")
            connection.execute("CHECKPOINT")
        finally:
            connection.close()
        data.work_log.unlink(missing_ok=True)
        replace_file(part, data.work)
        connection = duckdb.connect(str(data.work), config=CONFIG)
        attach_file(connection, data.base(snapshot.base), "base")
        return connection
    except (duckdb.Error, OSError, ValueError) as error:
        if is_of_machine(error) or isinstance(error, PermissionError):
            raise
        raise _beyond_repair(data, error) from error


def _restore_whole(data: DataDir, snapshot: Manifest) -> None:
    part = data.work.with_suffix(".restored")
    copy_atomically(data.base(snapshot.base), part)
    connection = duckdb.connect(str(part), config=CONFIG)
    try:
        migrate(connection)
        apply_layers(connection, data, snapshot)
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
    data.work_log.unlink(missing_ok=True)
    replace_file(part, data.work)


def _remove(part: Path) -> None:
    for path in (part, part.with_name(f"{part.name}.wal")):
        path.unlink(missing_ok=True)


def _beyond_repair(data: DataDir, error: Exception) -> IndexBroken:
    return IndexBroken(damaged(data.path, error, beyond_repair=True))
