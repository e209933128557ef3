"""Databases of other programs are read as they are, and nothing beside them changes."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import Transcript, is_part
from memtui_core.readers.formats.databases import database_of
from memtui_core.readers.formats.sqlite import DatabaseListing, columns_of, opened, values_of
from support.databases import beside, made, program


@pytest.fixture
def database(tmp_path: Path) -> Path:
    script = "CREATE TABLE said (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO said VALUES (1, 'in the file');"
    return made(tmp_path / "home" / "said.db", script)


def said(path: Path) -> list[str]:
    with opened(path) as connection:
        return [row["text"] for row in connection.execute("SELECT text FROM said ORDER BY id")]


def read_untouched(path: Path) -> list[str]:
    """The rows of a database; its folder and the folder of temporary files are as before."""
    before, temporary = beside(path), sorted(Path(tempfile.gettempdir()).iterdir())
    rows = said(path)
    assert beside(path) == before
    assert sorted(Path(tempfile.gettempdir()).iterdir()) == temporary
    return rows


@pytest.fixture(autouse=True)
def _own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_closed_database_is_read_without_a_trace(database: Path, mode: str) -> None:
    with program(database, mode):
        pass
    assert list(beside(database)) == ["said.db"]
    assert read_untouched(database) == ["in the file"]


def test_what_is_only_in_the_log_of_a_running_program_is_read(database: Path) -> None:
    with program(database) as connection:
        connection.execute("INSERT INTO said VALUES (2, 'in the log')")
        assert set(beside(database)) == {"said.db", "said.db-shm", "said.db-wal"}
        assert read_untouched(database) == ["in the file", "in the log"]
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO said VALUES (3, 'not yet')")
        assert read_untouched(database) == ["in the file", "in the log"]
        connection.execute("COMMIT")
        assert read_untouched(database) == ["in the file", "in the log", "not yet"]


@pytest.mark.parametrize("lost", [(), ("-shm",)])
def test_the_log_of_a_program_that_crashed_is_read(database: Path, lost: tuple[str, ...]) -> None:
    with program(database) as connection:
        connection.execute("INSERT INTO said VALUES (2, 'in the log')")
        connection.crash()
    assert set(beside(database)) == {"said.db", "said.db-shm", "said.db-wal"}
    for suffix in lost:
        database.with_name(database.name + suffix).unlink()
    assert read_untouched(database) == ["in the file", "in the log"]


def test_a_half_written_change_of_a_program_that_crashed_is_not_read(database: Path) -> None:
    with program(database, "delete") as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("UPDATE said SET text = 'half done' WHERE id = 1")
        for number in range(10, 60):
            connection.execute("INSERT INTO said VALUES (?, ?)", [number, "x" * 3000])
        connection.crash()
    assert set(beside(database)) == {"said.db", "said.db-journal"}
    assert read_untouched(database) == ["in the file"]


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_locked_database_is_read(database: Path, mode: str) -> None:
    with program(database, mode) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("INSERT INTO said VALUES (2, 'not yet')")
        assert read_untouched(database) == ["in the file"]
        connection.execute("COMMIT")
        assert read_untouched(database) == ["in the file", "not yet"]


def test_a_database_that_a_program_keeps_for_itself_is_read(database: Path) -> None:
    with program(database) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("INSERT INTO said VALUES (2, 'in the log')")
        assert read_untouched(database) == ["in the file", "in the log"]


@pytest.mark.parametrize("always", [False, True])
def test_a_copy_is_made_again_if_a_program_wrote_meanwhile(
    database: Path, monkeypatch: pytest.MonkeyPatch, always: bool
) -> None:
    with program(database) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("INSERT INTO said VALUES (2, 'in the log')")
        copy_file, copied = shutil.copyfile, []

        def copy_and_write(source: Path, target: Path) -> None:
            copy_file(source, target)
            copied.append(source)
            if always or len(copied) == 1:
                # What was only in the log is now in the file, which was already copied, and the log starts again.
                connection.execute("PRAGMA wal_checkpoint(RESTART)")
                connection.execute("INSERT INTO said (text) VALUES ('meanwhile')")

        monkeypatch.setattr(shutil, "copyfile", copy_and_write)
        if always:
            with pytest.raises(SourceUnreadable, match="a program wrote to the database while it was read"):
                said(database)
        else:
            assert said(database) == ["in the file", "in the log", "meanwhile"]


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_program_can_write_while_the_database_is_read(database: Path, mode: str) -> None:
    with program(database, mode) as connection:
        connection.execute("INSERT INTO said VALUES (2, 'before')")
        with opened(database) as reading:
            assert reading.execute("SELECT count(*) FROM said").fetchone()[0] == 2
            connection.execute("INSERT INTO said VALUES (3, 'meanwhile')")
            if mode == "wal":
                assert reading.execute("SELECT count(*) FROM said").fetchone()[0] == 2
        assert said(database) == ["in the file", "before", "meanwhile"]


def test_a_link_to_a_database_has_the_log_of_its_target(database: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(database)
    with program(database) as connection:
        connection.execute("INSERT INTO said VALUES (2, 'in the log')")
        assert said(link) == ["in the file", "in the log"]
    assert not list(tmp_path.glob("link.db-*"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no database, though long enough to be taken for one" * 40, "file is not a database"),
        (b"SQLite format 3\x00" + bytes(100), "file is not a database"),
        (None, "database disk image is malformed"),
        (b"", "no such table: said"),
    ],
)
def test_a_damaged_database_is_an_error_with_its_name(database: Path, content: bytes | None, reason: str) -> None:
    whole = database.read_bytes()
    half = whole[:4096] + b"\xff" * 4096
    database.write_bytes(half if content is None else content)
    with pytest.raises(SourceUnreadable) as caught:
        said(database)
    assert str(caught.value) == f"{database}: {reason}"


def test_a_damaged_log_costs_only_what_is_in_it(database: Path) -> None:
    with program(database):
        pass
    database.with_name("said.db-wal").write_bytes(b"no log" * 1000)
    assert read_untouched(database) == ["in the file"]


def test_a_folder_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.db"):
        with pytest.raises(SourceUnreadable) as caught:
            said(path)
        assert str(caught.value).startswith(f"{path}: ")
    assert not (tmp_path / "missing.db").exists()


def test_an_error_in_the_block_names_the_database(database: Path) -> None:
    with pytest.raises(SourceUnreadable, match=r"said\.db: no such table: heard"), opened(database) as connection:
        connection.execute("SELECT * FROM heard")


def test_nothing_can_be_written(database: Path) -> None:
    with program(database) as connection:
        for text in ("in the file", "in the log"):
            with pytest.raises(SourceUnreadable, match="readonly database"), opened(database) as reading:
                reading.execute("DELETE FROM said")
            connection.execute("INSERT INTO said (text) VALUES (?)", [text])
    assert len(said(database)) == 3


def test_texts_that_are_not_utf8_are_read(database: Path) -> None:
    with program(database, "delete") as connection:
        connection.execute("UPDATE said SET text = CAST(x'61ff62' AS TEXT)")
    assert said(database) == ["a\ufffdb"]


def test_columns_and_values(database: Path) -> None:
    with opened(database) as connection:
        assert columns_of(connection, "said") == {"id", "text"}
        assert columns_of(connection, "heard; DROP TABLE said") == set()
        row = connection.execute("SELECT id, text, x'00ff' AS raw FROM said").fetchone()
        assert values_of(row) == {"id": 1, "text": "in the file", "raw": b"\x00\xff"}


def test_names(tmp_path: Path) -> None:
    path = tmp_path / "said.db"
    for suffix in ("", "-wal", "-shm", "-journal"):
        assert database_of(tmp_path / f"said.db{suffix}") == path
    assert [is_part(value) for value in ("a", "a/b c", "", "a#b", None, 1, b"a")] == [True, True] + [False] * 5


def test_a_list_of_sessions_is_made_only_when_the_database_changed(database: Path) -> None:
    made = []

    def sessions(connection: sqlite3.Connection, path: Path) -> list[Transcript]:
        rows = connection.execute("SELECT count(*), max(id) FROM said").fetchone()
        made.append(tuple(rows))
        return [Transcript("agent", path, rows[0], rows[1], "all")]

    listing = DatabaseListing(sessions)

    def sizes() -> list[int]:
        return [transcript.size for transcript in listing.transcripts(database)]

    assert (sizes(), sizes(), made) == ([1], [1], [(1, 1)])
    with program(database) as connection:
        made.clear()
        sizes()
        made.clear()
        connection.execute("INSERT INTO said VALUES (2, 'in the log')")
        assert (sizes(), sizes(), made) == ([2], [2], [(2, 2)])
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert database.with_name("said.db-wal").stat().st_size == 0
        sizes()
        made.clear()
    database.with_name("said.db-wal").touch()
    assert (sizes(), made) == ([2], [])
    database.with_name("said.db-wal").unlink()
    assert (sizes(), made) == ([2], [])
    database.unlink()
    assert sizes() == []


def test_a_list_that_could_not_be_made_is_made_again(database: Path) -> None:
    listing = DatabaseListing(lambda connection, path: [Transcript("agent", path, 1, 1, "all")])
    whole = database.read_bytes()
    database.write_bytes(b"half a copy" * 100)
    listing_of_rows = DatabaseListing(
        lambda connection, path: [
            Transcript("agent", path, row[0], 1, "all") for row in connection.execute("SELECT count(*) FROM said")
        ]
    )
    with pytest.raises(SourceUnreadable):
        listing_of_rows.transcripts(database)
    database.write_bytes(whole)
    assert [one.size for one in listing_of_rows.transcripts(database)] == [1]
    assert [one.size for one in listing.transcripts(database)] == [1]
