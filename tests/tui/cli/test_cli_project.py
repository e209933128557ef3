from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.reading.project import project
from support.indexes import review
from support.shop_project import LIMITS, NOTES, PRICES, ROOT, UPLOAD, URL, index_shop

SHOP = f"""\
shop
~/code/shop · 4 sessions · claude · 6 turns · 1 Nov
80 tokens in · 40 out · under $0.01 for 80 % of the turns · no price for unlisted · 2 min of work
{"·" * 98}█{"·" * 20}
Jul   Aug                            Sep                           Oct                            Nov

Open ends  3
  44444444:1  ● Write the release notes  no answer: “Write the release notes”                                       19 d
  33333333:1  ● Add rate limits          stopped at “Bash: pytest -q”                                               19 d
  22222222:1  ? Retry the upload         “Shall I also retry webhooks?”                                             19 d

Recent sessions  4
  44444444  ● Write the release notes                  1 turn                               main                    19 d
  33333333  ● Add rate limits                          1 turn  under $0.01   10 s   1 tool  main  claude-opus-4-5   19 d
  22222222  ● Retry the upload                         1 turn                30 s   1 tool  main  unlisted          19 d
  11111111  ● Round the prices                        3 turns  under $0.01  1 min  3 tools  main  claude-opus-4-5   19 d

Hot files  2
  ✎ src/prices.py                                                                          in 3 turns  2 sessions   19 d
  ✎ src/taxes.py                                                                            in 1 turn   1 session   19 d

Pull requests  1
  11111111:3  ↑ #14 Round the prices                                                               main  ana/shop   19 d

Compactions  1
  11111111:3  ⧉ Round the prices  not reviewed yet                                                      turns 1–2   19 d
"""
UNUSED = {
    "subagents": 0, "input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0,
    "dollars": None, "cost_note": "no models", "prices_as_of": None, "wall_seconds": 0.0, "active_seconds": 0.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of the shop; read only."""
    data = tmp_path_factory.mktemp("shop") / "data"
    index_shop(data)
    return data


def run(shop: Path, *arguments: str) -> Result:
    return CliRunner().invoke(project, [*arguments, "--data-dir", str(shop)])


@pytest.mark.spec("S5.12")
@pytest.mark.parametrize("name", ["shop", "Sh", ROOT])
def test_a_project_is_named_by_its_name_the_beginning_of_it_or_its_folder(shop: Path, name: str) -> None:
    result = run(shop, name)
    assert (result.exit_code, result.stdout, result.stderr) == (0, SHOP, "")


def test_without_a_name_it_is_the_project_of_the_current_folder(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(shop)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (
        2, "Error: No session worked in this folder. Name a project: memtui project NAME"
    )  # fmt: skip
    monkeypatch.setattr("memtui_core.system.locations.current_folder", lambda: f"{ROOT}/src")
    assert run(shop).stdout == SHOP


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("shp", "There is no project 'shp'. Did you mean shop?"),
        ("zebra", "There is no project 'zebra'; there are: blog, shop"),
        (
            "",
            "There are several projects ''. Name one: 'blog', 'shop', or its folder: /home/ana/code/blog,"
            " /home/ana/code/shop",
        ),
    ],
)
def test_a_name_that_no_project_has_is_refused(shop: Path, name: str, problem: str) -> None:
    result = run(shop, name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == f"Error: Invalid value for NAME: {problem}"


def test_lists_have_as_many_rows_as_are_asked_for(shop: Path) -> None:
    lines = run(shop, "shop", "--limit", "1").stdout.splitlines()[6:]
    assert [line.strip().partition("  ")[0] for line in lines if line] == [
        "Open ends", "44444444:1", "Recent sessions", "44444444", "Hot files", "✎ src/prices.py", "Pull requests",
        "11111111:3", "Compactions", "11111111:3",
    ]  # fmt: skip


def test_json_has_everything(shop: Path) -> None:
    [found] = json.loads(run(shop, "shop", "--json").stdout)
    model = {"cache_read_tokens": 0, "cache_write_tokens": 0, "turns_without_tokens": 0}
    ends, recent, files = found.pop("open_ends"), found.pop("recent"), found.pop("files")
    assert found == {
        "project": "shop",
        "root": ROOT,
        "sessions": 4,
        "subagents": 0,
        "archived": 0,
        "turns": 6,
        "first": "2026-11-01T09:00:00Z",
        "last": "2026-11-01T12:00:00Z",
        "agents": {"claude-code": 4},
        "models": [
            {"model": "claude-opus-4-5", "turns": 4, "input_tokens": 60, "output_tokens": 30, **model},
            {"model": "unlisted", "turns": 1, "input_tokens": 20, "output_tokens": 10, **model},
        ],
        "activity": [{"day": "2026-11-01", "sessions": 4, "turns": 6}],
        "cost": {
            "dollars": 0.00105, "turns": 5, "priced_turns": 4, "unpriced": ["unlisted"], "prices_as_of": "2026-02-15",
        },
        "active_seconds": 120.0,
        "decisions": [],
            "totals": {"open_ends": 3, "recent": 4, "decisions": 0, "files": 2, "pull_requests": 1, "compactions": 1},
        "ends_of": 4,
        "pull_requests": [
            {
                "number": 14, "url": URL, "repository": "ana/shop", "pr_title": "", "state": None,
                "session_id": PRICES, "turn": 3, "title": "Round the prices", "branch": "main",
                "at": "2026-11-01T09:02:00Z",
            }
        ],
        "compactions": [
            {
                "session_id": PRICES, "turn": 3, "title": "Round the prices", "at": "2026-11-01T09:01:30Z",
                "trigger": "auto", "tokens_before": 150000, "first_turn": 1, "last_turn": 2, "lost": None,
            }
        ],
    }  # fmt: skip
    assert [(end["session_id"], end["kind"]) for end in ends] == [
        (NOTES, "unanswered"), (LIMITS, "stopped"), (UPLOAD, "question")
    ]  # fmt: skip
    assert ends[2] == {
        "session_id": UPLOAD, "agent": "claude-code", "title": "Retry the upload", "machine": "", "kind": "question",
        "turn": 1, "line": 3, "at": "2026-11-01T10:00:30Z", "quote": "Shall I also retry webhooks?",
    }  # fmt: skip
    assert [session["session_id"] for session in recent] == [NOTES, LIMITS, UPLOAD, PRICES]
    assert recent[0] == {
        "session_id": NOTES, "agent": "claude-code", "title": "Write the release notes", "machine": "",
        "branch": "main", "models": [], "started_at": "2026-11-01T12:00:00Z", "ended_at": "2026-11-01T12:00:00Z",
        "turns": 1, "tool_calls": 0, **UNUSED,
    }  # fmt: skip
    assert [(file["path"], file["edited"], file["sessions"]) for file in files] == [
        ("src/prices.py", 3, 2), ("src/taxes.py", 1, 1)
    ]  # fmt: skip


def test_what_a_summary_lacks_is_told_once_it_was_reviewed(tmp_path: Path) -> None:
    index_shop(tmp_path / "data")
    review(tmp_path / "data")
    assert run(tmp_path / "data", "shop").stdout.splitlines()[-1].split("  ")[2:4] == [
        "⧉ Round the prices", "little is missing"
    ]  # fmt: skip
    [found] = json.loads(run(tmp_path / "data", "shop", "--json").stdout)
    assert [one["lost"] for one in found["compactions"]] == [[]]
