"""Readers see what the indexer holds, whichever of base, delta and journal it lies in."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given as given_any
from hypothesis import settings
from hypothesis import strategies as st

from memtui_core.errors import IndexBroken, IndexMissing
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.search.embed import open_model
from memtui_core.store.conversation_text import conversation_texts
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import Presence, has_readers
from memtui_core.store.schema import MIGRATIONS, VERSION, meta_of, version_of
from memtui_core.store.snapshot import databases, journal, layers, publisher
from memtui_core.store.snapshot.manifest import Manifest
from memtui_core.store.snapshot.publisher import Publisher, PublishSchedule
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import BIG, BOOL, COLUMNS, INT, KEYS, LIST, TIME, column_value, stored_columns
from memtui_core.store.vectors.access import vectors_of
from memtui_core.store.work import database
from memtui_core.store.work.database import WorkDatabase
from memtui_core.store.work.overlay import base_of
from memtui_core.system.atomic_files import copy_file
from support.dying import Processes
from support.indexes import update
from support.publishing import (
    Contents,
    Folder,
    Letters,
    bring_up_to_date,
    manifest_of,
    published_contents,
    update_and_die,
    work_contents,
)
from support.stages import Stage
from support.table_values import index_values
from support.transcripts import SESSION, Script

OTHER = "22222222-2222-4222-8222-222222222222"
SMALL = 5_000
"""A journal that takes two or three changes."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is rewritten often."""
    limit(monkeypatch, room=SMALL, delta=200_000)
    monkeypatch.setattr(publisher, "IDLE_SHARE", 1000)
    monkeypatch.setattr(publisher, "FEWEST_TIDIED", SMALL)
    monkeypatch.setattr(layers, "_MAX_LISTED_KEYS", 3)


def limit(monkeypatch: pytest.MonkeyPatch, room: int, delta: int) -> None:
    monkeypatch.setattr(publisher, "JOURNAL_LIMIT", room)
    monkeypatch.setattr(publisher, "SMALLEST_LIMIT", delta)
    monkeypatch.setattr(publisher, "LARGEST_LIMIT", delta)


def script(*texts: str, session: str = SESSION) -> Script:
    made = Script(session, prefix=session[:2])
    for text in texts:
        made.user(text)
        made.says(f"answer to {text}")
    return made


def grow(made: Script, folder: Path, text: str) -> Path:
    made.user(text)
    made.says(f"answer to {text}")
    return made.write(folder)


def without_vectors(manifest: Manifest) -> tuple[int, int, int | None, int | None]:
    return manifest.batch, manifest.base, manifest.delta, manifest.journal


# Random histories


@pytest.mark.parametrize(("seed", "in_memory"), [(0, [0]), (1, [layers.SMALL_LAYER, 5])])
@pytest.mark.usefixtures("small")
def test_after_every_change_readers_see_what_the_indexer_holds(
    seed: int, in_memory: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Takes its time, as 18 changes are what it takes for each of the parts to be rewritten."""
    # The recorded changes are enough: a run of many changes must not fall back to a new base.
    monkeypatch.setattr(Publisher, "recording_limit", 10**9)
    data, folder = tmp_path / "data", Folder(tmp_path / "src", seed)
    indexer = Indexer(data)
    steps: list[str] = []
    seen: set[str] = set()
    try:
        for _ in range(18):
            steps.append(folder.step())
            bring_up_to_date(indexer, folder.path, Letters() if folder.random.random() < 0.4 else None)
            if folder.random.random() < 0.1:
                indexer.tidy()
                steps.append("tidy")
            held = work_contents(indexer.work.connection)
            # Layers in memory, on disk, and some of both.
            for most in in_memory:
                monkeypatch.setattr(layers, "SMALL_LAYER", most)
                assert published_contents(data) == held, steps
            manifest = manifest_of(data)
            seen |= {f"base {manifest.base}"} | {f"delta {manifest.delta}"} | {f"journal {manifest.journal}"}
            if folder.random.random() < 0.15:
                indexer.close()
                indexer = Indexer(data)
                steps.append("opened again")
        assert work_contents(indexer.work.connection) == held
    finally:
        indexer.close()
    # Each of the parts was rewritten at least once.
    assert min(sum(one.startswith(part) for one in seen) for part in ("base", "delta", "journal")) > 1
    DataDir(data).work.write_bytes(b"junk")
    DataDir(data).work.with_suffix(".duckdb.wal").unlink(missing_ok=True)
    with Indexer(data) as restored:
        assert work_contents(restored.work.connection) == held


@pytest.mark.usefixtures("small")
def test_vectors_of_the_real_model_are_found_by_readers_after_every_change(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", Folder(tmp_path / "src", 7)
    with Indexer(data) as indexer:
        for _ in range(6):
            folder.step()
            bring_up_to_date(indexer, folder.path, open_model())
            assert published_contents(data) == work_contents(indexer.work.connection)
            assert missing_vectors(data) == 0


def missing_vectors(data: Path) -> int:
    """Chunks whose vector is not there."""
    snapshot = Snapshot(DataDir(data))
    found = snapshot.rows("SELECT hash FROM chunks WHERE hash IS NOT NULL")
    stored = vectors_of(snapshot)
    if stored is None:
        return len(found)
    import numpy as np

    return int((stored.rows_of(np.array([one for (one,) in found], np.int64)) < 0).sum())


# What a step costs


def stamp(path: Path) -> tuple[str, int, int, int]:
    stat = path.stat()
    return path.name, stat.st_ino, stat.st_size, stat.st_mtime_ns


def test_a_line_more_is_a_line_more_in_the_journal(tmp_path: Path) -> None:
    data, folder, made = DataDir(tmp_path / "data"), tmp_path / "src", script("one")
    made.write(folder)
    update(data.path, folder)
    assert without_vectors(manifest_of(data.path)) == (1, 1, None, None)
    base = stamp(data.base(1))
    for lines in (1, 2, 3):
        made.says(f"more {lines}")
        made.write(folder)
        update(data.path, folder)
        manifest = manifest_of(data.path)
        assert without_vectors(manifest) == (lines + 1, 1, None, 1)
        written = data.journal(1).read_bytes()
        assert (written.count(b"\n"), len(written)) == (lines, manifest.journal_bytes)
    assert stamp(data.base(1)) == base


def test_when_nothing_changed_nothing_is_written(tmp_path: Path) -> None:
    data, folder = DataDir(tmp_path / "data"), tmp_path / "src"
    script("one").write(folder)
    update(data.path, folder)
    before = sorted(map(stamp, data.snapshots.iterdir()))
    assert update(data.path, folder).snapshots == 0
    assert sorted(map(stamp, data.snapshots.iterdir())) == before


def test_a_full_journal_becomes_a_delta_and_a_large_delta_a_new_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, folder, made = DataDir(tmp_path / "data"), tmp_path / "src", script("one")
    shapes: list[tuple[int, int, int | None, int | None]] = []

    def change() -> None:
        grow(made, folder, "more " * 20)
        bring_up_to_date(indexer, folder)
        shapes.append(without_vectors(manifest_of(data.path)))

    with Indexer(data.path) as indexer:
        change()
        change()
        monkeypatch.setattr(publisher, "JOURNAL_LIMIT", data.journal(1).stat().st_size)
        change()
        monkeypatch.setattr(publisher, "JOURNAL_LIMIT", 1_000_000)
        change()
        monkeypatch.setattr(publisher, "JOURNAL_LIMIT", 0)
        change()
        limit(monkeypatch, 0, 1)
        change()
    assert shapes == [
        (1, 1, None, None),
        (2, 1, None, 1),
        (3, 1, 3, None),
        (4, 1, 3, 3),
        (5, 1, 5, None),
        (6, 6, None, None),
    ]


@pytest.mark.usefixtures("small")
def test_only_the_files_of_the_last_two_snapshots_stay(tmp_path: Path) -> None:
    data, folder, made = DataDir(tmp_path / "data"), tmp_path / "src", script("one")
    made.write(folder)
    with Indexer(data.path) as indexer:
        before: set[Path] = set()
        for number in range(14):
            grow(made, folder, f"more {number}" * 30)
            bring_up_to_date(indexer, folder)
            now = manifest_of(data.path).files(data)
            assert {*data.snapshots.iterdir()} == now | before | {data.current}
            before = now


def test_tidying_writes_a_base_only_when_enough_lies_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, folder, made = tmp_path / "data", tmp_path / "src", script("one")
    made.write(folder)
    with Indexer(data) as indexer:
        bring_up_to_date(indexer, folder)
        grow(made, folder, "two")
        bring_up_to_date(indexer, folder)
        shape = without_vectors(manifest_of(data))
        beside = manifest_of(data).journal_bytes
        indexer.tidy()
        assert without_vectors(manifest_of(data)) == shape
        monkeypatch.setattr(publisher, "IDLE_SHARE", 1_000_000)
        monkeypatch.setattr(publisher, "FEWEST_TIDIED", beside + 1)
        indexer.tidy()
        assert without_vectors(manifest_of(data)) == shape
        monkeypatch.setattr(publisher, "FEWEST_TIDIED", beside)
        indexer.tidy()
        assert without_vectors(manifest_of(data)) == (2, 2, None, None)
        assert published_contents(data) == work_contents(indexer.work.connection)
        indexer.tidy()
        assert without_vectors(manifest_of(data)) == (2, 2, None, None)


# Killed

KILLS = [
    ("append", "before"),
    ("append", "after"),
    ("write_delta", "after"),
    ("write_base", "before"),
    ("write_base", "after"),
    ("write_manifest of a base", "after"),
    ("make_overlay", "before"),
    ("make_overlay", "after"),
    ("write_manifest", "before"),
    ("write_manifest", "after"),
    ("append_vectors", "after"),
    ("commit_of_chunks", "after"),
    ("prepare", "after"),
]
"""Steps, and whether the process dies before or after them."""
LIMITS = {"write_delta": (0, 10**9)} | dict.fromkeys(("write_base", "write_manifest of a base", "make_overlay"), (0, 0))


@dataclass(frozen=True)
class Killing:
    """What the process finds that dies: three prompts are published, and a fourth is in the transcript."""

    with_journal: Stage
    with_delta: Stage
    """The delta has outgrown its limit."""
    fresh: dict[str, Contents]
    """What an index holds that was made at once, by the model."""


@pytest.fixture(scope="module")
def killing(tmp_path_factory: pytest.TempPathFactory) -> Killing:
    def make(data: Path, folder: Path, delta: bool = False) -> None:
        made = script("one", "two")
        made.write(folder)
        with Indexer(data) as indexer:
            bring_up_to_date(indexer, folder, Letters())
        grow(made, folder, "three")
        update(data, folder)
        if delta:
            with pytest.MonkeyPatch.context() as patch, Indexer(data) as indexer:
                limit(patch, 0, 10**9)
                bring_up_to_date(indexer, folder, Letters())
            assert manifest_of(data).delta is not None
        grow(made, folder, "four")

    with_journal = Stage(tmp_path_factory.mktemp("journal"), make)
    fresh = {}
    for model in ("letters", "other"):
        data = tmp_path_factory.mktemp(model)
        with Indexer(data) as indexer:
            bring_up_to_date(indexer, with_journal.begin(data / "not used"), Letters(model))
        fresh[model] = answers(published_contents(data))
    return Killing(with_journal, Stage(tmp_path_factory.mktemp("delta"), partial(make, delta=True)), fresh)


@pytest.mark.parametrize(("step", "when"), KILLS)
def test_killed_at_any_step_of_a_publication(
    step: str, when: str, killing: Killing, processes: Processes, tmp_path: Path
) -> None:
    data, limits = tmp_path / "data", LIMITS.get(step, (1_000_000, 10**9))
    stage = killing.with_delta if limits == (0, 0) else killing.with_journal
    folder = stage.begin(data)
    model = "other" if step == "prepare" else "letters"
    assert processes.run(update_and_die, step, when, data, folder, limits, model) == 9
    seen = published_contents(data)
    if step in {"append", "write_delta", "write_base"} or (step, when) == ("write_manifest", "before"):
        assert seen == stage.contents
    else:
        assert len(seen["turns"]) == 4
    with Indexer(data) as indexer:
        bring_up_to_date(indexer, folder, Letters(model))
        published = published_contents(data)
        assert published == work_contents(indexer.work.connection)
    assert answers(published) == killing.fresh[model]
    assert missing_vectors(data) == 0


def answers(found: Contents) -> dict[str, list[tuple[Any, ...]]]:
    """What does not depend on the numbers and times of the runs."""
    kept = {"blocks": slice(1, None), "turns": slice(3, None), "chunks": slice(1, None), "sessions": slice(1, None)}
    return {table: sorted((row[part] for row in found[table]), key=repr) for table, part in kept.items()}


# Broken parts


def break_work(data: DataDir) -> None:
    data.work.write_bytes(b"junk")
    data.work.with_suffix(".duckdb.wal").unlink(missing_ok=True)


@pytest.fixture(scope="module")
def all_parts(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """An index with something in base, delta and journal; a session of each of the last two is on no disk any more."""

    def make(data: Path, folder: Path) -> None:
        script("one").write(folder)
        with Indexer(data) as indexer:
            bring_up_to_date(indexer, folder, Letters())
            gone = script("gone", session=OTHER).write(folder)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(publisher, "JOURNAL_LIMIT", 0)
                bring_up_to_date(indexer, folder, Letters())
            gone.unlink()
            last = script("last", session="33333333-2222-4222-8222-222222222222").write(folder)
            bring_up_to_date(indexer, folder, Letters())
            last.unlink()
            bring_up_to_date(indexer, folder, Letters())
        assert None not in without_vectors(manifest_of(data))

    return Stage(tmp_path_factory.mktemp("parts"), make)


@pytest.fixture(scope="module")
def one_session(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """An index of one turn."""

    def make(data: Path, folder: Path) -> None:
        script("one").write(folder)
        update(data, folder)

    return Stage(tmp_path_factory.mktemp("one"), make)


def test_a_broken_work_file_is_restored_from_base_delta_and_journal(all_parts: Stage, tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    folder, before = all_parts.begin(data.path), all_parts.contents
    break_work(data)
    with Indexer(data.path) as indexer:
        assert indexer.work.restore_reason is not None
        assert work_contents(indexer.work.connection) == before
        bring_up_to_date(indexer, folder)
        assert (indexer.counts.files_read, indexer.counts.documents_written) == (0, 3)
    assert published_contents(data.path) == before
    assert {session.session_id[:1] for session in Index.open(data.path).sessions.all()} == {"1", "2", "3"}


def test_a_work_file_that_is_behind_a_published_base_is_made_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process died between publishing a base and replacing the work file; the base before it is still there."""
    data, folder, made = DataDir(tmp_path / "data"), tmp_path / "src", script("one")
    made.write(folder)
    update(data.path, folder)
    old = {path: path.read_bytes() for path in (data.work, data.base(1))}
    limit(monkeypatch, 0, 1)
    monkeypatch.setattr(publisher, "JOURNAL_LIMIT", 0)
    for text in ("two", "three"):
        grow(made, folder, text)
        update(data.path, folder)
    assert without_vectors(manifest_of(data.path)) == (3, 3, None, None)
    published = published_contents(data.path)
    for path, before in old.items():
        path.write_bytes(before)
    data.work.with_suffix(".duckdb.wal").unlink(missing_ok=True)
    with Indexer(data.path) as indexer:
        assert (indexer.work.restore_reason, base_of(meta_of(indexer.work.connection))) == (None, 3)
        assert work_contents(indexer.work.connection) == published
        bring_up_to_date(indexer, folder)
        assert indexer.counts.files_read == 0


def test_a_reader_merges_the_tables_that_its_queries_name(all_parts: Stage, tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    all_parts.begin(data.path)
    snapshot = Snapshot(data)

    def merged() -> set[str]:
        sql = "SELECT table_name FROM information_schema.{} WHERE table_catalog = 'memory'"
        rows = [*snapshot.rows(sql.format("tables")), *snapshot.rows(sql.format("views"))]
        return {name for (name,) in rows} & set(COLUMNS)

    before = merged()
    threads = [threading.Thread(target=snapshot.rows, args=("SELECT id FROM turns",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (before, merged()) == (set(), {"turns"})
    assert snapshot.rows("SELECT count(*) FROM turns JOIN sessions ON key = session") == [(3,)]
    assert merged() == {"turns", "sessions"}


def test_a_table_that_cannot_be_merged_is_a_clear_error(one_session: Stage, tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    one_session.begin(data.path)
    size = journal.append(data.journal(1), 0, b'{"ops":[["forks",[1],[[1,"no time"]]]]}\n')
    data.current.write_text(json.dumps(manifest_of(data.path)._replace(journal=1, journal_bytes=size)._asdict()))
    snapshot = Snapshot(data)
    assert snapshot.rows("SELECT count(*) FROM sessions") == [(1,)]
    for _ in range(2):
        with pytest.raises(IndexBroken, match=f"The index in {data.path} is damaged"):
            snapshot.rows("SELECT * FROM forks")


def test_a_restored_work_file_knows_the_vectors(all_parts: Stage, tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    folder, before = all_parts.begin(data.path), all_parts.contents
    break_work(data)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder)
        assert (missing_vectors(data.path), len(published_contents(data.path)["chunks"])) == (0, len(before["chunks"]))
        bring_up_to_date(indexer, folder, Letters())
        assert indexer.counts.texts_embedded == 0
    assert published_contents(data.path) == before


def test_what_cannot_be_restored_whole_is_moved_aside_and_the_index_is_made_again(
    all_parts: Stage, tmp_path: Path
) -> None:
    """The work database and the journal are damaged, and two of three transcripts are gone."""
    data = DataDir(tmp_path / "data")
    folder = all_parts.begin(data.path)
    before = index_values(data.path)
    number = manifest_of(data.path).journal
    assert number is not None
    break_work(data)
    data.journal(number).write_bytes(b"")
    with Indexer(data.path) as indexer:
        assert indexer.work.is_new
        bring_up_to_date(indexer, folder, Letters())
    assert index_values(data.path) == before
    assert data.broken.is_dir()


@pytest.mark.parametrize("damage", ["missing", "junk", "short"])
@pytest.mark.parametrize("part", ["base", "delta", "journal"])
def test_a_damaged_part_is_a_clear_error_and_the_next_change_mends_it(
    part: str, damage: str, all_parts: Stage, tmp_path: Path
) -> None:
    data = DataDir(tmp_path / "data")
    folder = all_parts.begin(data.path)
    manifest = manifest_of(data.path)
    assert manifest.delta is not None
    assert manifest.journal is not None
    path = {
        "base": data.base(manifest.base),
        "delta": data.delta(manifest.delta),
        "journal": data.journal(manifest.journal),
    }[part]
    if damage == "missing":
        path.unlink()
    elif damage == "junk":
        path.write_bytes(b"junk\n" * (path.stat().st_size // 5) + b"\n" * (path.stat().st_size % 5))
    else:
        os.truncate(path, path.stat().st_size - 1)
    if (part, damage) not in {("base", "short"), ("delta", "short")}:
        with pytest.raises(IndexBroken, match=f"The index in {data.path} is damaged"):
            Snapshot(data)
    grow(script("one"), folder, "two")
    # The base is the only copy of what is in it: nothing is thrown away or written over.
    before = sorted(map(stamp, data.snapshots.iterdir())) if part == "base" else []
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder)
        assert published_contents(data.path) == work_contents(indexer.work.connection)
    assert {session.session_id[:1] for session in Index.open(data.path).sessions.all()} == {"1", "2", "3"}
    if part == "base":
        assert sorted(map(stamp, DataDir(data.broken / "1").snapshots.iterdir())) == before


@pytest.mark.parametrize(
    "line",
    [
        b"junk",
        b"null",
        b"{}",
        b'{"ops":5}',
        b'{"ops":[["nothing",[1],[]]]}',
        b'{"ops":[["turns",["x"],[]]]}',
        b'{"ops":[["turns",[],[[]]]]}',
        b'{"ops":[["turns",[1],[["x"]]]]}',
    ],
)
def test_a_line_of_junk_in_the_journal_is_a_clear_error(line: bytes, one_session: Stage, tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    one_session.begin(data.path)
    manifest = manifest_of(data.path)
    size = journal.append(data.journal(manifest.batch), 0, line + b"\n")
    changed = manifest._replace(journal=manifest.batch, journal_bytes=size)
    data.current.write_text(json.dumps(changed._asdict()))
    with pytest.raises(IndexBroken, match="is damaged"):
        Snapshot(data)


@pytest.mark.parametrize(
    "junk", [b"", b"junk", b"null", b"[]", b"{}", b"true", b"1.5", b'"1"', b"\xff", b'{"batch":"1","base":1}']
)
def test_where_current_holds_junk_readers_say_so_and_the_next_run_writes_it_anew(
    junk: bytes, one_session: Stage, tmp_path: Path
) -> None:
    data = DataDir(tmp_path / "data")
    folder = one_session.begin(data.path)
    data.current.write_bytes(junk)
    if junk != b'{"batch":"1","base":1}':
        with pytest.raises((IndexBroken, IndexMissing), match=str(data.path)):
            Snapshot(data)
    assert update(data.path, folder).files_read == 0
    assert published_contents(data.path) == one_session.contents


@pytest.fixture(scope="module")
def with_a_delta(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """An index whose second turn is in a delta."""

    def make(data: Path, folder: Path) -> None:
        script("one").write(folder)
        with pytest.MonkeyPatch.context() as patch, Indexer(data) as indexer:
            bring_up_to_date(indexer, folder)
            patch.setattr(publisher, "JOURNAL_LIMIT", 0)
            script("one", "two").write(folder)
            bring_up_to_date(indexer, folder)
        assert manifest_of(data).delta == 2

    return Stage(tmp_path_factory.mktemp("delta"), make)


@pytest.mark.parametrize("step", ["append", "write_delta", "write_base", "write_manifest", "make_overlay"])
def test_a_publication_that_failed_is_made_up_for_by_the_next(
    step: str, with_a_delta: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the disk is full for a while."""
    data, made = tmp_path / "data", script("one", "two")
    folder = with_a_delta.begin(data)
    with Indexer(data) as indexer:
        limit(monkeypatch, *LIMITS.get(step, (1_000_000, 10**9)))
        grow(made, folder, "three")

        def fails(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as full:
            places = {"append": journal, "write_base": database, "make_overlay": database}
            full.setattr(places.get(step, publisher), step, fails)
            with pytest.raises(OSError, match="No space left"):
                bring_up_to_date(indexer, folder)
        if step != "make_overlay":
            assert published_contents(data) == with_a_delta.contents
        grow(made, folder, "four")
        bring_up_to_date(indexer, folder)
        published = published_contents(data)
        assert published == work_contents(indexer.work.connection)
        assert len(published["turns"]) == 4


# An index of before


NEWER = ("first", "last", "reviews", "review_items", "forks", "unknown_entries")
"""Columns and tables that schema 2 did not have."""


def make_old(data: DataDir) -> None:
    """Turn an index into one of schema 2, with its vectors in a table and a bare number in CURRENT."""
    snapshot = Snapshot(data)
    held = {table: snapshot.rows(f"SELECT {stored_columns(table)} FROM {table}") for table in COLUMNS}
    texts = conversation_texts(snapshot.rows, [turn for turn, *_ in held["chunks"]])
    held["chunks"] = [(turn, seq, key, texts[turn][first:last]) for turn, seq, key, _, first, last in held["chunks"]]
    stored = vectors_of(snapshot)
    assert stored is not None
    assert snapshot.manifest.vectors is not None
    number, model, dimension = snapshot.number, snapshot.manifest.vectors.model, snapshot.manifest.vectors.dimension
    vectors = [(key, row.tolist()) for key, row in zip(stored.hashes.tolist(), stored.floats(), strict=True)]
    snapshot.close()
    for path in [data.work, data.work.with_suffix(".duckdb.wal"), *data.snapshots.iterdir()]:
        path.unlink(missing_ok=True)
    for path in data.vectors(0).parent.iterdir():
        path.unlink()
    with duckdb.connect(str(data.work)) as connection:
        for step in MIGRATIONS[:2]:
            connection.execute(step)
        connection.execute(f"CREATE TABLE vectors (hash BIGINT NOT NULL, embedding FLOAT[{dimension}] NOT NULL)")
        connection.executemany("INSERT INTO vectors VALUES (?, ?)", vectors)
        for table, rows in held.items():
            columns = {name: kind for name, kind in COLUMNS[table].items() if name not in NEWER}
            marks = ", ".join(column_value("?", kind) for kind in columns.values())
            marked = marks.replace(
                "CASE WHEN ? = '' THEN [] ELSE string_split(?, chr(31)) END", "string_split(?, chr(31))"
            )
            if rows:
                connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marked})", rows)
        for key, text in (("schema", "2"), ("batch", str(number)), ("model", model)):
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, text])
    data.base(number).write_bytes(data.work.read_bytes())
    data.current.write_text(str(number))


def test_an_index_of_before_is_read_at_once_and_taken_over_without_any_work_done_again(tmp_path: Path) -> None:
    data, folder = DataDir(tmp_path / "data"), tmp_path / "src"
    made = script("the upload fails with a timeout", "write a poem about the sea")
    made.write(folder)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder, open_model())
    today = Index.open(data.path)
    assert today.vectors.load_model()
    of_today = today.search("ocean verses").hits
    make_old(data)
    old = Index.open(data.path)
    assert (old.snapshot.version, old.vectors.load_model(), old.vectors.has_model) == (2, True, True)
    found = old.search("ocean verses").hits
    # No turn holds these words.
    assert sorted(hit.turn for hit in found) == [1, 2]
    assert found == of_today
    before = published_contents(data.path, *NEWER)
    with Indexer(data.path) as indexer:
        assert version_of(indexer.work.connection) == VERSION
        bring_up_to_date(indexer, folder, open_model())
        counts = indexer.counts
    assert (counts.files_read, counts.documents_written, counts.texts_embedded) == (0, 0, 0)
    assert published_contents(data.path, *NEWER) == before
    assert missing_vectors(data.path) == 0
    assert old.search("ocean verses").hits == found
    new = Index.open(data.path)
    assert new.vectors.load_model()
    assert new.search("ocean verses").hits == found
    grow(made, folder, "three")
    update(data.path, folder)
    assert old.snapshot.rows("SELECT count(*) FROM turns") == [(2,)]
    assert old.refresh()
    assert 1 in [hit.turn for hit in old.search("ocean verses").hits]
    assert old.snapshot.rows("SELECT count(*) FROM turns") == [(3,)]


# Readers beside a writer


@pytest.mark.usefixtures("small")
def test_readers_beside_a_writer_never_see_a_mixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes its time, as many snapshots are to be written while all readers look."""
    # What two files gained together is shown together.
    monkeypatch.setattr(PublishSchedule, "due", False)
    data, folder = tmp_path / "data", tmp_path / "src"
    two = [script("one"), script("one", session=OTHER)]
    for made in two:
        made.write(folder)
    update(data, folder)
    done, errors, asked = threading.Event(), list[BaseException](), list[int]()
    shared = Snapshot(DataDir(data))
    count = "SELECT count(*) FROM turns WHERE session = ?"

    def reads() -> None:
        index, last, rounds = Index.open(data), (0, 0), 0
        while rounds < 30 and not done.is_set():
            rounds += 1
            index.refresh()
            snapshot = index.snapshot
            ((first,),), ((second,),) = (snapshot.rows(count, [session]) for session in (1, 2))
            turns = [session.turns for session in index.sessions.all()]
            assert (first, turns) == (second, [first, first])
            assert (snapshot.number, first) >= last
            last = (snapshot.number, first)
        asked.append(rounds)

    def asks_one_snapshot() -> None:
        for _ in range(50):
            assert shared.rows("SELECT count(*) FROM turns") == [(2,)]
            assert shared.table("SELECT * FROM turns").num_rows == 2

    def watched(work: Any) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=watched, args=[work]) for work in [reads] * 4 + [asks_one_snapshot] * 2]
    for thread in threads:
        thread.start()
    try:
        with Indexer(data) as indexer:
            for number in range(40):
                for made in two:
                    grow(made, folder, f"more {number}")
                bring_up_to_date(indexer, folder)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert errors == []
    assert len(asked) == 4
    assert min(asked) > 5
    assert published_contents(data)["turns"] != []


# Any value


def values(kind: str) -> st.SearchStrategy[Any]:
    if kind in {INT, BIG}:
        edge = 2**31 if kind == INT else 2**63
        return st.integers(-edge, edge - 1) | st.sampled_from([-edge, edge - 1, 0])
    if kind == BOOL:
        return st.booleans()
    if kind == TIME:
        return st.none() | st.integers(-(10**16), 10**17)
    text = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\0\x1f\n\r\"\\\u2028\x85'"), max_size=12)
    return st.lists(text, max_size=3).map("\x1f".join) if kind == LIST else text


NULLABLE = {
    "turns": {"user_text"},
    "blocks": {"text", "tool", "tool_id", "detail", "entry"},
    "agent_calls": {"agent_id", "agent_type", "description", "prompt_hash"},
    "chunks": {"hash", "text", "first", "last"},
    "compactions": {"trigger", "tokens_before"},
}
"""Columns that may hold nothing; with text as rows give it."""
TABLES = ("turns", "blocks", "agent_calls", "compactions", "chunks", "titles")
OTHER_TABLES = tuple(set(COLUMNS) - set(TABLES))


def changes(table: str) -> st.SearchStrategy[tuple[str, list[int], list[tuple[Any, ...]]]]:
    """Keys to drop from a table, and rows to add to it."""
    nullable, columns = NULLABLE.get(table, ()), list[st.SearchStrategy[Any]]()
    for name, kind in COLUMNS[table].items():
        given_values = st.integers(1, 3) if name == KEYS[table] else values(kind)
        columns.append(st.none() | given_values if name in nullable else given_values)
    keys = st.lists(st.integers(1, 3), max_size=2, unique=True)
    return st.tuples(st.just(table), keys, st.lists(st.tuples(*columns), max_size=3))


STEPS = st.lists(st.one_of(*map(changes, TABLES)), min_size=1, max_size=4)
"""Changes between two snapshots, a table at a time."""


@pytest.fixture(scope="module")
def any_values(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("values")


@given_any(steps=st.lists(STEPS, min_size=1, max_size=3), room=st.sampled_from([0, 100, 10**6]))
@settings(max_examples=15)
def test_any_value_comes_out_of_the_journal_and_the_delta_as_it_went_in(
    steps: list[list[tuple[str, list[int], list[tuple[Any, ...]]]]], room: int, any_values: Path
) -> None:
    work = WorkDatabase(DataDir(any_values))
    try:
        with pytest.MonkeyPatch.context() as patch:
            limit(patch, room, 10**9)
            for step in steps:
                work.begin_batch()
                with work.transaction():
                    for table, keys, rows in step:
                        work.drop(table, keys)
                        work.put(table, rows)
                Publisher(work).publish(None)
                assert published_contents(any_values, *OTHER_TABLES) == work_contents(work.connection, *OTHER_TABLES)
    finally:
        work.close()


def test_a_base_is_made_where_nobody_may_read_a_database_that_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where only what is open for reading can be copied: the last base, but not the work database."""
    copied: list[Path] = []

    def copy(source: Path, target: Path) -> None:
        if source == data.work:
            raise PermissionError(f"{source} is used by another process")
        copied.append(source)
        copy_file(source, target)

    data = DataDir(tmp_path)
    monkeypatch.setattr(databases, "copy_file", copy)
    monkeypatch.setattr(databases, "READS_WHAT_IS_WRITTEN", False)
    limit(monkeypatch, 0, 0)
    work = WorkDatabase(data)
    try:
        for final in (False, True, False, False):
            work.begin_batch()
            with work.transaction():
                work.put("agent_calls", [(work.batch, 1, "tool", None, None, "text", None)])
            Publisher(work).publish(None, final=final)
            assert published_contents(tmp_path) == work_contents(work.connection)
    finally:
        work.close()
    assert {path.parent for path in copied} == {data.snapshots}


def test_half_a_character_does_not_stop_the_publication(tmp_path: Path) -> None:
    work = WorkDatabase(DataDir(tmp_path))
    Publisher(work).publish(None)
    work.begin_batch()
    row = [1, 1, "tool", None, None, "half a \ud83d character", None]
    try:
        with work.transaction():
            work.put("agent_calls", [row])
    except ValueError:
        # The store takes no such text; nothing of it was recorded either.
        assert (work.changes.size, work.changes.incomplete) == (0, False)
    with work.transaction():
        work.put("agent_calls", [[*row[:5], "whole", None]])
    Publisher(work).publish(None)
    assert published_contents(tmp_path) == work_contents(work.connection)
    assert published_contents(tmp_path)["agent_calls"][-1][5] == "whole"
    work.close()


def test_a_transcript_with_half_a_character_is_read_and_published(tmp_path: Path) -> None:
    path = script("one").write(tmp_path / "src")
    update(tmp_path / "data", path)
    with path.open("ab") as file:
        file.write(script("half \\ud83d of it").bytes().replace(b"\\\\ud83d", b"\\ud83d").replace(b'"11', b'"22'))
    with Indexer(tmp_path / "data") as indexer:
        bring_up_to_date(indexer, path)
        assert published_contents(tmp_path / "data") == work_contents(indexer.work.connection)
    assert [source.state for source in Index.open(tmp_path / "data").statistics.sources()] in (["ok"], ["partial"])


# Who reads


def test_a_reader_is_known_for_a_minute(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    assert not has_readers(data)
    Presence(data).touch()
    assert has_readers(data)
    assert data.readers.read_bytes() == b""
    touched = data.readers.stat().st_mtime
    os.utime(data.readers, (touched - 70, touched - 70))
    assert not has_readers(data)


def test_a_reader_touches_its_file_only_now_and_then(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    presence = Presence(data)
    presence.touch()
    os.utime(data.readers, (1, 1))
    presence.touch()
    assert data.readers.stat().st_mtime == 1
    Presence(data).touch()
    assert has_readers(data)


def test_a_reader_that_waits_for_the_first_index_is_known_once_its_folder_is_made(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    presence = Presence(data)
    presence.touch()
    data.path.mkdir()
    presence.touch()
    assert has_readers(data)


def test_a_folder_that_is_not_there_keeps_nobody_from_reading(tmp_path: Path) -> None:
    """Where nothing can be written, neither can the file be made; root may write to a read-only folder."""
    tmp_path.chmod(0o500)
    try:
        Presence(DataDir(tmp_path / "not there")).touch()
        Presence(DataDir(tmp_path)).touch()
    finally:
        tmp_path.chmod(0o700)
    assert not has_readers(DataDir(tmp_path / "not there"))
