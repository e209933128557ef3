"""A large batch is committed to the lexicon in parts; whatever happens between two of them, nothing is there twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.workers import pool
from memtui_core.ingest.writing import lexicon_sync
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.lexicon import LexiconWriter
from memtui_core.store.lexicon.state import LexiconState, lexicon_state
from memtui_core.store.snapshot.publisher import PublishSchedule
from memtui_core.system.fault_points import FaultRaised, arm
from support.pictures import Picture, picture
from support.transcripts import OTHER_SESSION, SESSION, Script

TURNS = 150
"""More than are read from the database at once."""
pytestmark = pytest.mark.usefixtures("forked_workers")


def grow(folder: Path, words: str, turns: int) -> None:
    """Two sessions with so many turns, the last of which has a word of its own."""
    for session, prefix in ((SESSION, "a"), (OTHER_SESSION, "b")):
        script = Script(session, prefix=prefix)
        for number in range(turns):
            script.user(f"Question {number} about {words if number == turns - 1 else 'prices'}")
            script.says(f"Answer {number}.")
        script.write(folder)


def index(data: Path, folder: Path, processes: int = 1) -> Picture:
    with Indexer(data, processes=processes) as indexer:
        for _ in indexer.update([Location("claude-code", folder)]):
            pass
    return picture(data)


def state(data: Path) -> LexiconState:
    found = lexicon_state(DataDir(data).lexicon)
    assert found is not None
    return found


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A document more is much; which batches got a part."""
    committed: list[int] = []
    original = LexiconWriter.commit_part

    def counted(self: LexiconWriter, batch: int) -> None:
        committed.append(batch)
        original(self, batch)

    monkeypatch.setattr(LexiconWriter, "commit_part", counted)
    monkeypatch.setattr(lexicon_sync, "MOST_UNCOMMITTED", 1_000)
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(PublishSchedule, "due", False)
    yield committed
    arm("")


@pytest.mark.parametrize("processes", [1, 2])
def test_parts_make_the_same_index(tmp_path: Path, parts: list[int], processes: int) -> None:
    folder = tmp_path / "src"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexicon_sync, "MOST_UNCOMMITTED", 10**9)
        grow(folder, "marmalade", TURNS)
        at_once = index(tmp_path / "at once", folder)
        grow(folder, "rhubarb", TURNS + 5)
        grown = index(tmp_path / "at once", folder)
    assert parts == []
    grow(folder, "marmalade", TURNS)
    assert index(tmp_path / "parts", folder, processes) == at_once
    assert len(parts) > 1
    grow(folder, "rhubarb", TURNS + 5)
    assert index(tmp_path / "parts", folder, processes) == grown
    assert state(tmp_path / "parts") == state(tmp_path / "at once")


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_process_that_dies_between_two_parts_leaves_nothing_twice(
    tmp_path: Path, parts: list[int], processes: int, *, is_first: bool
) -> None:
    folder, data, other = tmp_path / "src", tmp_path / "data", tmp_path / "undisturbed"
    if not is_first:
        grow(folder, "marmalade", 3)
        assert index(data, folder) == index(other, folder)
    grow(folder, "rhubarb", TURNS)
    undisturbed = index(other, folder, processes)
    parts.clear()
    arm("part-of-documents-committed:raise:2")
    with pytest.raises(FaultRaised):
        index(data, folder, processes)
    assert len(parts) == 2
    assert index(data, folder, processes) == undisturbed
    assert state(data) == state(other)
