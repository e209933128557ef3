"""What lies across sessions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.queries.compactions import CompactionRow
from memtui_core.queries.pull_requests import PrRow
from support.indexes import build
from support.transcripts import START, Script

OTHER = "22222222-2222-4222-8222-222222222222"
ROOT = "/home/ana/code/shop"
URL = "https://example.org/ana/shop/pull/14"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Two sessions of a shop: one is compacted, both edit a file, the second one is tied to a pull request."""
    folder = tmp_path_factory.mktemp("overview")
    one, two = Script(), Script(OTHER, prefix="f")
    one.user("first")
    one.calls("Edit", {"file_path": f"{ROOT}/src/a.py", "old_string": "a", "new_string": "b"}, "t1")
    one.user("second")
    one.compacts("All of it.", 150_000)
    two.count = 100
    two.user("later")
    two.calls("Read", {"file_path": f"{ROOT}/src/a.py"}, "t2")
    two.raw({"type": "pr-link", "prNumber": 14, "prUrl": URL, "prRepository": "ana/shop", "sessionId": OTHER,
             "timestamp": "2026-11-01T10:00:00Z"})  # fmt: skip
    two.user("see @src/a.py")
    return build(folder / "data", one.write(folder / "src/a"), two.write(folder / "src/b"))


def test_compactions_of_all_sessions(index: Index) -> None:
    [session] = [session for session in index.sessions.all() if session.compactions]
    at = START + timedelta(seconds=30)
    [(source,)] = index.snapshot.rows("SELECT source FROM compactions")
    [row] = rows = index.compactions.all()
    assert rows == [
        CompactionRow(
            session.key, 3, "first", "shop", at, "auto", 150_000, 2, 20.0, 96, False, (), source, 3, 1, 2, place=3
        )
    ]
    assert list(index.compactions.reviewed(rows)) == index.compactions.all() == [replace(row, is_reviewed=True)]


@pytest.mark.parametrize(
    ("pattern", "count"),
    [("FIRST", 1), ("shop auto", 1), ("all of", 1), ("second", 0), ("first banana", 0), ("  ", 1), ("%", 0)],
)
def test_compactions_are_found_by_words_of_their_session_and_summary(index: Index, pattern: str, count: int) -> None:
    assert len(index.compactions.all(pattern)) == count


@pytest.mark.spec("S2.14")
def test_pull_requests_name_their_sessions_and_the_turn(index: Index) -> None:
    key = index.sessions.find(OTHER).key
    assert index.pull_requests.all() == [
        PrRow(14, URL, "ana/shop", key, 1, "later", "shop", START + timedelta(hours=1), "main")
    ]


def test_the_timeline_of_a_file_goes_over_all_sessions(index: Index) -> None:
    [file] = index.files.find("a.py").rows
    assert [(row.touch.session_id[0], row.touch.turn, row.kind) for row in index.files.history(file)] == [
        ("2", 2, "mentioned"),
        ("2", 1, "read"),
        ("1", 1, "edited"),
    ]


def test_nothing_is_there_in_an_empty_index(tmp_path: Path) -> None:
    script = Script()
    script.user("hello")
    empty = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert (empty.compactions.all(), empty.pull_requests.all()) == ([], [])
