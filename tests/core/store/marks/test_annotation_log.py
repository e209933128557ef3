"""The log of annotations over real files: other writers, copies beside it, lines that are none, and other machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui_core.errors import MemtuiError
from memtui_core.store.marks.annotation_log import AnnotationLog, NewAnnotation, merge_log
from memtui_core.store.marks.annotation_records import AnnotationRecord, AnnotationTarget, folded

ONE, TWO = AnnotationTarget("claude-code", "aaaa"), AnnotationTarget("codex", "bbbb")


def tags(*names: str, target: AnnotationTarget = ONE) -> Callable[[Sequence[AnnotationRecord]], list[NewAnnotation]]:
    return lambda records: [NewAnnotation("tagged", target, name) for name in names]


def texts(log: AnnotationLog) -> list[str]:
    return [one.text for one in log.records()]


def test_what_one_process_writes_another_one_reads(tmp_path: Path) -> None:
    one, other = AnnotationLog(tmp_path), AnnotationLog(tmp_path)
    assert one.append(tags("a", "b"), by="shell") == 2
    assert other.append(lambda records: [NewAnnotation("tagged", ONE, f"after-{len(records)}")], by="app") == 1
    assert texts(one) == texts(other) == ["a", "b", "after-2"]
    assert [record.by for record in one.records()] == ["shell", "shell", "app"]
    assert one.append(lambda records: []) == 0
    assert len((tmp_path / "annotations.jsonl").read_bytes().splitlines()) == 3


def test_threads_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: AnnotationLog(tmp_path).append(tags(f"t{number:02}")), range(32)))
    assert sorted(texts(AnnotationLog(tmp_path))) == [f"t{number:02}" for number in range(32)]


def test_a_line_that_is_none_costs_that_line_and_is_named(tmp_path: Path) -> None:
    log = AnnotationLog(tmp_path)
    log.append(tags("a"))
    with log.path.open("ab") as file:
        file.write(b'{"kind":"tagged"\n\xff\xfe\n')
    log.append(tags("b"))
    with log.path.open("ab") as file:
        file.write(b'{"kind":"tagged","agent":"x","sess')
    log.append(tags("c"))
    assert texts(log) == texts(AnnotationLog(tmp_path)) == ["a", "b", "c"]
    assert log.skipped == {log.path: [(2, "not JSON"), (3, "not JSON"), (5, "not JSON")]}


def test_a_log_that_was_replaced_or_removed_is_read_anew(tmp_path: Path) -> None:
    log = AnnotationLog(tmp_path)
    log.append(tags("a", "b"))
    lines = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(lines[1])
    assert texts(log) == ["b"]
    log.path.unlink()
    assert texts(log) == []


def test_copies_that_a_program_leaves_beside_the_log_count(tmp_path: Path) -> None:
    """As Syncthing and Dropbox do when two machines wrote; each record counts once."""
    here, there = AnnotationLog(tmp_path), AnnotationLog(tmp_path / "there")
    here.append(tags("shared"))
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "annotations.jsonl").write_bytes(here.path.read_bytes())
    here.append(tags("here"))
    there.append(tags("there"))
    copy = tmp_path / "annotations.sync-conflict-20261101-090000-ABCDEFG.jsonl"
    copy.write_bytes(there.path.read_bytes())
    assert texts(here) == ["shared", "here", "there"]
    copy.unlink()
    assert texts(here) == ["shared", "here"]


def test_another_log_is_added_once_and_records_of_later_versions_with_it(tmp_path: Path) -> None:
    here, there = AnnotationLog(tmp_path / "here"), AnnotationLog(tmp_path / "there")
    here.append(tags("a"))
    there.append(tags("b", "c"))
    later = json.dumps({"kind": "rated", "stars": 5, "id": "later", "at": "2026-11-01T09:00:00Z"}).encode()
    with there.path.open("ab") as file:
        file.write(later + b"\nnonsense\n")
    assert [merge_log(tmp_path / "here", there.path), merge_log(tmp_path / "here", there.path)] == [3, 0]
    assert sorted(texts(here)) == ["a", "b", "c"]
    assert here.path.read_bytes().splitlines()[-1] == later
    assert merge_log(tmp_path / "here", tmp_path / "nothing.jsonl") == 0
    there.append(tags("d", target=TWO))
    there.append(tags("e"))
    assert merge_log(tmp_path / "here", there.path, [("codex", "bbbb")]) == 1
    assert sorted(texts(here)) == ["a", "b", "c", "e"]


def test_the_records_of_sessions_can_be_removed_and_come_back(tmp_path: Path) -> None:
    log = AnnotationLog(tmp_path)
    log.append(tags("a", "b"))
    log.append(tags("c", target=TWO))
    copy = tmp_path / "annotations-2.jsonl"
    copy.write_bytes(log.path.read_bytes())
    of_machine = tmp_path / "machines" / "laptop" / "annotations.jsonl"
    of_machine.parent.mkdir(parents=True)
    of_machine.write_bytes(log.path.read_bytes())
    before = log.records()
    removed: dict[tuple[str, str], bytes] = {}

    def keep(lines: Mapping[tuple[str, str], bytes]) -> None:
        assert texts(log) == ["a", "b", "c"]
        removed.update(lines)

    log.remove([("claude-code", "aaaa")], keep)
    assert list(removed) == [("claude-code", "aaaa")]
    [lines] = removed.values()
    assert texts(log) == ["c"]
    # Its texts are in no file any more.
    assert b'"a"' not in log.path.read_bytes() + copy.read_bytes() + of_machine.read_bytes()
    log.restore(lines)
    log.restore(lines)
    assert log.records() == before
    assert len(log.path.read_bytes().splitlines()) == 3
    log.remove([("claude-code", "cccc")], keep)
    assert len(log.path.read_bytes().splitlines()) == 3


def test_a_log_that_cannot_be_written_or_read_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MemtuiError, match=r"annotations\.jsonl cannot be written"):
        AnnotationLog(tmp_path / "file").append(tags("a"))
    (tmp_path / "annotations.jsonl").mkdir()
    with pytest.raises(MemtuiError, match=r"annotations\.jsonl cannot be read"):
        AnnotationLog(tmp_path).records()


def test_a_log_is_not_made_by_reading_it(tmp_path: Path) -> None:
    assert AnnotationLog(tmp_path).records() == []
    assert list(tmp_path.iterdir()) == []


def test_what_was_added_last_counts_although_the_clock_was_set_back(tmp_path: Path) -> None:
    ahead, now = datetime(2031, 5, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
    titles = [("ahead", ahead, ONE), ("corrected", now, ONE), ("again", now, ONE), ("of another", now, TWO)]
    for title, clock, target in titles:
        log = AnnotationLog(tmp_path, now=lambda at=clock: at)  # type: ignore[misc]
        log.append(lambda records, one=(target, title): [NewAnnotation("renamed", *one)])  # type: ignore[misc]
    of_one = [record for record in AnnotationLog(tmp_path).records() if record.target == ONE]
    assert folded(of_one, ()).title == "again"
    assert [(record.text, record.at - ahead) for record in of_one] == [
        ("ahead", timedelta()),
        ("corrected", timedelta(microseconds=1)),
        ("again", timedelta(microseconds=2)),
    ]
    assert [record.at for record in AnnotationLog(tmp_path).records() if record.target == TWO] == [now]


def test_a_record_of_the_last_day_of_all_keeps_nobody_from_adding_others(tmp_path: Path) -> None:
    for text in ("one", "two"):
        log = AnnotationLog(tmp_path, now=lambda: datetime.max.replace(tzinfo=UTC))
        log.append(tags(text))
    assert sorted(texts(AnnotationLog(tmp_path))) == ["one", "two"]
