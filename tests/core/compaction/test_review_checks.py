"""The checks of a session at their last run, and what a summary claims about them and about files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.compaction.checks import last_runs
from memtui_core.compaction.checks.claims import StateClaims
from memtui_core.compaction.checks.findings import denied_commands, denied_edits
from memtui_core.compaction.checks.last_runs import Check, last_checks
from memtui_core.tools.results.failures import error_line
from memtui_core.tools.shell.checks import checks_in, kind_of_check, names_of_check
from support.histories import ROOT, History

FAILED = "FAILED tests/test_cart.py::test_round - assert 1 == 2\n1 failed, 11 passed in 0.31s"
PASSED = "12 passed in 0.31s"
OUTPUT = 40 * "the till is open\n"


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("pytest -q", ["pytest -q"]),
        ("cd src && mix test 2>&1 | tail -5", ["mix test"]),
        ("mix test && mix credo -a; git commit -m 'Round'", ["mix test", "mix credo -a", "git commit -m Round"]),
        ("uv run pytest tests/test_cart.py -k round", ["pytest tests/test_cart.py -k round"]),
        ("env CI=1 timeout 60 npx tsc --noEmit", ["tsc --noEmit"]),
        ("bash -c 'cargo build && cargo test'", ["cargo build", "cargo test"]),
        ("eval 'make test'", ["make test"]),
        ("npm run test:unit -- --watch=false", ["npm run test:unit -- --watch=false"]),
        ("npm run dev; npm install; npm ci", ["npm ci"]),
        ("python3.12 -m mypy core; python -m http.server; python tools/check.py", ["python3.12 -m mypy core"]),
        ("node_modules/.bin/eslint src", ["node_modules/.bin/eslint src"]),
        ("bin/rails test; ./gradlew test", ["bin/rails test", "./gradlew test"]),
        ("cmake -S . && cmake --build out", ["cmake --build out"]),
        ("pre-commit run --all-files; pre-commit install", ["pre-commit run --all-files"]),
        ("bash -n run.sh; bash run.sh", ["bash -n run.sh"]),
        ("git commit -m 'a\nb'", ["git commit -m …"]),
        ("git commit -m " + 60 * "a", ["git commit -m …"]),
        ("git commit -m " + 59 * "a", ["git commit -m " + 59 * "a"]),
        ("git status; git diff; terraform apply", []),
        ("pytest --version; cargo test --help", []),
        ("tail -f log | pytest; cat cart.py | grep mypy", []),
        ("echo pytest\n# pytest", []),
        ("make; make install; docker run shop", []),
        ("", []),
    ],
)  # fmt: skip
def test_builds_tests_linters_and_commits_are_checks(command: str, found: list[str]) -> None:
    assert [" ".join(words) for words in checks_in(command)] == found


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("rewrites", "checks"),
    [
        ("cargo fmt", "cargo fmt -- --check"),
        ("mix format", "mix format --check-formatted"),
        ("ruff format .", "ruff format --check ."),
        ("black .", "black --check ."),
        ("prettier --write .", "prettier --check ."),
        ("gofmt -w .", "gofmt -l ."),
    ],
)
def test_a_formatter_is_a_check_if_it_only_looks(rewrites: str, checks: str) -> None:
    assert [" ".join(words) for words in checks_in(f"{rewrites} && {checks}")] == [checks]


@pytest.mark.spec("S5.6")
def test_shells_in_shells_are_read_to_a_depth() -> None:
    command = "pytest"
    depths = []
    for _ in range(7):
        depths.append(len(list(checks_in(command))))
        command = f"eval {command}"
    assert depths == [1, 1, 1, 1, 1, 0, 0]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("command", "kind", "names"),
    [
        ("pytest tests/test_cart.py -k round", "pytest", {"pytest", "test", "tests", "suite"}),
        ("pytest tests", "pytest", {"pytest", "test", "tests", "suite"}),
        ("python -m pytest", "pytest", {"pytest", "test", "tests", "suite"}),
        ("mix test test/cart_test.exs:3", "mix test", {"test", "tests", "suite"}),
        ("mix credo --strict", "mix credo", {"credo", "lint", "linter"}),
        ("npm run test:unit", "npm test:unit", {"test", "tests", "suite"}),
        ("npm run lint", "npm lint", {"lint", "linter"}),
        ("npm t", "npm t", set()),
        ("bin/eslint src", "eslint", {"eslint", "lint", "linter"}),
        ("npx tsc --noEmit", "tsc", {"tsc", "typecheck", "types"}),
        ("ruff check .", "ruff check", {"ruff", "lint", "linter"}),
        ("cmake --build out", "cmake --build", {"cmake", "build", "builds", "compile", "compiles", "compilation"}),
        ("git commit -m Round", "git commit", {"commit"}),
        ("git push origin main", "git push", {"push"}),
        ("cargo +1.96.0 test", "cargo test", {"cargo", "test", "tests", "suite"}),
        ("pre-commit run", "pre-commit run", set()),
    ],
)
def test_a_check_has_a_kind_and_the_words_that_name_it(command: str, kind: str, names: set[str]) -> None:
    [words] = checks_in(command)
    assert (kind_of_check(words), names_of_check(words)) == (kind, names)


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("command", "result", "is_error", "state"),
    [
        ("pytest -q", PASSED, False, ("passed", PASSED)),
        ("pytest -q | tail -3", PASSED, False, ("passed", PASSED)),
        ("pytest -q | tail -3", FAILED, False, ("failed", "1 failed, 11 passed in 0.31s")),
        ("pytest -q | tail -1", "see the log", False, ("unknown", "")),
        ("pytest -q", "see the log", False, ("passed", "")),
        ("pytest -q > log.txt | cat", "", False, ("passed", "")),
        ("mypy core", "Exit code 1\ncart.py:3: error: bad type\nFound 1 error in 1 file", True,
         ("failed", "Found 1 error in 1 file")),
        ("make lint", "Exit code 2\nsrc/cart.py is odd", True, ("failed", "src/cart.py is odd")),
        ("make lint | cat", "src/cart.py: error: odd\nmake: *** [Makefile:3: lint] Error 2", False,
         ("failed", "src/cart.py: error: odd")),
        ("make lint | cat", "src/cart.py is odd\nmake: *** [Makefile:3: lint] Error 2", False,
         ("failed", "src/cart.py is odd")),
        ("make lint", "Exit code 2", True, ("failed", "Exit code 2")),
        ("make lint", "", True, ("failed", "")),
        ("mix test", "\x1b[31m3 tests, 1 failure\x1b[0m", False, ("failed", "3 tests, 1 failure")),
        ("mix test", "3 tests, 0 failures", False, ("passed", "3 tests, 0 failures")),
        ("cargo test", "test result: ok. 4 passed; 0 failed", False, ("passed", "test result: ok. 4 passed; 0 failed")),
        ("go test ./...", "ok  \tshop/cart\t0.012s\nFAIL\tshop/till [build failed]", False,
         ("failed", "FAIL\tshop/till [build failed]")),
        ("npx eslint . | head", "✖ 2 problems (1 error, 1 warning)", False,
         ("failed", "✖ 2 problems (1 error, 1 warning)")),
        ("ruff check .", "All checks passed!", False, ("passed", "All checks passed!")),
        ("git push", "! [rejected] main -> main (fetch first)", False,
         ("failed", "! [rejected] main -> main (fetch first)")),
        ("git commit -m x", "[main 3f2ab1c] Fix 3 failed uploads\n 1 file changed, 2 insertions(+)", False,
         ("passed", "1 file changed, 2 insertions(+)")),
        ("git commit -m x | tail -9", "mypy: Found 2 errors in 1 file", False,
         ("failed", "mypy: Found 2 errors in 1 file")),
        ("git push", OUTPUT + "tests: exit code 1\n" + OUTPUT + "  98b484b..04ef02a  main -> main", False,
         ("passed", "")),
        ("git push | tail", "Everything up-to-date", False, ("passed", "")),
        ("make test", OUTPUT + "tests: exit code 1\n" + OUTPUT, False, ("passed", "")),
        ("make test", OUTPUT + "tests: exit code 1", False, ("failed", "tests: exit code 1")),
        ("go test -v ./...", "Traceback: made on purpose\nok  \tshop/cart\t0.012s", False,
         ("passed", "ok  \tshop/cart\t0.012s")),
        ("go test -v ./...", "ok  \tshop/cart\t0.012s\nTraceback (most recent call last)", False,
         ("failed", "Traceback (most recent call last)")),
        ("go test -v ./...", "2026/01/20 16:03:25 ERROR before init\nok  \tshop/cart\t0.6s", False,
         ("passed", "ok  \tshop/cart\t0.6s")),
        ("go build ./... 2>&1 | head -5", "# shop/cart", False, ("passed", "")),
        ("make lint | head -5", "# shop/cart", False, ("unknown", "")),
        ("cargo test shop::", "error: unexpected argument 'shop::' found", True,
         ("unknown", "error: unexpected argument 'shop::' found")),
    ],
)  # fmt: skip
def test_the_outcome_of_a_check_is_read_from_its_text_too(
    command: str, result: str, is_error: bool, state: tuple[str, str]
) -> None:
    [check] = last_checks(run(command, result, error=is_error).turns)
    assert (check.outcome, check.outcome_line) == state


def run(command: str, result: str | None, *, error: bool = False) -> History:
    """A history of one command."""
    history = History()
    history.asks("Ship the cart")
    history.runs(command, result, error=error)
    return history


def found(history: History) -> list[tuple[str, str, int, tuple[str, ...]]]:
    return [
        (check.command, check.outcome, check.turn.number, check.edited_after) for check in last_checks(history.turns)
    ]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("result", "is_error"),
    [(None, False), ("<tool_use_error>Permission to use Bash denied by hook</tool_use_error>", True)],
)
def test_a_check_that_did_not_run_has_no_state(result: str | None, is_error: bool) -> None:
    history = run("pytest -q", PASSED)
    history.asks("Again")
    history.runs("pytest -q", result, error=is_error)
    assert found(history) == [("pytest -q", "passed", 1, ())]


@pytest.mark.spec("S5.6")
def test_only_the_last_run_of_a_check_counts() -> None:
    history = run("pytest -q tests/test_cart.py", FAILED)
    history.runs("mix credo | tail", "found 2 issues")
    history.asks("Fix it")
    history.runs("pytest -q | tail -1", PASSED)
    assert found(history) == [("mix credo", "failed", 1, ()), ("pytest -q", "passed", 2, ())]


@pytest.mark.spec("S5.6")
def test_the_scripts_of_a_package_are_different_checks() -> None:
    history = run("npm run test:unit", FAILED)
    history.runs("npm run lint", "")
    history.runs("npm run test:e2e", "3 passed")
    assert [(check.command, check.outcome) for check in last_checks(history.turns)] == [
        ("npm run test:unit", "failed"),
        ("npm run lint", "passed"),
        ("npm run test:e2e", "passed"),
    ]


@pytest.mark.spec("S5.6")
def test_checks_of_one_command_have_a_state_each() -> None:
    history = run("mix format --check-formatted && mix test", "12 tests, 0 failures")
    assert found(history) == [
        ("mix format --check-formatted", "passed", 1, ()),
        ("mix test", "passed", 1, ()),
    ]
    history.runs("mix test", "12 tests, 3 failures")
    assert found(history) == [
        ("mix format --check-formatted", "passed", 1, ()),
        ("mix test", "failed", 1, ()),
    ]


@pytest.mark.spec("S5.6")
def test_edits_after_a_check_make_it_stale_but_not_a_commit() -> None:
    history = run("pytest -q && git commit -m Round", PASSED)
    history.edits("src/before.py")
    history.runs("pytest -q", PASSED)
    history.runs("git commit -m Round", "1 file changed")
    history.edits("src/cart.py")
    history.edits("src/failed.py", error=True)
    history.edits("docs/cart.md")
    history.edits("requirements.md")
    history.edits("requirements-dev.txt")
    history.runs("echo 1 > src/other.py", "")
    history.edits("src/cart.py")
    history.writes("src/till.py", "x")
    assert found(history) == [
        ("pytest -q", "passed", 1, (f"{ROOT}/src/cart.py", f"{ROOT}/requirements-dev.txt", f"{ROOT}/src/till.py")),
        ("git commit -m Round", "passed", 1, ()),
    ]


@pytest.mark.spec("S5.6")
def test_a_check_has_the_line_of_its_result() -> None:
    history = run("pytest -q", PASSED)
    [check] = last_checks(history.turns)
    [result] = [block for block in history.turns[0].blocks if block.kind == "tool_result"]
    assert (check.line, check.turn) == (result.line, history.turns[0])


def of(outcome: str, *edited: str) -> Check:
    """The tests with an outcome."""
    history = run("pytest -q", {"passed": PASSED, "failed": FAILED, "unknown": "see the log"}[outcome])
    if outcome == "unknown":
        history = run("pytest -q | tail -1", "see the log")
    for path in edited:
        history.edits(path)
    [check] = last_checks(history.turns)
    assert check.outcome == outcome
    return check


def opposite(check: Check, *sentences: str, heading: str = "Current Work", others: tuple[Check, ...] = ()) -> str:
    """The sentence that claims the opposite of a check."""
    return StateClaims(sentences, [heading] * len(sentences)).opposite(check, [check, *others])


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("outcome", "sentence", "is_opposite"),
    [
        ("failed", "All tests pass.", True),
        ("failed", "The suite is green", True),
        ("failed", "pytest: 0 failures", False),
        ("failed", "pytest reports 0 failures", True),
        ("failed", "All 12 tests pass.", False),
        ("failed", "11 tests pass.", True),
        ("failed", "The build and the tests are green.", True),
        ("failed", "`pytest -q` passes.", True),
        ("failed", "`pytest -q tests/test_till.py` passes.", False),
        ("failed", "Unit tests pass.", False),
        ("failed", "The core tests pass.", False),
        ("failed", "Tests pass, but one test fails.", False),
        ("failed", "The tests passed before the cart was changed.", False),
        ("failed", "The tests should pass.", False),
        ("failed", "Confirm that the tests passed.", False),
        ("failed", "The tests that passed are listed.", False),
        ("failed", "Next: see the tests pass.", False),
        (
            "failed",
            "The tests are in the clean folder of the shop that ana made and that the till reads: passed.",
            False,
        ),
        ("failed", "The linter is clean.", False),
        ("failed", "The contest was clean.", False),
        ("failed", "test_cart.py is clean", False),
        ("failed", "The tests pass " + 400 * "x", False),
        ("passed", "One test still fails.", True),
        ("passed", "The suite is now red", True),
        ("passed", "pytest still reports 2 errors", True),
        ("passed", "One test fails.", False),
        ("passed", "**Flaky test**: the suite still fails.", False),
        ("passed", "Flaky test: the suite still fails.", False),
        ("passed", "The suite still fails, fixed by a lock.", False),
        ("passed", "Key **Finding** still builds trees with errors of the tests", False),
        ("passed", "The tests had failed.", False),
        ("passed", "The tests pass without warnings.", False),
        ("passed", "Fix the failing tests next.", False),
        ("unknown", "All tests pass.", False),
        ("unknown", "One test still fails.", False),
    ],
)
def test_a_summary_that_says_the_opposite_of_a_check(outcome: str, sentence: str, is_opposite: bool) -> None:
    assert opposite(of(outcome), "The cart rounds.", sentence) == (sentence if is_opposite else "")


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("heading", "is_opposite"),
    [
        ("Current Work", True), ("", True), ("Summary / 8. Current Work", True), ("4. Errors and fixes", False),
        ("7. Pending Tasks", False), ("6. All user messages", False), ("Summary / 2. Key Technical Concepts", False),
    ],
)  # fmt: skip
def test_only_parts_that_tell_how_things_are_claim_something(heading: str, is_opposite: bool) -> None:
    claim = "All tests pass."
    assert opposite(of("failed"), claim, heading=heading) == (claim if is_opposite else "")


@pytest.mark.spec("S5.6")
def test_another_sentence_that_tells_the_truth_takes_a_claim_back() -> None:
    assert opposite(of("failed"), "All tests pass.", "One test fails since the last edit.") == ""
    assert opposite(of("passed"), "One test still fails.", "All tests pass.") == ""


@pytest.mark.spec("S5.6")
def test_a_word_that_names_two_checks_claims_nothing_of_either() -> None:
    [other] = last_checks(run("npm test", "3 passed").turns)
    assert opposite(of("failed"), "All tests pass.", others=(other,)) == ""
    assert opposite(of("failed"), "All tests pass.", "Then pytest is green.", others=(other,)) == ""
    assert opposite(of("failed"), "pytest is green.", others=(other,)) == "pytest is green."


@pytest.mark.spec("S5.6")
def test_a_build_that_passed_is_not_still_failing() -> None:
    [check] = last_checks(run("go build ./... 2>&1 | head -20", "").turns)
    claim = "We are still seeing compilation errors."
    assert opposite(check, claim) == claim


@pytest.mark.spec("S5.6")
def test_a_failure_told_of_a_check_that_is_older_than_the_edits_is_no_contradiction() -> None:
    claim = "One test still fails."
    assert opposite(of("passed"), claim) == claim
    assert opposite(of("passed", "src/cart.py"), claim) == ""


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("sentence", "passes", "fails"),
    [
        ("All tests passed.", True, False),
        ("Tests: 0 failures.", True, False),
        ("2 tests fail.", False, True),
        ("The tests were red and are green.", True, True),
        ("The tests exist.", False, False),
        ("The build passes, the linter fails.", False, False),
    ],
)
def test_what_a_sentence_says_of_a_check(sentence: str, passes: bool, fails: bool) -> None:
    check, claims = of("passed"), StateClaims([sentence])
    assert (claims.passes(check), claims.fails(check)) == (passes, fails)


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("sentence", "heading", "plans"),
    [
        ("Run the tests again.", "7. Pending Tasks", True),
        ("Run the tests again.", "2. Key Concepts", False),
        ("Run the linter.", "7. Pending Tasks", False),
    ],
)
def test_a_check_that_the_open_work_names_will_be_run_again(sentence: str, heading: str, plans: bool) -> None:
    assert StateClaims([sentence], [heading]).plans(of("passed")) == plans


REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("runs", "sentence", "is_denied"),
    [
        ([("git push origin main", REJECTED)], "The change was pushed to main.", True),
        ([("git push origin main", REJECTED)], "The change was not pushed.", False),
        ([("git push origin main", REJECTED)], "The change will be pushed.", False),
        ([("git push origin main", REJECTED)], "The change was committed.", False),
        ([("git push origin main", REJECTED), ("git push", "")], "The change was pushed to main.", False),
        ([("git push", ""), ("git push --tags", REJECTED)], "The change was pushed to main.", False),
        ([("rm -r dist", REJECTED)], "The folder dist was deleted.", True),
        ([("ls dist", REJECTED)], "The folder dist was deleted.", False),
    ],
)
def test_a_summary_that_tells_a_command_that_was_not_allowed(
    runs: list[tuple[str, str]], sentence: str, is_denied: bool
) -> None:
    history = History()
    history.asks("Ship the cart")
    for command, result in runs:
        history.runs(command, result, error=bool(result))
    claims = [(denied.subject, denied.claim) for denied in denied_commands(history.turns, StateClaims([sentence]))]
    assert claims == ([(runs[0][0], sentence)] if is_denied else [])


def denied(history: History, *sentences: str) -> list[tuple[str, int, str]]:
    return [(edit.subject, edit.turn.number, edit.claim) for edit in denied_edits(history.turns, sentences)]


@pytest.mark.spec("S5.6")
def test_a_summary_that_denies_the_last_edit() -> None:
    history = run("ls", "cart.py")
    history.asks("Round")
    history.edits("src/cart.py")
    claim = "src/cart.py was not yet edited."
    assert denied(history, "The cart rounds.", claim) == [(f"{ROOT}/src/cart.py", 2, claim)]
    assert denied(history, "src/cart.py was edited.") == []
    assert denied(history, "src/till.py was not edited.") == []
    assert denied(history, "src/old-cart.py was not edited.") == []
    assert denied(history, "lib/cart.py was not edited.") == []
    for named in ("cart.py", "**`src/cart.py`** (read)", "./src/cart.py", f"{ROOT}/src/cart.py"):
        assert len(denied(history, f"{named} was not yet edited.")) == 1
    assert denied(history, claim + 400 * "x") == []


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize("verb", ["updated", "written", "rewritten", "created", "amended"])
def test_an_edit_is_denied_in_several_words(verb: str) -> None:
    history = run("ls", "cart.py")
    history.edits("src/cart.py")
    claim = f"cart.py has not been {verb}"
    assert denied(history, claim) == [(f"{ROOT}/src/cart.py", 1, claim)]


@pytest.mark.spec("S5.6")
def test_an_edit_long_before_the_compaction_is_not_denied() -> None:
    history = run("ls", "cart.py")
    history.edits("src/cart.py")
    for _ in range(2):
        history.runs("ls", "cart.py")
    assert denied(history, "cart.py is not edited") == []
    history = History()
    history.asks("Round")
    history.edits("src/till.py")
    history.edits("src/old.py", error=True)
    history.runs("ls", "cart.py")
    history.edits("src/cart.py")
    assert [path for path, _, _ in denied(history, "cart.py is not edited", "till.py is not edited")] == [
        f"{ROOT}/src/cart.py"
    ]


@pytest.mark.spec("S5.6")
def test_a_failed_edit_is_not_one() -> None:
    history = History()
    history.asks("Round")
    history.edits("src/cart.py", error=True)
    assert denied(history, "cart.py is not edited") == []


@pytest.mark.spec("S5.6")
def test_of_files_with_one_name_the_one_with_most_of_its_path_is_denied() -> None:
    history = History()
    history.asks("Round")
    for _ in range(4):
        history.edits("web/src/index.ts")
        history.edits("till/src/index.ts")
    claim = "till/src/index.ts was not edited."
    assert denied(history, claim) == [(f"{ROOT}/till/src/index.ts", 1, claim)]
    claim = "web/src/index.ts was not edited."
    assert denied(history, claim) == [(f"{ROOT}/web/src/index.ts", 1, claim)]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    "empty",
    [
        "ERROR",
        "fatal: exited with code 2",
        "make: *** [Makefile:3: lint] Error 2",
        "gmake[1]: *** No rule",
        "npm ERR! code ELIFECYCLE",
        "npm error command failed",
        "error: recipe `lint` failed on line 3 with exit code 1",
        'error: script "test" exited with code 1',
        " ELIFECYCLE  Command failed with exit code 1.",
        "error: command failed",
    ],
)
def test_a_line_that_only_says_that_something_failed_is_passed_over(empty: str) -> None:
    assert error_line(f"Exit code 2\n{empty}\nThe cart has no currency\n{empty}") == "The cart has no currency"
    assert error_line(f"Exit code 2\n{empty}") == empty.strip()


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    "telling", ["error: no field `price`", "fatal: not a git repository", "npm ERR! missing script: lint"]
)
def test_a_line_that_tells_what_failed_is_taken(telling: str) -> None:
    assert error_line(f"Exit code 2\nThe cart has no currency\n{telling}") == telling


@pytest.mark.spec("S5.6")
def test_of_several_checks_it_is_not_known_which_one_failed() -> None:
    history = run("ruff check . && pytest", "2 failed, 10 passed in 0.31s", error=True)
    [check] = last_checks(history.turns)
    assert (check.command, check.outcome, check.names) == ("ruff check . && pytest", "failed", frozenset())
    assert opposite(check, "Ruff is clean.", "All tests pass.") == ""
    history.runs("pytest", "12 passed in 0.31s")
    assert [(one.command, one.outcome) for one in last_checks(history.turns)] == [("pytest", "passed")]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    "line",
    [
        " ✓ form > shows 2 errors for bad input",
        "test_2_errors_are_shown PASSED",
        "test shows::errors ... ok",
        "ok 3 - 2 failed uploads",
    ],
)
def test_the_title_of_a_test_that_passed_is_no_failure(line: str) -> None:
    history = run("npx vitest run", f"{line}\n Tests  12 passed (12)")
    assert [(one.outcome, one.outcome_line) for one in last_checks(history.turns)] == [
        ("passed", "Tests  12 passed (12)")
    ]


@pytest.mark.spec("S5.6")
def test_a_signature_that_was_not_changed_is_no_denied_edit() -> None:
    history = run("ls", "cart.py")
    history.edits("src/cart.py")
    for claim in ("The public signature in cart.py was not changed.", "cart.py is done. The till was not edited."):
        assert denied(history, claim) == []


@given(st.from_regex(last_runs._FAILED), st.text(max_size=20))
def test_each_line_of_failure_has_a_word_of_failures(text: str, before: str) -> None:
    lines = [line for line in f"{before}{text}".split("\n") if last_runs._FAILED.search(line)]
    assert all(map(last_runs._may_tell_failure, lines))
