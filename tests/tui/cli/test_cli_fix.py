"""`memtui fix`: what it prints of real sessions."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.origin.fix import fix
from support.indexes import update
from support.mended_errors import AGAIN, MISSING, Work, mended
from support.transcripts import SESSION


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An index with one error that was mended."""
    script = mended(Work())
    script.user("Again")
    script.fails("npm run build", "error: \x1b[31mthe module of carts is missing")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return tmp_path / "data"


def run_fix(data: Path, *arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(fix, [*arguments, "--data-dir", str(data)], input=given)


def shown(result: Result) -> list[str]:
    return [re.sub(r"\d+ [smhdy] ·", "AGE ·", line) for line in result.stdout.splitlines()]


def test_fix_prints_the_error_where_it_came_up_and_what_was_changed(data: Path) -> None:
    result = run_fix(data, AGAIN)
    assert (result.exit_code, shown(result)) == (
        0,
        [
            MISSING,
            "11111111:1 · AGE · claude · shop · npm test",
            "Passed in 11111111:2 after an edit of src/cart.ts in 11111111:1, with 1 other file edited.",
            "  -const sum = 0",
            "  +const total = 0",
        ],
    )


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_the_output_is_read_from_standard_input(data: Path, arguments: tuple[str, ...]) -> None:
    assert shown(run_fix(data, *arguments, given=f"> check\n\n{AGAIN}\nnpm error code 2\n"))[0] == MISSING


def test_an_error_never_acts_on_the_terminal(data: Path) -> None:
    result = run_fix(data, "error: the module of carts is missing")
    assert shown(result) == [
        "error: the module of carts is missing",
        "11111111:3 · AGE · claude · shop · npm run build",
        "No later run there is known to have passed.",
    ]


def test_fix_as_json_has_all_that_is_known(data: Path) -> None:
    [case] = json.loads(run_fix(data, AGAIN, "--json").stdout)
    assert case == {
        "session_id": SESSION,
        "agent": "claude-code",
        "title": "Add the total",
        "project": "shop",
        "root": "/home/ana/code/shop",
        "turn": 1,
        "at": "2026-11-01T09:00:00Z",
        "times": 1,
        "command": "npm test",
        "error": MISSING,
        "same": True,
        "end": "fixed",
        "mended_turn": 1,
        "mended_by": "/home/ana/code/shop/src/cart.ts",
        "diff": case["diff"],
        "files": ["/home/ana/code/shop/src/cart.ts", "/home/ana/code/shop/README.md"],
        "passed_turn": 2,
        "passed_as": None,
    }
    assert case["diff"].splitlines()[-2:] == ["-const sum = 0", "+const total = 0"]


def test_without_a_case_nothing_is_printed_but_a_line_on_standard_error(data: Path) -> None:
    """As by every command that found nothing."""
    result = run_fix(data, "error: the disk of the server is full")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "This error did not come up in any session, nor a similar one.\n"
    assert (run_fix(data, "error: the disk is full", "--json").stdout) == "[]\n"


def test_without_an_error_the_usage_is_printed(data: Path) -> None:
    assert run_fix(data, given="\n").exit_code == 2


def test_an_id_that_is_no_uuid_is_whole(tmp_path: Path) -> None:
    update(tmp_path / "data", mended(Work("agent-1234567890")).write(tmp_path / "src"))
    assert run_fix(tmp_path / "data", AGAIN).stdout.splitlines()[1].startswith("agent-1234567890:1 · ")
