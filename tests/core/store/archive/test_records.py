"""Files of records: what is appended comes back, and damage costs the record in which it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui_core.errors import RecordDamaged
from memtui_core.store.archive.records import NewRecord, Record, RecordFile, RecordHealth
from support.observation_writers import SPAWN
from support.record_writers import append_and_rewrite, append_many

RECORDS: list[tuple[str, dict[str, object], bytes]] = [
    ("session", {"id": "a", "turns": 3}, b"first body " * 40),
    ("session", {"id": "b\udce9"}, b""),
    ("transcript", {"id": "c"}, bytes(range(256)) * 9),
]


def written(folder: Path) -> RecordFile:
    """A file with three records."""
    records = RecordFile(folder / "kept" / "test.records")
    for kind, head, body in RECORDS:
        records.append(kind, head, body)
    return records


def contents(records: RecordFile) -> list[tuple[str, dict[str, object], bytes | None]]:
    """Kind, head and body of each record; None for a body that is damaged."""
    return [(record.kind, dict(record.head), body_of(record)) for record in records.records()]


def body_of(record: Record) -> bytes | None:
    try:
        return record.body()
    except RecordDamaged:
        return None


def test_records_come_back_in_order(tmp_path: Path) -> None:
    records = RecordFile(tmp_path / "none.records")
    assert (contents(records), records.size, records.check()) == ([], 0, RecordHealth(0, 0))
    records = written(tmp_path)
    assert contents(RecordFile(records.path)) == RECORDS
    assert (records.size, records.check()) == (records.path.stat().st_size, RecordHealth(3, 0))
    records.append_all([("more", {"n": 1}, b"x"), ("more", {"n": 2}, b"y")])
    assert contents(records)[3:] == [("more", {"n": 1}, b"x"), ("more", {"n": 2}, b"y")]


@pytest.mark.parametrize("kind", ["", "a kind of 17 bytes"])
def test_a_kind_has_1_to_16_bytes(tmp_path: Path, kind: str) -> None:
    records = RecordFile(tmp_path / "test.records")
    with pytest.raises(ValueError, match="1 to 16 bytes"):
        records.append(kind, {}, b"")
    assert not records.path.exists()


def test_a_flipped_byte_costs_at_most_its_record(tmp_path: Path) -> None:
    """Each byte of the second of three records in turn: the others come back, and it does only if it is whole."""
    records = written(tmp_path)
    whole, parts = records.path.read_bytes(), list(records.records())
    others = [RECORDS[0], RECORDS[2]]
    for place in range(parts[1].offset, parts[1].offset + parts[1].length):
        records.path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        assert contents(records) == others, place
        assert (records.damaged, records.check()) == (1, RecordHealth(2, 1)), place
    for place in range(parts[2].offset, len(whole)):
        records.path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        found = contents(records)
        assert [entry for entry in found if entry[2] is not None] == RECORDS[:2], place
        assert records.check() == RecordHealth(2, 1), place
        # What comes after it is not lost.
        RecordFile(records.path).append("late", {}, b"late")
        assert contents(records)[-1] == ("late", {}, b"late"), place


def test_a_torn_tail_is_skipped_and_cut_off_by_the_next_append(tmp_path: Path) -> None:
    """A file that ends anywhere in its last record, as after a power loss."""
    records = written(tmp_path)
    whole, last = records.path.read_bytes(), list(records.records())[-1]
    for size in range(last.offset, len(whole)):
        records.path.write_bytes(whole[:size])
        assert contents(records) == RECORDS[:2]
        RecordFile(records.path).append("late", {}, b"late")
        assert contents(records) == [*RECORDS[:2], ("late", {}, b"late")]
        assert records.check() == RecordHealth(3, 0), size


def test_zeros_and_foreign_bytes_between_records_are_passed(tmp_path: Path) -> None:
    records = written(tmp_path)
    whole, second = records.path.read_bytes(), list(records.records())[1].offset
    # More than is read at once while the next record is searched for.
    for garbage in (bytes(1_500_000), b"\x89memrec1" * 300_000):
        records.path.write_bytes(whole[:second] + garbage + whole[second:])
        assert contents(records) == RECORDS
        assert records.check() == RecordHealth(3, 1)


def test_a_body_is_refused_if_the_file_was_written_anew_since(tmp_path: Path) -> None:
    records = written(tmp_path)
    last = list(records.records())[-1]
    assert records.rewrite(lambda record: record.head["id"] == "c") == 2
    with pytest.raises(RecordDamaged):
        last.body()
    assert contents(records) == [RECORDS[2]]


def test_a_file_is_written_anew_without_what_is_refused_and_without_damage(tmp_path: Path) -> None:
    records = written(tmp_path)
    whole, parts = records.path.read_bytes(), list(records.records())
    records.path.write_bytes(whole[: parts[1].offset] + b"secret" * 30 + whole[parts[1].offset :])
    assert records.rewrite(lambda record: record.kind == "session") == 1
    assert contents(records) == RECORDS[:2]
    assert b"secret" not in records.path.read_bytes()
    records.append(*RECORDS[2])
    assert contents(records) == RECORDS
    assert sorted(path.name for path in records.path.parent.iterdir()) in (
        ["test.records"],
        [".test.records.lock", "test.records"],
    )


def test_records_are_changed_or_dropped_and_a_file_without_any_such_stays(tmp_path: Path) -> None:
    records = written(tmp_path)
    kind, head, body = RECORDS[0]
    before = records.path.stat()
    assert records.change(lambda record: record) == 0
    assert (records.path.stat().st_ino, records.path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    parts = list(records.records())
    whole = bytearray(records.path.read_bytes())
    whole[parts[2].offset + parts[2].length - 1] ^= 1
    records.path.write_bytes(whole)

    def changed(record: Record) -> NewRecord | Record | None:
        text = record.body()
        return NewRecord({**record.head, "new": 1}, text + b"!") if record.offset == 0 else None

    assert records.change(changed) == len(RECORDS)
    assert contents(records) == [(kind, {**head, "new": 1}, body + b"!")]
    records.append(*RECORDS[1])
    assert contents(records)[1:] == RECORDS[1:2]
    assert [path.name for path in records.path.parent.iterdir() if path.suffix == ".part"] == []


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_an_append_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """The limit of the size of files stands for a full disk."""
    records = written(tmp_path)
    before = records.path.read_bytes()
    code = f"""
import os, resource, signal
from pathlib import Path
from memtui_core.store.archive.records import RecordFile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 500}, resource.RLIM_INFINITY))
try:
    RecordFile(Path({str(records.path)!r})).append("test", {{}}, os.urandom(5000))
except OSError as error:
    print(error.errno)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    assert (done.stdout, records.path.read_bytes()) == ("27\n", before)


def test_several_processes_append(tmp_path: Path) -> None:
    """Takes 2 s, because processes of their own have to start."""
    path = tmp_path / "test.records"
    begin = SPAWN.Barrier(3)
    writers = [SPAWN.Process(target=append_many, args=(path, name, begin)) for name in "ab"]
    writers.append(SPAWN.Process(target=append_and_rewrite, args=(path, "c", begin)))
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    found = [(head["name"], head["number"], body) for _, head, body in contents(RecordFile(path))]
    for name in "ab":
        wanted = [(name, number, f"{name} {number} ".encode() * 100) for number in range(50)]
        assert [entry for entry in found if entry[0] == name] == wanted
    assert [entry for entry in found if entry[0] == "c"] == [("c", 24, b"body")]
    assert RecordFile(path).check() == RecordHealth(101, 0)
