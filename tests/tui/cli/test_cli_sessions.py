"""`memtui sessions`, and the usage in `memtui show`."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui.cli.reading import sessions
from support.indexes import update
from support.transcripts import SESSION, START, Script

OTHER = "2" + SESSION[1:]
SITE = "/home/ana/code/site"


class FixedTime(datetime):
    """A clock that stands an hour after the first entries."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp((START + timedelta(hours=1)).timestamp(), tz)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of the command."""
    monkeypatch.setattr(sessions, "datetime", FixedTime)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session that asks, one of another project that failed and has no price; read only."""
    folder = tmp_path_factory.mktemp("source")
    asks = Script()
    asks.user("Plan the upload")
    asks.says("Keep the old client?")
    asks.write(folder)
    failed = Script(OTHER, SITE, "f")
    failed.count = 100
    failed.model = "zebra-1"
    failed.user("Write the notes")
    failed.says("API Error: 529", isApiErrorMessage=True)
    failed.write(folder)
    return folder


@pytest.fixture
def data(source: Path, tmp_path: Path) -> Path:
    update(tmp_path / "data", source)
    return tmp_path / "data"


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--data-dir", str(data)], catch_exceptions=False)


def listed(data: Path, *arguments: str) -> list[dict[str, Any]]:
    """The sessions as JSON."""
    result = run(data, "sessions", "--json", *arguments)
    assert result.exit_code == 0, result.output
    return list(json.loads(result.stdout))


def test_the_table_has_a_line_a_session_and_says_from_when_the_prices_are(data: Path) -> None:
    result = run(data, "sessions")
    head, *rows = [line.split() for line in result.stdout.splitlines()]
    assert head == ["age", "state", "session", "project", "title", "turns", "in", "out", "cost", "active"]
    assert [" ".join(row) for row in rows] == [
        f"43 m failed {OTHER[:8]} site Write the notes 1 10 5 10 s",
        f"59 m waiting {SESSION[:8]} shop Plan the upload 1 10 5 under $0.01 10 s",
    ]
    assert result.stderr == "Costs are estimates: prices of 15 Feb 2026.\n"


def test_the_json_has_all_that_is_known_and_says_why_a_cost_is_not(data: Path, source: Path) -> None:
    failed, asks = listed(data)
    used = {"subagents": 0, "input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 0, "cache_write_tokens": 0}
    assert asks == {
        "session_id": SESSION, "agent": "claude-code", "machine": "", "project": "shop", "root": "/home/ana/code/shop",
        "title": "Plan the upload", "agent_title": "", "branch": "main", "worktree": None,
        "models": ["claude-opus-4-5"], "started_at": "2026-11-01T09:00:00Z", "ended_at": "2026-11-01T09:00:10Z",
        "state": "waiting", "end": {"kind": "question", "turn": 1, "line": 1, "quote": "Keep the old client?"},
        "turns": 1, "tool_calls": 0, "compactions": 0, **used, "dollars": 0.000175, "cost_note": None,
        "prices_as_of": "2026-02-15", "wall_seconds": 10.0, "active_seconds": 10.0,
        "files": [str(source / f"{SESSION}.jsonl")], "gone": False, "only_prompts": False, "forked_from": None,
        "pinned": False, "tags": [],
    }  # fmt: skip
    known = ("session_id", "state", "dollars", "cost_note", "prices_as_of")
    assert [failed[name] for name in known] == [OTHER, "failed", None, "no price for zebra-1", None]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--project", "shop"], [SESSION]),
        (["--agent", "codex"], []),
        (["--agent", "claude-code", "--limit", "1"], [OTHER]),
        (["--since", "2026-11-01T09:05"], [OTHER]),
        (["--state", "waiting"], [SESSION]),
        (["--state", "failed"], [OTHER]),
        (["--state", "running"], []),
    ],
)
def test_options_leave_some_sessions(
    data: Path, arguments: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    assert [session["session_id"] for session in listed(data, *arguments)] == expected


@pytest.mark.parametrize("arguments", [("--since", "soon"), ("--project", "zebra"), ("--agent", "zebra")])
def test_an_option_that_names_nothing_is_refused(data: Path, arguments: tuple[str, ...]) -> None:
    result = run(data, "sessions", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_no_session_is_said_and_the_rest_is_counted(data: Path) -> None:
    assert run(data, "sessions", "--state", "running").stderr == "There are no such sessions.\n"
    assert run(data, "sessions", "--limit", "1").stderr.splitlines()[0] == "1 more session; --limit lists more."


def test_show_says_what_a_session_used(data: Path) -> None:
    shown = run(data, "show", SESSION).stdout.splitlines()
    assert shown[3] == "10 in · 5 out · under $0.01 · prices of 15 Feb 2026 · 10 s of work in 10 s"
    assert run(data, "show", OTHER).stdout.splitlines()[3] == (
        "10 in · 5 out · cost unknown · no price for zebra-1 · 10 s of work in 10 s"
    )
