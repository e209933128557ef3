"""New transcripts are prepared by several processes, and the index is the one that a single process makes."""

from __future__ import annotations

import os
import select
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest import indexer as indexer_module
from memtui_core.ingest.discover import Pending
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.sources.source_ingest import Stopped
from memtui_core.ingest.turns.project_files import ProjectFiles
from memtui_core.ingest.workers import pool
from memtui_core.ingest.workers.pool import Preparation
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.readers.base import Transcript
from memtui_core.readers.exclusions import NOTHING, Exclusions
from memtui_core.readers.locations import Location
from memtui_core.store.lexicon.writer import LAST_SEGMENT_SIZE
from memtui_core.store.snapshot.publisher import PublishSchedule
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system.fault_points import VARIABLE
from support.pictures import Picture, picture
from support.publishing import Contents, published_contents
from support.transcripts import OTHER_SESSION, SESSION, Script

SAMPLES = Path(__file__).parents[3] / "sample_sessions"
THIRD_SESSION = "33333333-3333-4333-8333-333333333333"
forks = pytest.mark.usefixtures("forked_workers")
MOST_OUTLIVED = 10
"""The most seconds for which a worker may outlive the process that started it."""


@pytest.fixture(autouse=True)
def _a_process_is_worth_a_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 1)


def index_of(
    data: Path, folder: Path, processes: int, agent: str | None = None, exclusions: Exclusions = NOTHING
) -> Counts:
    """Make an index with some processes; how much work that was."""
    with Indexer(data, exclusions=exclusions, processes=processes) as indexer:
        for _ in indexer.update([Location(agent, folder)]):
            pass
        return indexer.counts


def written_at(folder: Path, *scripts: Script) -> Path:
    """A folder with some transcripts, of which the first is the newest."""
    for age, script in enumerate(scripts):
        os.utime(script.write(folder), (1_000_000 - age, 1_000_000 - age))
    return folder


def transcripts(folder: Path) -> list[Pending]:
    """New transcripts of Claude Code."""
    return [
        Pending(Transcript("claude-code", path, path.stat().st_size, path.stat().st_mtime_ns), None)
        for path in sorted(folder.glob("*.jsonl"))
    ]


def says(session: str, text: str) -> Script:
    """A session of one turn."""
    script = Script(session, prefix=session[:1])
    script.user(text)
    script.says("Done.")
    return script


@dataclass(frozen=True)
class Made:
    """What a single process made of the sample sessions."""

    counts: Counts
    contents: Contents
    picture: Picture


@pytest.fixture(scope="module")
def by_one(tmp_path_factory: pytest.TempPathFactory) -> Made:
    data = tmp_path_factory.mktemp("one")
    counts = index_of(data, SAMPLES, 1)
    return Made(counts, published_contents(data, "indexed_at"), picture(data))


@forks
@pytest.mark.parametrize("processes", [2, 4])
def test_the_index_of_several_processes_is_that_of_one(processes: int, by_one: Made, tmp_path: Path) -> None:
    one, several = by_one.counts, index_of(tmp_path, SAMPLES, processes)
    assert published_contents(tmp_path, "indexed_at") == by_one.contents
    assert picture(tmp_path) == by_one.picture
    assert (several.turns_written, several.blocks_written) == (one.turns_written, one.blocks_written)
    assert (one.files_prepared, several.files_prepared > several.files_read / 2) == (0, True)


@forks
def test_sessions_of_a_database_are_prepared_as_one_process_reads_them(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    index_of(one, SAMPLES / "goose", 1)
    counts = index_of(two, SAMPLES / "goose", 2)
    assert published_contents(two, "indexed_at") == published_contents(one, "indexed_at")
    assert picture(two) == picture(one)
    assert (counts.files_read, counts.files_prepared) == (2, 2)


@forks
@pytest.mark.parametrize(("megabytes", "processes"), [(2, 0), (20, 5), (40, 0)])
def test_a_session_counts_as_its_share_of_the_database(
    megabytes: int, processes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two equal sessions: in 2 MB they are not worth a process, and of 40 MB each is too large for memory."""
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 4_000_000)
    database = tmp_path / "kilo.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE other AS SELECT zeroblob(?) AS data", [megabytes * 1_000_000])
        connection.commit()
    sessions = [Pending(Transcript("kilo", database, 10, number, f"ses_{number}"), None) for number in (1, 2)]
    preparing = Preparation(sessions, 8, NOTHING)
    pids = preparing.pids
    preparing.close()
    assert len(pids) == processes


def made_known_later() -> list[Script]:
    """Two sessions that mention a file, and between them the one that writes it."""
    newest, middle, oldest = (Script(key, "/code/later", key[0]) for key in (SESSION, OTHER_SESSION, THIRD_SESSION))
    for script in (newest, oldest):
        script.user("Start it with @bin/serve")
        script.calls("Bash", {"command": "bin/serve --port 8000"}, "b1")
        script.result("listening", "b1")
    middle.user("Write the server")
    middle.calls("Write", {"file_path": f"{middle.cwd}/bin/serve", "content": "exec server"}, "w1")
    middle.result("ok", "w1")
    return [newest, middle, oldest]


def used_late() -> list[Script]:
    """Two sessions that mention a file before they read it."""
    newest, oldest = (Script(f"{one * 8}{SESSION[8:]}", "/code/late", one) for one in "45")
    for script in (newest, oldest):
        script.user("Start it")
        script.calls("Bash", {"command": "bin/serve --port 8000"}, "b1")
        script.result("listening", "b1")
        script.user("Show it")
        script.calls("Read", {"file_path": f"{script.cwd}/bin/serve"}, "r1")
        script.result("exec server", "r1")
    return [newest, oldest]


def in_several_files() -> list[Script]:
    """A session in two files, of which one has its title, and one whose title is in another file before it."""
    one, other = (f"{key * 8}{SESSION[8:]}" for key in "67")
    begun, named, title_only, late = (
        Script(key, "/code/several", name) for key, name in ((one, "a"), (one, "b"), (other, "c"), (other, "d"))
    )
    begun.user("The first prompt of all")
    begun.says("one " * LAST_SEGMENT_SIZE)
    named.user("Another prompt")
    named.says("two")
    named.raw({"type": "custom-title", "sessionId": one, "customTitle": "Upload retries"})
    title_only.raw({"type": "custom-title", "sessionId": other, "customTitle": "Rename pushArtifacts"})
    title_only.raw({"type": "mode", "sessionId": other, "mode": "plan"})
    late.user("A prompt under another title")
    late.says("Done.")
    return [begun, named, title_only, late]


@pytest.fixture(scope="module", params=[False, True], ids=["published_once", "published_each"])
def by_one_and_four(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, forked: Sequence[str]
) -> tuple[Path, Path]:
    """The indexes that one process and four make of all these."""
    folder = tmp_path_factory.mktemp("several")
    scripts = [script for make in (made_known_later, used_late, in_several_files) for script in make()]
    for age, script in enumerate(scripts):
        os.utime(script.write(folder / "src", f"{age}.jsonl"), (1_000_000 - age, 1_000_000 - age))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "WORTH_A_PROCESS", 1)
        patch.setattr(pool, "WORKER", forked)
        patch.setattr(PublishSchedule, "due", request.param)
        for processes in (1, 4):
            counts = index_of(folder / f"{processes}", folder / "src", processes, "claude-code")
    assert counts.files_prepared == len(scripts)
    return folder / "1", folder / "4"


@pytest.fixture
def of_several(by_one_and_four: tuple[Path, Path]) -> Index:
    return Index.open(by_one_and_four[1])


def test_what_later_transcripts_make_known_is_as_by_one_process(by_one_and_four: tuple[Path, Path]) -> None:
    one, four = by_one_and_four
    assert published_contents(four, "indexed_at") == published_contents(one, "indexed_at")
    assert picture(four) == picture(one)


def test_a_file_that_a_later_transcript_makes_known_is_mentioned_in_all(of_several: Index) -> None:
    newest, _, oldest = made_known_later()
    for script in (newest, oldest):
        touches = of_several.files.of_turn(of_several.sessions.find(script.session_id).key, 1)
        assert sorted((touch.path, touch.kind, touch.tool) for touch in touches) == [
            ("bin/serve", "mentioned", "Bash"),
            ("bin/serve", "mentioned", "mention"),
        ]


def test_a_known_file_that_a_transcript_uses_late_is_mentioned_in_its_turns_before(of_several: Index) -> None:
    for script in used_late():
        key = of_several.sessions.find(script.session_id).key
        assert [[(touch.path, touch.kind) for touch in of_several.files.of_turn(key, turn)] for turn in (1, 2)] == [
            [("bin/serve", "mentioned")],
            [("bin/serve", "read")],
        ]


def test_a_session_in_several_files_has_its_turns_numbered_and_its_best_title(of_several: Index) -> None:
    begun, _, _, late = in_several_files()
    session = of_several.sessions.find(begun.session_id)
    assert (session.title, [turn.number for turn in of_several.sessions.turns(session.key)]) == (
        "Upload retries",
        [1, 2],
    )
    assert {hit.session_id for hit in of_several.search("artifacts").hits} == {late.session_id}


@forks
def test_no_text_is_searched_for_a_file_that_becomes_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    rows = ProjectFiles._rows

    def recorded(self: ProjectFiles, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        searched.extend(word for word in ("contains(text", "contains(user_text") if word in sql)
        return rows(self, sql, parameters)

    monkeypatch.setattr(ProjectFiles, "_rows", recorded)
    newest, oldest = (Script(one, prefix=one[0]) for one in (SESSION, OTHER_SESSION))
    newest.user("Start it with @bin/serve")
    newest.calls("Bash", {"command": "bin/serve --port 8000"}, "b1")
    oldest.user("Show it")
    oldest.calls("Read", {"file_path": f"{oldest.cwd}/bin/serve"}, "r1")
    oldest.result("exec server", "r1")
    index_of(tmp_path / "data", written_at(tmp_path / "src", newest, oldest), 3, "claude-code")
    index = Index.open(tmp_path / "data")
    touches = index.files.of_turn(index.sessions.find(SESSION).key, 1)
    assert (len(touches), searched) == (2, [])


@forks
def test_shared_entries_of_a_fork_are_stored_once(tmp_path: Path) -> None:
    parent = Script(SESSION)
    for number in range(3):
        parent.user(f"prompt {number}")
        parent.says(f"answer {number}")
    fork = Script(OTHER_SESSION)
    fork.lines, fork.count = [line.replace(SESSION.encode(), OTHER_SESSION.encode()) for line in parent.lines], 6
    fork.prefix = "f"
    fork.user("another way")
    fork.says("that works too")
    parent.user("the first way")
    parent.says("that works")
    folder = written_at(tmp_path / "src", fork, parent, says(THIRD_SESSION, "something else"))
    counts = [index_of(tmp_path / f"{processes}", folder, processes, "claude-code") for processes in (1, 3)]
    assert published_contents(tmp_path / "3", "indexed_at") == published_contents(tmp_path / "1", "indexed_at")
    assert picture(tmp_path / "3") == picture(tmp_path / "1")
    assert [count.files_read for count in counts] == [4, 4]
    index = Index.open(tmp_path / "3")
    assert [index.sessions.find(key).turns for key in (SESSION, OTHER_SESSION)] == [4, 1]


def test_a_work_database_that_is_opened_again_and_again_holds_the_same(
    by_one: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, real = list[int](), WorkDatabase.reopen

    def counted(self: WorkDatabase) -> None:
        opened.append(self.log_size)
        real(self)
        assert self.log_size == 0

    monkeypatch.setattr(WorkDatabase, "reopen", counted)
    monkeypatch.setattr(indexer_module, "REOPEN_EVERY", 100_000)
    counts = index_of(tmp_path, SAMPLES, 2)
    size = sum(path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file())
    assert 2 <= len(opened) <= size // 100_000
    assert counts.files_prepared > counts.files_read / 2
    assert published_contents(tmp_path, "indexed_at") == by_one.contents


@forks
def test_a_new_turn_with_the_id_of_a_removed_one_is_found(tmp_path: Path) -> None:
    folder = written_at(tmp_path / "src", says(SESSION, "an elephant"))
    index_of(tmp_path / "data", folder, 1, "claude-code")
    (folder / f"{SESSION}.jsonl").write_bytes(b"")
    index_of(tmp_path / "data", folder, 1, "claude-code")
    written_at(folder, says(OTHER_SESSION, "a giraffe"), says(THIRD_SESSION, "a penguin"))
    counts = index_of(tmp_path / "data", folder, 2, "claude-code")
    index = Index.open(tmp_path / "data")
    turns = {index.sessions.turns(session.key)[0].id for session in index.sessions.all() if session.turns}
    assert (counts.files_prepared, turns) == (2, {1, 2})
    found = {word: [hit.session_id for hit in index.search(word).hits] for word in ("elephant", "giraffe", "penguin")}
    assert found == {"elephant": [], "giraffe": [OTHER_SESSION], "penguin": [THIRD_SESSION]}


@forks
def test_a_bad_transcript_is_reported_as_by_one_process(tmp_path: Path) -> None:
    folder = written_at(tmp_path / "src", says(SESSION, "one"), says(OTHER_SESSION, "two"))
    with (folder / f"{SESSION}.jsonl").open("ab") as file:
        file.write(b"{oops\n")
    (folder / "unreadable.jsonl").symlink_to(folder / "nowhere")
    (folder / f"{THIRD_SESSION}.jsonl").write_bytes(b"\xff\xfe\n")
    for processes in (1, 3):
        index_of(tmp_path / f"{processes}", folder, processes, "claude-code")
    rows = [Index.open(tmp_path / f"{processes}").statistics.sources() for processes in (1, 3)]
    assert rows[0] == rows[1]
    assert sorted(row.state for row in rows[1]) == ["error", "error", "ok", "partial"]


@forks
def test_what_is_excluded_is_not_prepared_either(tmp_path: Path) -> None:
    private = Script(OTHER_SESSION, cwd="/home/ana/private/diary", prefix="p")
    private.user("a secret plan")
    folder = written_at(tmp_path / "src", says(SESSION, "one"), private, says(THIRD_SESSION, "three"))
    index_of(tmp_path / "data", folder, 3, "claude-code", Exclusions(["project:diary"]))
    index = Index.open(tmp_path / "data")
    assert {session.session_id for session in index.sessions.all()} == {SESSION, THIRD_SESSION}
    assert [row.state for row in index.statistics.sources()].count("excluded") == 1


def kill(pids: Sequence[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def test_transcripts_of_dead_processes_are_left_to_the_caller(tmp_path: Path) -> None:
    pending = transcripts(written_at(tmp_path, says(SESSION, "one"), says(OTHER_SESSION, "two")))
    preparing = Preparation(pending, 2, NOTHING)
    kill(preparing.pids)
    taken = [preparing.take(item.transcript, lambda: False) for item in pending]
    preparing.close()
    # One of them may have been prepared before its process died.
    assert {prepared is None or prepared.turns == 1 for prepared in taken} == {True}
    again = Preparation(pending, 2, NOTHING)
    try:
        prepared = [again.take(item.transcript, lambda: False) for item in pending]
    finally:
        again.close()
    assert [one.turns if one is not None else None for one in prepared] == [1, 1]


@forks
def test_what_the_caller_waits_for_needs_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MOST_IN_MEMORY", 0)
    pending = transcripts(written_at(tmp_path, says(SESSION, "one"), says(OTHER_SESSION, "two")))
    preparing = Preparation(pending, 2, NOTHING)
    checks = iter(range(600))
    try:
        # The first one is in memory until it is taken, so that there is no room for the second one.
        urgent = preparing.prepare_without(pending[1].transcript, {}, lambda: next(checks, None) is None)
        taken = [preparing.take(item.transcript, lambda: next(checks, None) is None) for item in pending]
    finally:
        preparing.close()
    assert [one is not None and one.turns for one in (urgent, *taken)] == [1, 1, 1]


def test_what_dead_processes_should_prepare_again_is_left_to_the_caller(tmp_path: Path) -> None:
    pending = transcripts(written_at(tmp_path, says(SESSION, "one"), says(OTHER_SESSION, "two")))
    preparing = Preparation(pending, 2, NOTHING)
    taken = [preparing.take(item.transcript, lambda: False) for item in pending]
    kill(preparing.pids)
    again = [preparing.prepare_without(item.transcript, {}, lambda: False) for item in pending]
    preparing.close()
    assert ([one is not None and one.turns for one in taken], again) == ([1, 1], [None, None])


def test_processes_that_cannot_be_started_are_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pending = transcripts(written_at(tmp_path, says(SESSION, "one"), says(OTHER_SESSION, "two")))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python"))
    preparing = Preparation(pending, 2, NOTHING)
    taken = [preparing.take(item.transcript, lambda: False) for item in pending]
    preparing.close()
    assert (preparing.pids, taken) == ([], [None, None])


def test_an_answer_that_is_cut_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pending = transcripts(written_at(tmp_path, says(SESSION, "one"), says(OTHER_SESSION, "two")))
    program = tmp_path / "half"
    # A tuple without its end, then an attribute that no module has.
    program.write_text("#!/bin/sh\nprintf '\\200\\004cmemtui_core\\nnothing\\n.'\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    preparing = Preparation(pending, 2, NOTHING)
    taken = [preparing.take(item.transcript, lambda: False) for item in pending]
    preparing.close()
    assert (len(preparing.pids), taken) == (2, [None, None])


def test_a_folder_with_modules_of_its_own_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pending = transcripts(written_at(tmp_path / "src", says(SESSION, "one"), says(OTHER_SESSION, "two")))
    (tmp_path / "orjson.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    preparing = Preparation(pending, 2, NOTHING)
    taken = [preparing.take(item.transcript, lambda: False) for item in pending]
    preparing.close()
    assert [prepared is not None for prepared in taken] == [True, True]


def test_an_index_is_complete_though_a_process_died(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written_at(tmp_path / "src", *(says(key, f"prompt {key[0]}") for key in (SESSION, OTHER_SESSION)))
    real = Preparation.take

    def killing(self: Preparation, *arguments: object) -> object:
        kill(self.pids[:1])
        return real(self, *arguments)  # type: ignore[arg-type]

    index_of(tmp_path / "one", folder, 1, "claude-code")
    monkeypatch.setattr(Preparation, "take", killing)
    index_of(tmp_path / "killed", folder, 2, "claude-code")
    assert published_contents(tmp_path / "killed", "indexed_at") == published_contents(tmp_path / "one", "indexed_at")


def test_a_cancelled_update_waits_for_no_process(tmp_path: Path) -> None:
    pending = transcripts(written_at(tmp_path, says(SESSION, "one"), says(OTHER_SESSION, "two")))
    preparing = Preparation(pending, 2, NOTHING)
    for pid in preparing.pids:
        os.kill(pid, signal.SIGSTOP)
    with pytest.raises(Stopped):
        preparing.take(pending[0].transcript, lambda: True)
    preparing.close()
    for pid in preparing.pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def ends_after(parent: subprocess.Popen[str], pids: Sequence[int]) -> list[bool]:
    """Kill a process; whether each of some others, which are not children of this one, ends in time."""
    descriptors = [os.pidfd_open(pid) for pid in pids]
    parent.kill()
    try:
        return [bool(select.select([descriptor], [], [], MOST_OUTLIVED)[0]) for descriptor in descriptors]
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


PREPARES = (
    "import sys\nfrom pathlib import Path\nsys.path[:0] = sys.argv[2:]\n"
    "from test_preparation import Preparation, NOTHING, transcripts\n"
    "from memtui_core.ingest.workers import pool\npool.WORTH_A_PROCESS = 1\n"
    "started = Preparation(transcripts(Path(sys.argv[1])), 2, NOTHING)\n"
    "print(*started.pids, flush=True)\nsys.stdin.read()"
)
"""A program that starts two workers for the transcripts in a folder."""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes that are not its children")
@pytest.mark.parametrize("fault", ["", "transcript-taken:hang"])
def test_no_process_outlives_the_one_that_started_it(fault: str, tmp_path: Path) -> None:
    """Neither one that waits, nor one that comes to no end with a transcript."""
    written_at(tmp_path, says(SESSION, "one"), says(OTHER_SESSION, "two"))
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    with subprocess.Popen(
        [sys.executable, "-c", PREPARES, str(tmp_path), *paths],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, VARIABLE: fault},
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        ended = ends_after(parent, pids)
    assert (len(pids), ended) == (2, [True, True])


def test_little_work_is_not_worth_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    pending = transcripts(written_at(tmp_path, says(SESSION, "one"), says(OTHER_SESSION, "two")))
    preparing = Preparation(pending, 8, NOTHING)
    assert (preparing.pids, preparing.take(pending[0].transcript, lambda: False)) == ([], None)
    preparing.close()
