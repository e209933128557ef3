"""Whatever fails, a person reads one sentence and the exit code is 1; what is there can still be read."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.cli import cli
from memtui.services.indexer_process import IndexerProcess
from memtui.widgets.status.line import StatusLine
from memtui.wording.startup_text import no_sessions_text
from memtui_core.ingest.indexer import Indexer
from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import VERSION
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.work.lock import read_holder
from support import several_commands
from support.indexes import update
from support.screens import app_on, empty_text, settled
from support.systems import drops_root, unix_only
from support.transcripts import SESSION, Script

ELSEWHERE = "choose another data folder with --data-dir or MEMTUI_DATA_DIR."
PATIENCE = 120
"""Seconds that something may take that is certain to happen."""
READING = [["search", "x"], ["recall", "x"], ["files"], ["show", "x"], ["export", "x"], ["compactions"]]
READING += [["handoff", "x"], ["prs"], ["stats"], ["timeline"], ["doctor"]]


def memtui(
    *arguments: str, before: Callable[[], None] | None = None, inside: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    command = [*inside, sys.executable, "-m", "memtui", *arguments]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, preexec_fn=before
    )


def here(*arguments: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(cli, arguments)


async def until(pilot: Pilot[None], done: Callable[[], bool]) -> None:
    """Let the app work until something has happened; fails when it does not."""
    async with asyncio.timeout(PATIENCE):
        while not done():
            await pilot.pause(0.01)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    script = Script()
    script.user("Round the prices " * 4000)
    script.says("Done.")
    return script.write(tmp_path / "src").parent


@pytest.fixture
def data(tmp_path: Path, source: Path) -> Path:
    update(tmp_path / "data", source)
    return tmp_path / "data"


def test_a_file_in_the_place_of_the_data_folder(tmp_path: Path, source: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file")
    sentence = f"{folder} cannot be the data folder: {folder} is a file. Move that file, or {ELSEWHERE}"
    for command in (["index", "--no-embed", "--source", str(source)], *READING):
        found = CliRunner().invoke(cli, [*command, "--data-dir", folder])
        assert (found.exit_code, found.stdout, found.stderr) == (1, "", f"memtui: {sentence}\n"), command


@pytest.mark.parametrize("limit", [10_000, 200_000])
def test_a_disk_that_takes_no_more(limit: int, tmp_path: Path, source: Path) -> None:
    """At the first limit nothing can be made; at the second the transcript is read and cannot be published."""
    resource = pytest.importorskip("resource")

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    folder = tmp_path / "data"
    command = ["index", "--no-embed", "--source", str(source), "--data-dir", str(folder)]
    found = memtui(*command, before=bounded)
    sentence = f"A file in {folder} would be larger than this system allows. Raise the limit (ulimit -f), or"
    assert (found.returncode, found.stdout, found.stderr) == (1, "", f"memtui: {sentence} {ELSEWHERE}\n")
    again = here(*command, "--json")
    assert again.exit_code == 0
    assert [(one["turns"], one["failed_sources"]) for one in json.loads(again.stdout)] == [(1, 0)]


@pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False).returncode != 0,
    reason="no file system can be mounted here",
)
def test_a_read_only_folder_is_read_and_not_written(data: Path, source: Path) -> None:
    mounted = f'mount --bind "{data}" "{data}" && mount -o remount,ro,bind "{data}" && exec "$@"'
    inside = ["unshare", "-rm", "sh", "-c", mounted, "sh"]
    found = memtui("index", "--no-embed", "--source", str(source), "--data-dir", str(data), inside=inside)
    sentence = f"{data} is on a read-only disk, and nothing can be written there. Make it writable, or {ELSEWHERE}"
    assert (found.returncode, found.stdout, found.stderr) == (1, "", f"memtui: {sentence}\n")
    read = memtui("search", "prices", "--json", "--data-dir", str(data), inside=inside)
    assert read.returncode == 0
    assert [one["session_id"] for one in json.loads(read.stdout)] == [SESSION]


def test_a_folder_that_may_not_be_read(data: Path, source: Path) -> None:
    commands = (["index", "--no-embed", "--source", str(source)], ["search", "x"], ["doctor"], ["timeline"])
    calls = json.dumps([[*command, "--data-dir", str(data)] for command in commands])
    program = [*drops_root(), sys.executable, several_commands.__file__, calls]
    data.chmod(0)
    try:
        ran = subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    finally:
        data.chmod(0o755)
    assert ran.stdout == f"{several_commands.ENDED}1\n" * len(commands)
    for command, line in zip(commands, ran.stderr.splitlines(), strict=True):
        assert line.startswith(f"memtui: {data}"), command
        assert line.endswith(f"permission denied. Change its permissions, or {ELSEWHERE}"), command


def test_a_damaged_snapshot_is_told_and_mended(data: Path, source: Path) -> None:
    script = Script()
    script.user("And the prices of tomorrow")
    script.lines = (source / f"{SESSION}.jsonl").read_bytes().splitlines() + script.lines
    update(data, script.write(source))
    manifest = read_manifest(DataDir(data))
    assert manifest is not None
    assert manifest.journal is not None
    journal = DataDir(data).journal(manifest.journal)
    journal.write_bytes(b"junk")
    reason = f"{journal.name} has 4 bytes of {manifest.journal_bytes}"
    sentence = f"The index in {data} is damaged: {reason}. memtui index mends what can be mended."
    for command in READING:
        found = CliRunner().invoke(cli, [*command, "--data-dir", str(data)])
        assert (found.exit_code, found.stdout, found.stderr) == (1, "", f"memtui: {sentence}\n"), command
    assert here("index", "--no-embed", "--source", str(source), "--data-dir", str(data)).exit_code == 0
    assert here("search", "tomorrow", "--data-dir", str(data)).exit_code == 0


def test_a_damaged_base_is_told_and_kept_and_the_index_is_made_again(data: Path, source: Path) -> None:
    manifest = read_manifest(DataDir(data))
    assert manifest is not None
    base = DataDir(data).base(manifest.base)
    base.write_bytes(b"junk")
    reason = f"the size of {base.name} is not the one that was written"
    for command in READING:
        found = CliRunner().invoke(cli, [*command, "--data-dir", str(data)])
        assert (found.exit_code, found.stdout) == (1, ""), command
        assert found.stderr.startswith(f"memtui: The index in {data} is damaged: {reason}. "), command
    told = here("index", "--no-embed", "--source", str(source), "--data-dir", str(data))
    assert told.exit_code == 0
    assert "1 file read. The index holds 1 session, 1 turn." in told.stderr
    aside = list(data.glob("broken/*/snapshots/*.duckdb"))
    assert [path.read_bytes() for path in aside if path.name == base.name] == [b"junk"]
    assert here("search", "prices", "--data-dir", str(data)).exit_code == 0


def test_the_name_of_the_snapshot_is_damaged(data: Path) -> None:
    DataDir(data).current.write_text("{")
    found = here("stats", "--data-dir", str(data))
    sentence = f"The index in {data} is damaged: CURRENT names no snapshot. memtui index mends what can be mended."
    assert (found.exit_code, found.stderr) == (1, f"memtui: {sentence}\n")


def test_an_index_of_which_nothing_can_be_read_is_made_again_from_the_transcripts(data: Path, source: Path) -> None:
    for path in (*data.glob("snapshots/*.duckdb"), data / "work.duckdb"):
        path.write_bytes(b"junk" * 5000)
    command = ["index", "--no-embed", "--source", str(source), "--data-dir", str(data)]
    found = here(*command)
    assert found.exit_code == 0
    assert found.stderr.startswith("The index was damaged beyond repair and is made again: ")
    assert (
        f"The damaged files are in {data / 'broken'}, from which memtui doctor --repair removes them." in found.stderr
    )
    assert here(*command).stderr == "0 files read. The index holds 1 session, 1 turn.\n"


def test_an_index_of_a_newer_memtui(data: Path, source: Path) -> None:
    import duckdb

    with duckdb.connect(str(data / "work.duckdb")) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    found = here("index", "--no-embed", "--source", str(source), "--data-dir", str(data))
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr == f"memtui: The index has schema 99; this memtui knows {VERSION}. Update memtui.\n"


def test_a_child_that_fails_says_why_and_nothing_else(tmp_path: Path, source: Path) -> None:
    """Its standard input is open, and a thread waits for its end."""
    (tmp_path / "file").write_text("")
    child = IndexerProcess(tmp_path / "file", [source])
    child._process.wait(60)
    assert child._process.returncode == 1
    assert child.failure() == (
        f"{tmp_path / 'file'} cannot be the data folder: {tmp_path / 'file'} is a file. Move that file, or {ELSEWHERE}"
    )
    child.stop()


@unix_only
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "SIGKILL",
            "The system ended the indexer, most likely because memory was short. Close other programs.",
        ),
        ("SIGABRT", "The indexer crashed (SIGABRT). If it happens again, please report it."),
    ],
)
def test_a_child_that_is_killed(name: str, sentence: str, tmp_path: Path, source: Path) -> None:
    child = IndexerProcess(tmp_path / "data", [source])
    assert child.failure() is None
    child._process.send_signal(signal.Signals[name])
    child._process.wait(60)
    assert child.failure() == sentence
    child.stop()


async def test_the_app_reads_on_when_indexing_stops_and_starts_it_again(tmp_path: Path, data: Path) -> None:
    """Two indexers start, each in a process of its own: one that fails, and one after `R`."""
    # A folder cannot be locked.
    (data / "indexer.lock").unlink()
    (data / "indexer.lock").mkdir()
    app = MemtuiApp(data, [tmp_path / "src"])
    async with app.run_test(size=(140, 40)) as pilot:
        await until(pilot, lambda: app._stopped)
        await settled(pilot)
        told = [(one.title, one.message) for one in app._notifications if one.title]
        sentence = f"{data / 'indexer.lock'} is in the way. Move it, or {ELSEWHERE}"
        assert told == [("Indexing has stopped", f"{sentence}\n\nR starts it again.")]
        assert app.screen.query_one(StatusLine).facts() == [
            "indexing has stopped",
            "1 session",
            "1 turn",
        ]
        (data / "indexer.lock").rmdir()
        await pilot.press("R")
        await until(pilot, lambda: app._indexer is not None)
        assert app.screen.query_one(StatusLine).stopped == ""


@unix_only
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("SIGKILL", "The system ended the indexer, most likely because memory was short. Close other programs."),
        ("SIGSTOP", "The indexer was stopped by another program, and was ended."),
    ],
)
async def test_an_indexer_that_is_ended_from_outside_is_started_again(
    name: str, sentence: str, tmp_path: Path, data: Path
) -> None:
    """Three times, and not for ever. Five indexers start, each in a process of its own."""
    app = MemtuiApp(data, [tmp_path / "src"])
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await until(pilot, lambda: app._indexer is not None)
        pids: list[int] = []
        while not app._stopped:
            indexer = app._indexer
            assert indexer is not None
            pids.append(indexer._process.pid)
            indexer._process.send_signal(signal.Signals[name])
            await until(pilot, lambda before=indexer: app._stopped or app._indexer is not before)  # type: ignore[misc]
        said = {one.message for one in app._notifications}
        stopped = app.screen.query_one(StatusLine).stopped
    assert len(set(pids)) == 4
    assert f"{sentence} It was started again." in said
    assert stopped == sentence


async def test_a_model_that_cannot_be_loaded_is_told_by_the_app(tmp_path: Path, source: Path) -> None:
    """Words are indexed all the same."""
    (tmp_path / "config.toml").write_text('model = "nobody/knows"\n')
    app = MemtuiApp(tmp_path / "data", [source])
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("nobody/knows" in one.message for one in app._notifications))
        [said] = [one.message for one in app._notifications if "nobody/knows" in one.message]
        assert said.startswith("There is no embedding model nobody/knows; ")
        assert app._indexer is not None
    found = CliRunner().invoke(cli, ["search", "prices", "--json", "--data-dir", str(tmp_path / "data")])
    assert [one["session_id"] for one in json.loads(found.stdout)] == [SESSION]


def test_another_indexer_holds_the_folder(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The package has the command under the name of the module.
    monkeypatch.setattr(sys.modules["memtui.cli.keeping.index_run"], "MAX_WAIT", 0)
    folder = tmp_path / "data"
    command = ["index", "--no-embed", "--source", str(source), "--data-dir", str(folder)]
    with Indexer(folder, what="memtui index"):
        holder = read_holder(DataDir(folder))
        found = CliRunner().invoke(cli, command)
    assert (found.exit_code, found.stdout) == (1, "")
    assert holder is not None
    assert found.stderr == (
        f"Waiting for another memtui that is indexing into {folder}: {holder.text} …\n"
        f"memtui: Another memtui is indexing into {folder}: {holder.text}. What it indexes can be searched; stop it, or"
        " try again later.\n"
    )
    assert CliRunner().invoke(cli, command).exit_code == 0


async def said_by_each_view(pilot: Pilot[None]) -> list[str]:
    """What stands in the place of the list in a view, in one that is opened after it, and in the first one again."""
    said = [empty_text(pilot.app.screen)]
    for key in "21":
        await pilot.press(key)
        await settled(pilot)
        said.append(empty_text(pilot.app.screen))
    return said


async def test_without_an_index_the_reason_stands_in_the_empty_list(tmp_path: Path, source: Path) -> None:
    """The indexer starts in a process of its own and fails."""
    (tmp_path / "file").write_text("")
    app = MemtuiApp(tmp_path / "file", [source])
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app._stopped)
        await settled(pilot)
        folder = tmp_path / "file"
        sentence = f"{folder} cannot be the data folder: {folder} is a file. Move that file, or {ELSEWHERE}"
        said = f"Indexing has stopped.\n\n{sentence}\n\nR starts it again."
        assert await said_by_each_view(pilot) == [said] * 3


async def test_an_index_that_cannot_be_read_is_told_by_each_view(data: Path) -> None:
    current = data / "snapshots" / "CURRENT"
    current.write_text("{")
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        sentence = f"The index in {data} is damaged: CURRENT names no snapshot. memtui index mends what can be mended."
        assert await said_by_each_view(pilot) == [f"{sentence}\n\nR tries again."] * 3
        current.unlink()
        nothing = no_sessions_text(data, "/home/ana/.claude/projects", None)
        await until(pilot, lambda: empty_text(pilot.app.screen) == nothing)
        assert await said_by_each_view(pilot) == [nothing] * 3


async def test_a_question_that_fails_is_told(data: Path) -> None:
    """The index is damaged while the app reads it."""
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        (data / "snapshots" / "CURRENT").write_text("{")
        await pilot.press("R")
        await settled(pilot)
        sentence = f"The index in {data} is damaged: CURRENT names no snapshot. memtui index mends what can be mended."
        assert [one.message for one in pilot.app._notifications] == [sentence]
        assert pilot.app.screen.query_one(StatusLine).stats is not None


def piped(*arguments: str, stderr: bool = False) -> int:
    """Run the command line with an output that nobody reads, and tell its exit code."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            [sys.executable, "-m", "memtui", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if stderr else writer,
            stderr=writer if stderr else subprocess.PIPE,
            check=False,
        ).returncode
    finally:
        os.close(writer)


@pytest.mark.parametrize("stderr", [False, True])
def test_enabling_writes_though_nobody_reads_what_it_says(
    stderr: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "claude"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    assert piped("enable", "--yes", stderr=stderr) == 0
    assert "memtui" in (folder / "settings.json").read_text()
    assert "memtui" in (folder / ".claude.json").read_text()


def test_work_is_done_though_nobody_reads_what_is_printed(
    data: Path, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seven commands run, each in a process with a pipe that nobody reads."""
    monkeypatch.chdir(tmp_path)
    folder = ["--data-dir", str(data)]
    assert piped("export", SESSION, "--output", "session.md", *folder) == 0
    assert "Round the prices" in (tmp_path / "session.md").read_text()
    assert piped("handoff", SESSION, "--to", "handoff.md", *folder, stderr=True) == 0
    assert (tmp_path / "handoff.md").is_file()
    assert piped("index", "--source", str(source), "--data-dir", str(tmp_path / "new"), stderr=True) == 0
    assert json.loads(here("search", "prices", "--json", "--data-dir", str(tmp_path / "new")).stdout)[0]["turn"] == 1
    for command in (["search", "prices"], ["show", SESSION], ["stats", "--json"], ["export", SESSION, "--output", "-"]):
        assert piped(*command, *folder) == 0, command
