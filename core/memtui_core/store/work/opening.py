"""Open the work database of a data folder, or make it from the newest snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

from memtui_core.errors import IndexBroken
from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import VERSION, meta_of, migrate, refuse_newer, too_new
from memtui_core.store.snapshot.databases import apply_layers
from memtui_core.store.snapshot.layers import attach_file
from memtui_core.store.snapshot.manifest import Manifest, newest_base
from memtui_core.store.work.connection import attach_work, connect, detach_all, remove_file
from memtui_core.store.work.overlay import base_of, new_overlay, read_layers
from memtui_core.system.atomic_files import copy_atomically, replace_file
from memtui_core.system.failures import damaged, is_of_machine
from memtui_core.system.fault_points import fault_point

_PARTS = (".overlay", ".restored", ".rewritten")
"""The files that are renamed to the work database when they are complete."""


RESTORING: Final = "restoring"
"""The key in the table `meta` of an index that was made anew, while it may lack sessions that are gone."""


class Carried(NamedTuple):
    """What a work database keeps when it becomes an overlay of another base."""

    meta: Mapping[str, str]
    dropped_turns: Sequence[tuple[int, int]]


def open_work(
    connection: duckdb.DuckDBPyConnection, data: DataDir, published: Manifest | None
) -> tuple[duckdb.DuckDBPyConnection, str | None]:
    """Attach the work database to a connection; that, or another one, and why the file was replaced, None if not.

    An overlay has its base attached, and is of the newest schema; a whole database may be of an older one. A file that
    cannot be opened is moved aside and replaced by the newest snapshot, or by an empty database if there is none.
    Raises IndexBroken if a part of the index cannot be read and nothing can replace it, and IndexTooNew.
    """
    for leftover in _PARTS:
        remove_file(data.work.with_suffix(leftover))
    snapshot = _newest(data, published)
    if not data.work.exists():
        if snapshot is None:
            attach_work(connection, data.work)
        else:
            _restore(connection, data, snapshot)
        return connection, f"{data.work} does not exist" if snapshot is not None else None
    try:
        attach_work(connection, data.work)
        meta = meta_of(connection)
    except duckdb.Error as error:
        connection.close()
        if is_of_machine(error):
            # The file is not damaged if the disk is full or another process has it open.
            raise
        refuse_newer(error)
        set_aside(data, [data.work, data.work_log])
        # An error of the file may have made the instance unusable.
        connection = connect(data)
        if snapshot is None or not data.base(snapshot.base).exists():
            attach_work(connection, data.work)
        else:
            _restore(connection, data, snapshot)
        return connection, str(error).splitlines()[0]
    if int(meta.get("schema", 0)) > VERSION:
        # Before anything is written.
        connection.close()
        raise too_new(meta["schema"])
    if (base := base_of(meta)) is None:
        return connection, None
    is_behind = published is not None and published.base != base and published.batch >= int(meta["batch"])
    if snapshot is not None and (is_behind or int(meta["schema"]) < VERSION):
        # A process died after it had published a base, or the changes are of an older schema.
        detach_all(connection)
        _restore(connection, data, snapshot)
        return connection, None
    if not data.base(base).exists() and snapshot is not None and snapshot.base != base:
        detach_all(connection)
        _restore(connection, data, snapshot)
        return connection, f"{data.base(base)} does not exist"
    size = published.base_bytes if published is not None and published.base == base else 0
    try:
        attach_file(connection, data.base(base), "base", size)
    except (duckdb.Error, OSError, ValueError) as error:
        connection.close()
        if is_of_machine(error) or isinstance(error, PermissionError):
            raise
        raise _beyond_repair(data, error) from error
    return connection, None


def open_anew(data: DataDir, published: Manifest | None) -> duckdb.DuckDBPyConnection:
    """Move the databases of a broken index aside, and open an empty one that is marked as to be restored.

    It knows the vectors of the last snapshot, so that texts that have one get it again.
    """
    set_aside(data, [data.snapshots, data.work, data.work_log])
    data.snapshots.mkdir(parents=True, exist_ok=True)
    meta = {RESTORING: "1"}
    if published is not None:
        meta["batch"] = str(published.batch)
        if (vectors := published.vectors) is not None:
            meta |= {"model": vectors.model, "vectors": str(vectors.file), "dimension": str(vectors.dimension)}
    connection = connect(data)
    attach_work(connection, data.work)
    migrate(connection)
    rows = [list(meta), list(meta.values())]
    connection.execute("INSERT OR REPLACE INTO meta SELECT unnest(?), unnest(?)", rows)
    return connection


def set_aside(data: DataDir, paths: Sequence[Path]) -> Path | None:
    """Move files and folders of an index into a folder of their own, under the same names; None if there are none.

    Whoever dies meanwhile leaves some of them in their places, and the next one moves these into another folder.
    """
    present = [path for path in paths if path.exists()]
    if not present:
        return None
    data.broken.mkdir(parents=True, exist_ok=True)
    numbers = [int(path.name) for path in data.broken.iterdir() if path.name.isdigit()]
    folder = data.broken / str(max(numbers, default=0) + 1)
    for path in present:
        target = folder / path.relative_to(data.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, target)
    return folder


def make_overlay(connection: duckdb.DuckDBPyConnection, data: DataDir, base: int, carried: Carried) -> Path:
    """Write an empty overlay of a base to a file that can replace the work database; nothing may be attached."""
    part = data.work.with_suffix(".overlay")
    with new_overlay(connection, part, data, base, carried.meta):
        turns, batches = [turn for turn, _ in carried.dropped_turns], [batch for _, batch in carried.dropped_turns]
        connection.execute(
            "INSERT INTO dropped_turns SELECT unnest(?::INTEGER[]), unnest(?::INTEGER[])", [turns, batches]
        )
    fault_point("overlay-written")
    return part


def _newest(data: DataDir, published: Manifest | None) -> Manifest | None:
    """The newest snapshot: a base may be complete and not published, if a process died in between."""
    newest = newest_base(data)
    is_newer = newest is not None and (published is None or newest.batch > published.batch)
    return newest if is_newer else published


def _restore(connection: duckdb.DuckDBPyConnection, data: DataDir, snapshot: Manifest) -> None:
    """Make the work database from a snapshot and attach it: an overlay, but whole if the base is of an older schema."""
    try:
        attach_file(connection, data.base(snapshot.base), "base")
        meta = meta_of(connection, "base")
        connection.execute("DETACH base")
        if meta.get("schema") != str(VERSION):
            _restore_whole(connection, data, snapshot)
            return
        meta |= {"batch": str(snapshot.batch)}
        if (vectors := snapshot.vectors) is not None:
            meta |= {"model": vectors.model, "vectors": str(vectors.file), "dimension": str(vectors.dimension)}
        part = data.work.with_suffix(".restored")
        with new_overlay(connection, part, data, snapshot.base, meta):
            read_layers(connection, data, snapshot)
        fault_point("work-restored")
        _replace_work(connection, data, part)
        attach_file(connection, data.base(snapshot.base), "base")
    except (duckdb.Error, OSError, ValueError) as error:
        connection.close()
        if is_of_machine(error) or isinstance(error, PermissionError):
            raise
        raise _beyond_repair(data, error) from error


def _restore_whole(connection: duckdb.DuckDBPyConnection, data: DataDir, snapshot: Manifest) -> None:
    part = data.work.with_suffix(".restored")
    copy_atomically(data.base(snapshot.base), part)
    attach_work(connection, part)
    migrate(connection)
    apply_layers(connection, data, snapshot)
    connection.execute("CHECKPOINT")
    detach_all(connection)
    _replace_work(connection, data, part)


def _replace_work(connection: duckdb.DuckDBPyConnection, data: DataDir, part: Path) -> None:
    """Put a file in the place of the work database and attach it."""
    data.work_log.unlink(missing_ok=True)
    fault_point("work-log-removed")
    replace_file(part, data.work)
    attach_work(connection, data.work)


def _beyond_repair(data: DataDir, error: Exception) -> IndexBroken:
    return IndexBroken(damaged(data.path, error, beyond_repair=True))
