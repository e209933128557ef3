from __future__ import annotations

import hashlib
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import duckdb
import pytest

from memtui_core.errors import IndexBroken, IndexMissing, IndexTooNew
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.store import schema
from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import MIGRATIONS, VERSION, migrate, version_of
from memtui_core.store.snapshot import publisher, reader
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.tables import REMOVED_TABLES, TableRows
from memtui_core.store.work import opening, overlay
from memtui_core.store.work.connection import insert
from memtui_core.store.work.database import WorkDatabase
from support.dying import Processes
from support.indexes import build, update, whole_turns
from support.publishing import update_and_die_after
from support.transcripts import SESSION, Script


def script(*texts: str) -> Script:
    made = Script()
    for text in texts:
        made.user(text)
        made.says(f"answer to {text}")
    return made


def base_of(data_dir: Path) -> Path:
    """The newest base."""
    manifest = read_manifest(DataDir(data_dir))
    assert manifest is not None
    return DataDir(data_dir).base(manifest.base)


def tables(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str, str]]:
    return connection.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
    ).fetchall()


@pytest.mark.spec("S2.12")
def test_a_fresh_index_has_the_newest_schema_and_migrating_again_does_nothing() -> None:
    connection = duckdb.connect()
    assert (version_of(connection), migrate(connection)) == (0, len(MIGRATIONS))
    schema = tables(connection)
    assert (version_of(connection), migrate(connection)) == (VERSION, 0)
    assert tables(connection) == schema


@pytest.mark.spec("S4.25")
def test_an_older_index_keeps_its_data_when_the_schema_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = script("q", "w").write(tmp_path / "src")
    update(tmp_path, source)
    before = Index.open(tmp_path)
    (session,) = before.sessions.all()
    assert (session.root, session.project) == ("/home/ana/code/shop", "shop")
    turns = whole_turns(before, session.session_id)
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, "ALTER TABLE turns ADD COLUMN mood VARCHAR"))
    monkeypatch.setattr(schema, "VERSION", VERSION + 1)
    for module in (reader, opening, overlay, publisher):
        monkeypatch.setattr(module, "VERSION", VERSION + 1)
    update(tmp_path, source)
    after = Index.open(tmp_path)
    assert (after.sessions.all(), whole_turns(after, session.session_id)) == ([session], turns)
    with duckdb.connect(str(base_of(tmp_path)), read_only=True) as connection:
        assert version_of(connection) == VERSION + 1
        assert connection.execute("SELECT DISTINCT mood FROM turns").fetchall() == [(None,)]


_VALUES = {
    "INTEGER": "n",
    "BIGINT": "n * 1000000007",
    "VARCHAR": "'value ' || n",
    "BOOLEAN": "n % 2 = 0",
    "DOUBLE": "n / 2",
    "TIMESTAMP": "make_timestamp(n * 1000000)",
    "VARCHAR[]": "['one', 'value ' || n]",
}
"""An expression of each type; `n` is the number of the row."""


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Three rows in each table but that of the schema's number."""
    columns: dict[str, list[str]] = {}
    for table, _, kind in connection.execute(
        "SELECT table_name, column_index, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
    ).fetchall():
        columns.setdefault(table, []).append(_VALUES[kind])
    for table, values in columns.items():
        if table != "meta":
            connection.execute(f"INSERT INTO {table} SELECT {', '.join(values)} FROM range(1, 4) r(n)")


def held(connection: duckdb.DuckDBPyConnection, columns: dict[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of each table, by some of its columns."""
    return {
        table: connection.execute(f"SELECT {names} FROM {table} ORDER BY ALL").fetchall()
        for table, names in columns.items()
    }


@pytest.mark.spec("S2.12", "S4.25")
@pytest.mark.parametrize("version", range(1, VERSION))
def test_every_row_of_every_older_schema_is_kept(version: int, tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    with duckdb.connect(str(data.work)) as connection:
        for number in range(version):
            connection.execute(MIGRATIONS[number])
        connection.execute("INSERT INTO meta VALUES ('schema', ?), ('other', 'kept')", [str(version)])
        fill(connection)
        columns = dict(
            connection.execute(
                "SELECT table_name, string_agg(column_name, ', ' ORDER BY column_index) FROM duckdb_columns()"
                " WHERE NOT internal AND table_name <> 'meta' GROUP BY table_name ORDER BY table_name"
            ).fetchall()
        )
        # What an older version computed from the transcripts is computed anew.
        columns = {table: names for table, names in columns.items() if table not in REMOVED_TABLES}
        before = held(connection, columns)
    assert {len(rows) for rows in before.values()} == {3}
    work = WorkDatabase(data)
    try:
        assert held(work.connection, columns) == before
        assert work.rows("turns", "TRUE", [])[0][8] == "value 1"
        meta = dict(work.connection.execute("SELECT key, value FROM meta").fetchall())
        assert meta == {"schema": str(VERSION), "batch": "0", "other": "kept"}
        fresh = duckdb.connect()
        migrate(fresh)
        assert tables(work.connection) == tables(fresh)
    finally:
        work.close()


def test_an_index_of_a_newer_memtui_is_left_alone(tmp_path: Path) -> None:
    update(tmp_path, script("q").write(tmp_path / "src"))
    with duckdb.connect(str(DataDir(tmp_path).work)) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", [str(VERSION + 1)])
    with pytest.raises(IndexTooNew, match="Update memtui"):
        Indexer(tmp_path)
    assert Index.open(tmp_path).statistics.of_index().turns == 1


def test_text_is_compressed(tmp_path: Path) -> None:
    update(tmp_path, script("the same words again and again " * 2000).write(tmp_path / "src"))
    with duckdb.connect(str(base_of(tmp_path)), read_only=True) as connection:
        kinds = connection.execute(
            "SELECT DISTINCT compression FROM pragma_storage_info('blocks')"
            " WHERE column_name = 'text' AND segment_type = 'VARCHAR'"
        ).fetchall()
    assert kinds == [("ZSTD",)]


def test_nothing_indexed_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="memtui index"):
        Index.open(tmp_path)


def test_a_snapshot_that_is_published_while_somebody_opens_the_index_is_read(tmp_path: Path) -> None:
    build(tmp_path, script("one").write(tmp_path / "src"))
    looks = list[str]()

    class NotYetPublished(DataDir):
        """An index whose first snapshot comes just after the first look."""

        @property
        def current(self) -> Path:
            looks.append("")
            return super().current if len(looks) > 1 else self.path / "missing"

    snapshot = reader.Snapshot(NotYetPublished(tmp_path))
    assert snapshot.rows("SELECT user_text FROM turns") == [("one",)]
    snapshot.close()


def test_a_reader_keeps_its_snapshot_until_it_takes_the_next(tmp_path: Path) -> None:
    path = script("one").write(tmp_path / "src")
    index = build(tmp_path / "data", path)
    assert not index.refresh()
    script("one", "two").write(tmp_path / "src")
    update(tmp_path / "data", path)
    assert [t.user_text for t, _ in whole_turns(index, SESSION)] == ["one"]
    assert [hit.turn for hit in index.search("two").hits] == []
    assert index.refresh()
    assert [t.user_text for t, _ in whole_turns(index, SESSION)] == ["one", "two"]
    assert [hit.turn for hit in index.search("two").hits] == [2]


def test_an_empty_place_makes_an_empty_index(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    index = build(tmp_path / "data", tmp_path / "src")
    assert (
        index.sessions.projects(),
        index.sessions.all(),
        index.search("x").hits,
        index.statistics.of_index().turns,
    ) == ([], [], (), 0)


def test_a_broken_work_file_is_replaced_by_the_last_snapshot(tmp_path: Path) -> None:
    path = script("one").write(tmp_path / "src")
    update(tmp_path / "data", path)
    DataDir(tmp_path / "data").work.write_bytes(b"not a database")
    with Indexer(tmp_path / "data") as indexer:
        assert indexer.work.restore_reason is not None
        for _ in indexer.update([Location("claude-code", path)]):
            pass
        assert (indexer.counts.files_read, indexer.counts.documents_written) == (0, 1)
    index = Index.open(tmp_path / "data")
    assert [t.user_text for t, _ in whole_turns(index, SESSION)] == ["one"]
    assert [hit.turn for hit in index.search("one").hits] == [1]


def test_a_broken_work_file_without_a_snapshot_is_built_anew(tmp_path: Path) -> None:
    path = script("one").write(tmp_path / "src")
    data = DataDir(tmp_path / "data")
    data.path.mkdir()
    data.work.write_bytes(b"not a database")
    assert [hit.turn for hit in build(data.path, path).search("one").hits] == [1]


def test_a_broken_snapshot_is_a_clear_error(tmp_path: Path) -> None:
    update(tmp_path, script("q").write(tmp_path / "src"))
    data = DataDir(tmp_path)
    manifest = read_manifest(data)
    assert manifest is not None
    data.base(manifest.base).write_bytes(b"junk")
    with pytest.raises(IndexBroken, match="is damaged"):
        Index.open(tmp_path)


def test_a_lost_lexicon_is_built_again_from_the_store(tmp_path: Path) -> None:
    path = script("one", "two").write(tmp_path / "src")
    update(tmp_path / "data", path)
    for file in DataDir(tmp_path / "data").lexicon.iterdir():
        file.unlink()
    counts = update(tmp_path / "data", path)
    assert (counts.files_read, counts.documents_written, counts.snapshots) == (0, 2, 1)
    assert [hit.turn for hit in Index.open(tmp_path / "data").search("two").hits] == [2]


@pytest.mark.parametrize(
    "after", ["read", "link", "catch_up", "replace_file", "make_overlay", "write_manifest", "tidy"]
)
def test_killed_at_any_step_the_next_run_completes_the_work(after: str, processes: Processes, tmp_path: Path) -> None:
    """The child dies without any clean-up right after one step of a batch."""
    path = script("one", "two").write(tmp_path / "src")
    assert processes.run(update_and_die_after, after, tmp_path / "data", path) == 9
    counts = update(tmp_path / "data", path)
    index = Index.open(tmp_path / "data")
    assert [t.user_text for t, _ in whole_turns(index, SESSION)] == ["one", "two"]
    assert [hit.turn for hit in index.search("two").hits] == [2]
    # Nothing is read again that was committed, whatever file it was in.
    assert counts.files_read == (1 if after == "read" else 0)
    files = {file.relative_to(tmp_path / "data") for file in (tmp_path / "data").rglob("*") if file.suffix != ".del"}
    kept = {
        "snapshots",
        "snapshots/CURRENT",
        f"snapshots/{index.snapshot.manifest.base}.duckdb",
        "work.duckdb",
        "lexicon",
    }
    kept |= {"indexer.lock", "progress.json", "completion.json", "digest.json", "mended.json", "readers"}
    [project] = (tmp_path / "data" / "touched").glob("*.json.z")
    kept |= {"touched", "touched/folders.json", f"touched/{project.name}"}
    assert {str(file) for file in files if file.parent != Path("lexicon")} == kept


def test_many_readers_beside_a_writer(tmp_path: Path) -> None:
    path = script("one").write(tmp_path / "src")
    update(tmp_path / "data", path)
    code = f"""
        from pathlib import Path
        from memtui_core.index.index import Index
        index = Index.open(Path({str(tmp_path / "data")!r}))
        print([hit.turn for hit in index.search("one").hits])
    """
    with Indexer(tmp_path / "data") as indexer:
        runs = [
            subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
            for _ in range(3)
        ]
        script("one", "two").write(tmp_path / "src")
        for _ in indexer.update([Location("claude-code", path)]):
            pass
        assert [run.communicate()[0] for run in runs] == ["[1]\n"] * 3


def test_rows_keep_nulls_lists_and_times(tmp_path: Path) -> None:
    work = WorkDatabase(DataDir(tmp_path))
    row = (1, 2, 3, 4, 5, 6, "human", 0, "text", "a\x1fb", "", 1_000_000, None, 0, 0, 0, 0, 1, 0, True, 1)
    insert(work.connection, "turns", TableRows.of([row]))
    insert(work.connection, "turns", TableRows())
    found = work.connection.execute("SELECT tool_summary, models, epoch_us(started_at), ended_at FROM turns").fetchall()
    assert found == [(["a", "b"], [], 1_000_000, None)]
    work.close()


def test_an_indexer_that_waits_keeps_little_of_the_database_in_memory(tmp_path: Path) -> None:
    def held(work: WorkDatabase) -> dict[str, int]:
        rows = work.connection.execute("SELECT tag, memory_usage_bytes FROM duckdb_memory()").fetchall()
        return {tag: size for tag, size in rows if size}

    data = DataDir(tmp_path)
    with Indexer(tmp_path) as indexer:
        texts = [f"{number} {hashlib.sha256(b'%d' % number).hexdigest() * 40}" for number in range(4000)]
        indexer.work.connection.execute("CREATE TABLE padding (text VARCHAR)")
        indexer.work.connection.execute("INSERT INTO padding SELECT unnest(?)", [texts])
        log = data.work.with_suffix(".duckdb.wal")
        assert log.stat().st_size > 4_000_000
        assert sum(held(indexer.work).values()) > 8_000_000
        indexer.tidy()
        assert not log.exists() or log.stat().st_size < 1_000_000
        assert sum(held(indexer.work).values()) < 1_000_000
        [(limit,)] = indexer.work.connection.execute("SELECT current_setting('memory_limit')").fetchall()
        assert limit == "190.7 MiB"
        assert indexer.work.connection.execute("SELECT count(*), max(text) FROM padding").fetchall() == [
            (4000, max(texts))
        ]
