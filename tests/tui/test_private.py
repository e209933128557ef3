"""What memtui writes can be read by nobody else, in each kind of process, and contains no secret that it need not."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from support.transcripts import OTHER_SESSION, Script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes of files")

SECRET = "kx82jdkq"
CALLS = (
    {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "mem-save", "arguments": {"title": "A", "type": "change", "narrative": "B"}},
    },
)  # fmt: skip


def run(folder: Path, *arguments: str, given: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """A memtui process with the mask 0, with which everybody may read what it creates."""
    environ = environment(folder, **env)
    command = [sys.executable, "-m", "memtui", *arguments]
    return subprocess.run(
        command, input=given, capture_output=True, text=True, check=False, env=environ, umask=0, cwd=folder
    )


def served(folder: Path) -> str:
    """What a server answers to the last of the calls."""
    environ = environment(folder)
    with subprocess.Popen(
        [sys.executable, "-m", "memtui", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environ,
        umask=0,
        cwd=folder,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(f"{json.dumps(call)}\n" for call in CALLS))
        server.stdin.flush()
        server.stdout.readline()
        answer = server.stdout.readline()
        server.stdin.close()
    return answer


def environment(folder: Path, **env: str) -> dict[str, str]:
    return {
        **os.environ,
        "HOME": str(folder / "home"),
        "MEMTUI_DATA_DIR": str(folder / "data"),
        "MEMTUI_CONFIG": str(folder / "config" / "config.toml"),
        **env,
    }


def open_to_others(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077
    )


def test_whatever_a_process_writes_is_private(tmp_path: Path) -> None:
    """Six processes: index with its workers and the vector index, hook, server, export and a command that fails."""
    projects = tmp_path / "home" / ".claude" / "projects" / "shop"
    for number, session in enumerate((OTHER_SESSION, OTHER_SESSION.replace("2", "6"))):
        script = Script(session, cwd=str(tmp_path), prefix=f"p{number}")
        for turn in range(60):
            script.user(f"Round the price {turn} of the order")
            script.says("It is rounded. " + f"word{turn} " * 20)
        script.write(projects, f"{session}.jsonl")
    (tmp_path / "data").mkdir(mode=0o777)
    indexed = run(tmp_path, "index", MEMTUI_LOG="DEBUG")
    assert indexed.returncode == 0, indexed.stderr
    assert f"Other users of this machine could read {tmp_path / 'data'}. Now only you can.\n" in indexed.stderr
    assert "Other users" not in run(tmp_path, "index").stderr
    assert "Saved observation" in served(tmp_path)
    hooked = run(
        tmp_path, "hook", "SessionStart", given=json.dumps({"session_id": OTHER_SESSION, "cwd": str(tmp_path)})
    )
    assert hooked.returncode == 0
    exported = run(tmp_path, "export", OTHER_SESSION, "--output", str(tmp_path / "out.md"))
    assert exported.returncode == 0, exported.stderr
    assert (tmp_path / "data" / "memtui.log").is_file()
    assert open_to_others(tmp_path / "data") == []
    assert stat.S_IMODE((tmp_path / "out.md").stat().st_mode) == 0o600


def test_the_log_has_no_text_of_a_transcript_at_any_level(tmp_path: Path) -> None:
    """A reading, a search, an export and a broken line, with the log at its most talkative."""
    projects = tmp_path / "home" / ".claude" / "projects" / "shop"
    script = Script(OTHER_SESSION, cwd=str(tmp_path))
    script.user("The zanzibar order, password: " + SECRET)
    script.says("The zanzibar order is shipped.")
    script.lines.append(b'{"type": "user", "message": zanzibar}')
    script.write(projects, f"{OTHER_SESSION}.jsonl")
    for arguments in (
        ("index",), ("search", "zanzibar"), ("show", OTHER_SESSION), ("export", OTHER_SESSION), ("doctor", "--json"),
    ):  # fmt: skip
        run(tmp_path, *arguments, MEMTUI_LOG="DEBUG")
    log = (tmp_path / "data" / "memtui.log").read_text("utf-8")
    assert "memtui_core.ingest.writing.index_writer" in log
    assert "zanzibar" not in log
    found = [
        path.name for path in (tmp_path / "data").rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert found == []
