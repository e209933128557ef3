"""Indexes of every earlier schema, made by the migrations up to it: all rows are there after the upgrade."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from conftest import SAMPLES
from memtui_core.errors import IndexTooNew
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.mending import mend
from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import MIGRATIONS, VERSION
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import COLUMNS, TableRows, stored_columns
from memtui_core.store.work.connection import insert
from support.indexes import update
from support.table_values import index_values

SINCE = {"chunks": 3, "reviews": 5, "review_items": 5, "forks": 5, "unknown_entries": 6, "facts": 7}
"""The first schema with all columns of a table; the others are in each."""
MADE_AGAIN = {"facts"}
"""Tables that are made of the others if they are not there."""


def write_earlier(path: Path, schema: int, rows: Snapshot) -> None:
    """A whole database of a schema, with the rows of an index as far as it has their tables."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(";".join(MIGRATIONS[:schema]))
        connection.execute(
            f"INSERT INTO meta VALUES ('schema', '{schema}'); UPDATE meta SET value = '7' WHERE key = 'batch'"
        )
        for table in COLUMNS:
            if schema >= SINCE.get(table, 1) and table != "chunks":
                found = rows.rows(f"SELECT {stored_columns(table)} FROM {table}")
                insert(connection, table, TableRows.of(found))


@pytest.mark.parametrize("place", ["work database", "snapshot"])
@pytest.mark.parametrize("schema", range(1, VERSION + 1))
def test_an_index_of_an_earlier_schema_keeps_its_rows(
    schema: int, place: str, sample_index: Path, tmp_path: Path
) -> None:
    """As a work database that was never published, and as a snapshot without one, which readers open before."""
    data = DataDir(tmp_path)
    data.snapshots.mkdir()
    write_earlier(data.work if place == "work database" else data.base(7), schema, Snapshot(DataDir(sample_index)))
    if place == "snapshot":
        data.current.write_text("7")
        assert len(Index.open(tmp_path).sessions.all()) == len(Index.open(sample_index).sessions.all())
    counts = update(tmp_path, SAMPLES)
    kept = {table for table in COLUMNS if schema >= SINCE.get(table, 1) or table in MADE_AGAIN} - {"chunks"}
    before, after = index_values(sample_index), index_values(tmp_path)
    assert {table: after[table] for table in kept} == {table: before[table] for table in kept}
    assert {table for table in set(COLUMNS) - kept if after[table]} == set()
    assert counts.files_read == 0
    found = {query: len(Index.open(tmp_path).search(query).hits) for query in ("rounding", "retry")}
    assert found == {query: len(Index.open(sample_index).search(query).hits) for query in found}


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "indexer.lock"}


@pytest.mark.parametrize("place", ["work database", "manifest", "format of the work database", "format of the base"])
def test_an_index_of_a_newer_version_is_refused_before_anything_is_written(place: str, tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    update(tmp_path, SAMPLES)
    if place == "work database":
        with duckdb.connect(str(data.work)) as connection:
            connection.execute(f"UPDATE meta SET value = '{VERSION + 1}' WHERE key = 'schema'; CHECKPOINT")
    elif place == "manifest":
        text = data.current.read_text().partition(', "crc"')[0]
        data.current.write_text(text.replace(f'"schema": {VERSION}', f'"schema": {VERSION + 1}, "new": 1') + "}")
    else:
        write_newer_format(data.work if place == "format of the work database" else data.base(1))
    before = contents(tmp_path)
    with pytest.raises(IndexTooNew, match="Update memtui"):
        Indexer(tmp_path)
    assert contents(tmp_path) == before
    if place in ("manifest", "format of the base"):
        with pytest.raises(IndexTooNew, match="Update memtui"):
            Index.open(tmp_path)
        with pytest.raises(IndexTooNew, match="Update memtui"):
            mend(data)
        assert not data.damage.exists()


def write_newer_format(path: Path) -> None:
    """Give a database the number of a later format, with the checksum of its first block (`checksum.cpp` of DuckDB)."""
    block = bytearray(path.read_bytes()[:4096])
    assert block[8:12] == b"DUCK"
    block[12:20] = (999).to_bytes(8, "little")
    checksum = 5381
    for place in range(8, len(block), 8):
        checksum ^= int.from_bytes(block[place : place + 8], "little") * 0xBF58476D1CE4E5B9 % 2**64
    block[:8] = checksum.to_bytes(8, "little")
    with path.open("r+b") as file:
        file.write(block)
