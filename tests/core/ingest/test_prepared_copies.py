"""Transcripts that share entries are prepared by other processes too, and the index is that of a single process."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.discover import Pending
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.sources.reading_queue import ReadingQueue
from memtui_core.ingest.sources.source_ingest import CHUNK, Stopped
from memtui_core.ingest.workers import merging, pool
from memtui_core.ingest.workers.pool import Preparation
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.readers.locations import Location
from memtui_core.store.snapshot.publisher import PublishSchedule
from support.pictures import picture
from support.publishing import Contents, published_contents
from support.transcripts import OTHER_SESSION, SESSION, Script

THIRD_SESSION = "33333333-3333-4333-8333-333333333333"
pytestmark = pytest.mark.usefixtures("forked_workers")


@pytest.fixture(autouse=True)
def _a_process_is_worth_a_byte_and_the_only_snapshot_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 1)
    # A session that lost all its turns keeps the links that were resolved when a snapshot was published.
    monkeypatch.setattr(PublishSchedule, "due", False)


def parent() -> Script:
    """A session with a subagent inside, a file that only its tool call makes known, and a compaction."""
    script = Script(SESSION, prefix="p")
    script.user("Write the server")
    script.calls("Write", {"file_path": f"{script.cwd}/bin/serve", "content": "exec server"}, "w1")
    script.result("ok", "w1")
    script.calls("Task", {"description": "look around", "prompt": "Look around", "subagent_type": "scout"}, "s1")
    script.user("Look around", isSidechain=True)
    script.says("I see a server", isSidechain=True)
    script.result("a server", "s1")
    script.compacts("The server is written.")
    script.user("Start it with @bin/serve")
    script.calls("Bash", {"command": "bin/serve --port 8000"}, "b1")
    script.result("listening", "b1")
    return script


def fork_of(script: Script, session: str, entries: int, prefix: str) -> Script:
    """A session that begins with some entries of another one."""
    fork = Script(session, prefix=prefix)
    fork.lines = [line.replace(script.session_id.encode(), session.encode()) for line in script.lines[:entries]]
    fork.count = 40 + len(session) + ord(prefix)
    return fork


def family() -> list[Script]:
    """A session, a fork of it in the middle of a turn, and a fork of the fork with an answer for the first one."""
    first = parent()
    second = fork_of(first, OTHER_SESSION, 6, "q")
    second.says("Another look")
    second.user("Stop it again")
    second.calls("Bash", {"command": "bin/serve --stop"}, "b2")
    second.result("stopped", "b2")
    third = fork_of(second, THIRD_SESSION, 8, "z")
    third.says("It never ran")
    third.raw({"type": "summary", "summary": "The first server", "leafUuid": "p9"})
    return [first, second, third]


def versions() -> list[Script]:
    """A session that was resumed twice into a new file, and the file of another one with nothing of its own."""
    begun, resumed, again = parent(), parent(), parent()
    begun.lines = begun.lines[:5]
    again.user("And once more")
    again.says("Once more")
    copy = Script(SESSION)
    copy.lines = begun.lines[:3]
    return [begun, resumed, again, copy]


def rivals() -> list[Script]:
    """Two forks of a session which is not there, so that the one that goes on earlier has its entries."""
    first, second = (
        fork_of(parent(), session, 9, prefix) for session, prefix in ((SESSION, "a"), (OTHER_SESSION, "b"))
    )
    for script, words in ((second, "the second"), (first, "the first")):
        script.user(f"Only in {words}")
        script.says(f"An answer for {words}")
    late = fork_of(first, THIRD_SESSION, 10, "c")
    late.says("Something late")
    return [first, second, late]


def says_as_many_as_a_chunk() -> list[Script]:
    """Two sessions that have the same entries only after the first chunk of records.

    If they were among the first entries, they would belong to the first session in any order.
    """
    scripts = [Script(key * 8, prefix=key) for key in "45"]
    for script in scripts:
        script.user(f"Count for {script.prefix}")
        for number in range(CHUNK + 10):
            script.says(f"{number}")
        script.prefix = "same"
        script.count = 5000
        script.user("A prompt of both")
        script.says("An answer of both")
    return scripts


def written(folder: Path, scripts: Sequence[Script], order: Sequence[int], newest: int = 1_000_000) -> Path:
    """The scripts as files, of which the first in the order is the newest; each next one is ten seconds older."""
    for rank, number in enumerate(order):
        at = newest - 10 * rank
        os.utime(scripts[number].write(folder, f"{number}.jsonl"), (at, at))
    return folder


def index_of(data: Path, folder: Path, processes: int) -> Counts:
    with Indexer(data, processes=processes) as indexer:
        for _ in indexer.update([Location("claude-code", folder)]):
            pass
        return indexer.counts


def found(data: Path) -> tuple[Contents, object]:
    return published_contents(data, "indexed_at"), picture(data)


def apart(scripts: Sequence[Script], number: int) -> list[Script]:
    """The same scripts with entries, sessions and a project of their own, so that they share nothing with others."""
    made = []
    for script in scripts:
        other = Script(f"{script.session_id[:-2]}{number:02}", prefix=script.prefix)
        text = b"\n".join(script.lines).replace(script.session_id.encode(), other.session_id.encode())
        text = text.replace(b"/code/shop", b"/code/shop%02d" % number)
        own_ids = rb'"(uuid|parentUuid|leafUuid|id|tool_use_id)":"', rb'"\1":"%02d' % number
        other.lines = re.sub(*own_ids, text).split(b"\n")
        made.append(other)
    return made


def publish_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot is published between any two transcripts of a folder."""
    read = Indexer._read
    since: set[Path] = set()

    def reads(indexer: Indexer, item: Pending, queue: ReadingQueue, *rest: Any) -> None:
        read(indexer, item, queue, *rest)
        since.add(item.transcript.path.parent)
        is_due = bool(queue) and queue.first.transcript.path.parent in since
        monkeypatch.setattr(PublishSchedule, "due", is_due)
        if is_due or not queue:
            since.clear()

    monkeypatch.setattr(Indexer, "_read", reads)


@pytest.mark.parametrize("publishes", [False, True])
@pytest.mark.parametrize("make", [family, versions, rivals])
def test_the_index_is_that_of_one_process_in_every_order(
    make: Callable[[], list[Script]], publishes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first transcripts of all orders are read before the second ones, so that few snapshots are needed."""
    if publishes:
        publish_in_between(monkeypatch)
    scripts = make()
    orders = list(permutations(range(len(scripts))))
    for number, order in enumerate(orders[:: len(orders) // 6]):
        written(tmp_path / "src" / f"{number}", apart(scripts, number), order, 1_000_000 - number)
    one, several = (index_of(tmp_path / f"{count}", tmp_path / "src", count) for count in (1, 2))
    assert found(tmp_path / "2") == found(tmp_path / "1")
    work = [(count.files_read, count.turns_written, count.snapshots) for count in (one, several)]
    assert (work[0] == work[1], one.snapshots >= len(scripts)) == (True, publishes)
    assert (one.files_prepared, several.files_prepared) == (0, several.files_read)


def test_forks_with_four_processes(tmp_path: Path) -> None:
    folder = written(tmp_path / "src", [*family(), *says_as_many_as_a_chunk()], (4, 1, 0, 3, 2))
    counts = [index_of(tmp_path / f"{count}", folder, count) for count in (1, 4)]
    assert found(tmp_path / "4") == found(tmp_path / "1")
    assert counts[1].files_prepared == counts[0].files_read
    index = Index.open(tmp_path / "4")
    owners = [index.sessions.find(key).turns for key in (SESSION, OTHER_SESSION, THIRD_SESSION)]
    # What the second one goes on with starts before that of the third one.
    assert owners == [3, 2, 1]


def test_what_is_not_kept_in_memory_is_read_by_the_indexer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path / "src", family(), (1, 0, 2))
    index_of(tmp_path / "1", folder, 1)
    monkeypatch.setattr(merging, "MOST_KEPT_ENTRIES", 0)
    counts = index_of(tmp_path / "2", folder, 2)
    assert (counts.files_read, counts.files_prepared) == (4, 3)
    assert found(tmp_path / "2") == found(tmp_path / "1")


def test_the_indexer_reads_what_no_process_can_prepare_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path / "src", family(), (2, 1, 0))
    index_of(tmp_path / "1", folder, 1)
    monkeypatch.setattr(Preparation, "prepare_without", lambda *_: None)
    counts = index_of(tmp_path / "2", folder, 2)
    assert counts.files_prepared < counts.files_read
    assert found(tmp_path / "2") == found(tmp_path / "1")


def test_cancelling_while_a_transcript_is_prepared_again_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path / "src", family(), (2, 1, 0))
    index_of(tmp_path / "1", folder, 1)

    def stopped(*_: object) -> None:
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(Preparation, "prepare_without", stopped)
        first = index_of(tmp_path / "2", folder, 2)
    second = index_of(tmp_path / "2", folder, 2)
    assert (first.files_read < 3, second.files_read > 0) == (True, True)
    leave = ("id", "turn", "source", "key", "session", "parent", "sessions", "indexed_at")
    assert published_contents(tmp_path / "2", *leave) == published_contents(tmp_path / "1", *leave)
