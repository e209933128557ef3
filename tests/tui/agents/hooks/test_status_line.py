"""The status line of Claude Code, from the file that the real indexer writes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
from collections import deque
from contextlib import closing
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest

from memtui.agents.hooks.status_line import UNKNOWN, status_line
from memtui_core.ingest import watch
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.vectors.index_process import VectorIndexBuilder
from memtui_core.ingest.watch import FileWatcher
from memtui_core.ingest.writing import status_file
from memtui_core.ingest.writing.status_file import EVERY
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import SessionIdentity
from support.indexes import update
from support.terminal import Terminal
from support.transcripts import OTHER_SESSION, SESSION, START, Script


class FixedTime(datetime):
    """A clock that stands two days after the first entries."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp((START + timedelta(days=2)).timestamp(), tz)


class Seconds:
    """A monotonic clock that stands."""

    def __init__(self, now: float) -> None:
        self._now = now

    def monotonic(self) -> float:
        """The time."""
        return self._now


@pytest.fixture(autouse=True)
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of the indexer."""
    monkeypatch.setattr(status_file, "datetime", FixedTime)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """A session with a pause of eleven minutes, which is no work."""
    script = Script()
    script.user("Fix the upload")
    script.count = 66
    script.says("Fixed.")
    script.write(tmp_path / "source")
    return script


def line(folder: Path, **call: Any) -> str:
    """The status line for a call."""
    return status_line(json.dumps(call).encode(), folder / "data")


def sessions(folder: Path) -> dict[str, Any]:
    """What the file has."""
    return dict(json.loads(DataDir(folder / "data").status_line.read_bytes())["sessions"])


def test_the_line_says_what_the_session_used_so_far(tmp_path: Path, script: Script) -> None:
    update(tmp_path / "data", tmp_path / "source")
    assert line(tmp_path, session_id=SESSION) == "under $0.01 · 10 in · 5 out"
    script.count = 69
    script.model = "claude-haiku-4-5"
    for _ in range(4):
        script.count += 30
        script.entry("assistant", message=_answer(script.count))
    update(tmp_path / "data", script.write(tmp_path / "source").parent)
    assert line(tmp_path, session_id=SESSION) == "≈ $2.01 · 400k in · 405 out · 21 min"
    # The name of the transcript is enough.
    assert line(tmp_path, transcript_path=f"/home/ana/{SESSION}.jsonl").startswith("≈ $2.01")


def _answer(count: int) -> dict[str, Any]:
    usage = {"input_tokens": 100_000, "output_tokens": 100, "cache_read_input_tokens": 0}
    content = [{"type": "text", "text": "Step."}]
    return {"role": "assistant", "model": "claude-opus-4-5", "id": f"m{count}", "content": content, "usage": usage}


def test_a_subagent_counts_and_old_sessions_are_left_out(tmp_path: Path, script: Script) -> None:
    child = Script(prefix="c")
    child.count = 70
    child.user("Look.", isSidechain=True, agentId="a1")
    child.says("There.", isSidechain=True, agentId="a1")
    old = Script(OTHER_SESSION, prefix="o")
    old.count = -2 * 8640
    old.user("Long ago")
    old.write(tmp_path / "source")
    update(tmp_path / "data", tmp_path / "source")
    assert sessions(tmp_path).keys() == {SESSION}
    child.write(tmp_path / "source", f"{SESSION}/subagents/agent-a1.jsonl")
    update(tmp_path / "data", tmp_path / "source")
    assert line(tmp_path, session_id=SESSION) == "under $0.01 · 20 in · 10 out"


def test_the_file_is_only_written_when_something_changed(tmp_path: Path, script: Script) -> None:
    update(tmp_path / "data", tmp_path / "source")
    path = DataDir(tmp_path / "data").status_line
    before = path.stat()
    other = Script(OTHER_SESSION, prefix="o")
    other.count = -8640 * 9
    other.user("Long ago")
    other.write(tmp_path / "source")
    update(tmp_path / "data", tmp_path / "source")
    assert path.stat().st_ino == before.st_ino
    path.write_text("zebra")
    update(tmp_path / "data", script.write(tmp_path / "source").parent)
    script.user("Thanks")
    update(tmp_path / "data", script.write(tmp_path / "source").parent)
    assert sessions(tmp_path).keys() == {SESSION}


def test_the_file_is_not_a_part_of_publishing(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    location, path = Location("claude-code", tmp_path / "source"), DataDir(tmp_path / "data").status_line
    with Indexer(tmp_path / "data") as indexer:
        deque(indexer.update([location]), maxlen=0)
        assert (path.exists(), indexer.status.due_at) == (False, -math.inf)
        monkeypatch.setattr(status_file, "time", Seconds(100.0))
        indexer.status.update()
        assert (sessions(tmp_path)[SESSION]["in"], indexer.status.due_at) == (10, math.inf)
        script.says("And tested.")
        script.write(tmp_path / "source")
        deque(indexer.update([location]), maxlen=0)
        # Only the watch waits until it is due.
        assert (sessions(tmp_path)[SESSION]["in"], indexer.status.due_at) == (10, 100.0 + EVERY)
    assert sessions(tmp_path)[SESSION]["in"] == 20


def test_a_watch_writes_the_file_before_it_waits(tmp_path: Path, script: Script) -> None:
    stop, seen = threading.Event(), list[list[str]]()

    class Watch(watch._Watch):
        """Ends when there is nothing to do."""

        def _wait(self) -> None:
            seen.append(list(sessions(tmp_path)))
            stop.set()

    location = Location("claude-code", tmp_path / "source")
    with (
        Indexer(tmp_path / "data") as indexer,
        FileWatcher([location]) as watcher,
        closing(VectorIndexBuilder(indexer.data)) as builder,
    ):
        Watch(indexer, [location], stop, None, lambda _: None, watcher, builder).run()
    assert seen == [[SESSION]]


def test_a_session_that_is_forgotten_is_in_the_file_no_more(tmp_path: Path, script: Script) -> None:
    other = Script(OTHER_SESSION, prefix="o")
    other.user("Another one")
    other.write(tmp_path / "source")
    update(tmp_path / "data", tmp_path / "source")
    with Indexer(tmp_path / "data") as indexer:
        indexer.forgetting.forget([SessionIdentity("claude-code", SESSION, None)])
    assert line(tmp_path, session_id=SESSION) == UNKNOWN
    other.says("Go on.")
    update(tmp_path / "data", other.write(tmp_path / "source").parent)
    assert sessions(tmp_path).keys() == {OTHER_SESSION}


@pytest.mark.parametrize(
    "call", [b"", b"zebra", b"[]", b"{}", b'{"session_id": 3}', b'{"session_id": "unknown"}', b'{"transcript_path": 1}']
)
def test_what_is_not_known_has_a_plain_line(tmp_path: Path, script: Script, call: bytes) -> None:
    assert status_line(call, tmp_path / "data") == UNKNOWN
    update(tmp_path / "data", tmp_path / "source")
    assert status_line(call, tmp_path / "data") == UNKNOWN


def test_the_command_prints_one_line_and_never_fails(tmp_path: Path, script: Script) -> None:
    update(tmp_path / "data", tmp_path / "source")
    command = [sys.executable, "-m", "memtui", "statusline", "--data-dir", str(tmp_path / "data")]
    for call, expected in ((f'{{"session_id": "{SESSION}"}}', "under $0.01 · 10 in · 5 out\n"), ("{", f"{UNKNOWN}\n")):
        run = subprocess.run(command, input=call.encode(), capture_output=True, check=False)
        assert (run.returncode, run.stdout.decode(), run.stderr) == (0, expected, b"")


def test_typed_in_a_terminal_it_waits_for_no_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memtui", "statusline", "--data-dir", str(tmp_path)]
    terminal = Terminal(command, dict(os.environ))
    try:
        assert terminal.end() == (0, f"{UNKNOWN}\r\n".encode())
    finally:
        terminal.close()
