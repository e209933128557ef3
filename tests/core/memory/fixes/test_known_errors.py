"""The earlier cases of an error, and what was changed until the same command passed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.memory.fixes.known_errors import KnownError
from support.indexes import update
from support.mended_errors import AGAIN, MISSING, Work, mended
from support.transcripts import OTHER_SESSION

ROOT = "/home/ana/code/shop"


def index_of(folder: Path, *scripts: Work) -> Index:
    for script in scripts:
        source = script.write(folder / "src" / Path(script.cwd).name)
    update(folder / "data", source.parents[1])
    return Index.open(folder / "data")


def told(errors: list[KnownError]) -> list[tuple[str, int, str, str, int | None]]:
    """The session, the turn of the error, how it ended, what mended it, and the turn of the pass."""
    return [
        (
            error.session.session_id[:1],
            error.turn,
            error.end,
            (error.mended.path or error.mended.command) if error.mended else "",
            error.passed_turn,
        )
        for error in errors
    ]


def test_the_answer_is_the_edit_of_the_file_that_the_error_names(tmp_path: Path) -> None:
    index = index_of(tmp_path, mended(Work()))
    [error] = index.recall.fixes(f"> check\n{AGAIN}\nnpm error code 2")
    assert told([error]) == [("1", 1, "fixed", f"{ROOT}/src/cart.ts", 2)]
    assert (error.text, error.command, error.times, error.is_same) == (MISSING, "npm test", 1, True)
    assert error.mended is not None
    assert (error.mended.turn, [line for hunk in error.mended.hunks for line in hunk.lines]) == (
        1,
        [("-", "const sum = 0"), ("+", "const total = 0")],
    )
    assert [change.path for change in error.changes.made] == [f"{ROOT}/src/cart.ts", f"{ROOT}/README.md"]


def unchanged(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.passes()


def reworded(script: Work) -> None:
    script.user("Test")
    script.fails("npm test -- --port 1")
    script.passes("npm test -- --port 2")


def by_person(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.user("I have changed it")
    script.passes()


def by_subagent(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.calls("Task", {"description": "Mend it", "prompt": "Mend it"}, "sub")
    script.result("done", "sub")
    script.passes()


def by_installation(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.shell("npm install cart", "added 3 packages")
    script.passes()


def by_looking(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.shell("cat src/cart.ts", "const sum = 0")
    script.shell("git commit -qm x", "")
    script.passes()


def by_many_edits(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.shell("cd src\n# All of them\nsed -i 's/sum/total/' *.ts", "")
    script.passes()


def by_tool(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.calls("mcp__editor__rename", {"from": "sum", "to": "total"}, "m")
    script.result("ok", "m")
    script.passes()


def by_failed_edit(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.calls("Edit", {"file_path": f"{ROOT}/src/cart.ts", "old_string": "a", "new_string": "b"}, "e")
    script.result("String to replace not found in file.", "e", error=True)
    script.passes()


def by_rewriting_check(script: Work) -> None:
    script.user("Test")
    script.fails("eslint src")
    script.shell("eslint --fix src", "")
    script.passes("eslint src")


def by_others_commits(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.shell("git pull", "3 files changed")
    script.passes()


def by_installation_and_commit(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.shell("npm install cart && git commit -am Cart", "added 3 packages\n[main 1a2b3c4] Cart")
    script.passes()


def by_failed_installation(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.shell("npm install cart && npm run build", "added 3 packages\nbuild: no such script", failed=True)
    script.passes()


def by_edit_after_another_error(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.fails(error="error: cannot open the socket of carts")
    script.edits("src/cart.ts", "sum", "total")
    script.passes()


def never(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.edits("src/cart.ts", "sum", "total")
    script.passes("npm run lint")


def stopped(script: Work) -> None:
    script.user("Test")
    script.fails()
    script.edits("src/cart.ts", "sum", "total")
    script.shell("npm test | tail -2", "done")


def outside(script: Work) -> None:
    script.user("Install")
    script.fails("npm ci", "npm error network request to https://registry.example.org failed, connect ETIMEDOUT")
    script.edits("src/cart.ts", "sum", "total")
    script.shell("npm ci", "added 3 packages")


def pushed(script: Work) -> None:
    script.user("Push")
    script.fails("git push", "fatal: The current branch cart has no upstream branch.")
    script.edits("src/cart.ts", "sum", "total")
    script.shell("git push", "ok")


@pytest.mark.parametrize(
    ("tell", "expected"),
    [
        (unchanged, ("1", 1, "unchanged", "", 1)),
        (reworded, ("1", 1, "reworded", "", 1)),
        (by_person, ("1", 1, "unknown", "", 2)),
        (by_subagent, ("1", 1, "unknown", "", 1)),
        (by_installation, ("1", 1, "fixed", "npm install cart", 1)),
        (by_many_edits, ("1", 1, "fixed", "sed -i 's/sum/total/' *.ts", 1)),
        (by_tool, ("1", 1, "unknown", "", 1)),
        (by_looking, ("1", 1, "unchanged", "", 1)),
        (by_failed_edit, ("1", 1, "unchanged", "", 1)),
        (by_rewriting_check, ("1", 1, "fixed", "eslint --fix src", 1)),
        (by_others_commits, ("1", 1, "unknown", "", 1)),
        (by_installation_and_commit, ("1", 1, "fixed", "npm install cart && git commit -am Cart", 1)),
        (by_failed_installation, ("1", 1, "unknown", "", 1)),
        (by_edit_after_another_error, ("1", 1, "unknown", "", 1)),
        (never, ("1", 1, "open", "", None)),
        (stopped, ("1", 1, "open", "", None)),
        (outside, ("1", 1, "unknown", "", 1)),
        (pushed, ("1", 1, "unknown", "", 1)),
    ],
)
def test_only_what_the_transcript_proves_is_said(
    tmp_path: Path, tell: Callable[[Work], None], expected: tuple[str, int, str, str, int | None]
) -> None:
    script = Work()
    tell(script)
    index = index_of(tmp_path, script)
    rows = index.snapshot.rows("SELECT text FROM facts WHERE kind = 'failure' AND number <> 0 ORDER BY turn, seq")
    text = next(iter(rows))[0]
    assert told(index.recall.fixes(text)) == [expected]


def test_the_own_project_comes_first_then_what_was_fixed_then_the_newest(tmp_path: Path) -> None:
    elsewhere, failed, later = (
        Work("44444444-4444-4444-8444-444444444444", "/home/ana/code/blog", "d"),
        Work(OTHER_SESSION, prefix="f"),
        Work("33333333-3333-4333-8333-333333333333", prefix="g"),
    )
    later.count = 500
    never(failed)
    index = index_of(tmp_path, mended(Work()), mended(elsewhere), failed, mended(later))
    ends = [(session, end) for session, _, end, _, _ in told(index.recall.fixes(MISSING, ROOT))]
    assert ends == [("3", "fixed"), ("1", "fixed"), ("2", "open"), ("4", "fixed")]
    assert len(index.recall.fixes(MISSING, ROOT, 2)) == 2


def test_similar_errors_are_told_only_if_there_is_no_same_one(tmp_path: Path) -> None:
    index = index_of(tmp_path, mended(Work()))
    [similar] = index.recall.fixes("error TS2304: Cannot find name 'total' here.")
    assert (similar.is_same, similar.text) == (False, MISSING)
    assert index.recall.fixes("error: the disk of the server is full") == []
    assert index.recall.fixes("Exit code 1") == []
    assert index.recall.fixes("") == []


def test_a_turn_has_its_own_case_and_the_others(tmp_path: Path) -> None:
    failed = Work(OTHER_SESSION, prefix="f")
    never(failed)
    index = index_of(tmp_path, mended(Work()), failed)
    [(session,)] = index.snapshot.rows("SELECT key FROM sessions WHERE session_id = ?", [OTHER_SESSION])
    assert told(index.recall.fixes_of_turn(session, 1)) == [
        ("1", 1, "fixed", f"{ROOT}/src/cart.ts", 2),
        ("2", 1, "open", "", None),
    ]
    assert index.recall.fixes_of_turn(session, 2) == []
