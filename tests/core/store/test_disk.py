"""What an index takes on the disk: each text once, and nothing that no snapshot needs."""

from __future__ import annotations

import random
import re
from pathlib import Path

import duckdb
import pytest

from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.turns.turn_facts import RULES
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot import databases, publisher
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.work.database import WorkDatabase
from memtui_core.text.redaction import rules_in_use
from support.dying import Processes
from support.indexes import update
from support.publishing import (
    Folder,
    Letters,
    bring_up_to_date,
    make_whole,
    manifest_of,
    published_contents,
    put_into_one_file_and_die,
    work_contents,
)
from support.stages import Stage
from support.transcripts import Script

ENTROPY = 400_000
"""Bytes of a text that cannot be compressed; as digits it is twice as long."""
_PROJECT = re.compile(r"(?<=^touched/)[0-9a-f]{8}-[0-9a-f]{16}(?=\.json\.z$)")
"""What the file of a project is called."""


def noise(seed: int, size: int = ENTROPY) -> str:
    """A text of one word, which is too long for the keyword index, and which compresses to `size` bytes."""
    return random.Random(seed).randbytes(size).hex()


def transcript(*texts: str) -> Script:
    script = Script()
    for text in texts:
        script.user("Please look at it")
        script.says(text)
    return script


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def names(data: DataDir) -> set[str]:
    """The files of an index but those of the keyword index."""
    files = (path for path in data.path.rglob("*") if path.is_file() and data.lexicon not in path.parents)
    return {_PROJECT.sub("PROJECT", path.relative_to(data.path).as_posix()) for path in files}


def at_rest(data: DataDir, *others: str) -> set[str]:
    """The files of an index of which all is in the base."""
    base = f"snapshots/{manifest_of(data.path).base}.duckdb"
    small = {"progress.json", "completion.json", "digest.json", "mended.json", "indexer.lock"}
    touched = {"touched/folders.json", "touched/PROJECT.json.z"}
    return {base, "snapshots/CURRENT", "work.duckdb", *small, *touched, *others}


def test_after_indexing_each_text_is_on_the_disk_once(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    update(data.path, transcript(*(noise(seed) for seed in range(3))).write(tmp_path / "src"))
    # Databases have 0.5 MB of their own.
    assert 3 * ENTROPY < size_of(data.path) < 3 * ENTROPY + 700_000
    assert size_of(data.lexicon) < 20_000
    assert data.work.stat().st_size < 200_000
    assert names(data) == at_rest(data)


def test_what_was_added_later_is_not_kept_three_times(tmp_path: Path) -> None:
    data, script = DataDir(tmp_path / "data"), transcript(noise(0))
    update(data.path, script.write(tmp_path / "src"))
    for seed in range(1, 6):
        script.user("And this")
        script.says(noise(seed))
        update(data.path, script.write(tmp_path / "src"))
    assert 6 * ENTROPY < size_of(data.path) < 7 * ENTROPY + 700_000
    assert [row[0] for row in Snapshot(data).rows("SELECT count(*) FROM turns")] == [6]


def test_a_small_change_leaves_the_base_and_an_unchanged_history_every_file(tmp_path: Path) -> None:
    data, script = DataDir(tmp_path / "data"), transcript(noise(0), "done")
    path = script.write(tmp_path / "src")
    update(data.path, path)

    def stamps() -> dict[str, tuple[int, int, int]]:
        files = (
            file for file in data.path.rglob("*") if file.is_file() and file.name not in {"progress.json", "readers"}
        )
        return {
            str(file.relative_to(data.path)): (file.stat().st_ino, file.stat().st_size, file.stat().st_mtime_ns)
            for file in files
        }

    before, base = stamps(), f"snapshots/{manifest_of(data.path).base}.duckdb"
    update(data.path, path)
    assert stamps() == before
    script.user("And the tests")
    script.write(tmp_path / "src")
    update(data.path, path)
    after = stamps()
    assert after[base] == before[base]
    assert {name for name in after if name.endswith(".journal")} == {"snapshots/1.journal"}
    written = {name for name in after if after[name] != before.get(name)} - {"snapshots/1.journal"}
    assert sum(after[name][1] for name in written if not name.startswith("lexicon/")) < 300_000


def test_files_that_a_process_left_when_it_died_are_removed(tmp_path: Path) -> None:
    data, script = DataDir(tmp_path / "data"), transcript("one")
    path = script.write(tmp_path / "src")
    update(data.path, path)
    kept = names(data)
    for name in (
        "work.overlay", "work.overlay.wal", "work.restored", "work.rewritten", "work.rewritten.wal",
        "snapshots/9.duckdb.part", "snapshots/9.duckdb.part.wal", "snapshots/9.delta.duckdb", "snapshots/9.journal",
    ):  # fmt: skip
        (data.path / name).write_bytes(b"left")
    update(data.path, path)
    assert names(data) == kept


def test_a_file_with_much_unused_space_is_written_anew(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    work = WorkDatabase(data)
    with work.transaction():
        work.put("agent_calls", [(1, 1, f"t{number}", None, None, noise(number, 2000), None) for number in range(400)])
    work.checkpoint()
    with work.transaction():
        work.drop("agent_calls", [1])
        work.put("agent_calls", [(1, 2, f"t{number}", None, None, noise(number, 2000), None) for number in range(10)])
    work.begin_batch()
    work.write_batch()
    publisher.Publisher(work).publish(None)
    assert published_contents(tmp_path) == work_contents(work.connection)
    assert len(published_contents(tmp_path)["agent_calls"]) == 10
    assert data.base(1).stat().st_size < 700_000
    work.close()


# An index of an earlier version, whose work database has everything


@pytest.mark.parametrize("seed", [3, 4])
def test_an_index_of_before_becomes_one_that_has_everything_once(seed: int, tmp_path: Path) -> None:
    data, folder = DataDir(tmp_path / "data"), Folder(tmp_path / "src", seed)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder.path)
        for _ in range(4):
            folder.step()
            bring_up_to_date(indexer, folder.path)
    make_whole(data.path)
    assert manifest_of(data.path).journal is not None
    before = published_contents(data.path)
    with Indexer(data.path) as indexer:
        assert (indexer.work.base, work_contents(indexer.work.connection)) == (None, before)
        bring_up_to_date(indexer, folder.path)
        assert indexer.counts.files_read == 0
    assert published_contents(data.path) == before
    assert names(data) == at_rest(data, *(["readers"] if data.readers.exists() else []))
    with Indexer(data.path) as indexer:
        assert indexer.work.base == manifest_of(data.path).base
        assert work_contents(indexer.work.connection) == before
        for _ in range(3):
            folder.step()
            bring_up_to_date(indexer, folder.path, Letters())
            assert published_contents(data.path) == work_contents(indexer.work.connection)


def test_an_index_of_before_with_changes_goes_on_where_it_was(tmp_path: Path) -> None:
    data, script = DataDir(tmp_path / "data"), transcript("one")
    path = script.write(tmp_path / "src")
    update(data.path, path)
    make_whole(data.path)
    script.user("And the tests")
    script.write(tmp_path / "src")
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, path)
        assert indexer.counts.files_read == 1
        assert published_contents(data.path) == work_contents(indexer.work.connection)
    assert len(published_contents(data.path)["turns"]) == 2
    assert names(data) == at_rest(data)


@pytest.fixture(scope="module")
def of_before(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """An index of an earlier version, with three changes."""

    def make(data: Path, source: Path) -> None:
        folder = Folder(source, 5)
        with Indexer(data) as indexer:
            bring_up_to_date(indexer, source)
            for _ in range(3):
                folder.step()
                bring_up_to_date(indexer, source)
        make_whole(data)

    return Stage(tmp_path_factory.mktemp("before"), make)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["checkpoint", "replace_file", "make_overlay", "write_manifest", "rewrite", "rebase"])
def test_killed_while_everything_is_put_into_one_file(
    step: str, when: str, of_before: Stage, processes: Processes, tmp_path: Path
) -> None:
    data = DataDir(tmp_path / "data")
    folder = of_before.begin(data.path)
    assert processes.run(put_into_one_file_and_die, step, when, data.path, folder) == 9
    assert published_contents(data.path) == of_before.contents
    assert update(data.path, folder).files_read == 0
    assert published_contents(data.path) == of_before.contents
    # A journal may be left, but no base that is not in use.
    assert names(data) - {"readers", "snapshots/1.journal", "work.duckdb.wal"} == at_rest(data)


def test_a_change_that_was_not_published_is_not_read_again(tmp_path: Path) -> None:
    """A process dies after it has committed a change to the overlay."""
    data, script = DataDir(tmp_path / "data"), transcript("one")
    path = script.write(tmp_path / "src")
    update(data.path, path)
    script.user("And the tests")
    script.write(tmp_path / "src")

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(publisher.Publisher, "publish", fails)
        with pytest.raises(OSError, match="No space"):
            update(data.path, path)
    assert len(published_contents(data.path)["turns"]) == 1
    with Indexer(data.path) as again:
        bring_up_to_date(again, path)
        assert again.counts.files_read == 0
        assert len(published_contents(data.path)["turns"]) == 2
        assert published_contents(data.path) == work_contents(again.work.connection)


def test_the_base_of_a_snapshot_is_a_database_of_its_own(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    update(data.path, transcript("one").write(tmp_path / "src"))
    manifest = read_manifest(data)
    assert manifest is not None
    with duckdb.connect(str(data.base(manifest.base)), read_only=True) as connection:
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        blocks = connection.execute("SELECT block_size FROM pragma_database_size()").fetchall()
    done = {"outside_files": "all", "created_links": "1", "facts_by": RULES}
    assert meta == {"batch": "1", "schema": "7", "redacted_by": rules_in_use(), **done}
    assert blocks == [(32_768,)]
    assert databases.FREE_SHARE == 5
