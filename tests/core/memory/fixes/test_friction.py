"""What costs sessions time again and again, counted over real sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.memory.fixes.friction import Friction
from memtui_core.queries.activity.episodes import RUNS
from memtui_core.store.snapshot.reader import Snapshot
from support.indexes import update
from support.mended_errors import MISSING, Work
from support.transcripts import DAY

ROOT = "/home/ana/code/shop"
REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). To tell you how to proceed, the user said:\nUse a pull request"
)
IDS = [f"{number}" * 8 + "-1111-4111-8111-111111111111" for number in range(1, 4)]


def works() -> list[Work]:
    """Three sessions of a shop on three days."""
    sessions = []
    for number, session in enumerate(IDS):
        script = Work(session, prefix=f"p{number}-")
        script.count = number * DAY
        script.user("Test it")
        script.fails("pytest tests", "bash: line 1: pytest: command not found")
        script.shell("ls tests", "test_cart.py")
        script.passes("python -m pytest tests")
        script.calls("Bash", {"command": "git push --force"}, f"f{number}")
        script.result(REJECTED, f"f{number}", error=True)
        sessions.append(script)
    last = sessions[-1]
    for _ in range(4):
        last.edits("src/cart.ts", "1", "2")
        last.edits("docs/plan.md", "1", "2")
        last.fails("npm test", MISSING)
    last.passes("npm test")
    last.edits("src/cart.ts", "1", "2")
    last.edits("src/cart.ts", "1", "2")
    blog = Work("99999999-1111-4111-8111-111111111111", "/home/ana/code/blog", "b")
    blog.user("Test it")
    blog.fails("npm test", MISSING)
    blog.passes("npm test")
    return [*sessions, blog]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("friction")
    for script in works():
        source = script.write(folder / "src" / Path(script.cwd).name)
    update(folder / "data", source.parents[1])
    return Index.open(folder / "data")


NEWEST_FIRST = tuple(reversed(IDS))
NOT_FOUND = "bash: line 1: pytest: command not found"


def test_what_came_back_is_counted_with_its_sessions(index: Index) -> None:
    assert index.recall.friction(ROOT) == [
        Friction("error", "shop", ROOT, "pytest tests", NOT_FOUND, 3, NEWEST_FIRST, 1),
        Friction("error", "shop", ROOT, "npm test", MISSING, 4, NEWEST_FIRST[:1], 1),
        Friction(
            "command",
            "shop",
            ROOT,
            "pytest tests",
            NOT_FOUND,
            3,
            NEWEST_FIRST,
            1,
            3,
            "Run `python -m pytest tests`, not `pytest tests`.",
        ),
        Friction("file", "shop", ROOT, f"{ROOT}/src/cart.ts", "", 4, NEWEST_FIRST[:1], 1),
        Friction(
            "denied",
            "shop",
            ROOT,
            "git push --force",
            "Use a pull request",
            3,
            NEWEST_FIRST,
            1,
            0,
            "Do not use git push --force: it was rejected every time.",
        ),
    ]


def test_what_happened_once_is_no_friction(index: Index) -> None:
    assert index.recall.friction("/home/ana/code/blog") == []


def test_all_projects_are_counted_apart(index: Index) -> None:
    assert index.recall.friction() == index.recall.friction(ROOT)


def test_only_what_happened_since_a_time_counts(index: Index) -> None:
    since = datetime(2026, 11, 3, 0, tzinfo=UTC)
    found = [(one.kind, one.times, one.sessions) for one in index.recall.friction(ROOT, since)]
    assert found == [("error", 4, NEWEST_FIRST[:1]), ("file", 4, NEWEST_FIRST[:1])]


def test_a_command_that_ran_once_was_not_rejected_every_time(tmp_path: Path) -> None:
    script = Work()
    for number in range(2):
        script.user("Start it")
        script.calls("Bash", {"command": "docker compose up web"}, f"r{number}")
        script.result(REJECTED, f"r{number}", error=True)
    script.user("Now you may")
    script.shell("docker compose up web | tail -1", "started")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    assert Index.open(tmp_path / "data").recall.friction() == []


def test_a_document_counts_if_the_command_or_the_error_names_it(tmp_path: Path) -> None:
    script = Work()
    script.user("Mend the guide")
    for _ in range(4):
        for path in ("docs/guide.md", "docs/plan.md", "requirements.txt"):
            script.edits(path, "1", "2")
        script.fails("pytest docs/guide.md", "AssertionError: the example is wrong")
    script.passes("pytest docs/guide.md")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    found = Index.open(tmp_path / "data").recall.friction()
    assert [one.name for one in found if one.kind == "file"] == [f"{ROOT}/docs/guide.md", f"{ROOT}/requirements.txt"]


def test_the_runs_of_one_project_are_in_memory_at_once(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[set[int]] = []
    rows = Snapshot.rows

    def counted(self: Snapshot, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        found = rows(self, sql, parameters)
        if sql.startswith(RUNS):
            read.append({row[7] for row in found})
        return found

    monkeypatch.setattr(Snapshot, "rows", counted)
    index.recall.friction()
    assert sorted(map(len, read)) == [1, 3]


def test_sessions_in_which_nothing_failed_count_too(tmp_path: Path) -> None:
    for number, session in enumerate([*IDS, "44444444-1111-4111-8111-111111111111"]):
        script = Work(session, prefix=f"q{number}-")
        script.user("Build it")
        if number < 3:
            script.fails("npm run build", "error: the module of carts is missing")
        script.passes("npm run build")
        script.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    found = [one for one in Index.open(tmp_path / "data").recall.friction() if one.kind == "command"]
    assert [(one.times, one.of_sessions) for one in found] == [(3, 4)]
