"""Rows of a query as dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui_core.queries.columns import Column, Columns, label, labels, timestamp, title
from memtui_core.store.files import DataDir
from memtui_core.store.reader import Snapshot
from support.indexes import update
from support.transcripts import Script


@dataclass(frozen=True, slots=True)
class Thing:
    """One field of each kind."""

    key: int
    name: str | None
    heading: str
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    at: datetime | None
    extra: str = "default"


THING = Columns(
    Thing,
    at=timestamp("at_time"),
    sizes=Column("sizes", tuple, (0,)),
    names=labels("names"),
    heading=title("heading"),
    name=label("name"),
    key="key",
)
ROWS = """FROM (VALUES
    (1, 'a\x1b[31mb', ' ', ['c', 'd\x07'], [1, 2], TIMESTAMP '2026-11-05 12:00:00'),
    (2, NULL, 'Fix it', NULL, NULL, NULL)
) t(key, name, heading, names, sizes, at_time) WHERE key >= ? ORDER BY key"""
FIRST = Thing(1, "ab", "untitled", ("c", "d␇"), (1, 2), datetime(2026, 11, 5, 12, tzinfo=UTC))
SECOND = Thing(2, None, "Fix it", (), (0,), None)


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    script = Script()
    script.user("hello")
    script.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    return Snapshot(DataDir(tmp_path / "data"))


def test_fields_are_read_by_name_and_converted(snapshot: Snapshot) -> None:
    assert THING.select(snapshot, ROWS, [1]) == [FIRST, SECOND]
    assert THING.select(snapshot, ROWS, [2]) == [SECOND]
    assert THING.select(snapshot, ROWS, [3]) == []


def test_rows_come_with_the_value_of_another_expression(snapshot: Snapshot) -> None:
    assert list(THING.select_by(snapshot, "key * 10", ROWS, [1])) == [(10, FIRST), (20, SECOND)]
    assert list(THING.select_by(snapshot, "key", ROWS, [3])) == []


def test_columns_must_be_the_first_fields() -> None:
    with pytest.raises(TypeError, match="the columns of Thing are not its first fields: key, nam"):
        Columns(Thing, key="key", nam="name")
    with pytest.raises(TypeError, match="the columns of Thing are not its first fields: key, heading"):
        Columns(Thing, key="key", heading="heading")
