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
            "day": "2026-11-01",
            "days": ["2026-11-01"],
            "turns": 1,
            "first_turn": 1,
            "files": [],
            "added": 0,
            "removed": 0,
            "commits": [],
            "commit_ids": [],
            "pull_requests": [],
            "compactions": 0,
            "active_seconds": 10.0,
            "similar": [],
        }
    ]
    # Of one session it is the same without what belongs to a day.
    [row], [one] = (json.loads(run(folder, *session, "--json").stdout) for session in ((), (SESSION,)))
    assert one == {name: value for name, value in row.items() if name in one}
    assert list(row)[len(one) :] == [
        "day", "days", "turns", "first_turn", "files", "added", "removed", "commits", "commit_ids", "pull_requests",
        "compactions", "active_seconds", "similar",
    ]  # fmt: skip


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
    check = [" ● Check it ×3 · shop  08:59  11111111 +2", "    3 similar sessions · no file changed"]
    ship = " ● Ship it · shop  08:59  41111111"
    sell = ["Sat 31 Oct  1 session", " ● Sell it · shop  08:59  51111111"]
    assert printed == {
        "1": ["Sun 1 Nov  5 sessions", build, "   … 4 more sessions"],
        "2": ["Sun 1 Nov  5 sessions", build, *check, "   … 1 more session"],
        "4": ["Sun 1 Nov  5 sessions", build, *check, ship],
        "9": ["Sun 1 Nov  5 sessions", build, *check, ship, *sell],
    }
    arguments = ["--everywhere", "--limit", "2", "--json", "--data-dir", str(tmp_path / "data")]
    objects = json.loads(CliRunner().invoke(timeline, arguments).stdout)
    assert [(one["session_id"][0], [other[0] for other in one["similar"]]) for one in objects] == [
        ("0", []), ("1", ["2", "3"]), ("2", ["1", "3"]), ("3", ["1", "2"])
    ]  # fmt: skip


def test_a_session_of_several_days_stands_on_each_and_a_range_of_time_or_a_project_narrows(tmp_path: Path) -> None:
    script, other = Script(), Script(f"2{SESSION[1:]}", "/home/ana/code/site", "o")
    for day in range(3):
        script.count = day * DAY
        script.user(f"Step {day}")
        script.calls("Edit", {"file_path": f"/home/ana/code/shop/{day}.py", "old_string": "a", "new_string": "b"})
        script.result("done")
    other.count = DAY
    other.user("Build the site")
    update(tmp_path / "data", script.write(tmp_path / "src"), other.write(tmp_path / "src"))

    def printed(*arguments: str) -> Result:
        return CliRunner().invoke(timeline, [*arguments, "--data-dir", str(tmp_path / "data")])

    last = ["Tue 3 Nov  1 session · 20 s · +1 −1", " ● Step 0  ✎ 1  09:00  11111111"]
    last += ["    since 1 Nov · 1 of 3 turns · 2.py", "    asked: Step 2"]
    middle = ["Mon 2 Nov  1 session · 20 s · +1 −1", " ● Step 0  ✎ 1  09:00  11111111"]
    middle += ["    since 1 Nov · continues 3 Nov · 1 of 3 turns · 1.py", "    asked: Step 1"]
    first = ["Sun 1 Nov  1 session · 20 s · +1 −1", " ● Step 0  ✎ 1  09:00  11111111"]
    first += ["    continues 2 Nov · 1 of 3 turns · 0.py"]
    assert printed("--project", "shop").stdout.splitlines() == [*last, *middle, *first]
    assert printed("--project", "sh", "--since", "2026-11-02", "--before", "2026-11-03").stdout.splitlines() == middle
    rows = json.loads(printed("--everywhere", "--since", "2026-11-02", "--json").stdout)
    assert [(row["session_id"][0], row["day"], row["turns"], row["first_turn"], row["files"]) for row in rows] == [
        ("1", "2026-11-03", 1, 3, ["2.py"]), ("1", "2026-11-02", 1, 2, ["1.py"]), ("2", "2026-11-02", 1, 1, [])
    ]  # fmt: skip
    assert rows[0]["days"] == ["2026-11-01", "2026-11-02", "2026-11-03"]
    nothing = printed("--everywhere", "--since", "2026-11-04")
    assert (nothing.exit_code, nothing.stdout, nothing.stderr) == (0, "", "No past sessions found.\n")
    wrong = [printed("--project", "zebra"), printed("--project", "shop", "--everywhere"), printed("--since", "soon")]
    assert [result.exit_code for result in wrong] == [2, 2, 2]
    assert [result.stderr.splitlines()[-1] for result in wrong] == [
        "Error: Invalid value for --project: There is no project 'zebra'; there are: shop, site",
        "Error: --project and --everywhere exclude each other.",
        "Error: Invalid value for '--since': soon is not a valid time, such as 3d, yesterday or 2026-11-20.",
    ]


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
    missing = CliRunner().invoke(timeline, ["--project", "shop", "--data-dir", str(tmp_path / "none")])
    assert (missing.exit_code, missing.stderr.startswith("memtui: ")) == (1, True)
    told = CliRunner().invoke(timeline, ["--everywhere", "--json", "--data-dir", str(tmp_path / "data")])
    [row] = json.loads(told.stdout)
    assert (row["session_id"], row["turns"], row["files"], row["active_seconds"]) == ("s1", None, None, None)
