"""A large file is read in pieces, which are stored one by one; the index is that of a file that is read at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.ingest import discover
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from support.indexes import update
from support.pictures import Picture, picture

SAMPLES = Path(__file__).resolve().parents[3] / "sample_sessions"
SOURCES = [Location("claude-code", SAMPLES / "projects"), Location("codex", SAMPLES / "codex")]


def read(data: Path, most: int | None = None) -> int:
    """Bring an index up to date, but stop after some pieces; how many were read."""
    pieces = 0
    with Indexer(data) as indexer:

        def stopped() -> bool:
            return most is not None and pieces > most

        original = indexer._read

        def counted(*arguments: object) -> bool:
            nonlocal pieces
            pieces += 1
            return original(*arguments)  # type: ignore[arg-type]

        indexer._read = counted  # type: ignore[assignment, method-assign]
        for _ in indexer.update(SOURCES, stopped):
            pass
    return pieces


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> Picture:
    folder = tmp_path_factory.mktemp("whole")
    read(folder)
    return picture(folder)


@pytest.mark.parametrize("size", [10_000, 40_000])
def test_pieces_make_the_same_index(
    size: int, at_once: Picture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discover, "LARGEST_PIECE", size)
    files = sum(len(list(location.path.rglob("*.jsonl"))) for location in SOURCES)
    assert read(tmp_path) > files
    assert picture(tmp_path) == at_once


def test_a_process_that_ends_between_two_pieces_is_continued(
    at_once: Picture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process reads a few pieces; the last one has nothing left to do."""
    monkeypatch.setattr(discover, "LARGEST_PIECE", 20_000)
    processes = 0
    while read(tmp_path, most=9) > 9:
        processes += 1
        assert processes < 50
    assert processes > 2
    assert picture(tmp_path) == at_once
    assert update(tmp_path, SOURCES[0].path).files_read == 0
