"""What an append costs does not depend on the history beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType

from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.store.snapshot.manifest import Manifest
from support.transcripts import Script

APPENDS = 3
"""Appends that are measured, after one that loads what is loaded once."""


class Calls:
    """Counts the functions that this thread calls, also those of extensions."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Calls:
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _called(self, _: FrameType, event: str, __: object) -> None:
        self.count += event in ("call", "c_call")


def history(folder: Path, sessions: int) -> Path:
    """Sessions of one turn; the transcript of the newest."""
    for number in range(sessions):
        script = Script(f"{number:08x}-1111-4111-8111-111111111111", prefix=f"{number}-")
        script.user(f"Look at part {number}")
        script.says("I did.")
        path = script.write(folder)
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    return path


def work_of_appends(folder: Path, sessions: int) -> tuple[list[int], list[int]]:
    """The calls of each append, and the bytes of the journal that it takes."""
    grows = history(folder / "src", sessions)
    locations, script = [Location("claude-code", folder / "src")], Script(grows.stem, prefix="more-")
    with Indexer(folder / "data", processes=1) as indexer:
        for _ in indexer.update(locations):
            pass
        calls, sizes, snapshots = [], [], indexer.counts.snapshots
        for number in range(APPENDS + 1):
            script.user(f"And now part {number}")
            with grows.open("ab") as file:
                file.write(script.lines[-1] + b"\n")
            before = published(indexer).journal_bytes
            with Calls() as counted:
                for _ in indexer.update(locations, changed=[grows]):
                    pass
            calls.append(counted.count)
            sizes.append(published(indexer).journal_bytes - before)
        assert indexer.counts.snapshots - snapshots == APPENDS + 1
    return calls[1:], sizes[1:]


def published(indexer: Indexer) -> Manifest:
    manifest = indexer.publisher.published
    assert manifest is not None
    return manifest


def test_an_append_is_the_same_work_beside_10_and_1000_sessions(tmp_path: Path) -> None:
    """A thousand transcripts are written and indexed. `make bench-live` measures bytes and time beside gigabytes."""
    few, bytes_few = work_of_appends(tmp_path / "few", 10)
    many, bytes_many = work_of_appends(tmp_path / "many", 1000)
    assert min(bytes_few) > 0
    # The ids and the paths are longer.
    assert max(bytes_many) < 1.1 * min(bytes_few) + 100
    # One call for each session more would be 990.
    assert min(many) - min(few) < 400
