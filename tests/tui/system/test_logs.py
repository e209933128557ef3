"""One log for every process: what is written, at which level, and that no record is lost or mixed with another."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from textual import on
from textual.app import App

from memtui.app import MemtuiApp
from memtui.services.job_queue import JobRunner
from memtui.services.messages import JobFailed
from memtui.system import log_file, logs
from memtui_core.errors import IndexMissing
from support.transcripts import Script

STAMP = "2026-11-22T10:00:00Z"
AT = 1_795_341_600.0
"""The same in seconds."""


@pytest.fixture(autouse=True)
def _no_handlers_are_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("MEMTUI_LOG", raising=False)
    loggers = [logging.getLogger(name) for name in ("memtui", "memtui_core")]
    before = [(logger, logger.handlers[:], logger.level) for logger in loggers]
    yield
    for logger, handlers, level in before:
        logger.handlers[:] = handlers
        logger.setLevel(level)


def lines(folder: Path, name: str = "memtui.log") -> list[str]:
    path = folder / name
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def test_a_record_is_a_line_with_its_time_level_module_and_process(tmp_path: Path) -> None:
    data = tmp_path / "not yet" / "data"
    log_file.write(data, "ERROR", "memtui.app", "It failed.", AT)
    assert (data / "memtui.log").read_bytes() == f"{STAMP} ERROR memtui.app[{os.getpid()}] It failed.\n".encode()
    assert [path.name for path in data.iterdir()] == ["memtui.log"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("two\nlines\n", "two\n    lines"),
        (f"\n{STAMP} ERROR memtui[1] forged", f"{STAMP} ERROR memtui[1] forged"),
        ("a\x1b[31mred\x1b[0m \x07bell\u202e", "ared ␇bell"),
        ("export GITHUB_TOKEN=ghp_" + 9 * "a1B2", "export GITHUB_TOKEN=[redacted:github-token]"),
        ("half \ud800", "half \ufffd"),
        (5000 * "a" + 5000 * "b", f"{4000 * 'a'} […] {4000 * 'b'}"),
    ],
)
def test_a_record_is_plain_without_secrets_and_of_bounded_length(tmp_path: Path, text: str, written: str) -> None:
    log_file.write(tmp_path, "ERROR", "memtui", text, AT)
    assert (tmp_path / "memtui.log").read_bytes().decode() == f"{STAMP} ERROR memtui[{os.getpid()}] {written}\n"


@pytest.mark.parametrize(
    ("value", "levels"),
    [
        (None, ["WARNING", "ERROR"]),
        ("debug", ["DEBUG", "INFO", "WARNING", "ERROR"]),
        (" Info ", ["INFO", "WARNING", "ERROR"]),
        ("ERROR", ["ERROR"]),
        ("off", []),
        ("loud", ["WARNING", "ERROR"]),
    ],
)
def test_the_level_is_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, levels: list[str]
) -> None:
    if value is not None:
        monkeypatch.setenv("MEMTUI_LOG", value)
    logs.configure(tmp_path)
    for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
        logging.getLogger("memtui_core.ingest").log(level, "text")
        log_file.write(tmp_path, logging.getLevelName(level), "hook", "text")
    assert [line.split()[1] for line in lines(tmp_path)] == [level for level in levels for _ in range(2)]


def test_only_the_log_of_the_last_folder_is_written_and_only_by_memtui(tmp_path: Path) -> None:
    logs.configure(tmp_path / "a")
    logs.configure(tmp_path / "b")
    logging.getLogger("memtui.app").warning("%s and %d", "one", 2)
    logging.getLogger("memtuitor").warning("another program")
    assert (lines(tmp_path / "a"), [line.split("] ")[1] for line in lines(tmp_path / "b")]) == ([], ["one and 2"])


def test_a_failure_has_a_traceback_unless_it_is_expected(tmp_path: Path) -> None:
    logs.configure(tmp_path)
    log = logging.getLogger("memtui.services.job_queue")
    for error in (IndexMissing("There is no index."), ZeroDivisionError("by zero")):
        try:
            raise error
        except Exception as caught:
            logs.log_failure(log, caught, f"Told: {caught}")
    shown = [re.sub(r"^\S+Z ", "", line) for line in lines(tmp_path)]
    assert shown[:3] == [
        f"WARNING memtui.services.job_queue[{os.getpid()}] Told: There is no index.",
        f"ERROR memtui.services.job_queue[{os.getpid()}] Told: by zero",
        "    Traceback (most recent call last):",
    ]
    assert shown[-1] == "    ZeroDivisionError: by zero"
    assert all(line.startswith("    ") for line in shown[2:])


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "memtui.log").mkdir()
    (tmp_path / "file").write_text("")
    logs.configure(tmp_path)
    logging.getLogger("memtui").error("text")
    log_file.write(tmp_path / "file", "ERROR", "memtui", "text")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "memtui.log"]


@pytest.mark.parametrize("shared", [True, False])
def test_a_full_log_makes_room_for_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool) -> None:
    monkeypatch.setattr(log_file, "MAX_SIZE", 200)
    monkeypatch.setattr(log_file, "_SHARED_APPEND", shared)
    for number in range(9):
        log_file.write(tmp_path, "ERROR", "memtui", f"{number} {40 * 'x'}", AT)
    texts = [[line.split("] ")[1][0] for line in lines(tmp_path, name)] for name in ("memtui.log.old", "memtui.log")]
    assert texts == [["3", "4", "5"], ["6", "7", "8"]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memtui.log", "memtui.log.lock", "memtui.log.old"]


@pytest.mark.parametrize("shared", [True, False])
def test_a_log_that_another_process_holds_is_written_and_renamed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    monkeypatch.setattr(log_file, "MAX_SIZE", 10)
    monkeypatch.setattr(log_file, "_LOCK_TIMEOUT", 0.0)
    monkeypatch.setattr(log_file, "_SHARED_APPEND", shared)
    with FileLock(tmp_path / "memtui.log.lock", thread_local=False):
        for _ in range(2):
            log_file.write(tmp_path, "ERROR", "memtui", "text")
    assert (len(lines(tmp_path)), lines(tmp_path, "memtui.log.old")) == (2, [])
    log_file.write(tmp_path, "ERROR", "memtui", "text")
    assert (len(lines(tmp_path)), len(lines(tmp_path, "memtui.log.old"))) == (1, 2)


@pytest.mark.parametrize("shared", [True, False])
def test_a_log_that_cannot_be_renamed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool) -> None:
    monkeypatch.setattr(log_file, "MAX_SIZE", 10)
    monkeypatch.setattr(log_file, "_SHARED_APPEND", shared)
    (tmp_path / "memtui.log.old").mkdir()
    for _ in range(3):
        log_file.write(tmp_path, "ERROR", "memtui", "text")
    assert len(lines(tmp_path)) == 3


RECORDS = 100


WRITER = f"""
import sys
from pathlib import Path
from memtui.system import log_file
folder, name, size, shared = sys.argv[1:]
log_file.MAX_SIZE, log_file._SHARED_APPEND = int(size), shared == "True"
print("ready", flush=True)
sys.stdin.read()
for number in range({RECORDS}):
    log_file.write(Path(folder), "ERROR", name, f"{{number}} {40 * "x"}")
"""
"""A process that writes its records as soon as its standard input ends."""


@pytest.mark.parametrize("shared", [True, False])
def test_processes_write_at_once_and_no_record_is_lost(tmp_path: Path, shared: bool) -> None:
    """All of them together are one and a half files long, so that one rename loses nothing and a second one half."""
    log_file.write(tmp_path / "one", "ERROR", "a", f"10 {40 * 'x'}")
    size = (tmp_path / "one" / "memtui.log").stat().st_size * RECORDS * 4 * 2 // 3
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), name, str(size), str(shared)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for name in "abcd"
    ]
    assert [writer.stdout and writer.stdout.readline() for writer in writers] == [b"ready\n"] * 4
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.close()
    whole = re.compile(rf"\S+Z ERROR ([abcd])\[\d+\] (\d+) {40 * 'x'}")
    found = [whole.fullmatch(line) for name in ("memtui.log.old", "memtui.log") for line in lines(tmp_path, name)]
    assert sorted((match[1], int(match[2])) for match in found if match) == [
        (name, number) for name in "abcd" for number in range(RECORDS)
    ]
    assert None not in found
    assert lines(tmp_path, "memtui.log.old")


def test_an_indexer_logs_what_it_does(tmp_path: Path) -> None:
    script = Script()
    script.user("hello")
    source, data = script.write(tmp_path / "src"), tmp_path / "data"
    command = [sys.executable, "-m", "memtui", "index", "--no-embed", "--source", str(source), "--data-dir", str(data)]
    subprocess.run(command, check=True, env={**os.environ, "MEMTUI_LOG": "debug"}, capture_output=True)
    (line,) = lines(data)
    assert re.fullmatch(
        r"\S+Z DEBUG memtui_core\.ingest\.writing\.index_writer\[\d+\] published in \d+\.\d\d s; Counts\(files_read=1,"
        r" files_prepared=0, turns_written=1, blocks_written=1, documents_written=1, texts_embedded=0, snapshots=1,"
        r" sessions_restored=0, records_archived=0, turns_redacted=0\)",
        line,
    )
    (data / "work.duckdb").write_bytes(b"no database" * 1000)
    subprocess.run(command, check=True, capture_output=True)
    assert re.fullmatch(
        r"\S+Z WARNING memtui_core\.ingest\.writing\.index_writer\[\d+\] The index in"
        rf" {re.escape(str(data))} was restored from its last snapshot: .+",
        lines(data)[1],
    )


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is a file of Linux")
def test_a_disk_that_is_full_is_logged_without_a_traceback(sample_index: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_index, data)
    command = [sys.executable, "-m", "memtui", "search", "upload", "--data-dir", str(data)]
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    (first,) = lines(data)
    assert (run.returncode, run.stderr) == (1, f"memtui: {first.partition('] ')[2]}\n")
    assert re.match(r"\S+Z WARNING memtui\.cli\.options\[\d+\] The disk of .+ is full\.", first)
    run = subprocess.run([*command[:3], "show", "nobody", *command[-2:]], capture_output=True, text=True, check=False)
    assert (run.returncode, len(lines(data))) == (1, 1)


async def test_what_fails_in_the_app_is_logged(tmp_path: Path) -> None:
    class Failing(MemtuiApp):
        def on_ready(self) -> None:
            raise ValueError("unlucky")

    logs.configure(tmp_path)
    with pytest.raises(ValueError, match="unlucky"):
        async with Failing(tmp_path / "data", run_indexer=False).run_test():
            pass
    (first, *trace) = lines(tmp_path)
    assert first.endswith(f" CRITICAL memtui.app[{os.getpid()}] The app crashed.")
    assert trace[-1] == "    ValueError: unlucky"


async def test_a_job_that_fails_is_logged_as_it_is_reported(tmp_path: Path) -> None:
    reported: list[str] = []

    class Host(App[None]):
        @on(JobFailed)
        def _failed(self, message: JobFailed) -> None:
            reported.append(message.text)

    def fail() -> None:
        raise IndexMissing("There is no index.")

    logs.configure(tmp_path)
    async with Host().run_test() as pilot:
        JobRunner(pilot.app, tmp_path).run(fail, lambda _: None)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    assert reported == ["There is no index."]
    assert [line.partition(" ")[2] for line in lines(tmp_path)] == [
        f"WARNING memtui.services.job_queue[{os.getpid()}] There is no index."
    ]
