"""A watcher serves what is asked of it in the middle of its reading, and loses nothing of what it had to read."""

from __future__ import annotations

import threading
from collections.abc import Collection
from pathlib import Path
from typing import Any

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.watch import watch_locations
from memtui_core.readers.locations import Location
from memtui_core.store.requests import FORGET, Requests
from support.indexes import update
from support.transcripts import SESSION, Script

LOOKS = 3000
"""Each of 10 ms at most; far more than are needed on a busy machine."""


class Asked(Indexer):
    """An indexer that is asked to forget a session as soon as it has read one transcript."""

    sessions_when_answered: int | None = None

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self._remove = self.stored.remove
        self.stored.remove = self._remove_counted  # type: ignore[method-assign]

    def _read(self, *arguments: Any) -> bool:
        has_more = super()._read(*arguments)
        if self.counts.files_read == 1:
            Requests(self.data).send(FORGET, {"sessions": [["claude-code", SESSION, None]]})
        return has_more

    def _remove_counted(self, keys: Collection[int]) -> None:
        self.sessions_when_answered = len(self.stored.rows)
        self._remove(keys)


def script(number: int) -> Script:
    made = Script(f"{number:08}-1111-4111-8111-111111111111", prefix=f"n{number}-")
    made.user(f"Prompt {number}")
    made.says("Answer")
    return made


def test_a_watcher_that_reads_much_is_interrupted_and_goes_on(tmp_path: Path) -> None:
    data, source = tmp_path / "data", tmp_path / "src"
    first = Script()
    first.user("Forget me")
    first.write(source)
    update(data, source)
    for number in range(2, 12):
        script(number).write(source)
    stop, location = threading.Event(), Location("claude-code", source)
    indexer = Asked(data)
    with indexer:
        watching = threading.Thread(target=watch_locations, args=(indexer, [location], stop))
        watching.start()
        try:
            for _ in range(LOOKS):
                found = sorted(session.session_id[:8] for session in Index.open(data).sessions.all())
                if found == [f"{number:08}" for number in range(2, 12)] or stop.wait(0.01):
                    break
        finally:
            stop.set()
            watching.join()
        assert found == [f"{number:08}" for number in range(2, 12)]
        # The first one, and at most a few of the ten others.
        assert indexer.sessions_when_answered is not None
        assert indexer.sessions_when_answered < 11
        assert Requests(indexer.data).pending() == []
