"""Which errors were mended for sure, by one change."""

from __future__ import annotations

import pytest

from memtui_core.queries.activity.episodes import Run
from memtui_core.queries.activity.mended_errors import mended_errors

ERROR = 7
EDIT = ("edit", "/srv/src/cart.ts")
FAILED, PASSED = ("failure", "npm test"), ("pass", "npm test")
UNKNOWN = ("edit", "")


def runs(*told: tuple[str, str], later: int = 99, text: str = "cart.ts(1,2): no total") -> list[Run]:
    """Runs of one turn, those from the place `later` on of the next turn."""
    return [
        Run(
            1 + (place >= later), place, kind, name, ERROR if (kind, name) == FAILED else 0,
            text if kind == "failure" else "", 1, 1, None,
        )
        for place, (kind, name) in enumerate(told)
    ]  # fmt: skip


def mended(found: list[Run]) -> list[tuple[str, str, int]]:
    """What mended each error, with its place."""
    return [(one.mended.kind, one.mended.name, one.mended.seq) for one in mended_errors(found)]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ([EDIT], (*EDIT, 1)),
        ([EDIT, EDIT], (*EDIT, 2)),
        ([("pass", "npm install")], ("pass", "npm install", 1)),
        ([("edit", "/srv/plan.md"), EDIT, ("pass", "npm run lint"), ("pass", "git commit")], (*EDIT, 2)),
        ([EDIT, ("failure", "npm run lint"), ("failure", "Edit")], (*EDIT, 1)),
    ],
)
def test_one_change_mends_it(told: list[tuple[str, str]], expected: tuple[str, str, int]) -> None:
    assert mended(runs(FAILED, *told, PASSED)) == [expected]


@pytest.mark.parametrize(
    "told",
    [
        [],
        [EDIT, UNKNOWN],
        [UNKNOWN, EDIT],
        [EDIT, ("denied", "Bash")],
        [EDIT, ("edit", "/srv/src/tax.ts")],
        [EDIT, ("pass", "npm install")],
        [EDIT, ("pass", "npm install && git commit")],
        [("pass", "npm install"), ("pass", "docker compose up")],
        [EDIT, ("pass", "git pull")],
        [("edit", "/srv/plan.md")],
    ],
)
def test_nothing_is_sure_if_something_else_can_have_mended_it(told: list[tuple[str, str]]) -> None:
    assert mended(runs(FAILED, *told, PASSED)) == []


def test_a_prompt_in_between_hides_what_its_writer_did() -> None:
    assert mended(runs(FAILED, EDIT, PASSED, later=2)) == []


def test_a_command_that_did_more_when_it_passed_may_have_mended_it() -> None:
    assert mended(runs(FAILED, EDIT, ("pass", "npm ci && npm test"))) == []
    assert mended(runs(FAILED, EDIT, ("pass", "git commit && npm test"))) == [(*EDIT, 1)]


def test_changes_after_another_error_count_too() -> None:
    between = runs(FAILED, EDIT, FAILED, EDIT, PASSED)
    between[2] = between[2]._replace(key=8, text="tax.ts(1,2): no rate")
    assert mended(between) == [(*EDIT, 1), (*EDIT, 3)]
    between[3] = between[3]._replace(name="/srv/src/tax.ts")
    assert mended(between) == [("edit", "/srv/src/tax.ts", 3)]


@pytest.mark.parametrize(("command", "expected"), [("knip", [(*EDIT, 1)]), ("npm test", [])])
def test_a_program_that_failed_again_has_changed_nothing(command: str, expected: list[tuple[str, str, int]]) -> None:
    """Of a check its failure is no reason to doubt: the call did something else as well."""
    told = runs(("failure", command), EDIT, ("failure", command), UNKNOWN, ("pass", command))
    told[0] = told[0]._replace(key=ERROR)
    told[2] = told[2]._replace(key=8, text="tax.ts(1,2): no rate")
    told[3] = told[3]._replace(seq=2)
    assert mended(told) == expected


def test_an_edit_in_the_call_that_passed_may_have_come_later() -> None:
    told = runs(FAILED, PASSED, EDIT)
    told[2] = told[2]._replace(seq=1)
    assert mended(told) == []


def test_no_edit_mends_an_error_of_the_network_unless_it_names_the_file() -> None:
    assert mended(runs(FAILED, EDIT, PASSED, text="connection refused")) == []
    assert mended(runs(FAILED, EDIT, PASSED, text="connection refused: cart.ts")) == [(*EDIT, 1)]


def test_an_error_that_came_back_and_was_not_mended_for_sure_is_left_out() -> None:
    assert mended(runs(FAILED, EDIT, PASSED, FAILED, PASSED)) == []
