"""`memtui decisions`: what it prints of real sessions, and what it finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.origin.decisions import decisions
from support.indexes import update
from support.transcripts import SESSION, Script

ASKED = {"questions": [{"question": "Round up?", "options": [{"label": "Half to even"}, {"label": "Up"}]}]}
REFUSED = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
BLOG = "22222222-2222-4222-8222-222222222222"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two projects: one with everything that can be decided, the other with a sentence a day later."""
    folder = tmp_path_factory.mktemp("decisions")
    script = Script()
    script.user("Round the prices. Let's use Decimal\x1b[31m instead of floats.")
    script.calls("AskUserQuestion", ASKED, "t1")
    script.result('The user answered: "Round up?"="Half to even".', "t1")
    script.calls("Bash", {"command": "npm install"}, "t2")
    script.result(f"{REFUSED}we use pnpm here", "t2", error=True)
    script.user("Plan the taxes")
    script.calls("ExitPlanMode", {"plan": "# Taxes\n\n- One table.\n"}, "t3")
    script.result(f"{REFUSED}per country, please", "t3", error=True)
    script.calls("ExitPlanMode", {"plan": "# Taxes\n\n- We will use a table instead of code.\n"}, "t4")
    script.result("User has approved your plan. You can now start coding.", "t4")
    script.write(folder / "src")
    blog = Script(BLOG, "/home/ana/code/blog", prefix="b")
    blog.count = 24 * 360
    blog.user("Quote the shop. No images, no footnotes.")
    blog.says("Let's use images instead of text.")
    blog.write(folder / "src")
    update(folder / "data", folder / "src")
    return folder / "data"


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(decisions, [*arguments, "--data-dir", str(data)])


def printed(data: Path, *arguments: str) -> list[str]:
    """The printed lines, without the age of each decision."""
    return [line[9:] if line.startswith(" ") else line for line in run(data, *arguments).stdout.splitlines()]


def test_each_is_quoted_below_its_project_with_its_turn(data: Path) -> None:
    assert printed(data) == [
        "blog",
        "22222222:1  ⊘ “No images, no footnotes.”",
        "shop",
        "11111111:2  ✓ “Taxes”",
        "              approved plan · “We will use a table instead of code.”",
        "11111111:2  ⊘ “per country, please”",
        "              plan sent back: Taxes",
        "11111111:1  ⊘ “we use pnpm here”",
        "              refused: Bash: npm install",
        "11111111:1  ✓ “Half to even”",
        "              answer to: Round up? · not: Up",
        "11111111:1  ✓ “Let's use Decimal instead of floats.”",
    ]


@pytest.mark.parametrize(
    ("arguments", "quotes"),
    [
        (("ROUND",), ["Half to even"]),
        (("table code",), ["Taxes"]),
        (("up even",), ["Half to even"]),
        (("images", "--project", "blog"), ["No images, no footnotes."]),
        (("images", "--project", "shop"), []),
        (("--since", "2026-11-02"), ["No images, no footnotes."]),
        (("--limit", "2"), ["No images, no footnotes.", "Taxes"]),
        (("floats prices",), []),
    ],
)
def test_a_query_a_project_and_a_time_leave_some(data: Path, arguments: tuple[str, ...], quotes: list[str]) -> None:
    assert [one["quote"] for one in json.loads(run(data, *arguments, "--json").stdout)] == quotes


def test_json_has_every_field(data: Path) -> None:
    [one] = json.loads(run(data, "half", "--json").stdout)
    assert one == {
        "session_id": SESSION,
        "agent": "claude-code",
        "project": "shop",
        "title": "Round the prices. Let's use Decimal instead of floats.",
        "turn": 1,
        "at": "2026-11-01T09:00:10Z",
        "way": "answer",
        "excludes": False,
        "quote": "Half to even",
        "about": "Round up?",
        "others": ["Up"],
        "later": None,
    }


def test_what_is_not_listed_is_counted_and_nothing_found_is_said(data: Path) -> None:
    assert run(data, "--limit", "2").stderr == "4 more: --limit 6 lists all.\n"
    assert run(data, "no such words").stderr == "No decisions found.\n"
    assert run(data, "--project", "sho", "no such").exit_code == 0
    assert run(data, "--project", "other").exit_code == 2
