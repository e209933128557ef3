"""`memtui index` while another memtui watches: that does the work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.commands import cli
from memtui_core.index.index import Index
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import read_progress
from memtui_core.store.work.lock import read_holder
from support.systems import unix_only
from support.transcripts import OTHER_SESSION, SESSION, Script

pytestmark = unix_only
FIGURES = {"texts_embedded": 0, "failed_sources": 0, "skipped_lines": 0}


def says(session: str, text: str, folder: Path) -> Path:
    """A session of one turn in a folder."""
    script = Script(session, prefix=text)
    script.user(text)
    return script.write(folder)


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that watches the folder `src`, once it has nothing more to read."""
    says(SESSION, "prices", tmp_path / "src")
    arguments = ["--watch", "--quiet", "--until-eof", "--no-embed", "--source", str(tmp_path / "src")]
    command = [sys.executable, "-m", "memtui", "index", *arguments, "--data-dir", str(tmp_path / "data")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as process:
        while (progress := read_progress(tmp_path / "data")) is None or not progress.finished:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.1)
        yield process
        process.kill()


def index(tmp_path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["index", *arguments, "--no-embed", "--data-dir", str(tmp_path / "data")])


@pytest.mark.spec("S6.13")
def test_the_watcher_does_it_and_its_figures_are_printed(watcher: subprocess.Popen[str], tmp_path: Path) -> None:
    """Of a folder that it does not watch, too. The watcher is a process that loads all that it needs."""
    says(OTHER_SESSION, "walrus", tmp_path / "more")
    holder = read_holder(DataDir(tmp_path / "data"))
    assert holder is not None
    assert (holder.pid, holder.watches) == (watcher.pid, True)
    found = index(tmp_path, "--json", "--source", str(tmp_path / "more"), "--agent", "claude-code")
    assert found.exit_code == 0, found.stderr
    assert found.stderr == f"Another memtui does it: {holder.text}\n"
    [figures] = json.loads(found.stdout)
    assert figures == {**FIGURES, "files_read": 1, "turns_written": 1, "sessions": 2, "turns": 2, "sources": 2}
    assert [hit.session_id for hit in Index.open(tmp_path / "data").search("walrus").hits] == [OTHER_SESSION]
    again = index(tmp_path, "--source", str(tmp_path / "src"))
    assert again.stdout == ""
    assert again.stderr.splitlines()[1:] == ["0 files read. The index holds 2 sessions, 2 turns."]
    assert watcher.poll() is None


def test_a_watcher_that_was_stopped_is_ended_and_the_work_done(watcher: subprocess.Popen[str], tmp_path: Path) -> None:
    """The watcher is a process that loads all that it needs."""
    says(OTHER_SESSION, "walrus", tmp_path / "src")
    watcher.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, watcher.pid, os.WSTOPPED | os.WNOWAIT)
    found = index(tmp_path, "--json", "--source", str(tmp_path / "src"))
    assert found.exit_code == 0, found.stderr
    assert f"memtui: Another memtui, process {watcher.pid} (an app)" in found.stderr
    assert json.loads(found.stdout)[0]["sessions"] == 2
    watcher.wait(10)
