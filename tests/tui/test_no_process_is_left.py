"""No process outlives the one for which it works by more than ten seconds, also when that is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui_core.store.data_folder import DataDir
from memtui_core.store.work.lock import read_holder
from memtui_core.system.fault_points import VARIABLE
from support.indexes import update
from support.marked_processes import MOST_OUTLIVED, Mark
from support.terminal import Terminal
from support.transcripts import Script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "mem-timeline", "arguments": {}}}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with a transcript."""
    script = Script()
    script.user("Find the walrus in the upload")
    return script.write(tmp_path / "src").parent


@pytest.mark.parametrize("fault", ["", "transcript-read:hang"])
def test_a_killed_app_leaves_no_process(fault: str, source: Path, tmp_path: Path) -> None:
    """Nor an indexer that hangs, for which it waits 6 s. The app and its indexer load all that they need."""
    data, mark = tmp_path / "data", Mark()
    environment = {**os.environ, **mark.environment, VARIABLE: fault, "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "memtui", "--data-dir", str(data), "--source", str(source)]
    app = Terminal(command, environment, (140, 40))
    try:
        # The indexer has the lock before it reads.
        app.until(lambda _: read_holder(DataDir(data)) is not None)
        running = len(mark.processes())
        app.process.kill()
        app.process.wait()
        assert mark.await_end() < MOST_OUTLIVED
    finally:
        app.close()
    assert running == 2


@pytest.mark.parametrize("fault", ["", "tool-called:hang"])
def test_a_server_ends_with_its_client(fault: str, source: Path, tmp_path: Path) -> None:
    """Also if a tool comes to no end, for which it waits 6 s. The server loads all that it needs."""
    data, mark = tmp_path / "data", Mark()
    update(data, source)
    environment = {**os.environ, **mark.environment, VARIABLE: fault}
    command = [sys.executable, "-m", "memtui", "mcp", "--data-dir", str(data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        hello = json.loads(server.stdout.readline())
        server.stdin.write(
            json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
            + b"\n" + json.dumps(CALL).encode() + b"\n"
        )  # fmt: skip
        server.stdin.flush()
        answer = json.loads(server.stdout.readline()) if not fault else {"id": 2}
        server.stdin.close()
        ended = mark.await_end()
    assert (hello["id"], answer["id"]) == (1, 2)
    assert ended < MOST_OUTLIVED
