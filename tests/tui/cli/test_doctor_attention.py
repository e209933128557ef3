"""What `memtui doctor` says needs attention, about files of real indexes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from memtui.cli import cli
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from support.rollouts import CHILD, OTHER, THREAD, Rollout
from support.systems import HOME_VARIABLE
from support.transcripts import Script


def attention(data: Path) -> list[str]:
    """The lines of what needs attention."""
    result = CliRunner().invoke(cli, ["doctor", "--data-dir", str(data)])
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    if "Nothing needs attention." in lines:
        return []
    start = lines.index("needs attention") + 1
    return lines[start : lines.index("", start)]


def index(data: Path, *sources: Path, agent: str | None = None) -> None:
    with Indexer(data) as indexer:
        for _ in indexer.update([Location(agent, source) for source in sources]):
            pass


def rollout(thread: str = THREAD, version: str = "0.147.0") -> Rollout:
    made = Rollout(thread, cli_version=version)
    made.user("Round the prices")
    made.answer("Rounded.")
    return made


def test_nothing_needs_attention(tmp_path: Path) -> None:
    rollout().write(tmp_path / "codex")
    index(tmp_path / "data", tmp_path / "codex")
    assert attention(tmp_path / "data") == []


def test_a_reader_that_took_files_and_read_nothing_is_named(tmp_path: Path) -> None:
    """An empty session beside others is none of that."""
    for number, thread in enumerate((THREAD, OTHER, CHILD, CHILD[:-1] + "4")):
        Rollout(thread).write(tmp_path / "codex", folder=f"sessions/2026/07/0{number + 1}")
    index(tmp_path / "data", tmp_path / "codex")
    paths = sorted((tmp_path / "codex").rglob("*.jsonl"))
    assert attention(tmp_path / "data") == [
        "         Codex: 4 files were read, and not one turn was found",
        *(f"           {path}" for path in paths[:3]),
        "           and 1 more: memtui doctor --json",
    ]
    rollout(CHILD[:-1] + "5").write(tmp_path / "codex")
    index(tmp_path / "data", tmp_path / "codex")
    assert attention(tmp_path / "data") == []


def test_each_problem_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    folder = tmp_path / "code"
    script = Script()
    script.user("Hello")
    script.lines.append(b"no json")
    script.lines.append(b"no json either")
    script.write(folder / "partial")
    task = folder / "globalStorage" / "saoudrizwan.claude-dev" / "tasks" / "1" / "api_conversation_history.json"
    task.parent.mkdir(parents=True)
    task.write_text("[{")
    (folder / "half").mkdir()
    (folder / "half" / f"{OTHER}.jsonl").write_text(json.dumps({"type": "user", "sessionId": OTHER})[:-3])
    for name in ("a.json", "b.json", "c.txt", "notes"):
        (folder / name).write_text("{}")
    (folder / "other.jsonl").write_text('{"x": 1}\n')
    rollout(version="0.199.0").write(folder)
    strange = rollout(OTHER, "0.150.0")
    for kind in ("radar", "sonar", "lidar", "ladar", "radar"):
        strange.item(kind, text="ping")
    strange.write(folder)
    index(tmp_path / "data", folder)
    assert attention(tmp_path / "data") == [
        "         Cline: 1 file could not be read",
        f"           ~/{task.parent.relative_to(tmp_path)}: {task.name}: not JSON",
        "         Claude Code: 1 file has lines that could not be read",
        f"           ~/code/partial/{script.session_id}.jsonl, line 2: not JSON, and 1 other line",
        "         Claude Code: 1 file ends in the middle of a line, which is not read yet",
        f"           ~/code/half/{OTHER}.jsonl",
        "         4 files ignored: not a transcript (2 .json, 1 .txt, 1 without a suffix)",
        "         Claude Code: 1 file ignored: no entry of a format that memtui reads (1 .jsonl)",
        "         Codex (up to 0.150.0) writes 4 kinds of entries that memtui does not know, and keeps:"
        " response_item/radar, response_item/ladar, response_item/lidar, response_item/sonar",
        "         Codex 0.199.0 is newer than the newest version that memtui was tested on, 0.147.0",
    ]
