"""The first turn of a session waits for its title, so that its document is written once."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.workers import pool
from memtui_core.ingest.writing import lexicon_sync
from memtui_core.readers.locations import Location
from memtui_core.store.lexicon import LexiconWriter, TurnDoc
from memtui_core.store.snapshot.publisher import PublishSchedule
from support.pictures import Picture, picture
from support.transcripts import OTHER_SESSION, SESSION, Script

THIRD_SESSION = "33333333-3333-4333-8333-333333333333"
pytestmark = pytest.mark.usefixtures("forked_workers")


@pytest.fixture(autouse=True)
def _a_process_is_worth_a_byte_and_the_only_snapshot_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(PublishSchedule, "due", False)


def sessions(folder: Path) -> Path:
    """A session that is named by a later transcript, and whose file becomes known there; that one; and a third one."""
    named, naming, other = Script(SESSION, prefix="a"), Script(OTHER_SESSION, prefix="b"), Script(THIRD_SESSION)
    named.user("Start it with @bin/serve")
    named.says("It listens.")
    naming.user("Write the server")
    naming.calls("Write", {"file_path": f"{naming.cwd}/bin/serve", "content": "exec server"}, "w1")
    naming.result("ok", "w1")
    naming.raw({"type": "summary", "summary": "Giraffes listen", "leafUuid": "a1"})
    other.user("Something else")
    other.says("Done.")
    for age, script in enumerate((named, naming, other)):
        os.utime(script.write(folder), (1_000_000 - age, 1_000_000 - age))
    return folder


def index_of(data: Path, folder: Path, processes: int) -> Picture:
    with Indexer(data, processes=processes) as indexer:
        for _ in indexer.update([Location("claude-code", folder)]):
            pass
    return picture(data)


def test_a_title_and_a_file_that_become_known_later_are_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = sessions(tmp_path / "src")
    expected = index_of(tmp_path / "1", folder, 1)
    written: Counter[int] = Counter()
    put = LexiconWriter.put

    def counted(self: LexiconWriter, doc: TurnDoc, *, fresh: bool = False) -> None:
        written[doc.turn] += 1
        put(self, doc, fresh=fresh)

    monkeypatch.setattr(LexiconWriter, "put", counted)
    assert index_of(tmp_path / "2", folder, 2) == expected
    assert written == {1: 1, 2: 1, 3: 1}
    index = Index.open(tmp_path / "2")
    found = {query: {hit.session_id for hit in index.search(query).hits} for query in ("giraffes", "serve", "listens")}
    assert found == {"giraffes": {SESSION}, "serve": {SESSION, OTHER_SESSION}, "listens": {SESSION}}
    index.close()


def test_documents_that_are_too_large_to_wait_are_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = sessions(tmp_path / "src")
    expected = index_of(tmp_path / "1", folder, 1)
    for most in (0, 60):
        monkeypatch.setattr(lexicon_sync, "MOST_HELD", most)
        assert index_of(tmp_path / f"{most}", folder, 2) == expected


def test_a_held_document_of_a_turn_that_is_removed_again_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, fork = Script(SESSION, prefix="p"), Script(OTHER_SESSION)
    parent.user("Count the elephants")
    parent.says("Two")
    fork.lines = [line.replace(SESSION.encode(), OTHER_SESSION.encode()) for line in parent.lines]
    parent.says("Three")
    fork.count = 50
    fork.user("Count the giraffes")
    for age, script in enumerate((fork, parent)):
        os.utime(script.write(tmp_path / "src"), (1_000_000 - age, 1_000_000 - age))
    turns: list[int] = []
    put = LexiconWriter.put

    def listed(self: LexiconWriter, doc: TurnDoc, *, fresh: bool = False) -> None:
        turns.append(doc.turn)
        put(self, doc, fresh=fresh)

    monkeypatch.setattr(LexiconWriter, "put", listed)
    several = index_of(tmp_path / "2", tmp_path / "src", 2)
    # Turns 1 and 2 were those of the fork until its parent was read.
    assert sorted(turns) == [2, 3, 4]
    assert several == index_of(tmp_path / "1", tmp_path / "src", 1)
