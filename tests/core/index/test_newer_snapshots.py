"""Readers of an index that changes: what they find is what their snapshot has, however fast snapshots come."""

from __future__ import annotations

import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.system.fault_points import FaultRaised, arm
from support import changing_index
from support.indexes import build, embed, update
from support.publishing import bring_up_to_date
from support.transcripts import OTHER_SESSION, SESSION, Script

STEPS = 20
"""Snapshots that are published one after the other."""


def found(index: Index, text: str, engine: str = "lexicon") -> list[tuple[str, int]]:
    """The session and number of each turn that answers."""
    return sorted((hit.session_id[:2], hit.turn) for hit in index.search(text, engines=(engine,)).hits)


def wait_for(process: subprocess.Popen[bytes]) -> None:
    """Wait a moment, but not longer than the process runs."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(0.02)


def test_every_answer_is_that_of_its_snapshot(tmp_path: Path) -> None:
    """Two threads search one index, which a third one refreshes; one searches an index of its own a snapshot later.

    A process of its own publishes 20 snapshots without a pause.
    """
    changing_index.publish(tmp_path / "data", tmp_path, 1, 1)
    shared, own = Index.open(tmp_path / "data"), Index.open(tmp_path / "data")
    wrong: list[str] = []
    rounds: list[int] = []
    seen: set[int] = set()
    with changing_index.start(tmp_path / "data", tmp_path, 2, STEPS) as publishing:

        def search_shared(seed: int) -> None:
            random = Random(seed)
            while publishing.poll() is None:
                wrong.extend(changing_index.faults(shared, random))
                rounds.append(shared.snapshot.number)

        def search_own() -> None:
            random, newest = Random(3), Index.open(tmp_path / "data")

            def until_a_newer_one() -> None:
                while not newest.refresh() and publishing.poll() is None:
                    wait_for(publishing)

            while publishing.poll() is None:
                own.refresh()
                wrong.extend(changing_index.faults(own, random, until_a_newer_one))
                rounds.append(own.snapshot.number)

        threads = [threading.Thread(target=search_shared, args=(seed,)) for seed in (1, 2)]
        threads.append(threading.Thread(target=search_own))
        assert found(shared, "zq") == []
        assert found(own, "zq") == []
        for thread in threads:
            thread.start()
        while publishing.poll() is None:
            wait_for(publishing)
            shared.refresh()
            seen.add(shared.snapshot.number)
        for thread in threads:
            thread.join()
    assert publishing.returncode == 0
    assert wrong == []
    assert len(seen) > STEPS // 4
    assert len(rounds) > STEPS // 4


def test_a_keyword_index_that_is_newer_than_the_snapshot_finds_what_the_snapshot_has(tmp_path: Path) -> None:
    """Until the snapshot is published, or if the indexer dies in between."""
    first, second = Script(), Script(OTHER_SESSION, prefix="f")
    first.user("an old upload")
    second.user("the other upload")
    paths = [first.write(tmp_path / "src"), second.write(tmp_path / "src")]
    update(tmp_path / "data", *paths)
    first.user("a new walrus")
    second.says("and a walrus in the answer")
    for script in (first, second):
        script.write(tmp_path / "src")
    try:
        arm("documents-committed:raise")
        with pytest.raises(FaultRaised), Indexer(tmp_path / "data") as indexer:
            bring_up_to_date(indexer, tmp_path / "src")
    finally:
        arm("")
    index = Index.open(tmp_path / "data")
    assert {text: found(index, text) for text in ("walrus", "upload", "an old upload", "-walrus project:shop")} == {
        "walrus": [],
        "upload": [("11", 1), ("22", 1)],
        "an old upload": [("11", 1), ("22", 1)],
        "-walrus project:shop": [("11", 1), ("22", 1)],
    }
    update(tmp_path / "data", *paths)
    assert index.refresh()
    assert found(index, "walrus") == [("11", 2), ("22", 1)]


def test_vectors_that_were_read_for_an_older_snapshot_answer_for_no_other_turn(tmp_path: Path) -> None:
    """The second session is written again, so that its new turn has the id of the old one."""
    kept, rewritten = Script(SESSION), Script(OTHER_SESSION, prefix="f")
    kept.user("The walrus is in the upload")
    paths = [kept.write(tmp_path / "src")]
    build(tmp_path / "data", *paths)
    rewritten.user("The walrus of the shop")
    paths.append(rewritten.write(tmp_path / "src"))
    update(tmp_path / "data", *paths)
    embed(tmp_path / "data")
    index = Index.open(tmp_path / "data")
    assert index.vectors.load_model()
    index.vectors.cache()
    ids = index.snapshot.rows("SELECT id FROM turns ORDER BY id")
    assert found(index, "walrus in the shop", "meaning") == [("11", 1), ("22", 1)]
    paths[1].write_bytes(b"")
    update(tmp_path / "data", *paths)
    rewritten.lines.clear()
    rewritten.prefix = "g"
    rewritten.user("Prices of tomorrow")
    rewritten.write(tmp_path / "src")
    update(tmp_path / "data", *paths)
    assert index.refresh()
    assert index.snapshot.rows("SELECT id FROM turns ORDER BY id") == ids
    assert found(index, "walrus in the shop", "meaning") == [("11", 1)]
