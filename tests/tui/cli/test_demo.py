"""`memtui demo --data-dir`: an index of the sample sessions stays one, whatever else is on the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from support.terminal import Terminal
from support.transcripts import Script


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of Unix")
def test_no_command_reads_the_users_own_sessions_into_an_index_of_the_samples(tmp_path: Path) -> None:
    data, memtui = tmp_path / "index", [sys.executable, "-m", "memtui"]
    script = Script()
    script.user("What is mine")
    script.write(tmp_path / ".claude" / "projects" / "-home-me")
    environment = {**os.environ, "HOME": str(tmp_path), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    app = Terminal([*memtui, "demo", "--data-dir", str(data)], environment, (100, 30))
    app.until_shown("Fix flaky uploads")
    app.type("q")
    assert app.end()[0] == 0
    subprocess.run([*memtui, "index", "--no-embed", "--data-dir", str(data)], check=True, env=environment)
    samples = {(session.agent, session.session_id) for session in Index.open(data).sessions.all()}
    assert ("claude-code", "db9cde85-9adb-4762-985f-42e87f989d54") in samples
    subprocess.run([*memtui, "doctor", "--repair", "--data-dir", str(data)], check=True, env=environment)
    assert {(session.agent, session.session_id) for session in Index.open(data).sessions.all()} == samples
    # Another index is of what is here.
    own = tmp_path / "own"
    subprocess.run([*memtui, "index", "--no-embed", "--data-dir", str(own)], check=True, env=environment)
    assert [session.title for session in Index.open(own).sessions.all()] == ["What is mine"]
    assert "What is mine" not in {session.title for session in Index.open(data).sessions.all()}
