"""Read all of an index, to find what is damaged: every block, line and record, with their checksums."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

# The engine without its Python package, which takes longer to import.
import _duckdb

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot import journal
from memtui_core.store.snapshot.layers import attach_file
from memtui_core.store.snapshot.manifest import Manifest, read_manifest
from memtui_core.system.failures import is_of_machine

WORK: Final = "work database"
BASE: Final = "base"
DELTA: Final = "delta"
JOURNAL: Final = "journal"
MANIFEST: Final = "manifest"
LEXICON: Final = "lexicon"
VECTORS: Final = "vectors"
ARCHIVE: Final = "archive"


class Damage(NamedTuple):
    """A part of an index that cannot be read."""

    part: str
    path: Path
    reason: str
    """In one line, without the path."""


def check_index(data: DataDir) -> Iterator[Damage]:
    """All damage in an index, as it is found. Raises OSError, and IndexTooNew; what is missing is no damage.

    A work database that an indexer has open is left out.
    """
    published = read_manifest(data)
    if data.work.exists():
        yield from _database(WORK, data.work)
    if published is None:
        if data.current.exists():
            yield Damage(MANIFEST, data.current, "it names no snapshot")
    else:
        yield from _snapshot(data, published)
        yield from _vectors(data, published)
    yield from _lexicon(data)
    yield from _archives(data)


def _snapshot(data: DataDir, published: Manifest) -> Iterator[Damage]:
    yield from _database(BASE, data.base(published.base), published.base_bytes)
    if published.delta is not None:
        yield from _database(DELTA, data.delta(published.delta), published.delta_bytes)
    if published.journal is not None:
        path = data.journal(published.journal)
        try:
            journal.read(path, published.journal_bytes)
        except (FileNotFoundError, ValueError) as error:
            yield Damage(JOURNAL, path, _reason(error))


def _database(part: str, path: Path, size: int = 0) -> Iterator[Damage]:
    """The damage of a database, of which the rows of all tables are read."""
    with closing(_duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "200MB"})) as connection:
        try:
            attach_file(connection, path, "checked", size)
            tables = connection.execute(
                "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'checked'"
            ).fetchall()
            for schema, table in tables:
                connection.execute(f"SELECT bit_xor(hash(t)) FROM checked.{schema}.{table} t").fetchall()
        except (_duckdb.Error, FileNotFoundError, ValueError) as error:
            if is_of_machine(error):
                if "Could not set lock" in str(error):
                    return
                raise
            yield Damage(part, path, _reason(error))


def _vectors(data: DataDir, published: Manifest) -> Iterator[Damage]:
    from memtui_core.store.vectors import checksums

    entry = published.vectors
    if entry is None or not entry.size or data.wide_vectors(entry.file).exists():
        return
    paths = data.vectors(entry.file), data.vector_keys(entry.file)
    sums = checksums.read(data, entry.file)
    try:
        checksums.extended(data, entry.file, entry.dimension, None, entry.size)
        if sums is not None and checksums.extended(data, entry.file, entry.dimension, None, sums.size) != sums:
            yield Damage(VECTORS, paths[0], "their checksum is another")
    except (FileNotFoundError, EOFError) as error:
        yield Damage(VECTORS, paths[0], _reason(error))


def _lexicon(data: DataDir) -> Iterator[Damage]:
    from memtui_core.store.lexicon.checksums import damaged_files

    # An indexer may merge files meanwhile.
    with suppress(FileNotFoundError):
        for path, reason in damaged_files(data.lexicon):
            yield Damage(LEXICON, path, reason)


def _archives(data: DataDir) -> Iterator[Damage]:
    from memtui_core.store.archive.records import RecordFile

    for path in sorted(data.archive.glob("*.records")):
        health = RecordFile(path).check()
        if health.damaged:
            yield Damage(ARCHIVE, path, f"{health.damaged} of {health.damaged + health.records} records are damaged")


def _reason(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".!")
