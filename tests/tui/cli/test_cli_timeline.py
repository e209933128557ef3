from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.reading.timeline import timeline
from memtui_core.memory.observations.store import Observations
from support.indexes import update
from support.transcripts import DAY, SESSION, Script

NOW = datetime(2026, 11, 3, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project's folder beside an index of one session of it, with an observation; read only."""
    folder = tmp_path_factory.mktemp("built")
    shop = folder / "shop"
    shop.mkdir()
    script = Script(cwd=str(shop))
    script.user("Retry the upload")
    script.says("Done.")
    path = script.write(folder / "src")
    update(folder / "data", path)
    path.unlink()
    observations = Observations(folder / "data", now=lambda: NOW, new_id=lambda: "id1")
    observations.save(SESSION, str(shop), type="decision", title="Retry thrice", narrative="Not more.")
    return shop


@pytest.fixture
def folder(built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same folder, as the current one."""
    monkeypatch.chdir(built)
    return built


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(timeline, [*arguments, "--data-dir", str(folder.parent / "data")])


def test_the_sessions_of_this_project(folder: Path) -> None:
    result = run(folder)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "Sun 1 Nov  1 session · 10 s\n ● Retry the upload  09:00  11111111\n    ◆ decision Retry thrice\n"
    )


def test_one_session(folder: Path) -> None:
    assert run(folder, "1111").stdout == (
        f"# Session Detail: {SESSION}\n\n- **Started**: 2026-11-01T09:00:00Z\n- **Ended**: 2026-11-01T09:00:10Z\n"
        "- **Status**: completed\n- **Observations**: 1\n\n## Summary\nAsked: Retry the upload\nAnswered last: Done.\n"
        "\n**Key decisions:**\n- Retry thrice\n\n## Observations\n\n### [DECISION] Retry thrice\nNot more.\n"
    )
    unknown = run(folder, "zebra")
    assert (unknown.exit_code, unknown.stderr) == (1, "memtui: Session zebra not found.\n")


@pytest.mark.spec("S3.8")
def test_as_json(folder: Path) -> None:
    assert json.loads(run(folder, "--json").stdout) == [
        {
            "session_id": SESSION,
            "title": "Retry the upload",
            "machine": "",
            "root": str(folder),
            "started_at": "2026-11-01T09:00:00Z",
            "ended_at": "2026-11-01T09:00:10Z",
            "status": "completed",
            "summary": {"kind": "extract", "text": "Asked: Retry the upload\nAnswered last: Done."},
            "key_decisions": ["Retry thrice"],
            "observations": [
                {
                    "id": "id1",
                    "session_id": SESSION,
                    "root": str(folder),
                    "created_at": "2026-11-03T09:00:00Z",
                    "edited_at": None,
                    "revision": 1,
                    "tool_name": "mem-save",
                    "raw_tool_output": "[Manual save] Not more.",
                    "token_count": 6,
                    "type": "decision",
                    "title": "Retry thrice",
                    "subtitle": "",
                    "narrative": "Not more.",
                    "facts": [],
                    "concepts": [],
                    "files_modified": [],
                    "files_read": [],
                }
            ],
        }
    ]
    assert json.loads(run(folder, SESSION, "--json").stdout) == json.loads(run(folder, "--json").stdout)


def test_no_sessions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    result = run(folder)
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "",
        "No past sessions found for this project. --everywhere lists those of all.\n",
    )
    assert run(folder, "--json").stdout == "[]\n"
    assert run(folder, "--everywhere").stdout.endswith(
        "\n ● Retry the upload · shop  09:00  11111111\n    ◆ decision Retry thrice\n"
    )


def test_so_many_rows_are_printed_and_the_others_of_the_day_are_counted(tmp_path: Path) -> None:
    scripts = []
    for number, prompt in enumerate(("Build it", "Check it", "Check it", "Check it", "Ship it", "Sell it")):
        script = Script(f"{number}{SESSION[1:]}", prefix=f"p{number}-")
        script.count = -number - (DAY if number == 5 else 0)
        script.user(prompt)
        scripts.append(script.write(tmp_path / "src"))
    update(tmp_path / "data", *scripts)
    printed = {}
    for limit in ("1", "2", "4", "9"):
        arguments = ["--everywhere", "--limit", limit, "--data-dir", str(tmp_path / "data")]
        printed[limit] = CliRunner().invoke(timeline, arguments).stdout.splitlines()
    build = " ● Build it · shop  09:00  01111111"
    check = [" ● Check it ×3 · shop  08:59", "    3 similar sessions · no file changed"]
    ship = " ● Ship it · shop  08:59  41111111"
    sell = ["Sat 31 Oct  1 session", " ● Sell it · shop  08:59  51111111"]
    assert printed == {
        "1": ["Sun 1 Nov  5 sessions", build, "   … 4 more sessions"],
        "2": ["Sun 1 Nov  5 sessions", build, *check, "   … 1 more session"],
        "4": ["Sun 1 Nov  5 sessions", build, *check, ship],
        "9": ["Sun 1 Nov  5 sessions", build, *check, ship, *sell],
    }


def test_before_anything_was_indexed(tmp_path: Path) -> None:
    Observations(tmp_path / "data").save("s1", type="change", title="T", narrative="n")
    result = CliRunner().invoke(timeline, ["--everywhere", "--data-dir", str(tmp_path / "data")])
    day, *rows = result.stdout.splitlines()
    assert day.endswith("  1 session")
    assert [re.sub(r"\d\d:\d\d", "00:00", row) for row in rows] == [
        " ● session s1  00:00  s1",
        "    no transcript",
        "    ◆ change T",
    ]
    nothing = CliRunner().invoke(timeline, ["--everywhere", "--data-dir", str(tmp_path / "none")])
    assert (nothing.exit_code, nothing.stderr) == (0, "No past sessions found.\n")
    assert not (tmp_path / "none").exists()
