"""The file of errors that were mended: what is in it, what is read again, and what leaves it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing import mended_file
from memtui_core.ingest.writing.mended_file import RULES, write_mended
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.text.own_patterns import use_patterns
from memtui_core.tools.results.error_text import error_text
from support.indexes import update
from support.mended_errors import MISSING, Work, mended_at_once
from support.transcripts import OTHER_SESSION, SESSION, START

ROOT, BLOG = "/home/ana/code/shop", "/home/ana/code/blog"
THIRD = "33333333-3333-4333-8333-333333333333"


def third(prefix: str = "h") -> Work:
    """A session of the shop after all others."""
    script = Work(THIRD, prefix=prefix)
    script.count = 9000
    return script


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a session of the shop and one of the blog, in each of which the same error was mended."""
    folder = tmp_path_factory.mktemp("mended")
    scripts = mended_at_once(Work()), mended_at_once(Work(OTHER_SESSION, BLOG, "f"))
    update(folder / "data", *(script.write(folder / str(place)) for place, script in enumerate(scripts)))
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> DataDir:
    """A copy of the index, to be written into."""
    return DataDir(Path(shutil.copytree(built, tmp_path / "data")))


def content(data: DataDir) -> dict[str, Any]:
    """What the file says."""
    found: dict[str, Any] = json.loads(data.mended.read_bytes())
    return found


def errors(data: DataDir, root: str = ROOT) -> list[tuple[str, int]]:
    """The session of each error of a project, and how many turns edited the file later."""
    return [(error["id"], error["later"]) for error in content(data)["projects"].get(root, {"errors": []})["errors"]]


def test_an_error_has_where_it_was_mended_and_no_text(data: DataDir) -> None:
    found = content(data)["projects"]
    assert list(found) == [ROOT, BLOG]
    [error] = found[ROOT]["errors"]
    assert START.timestamp() <= error.pop("at") < START.timestamp() + 60
    assert error == {
        "key": error_text(MISSING).key,
        "id": SESSION,
        "failed": 1,
        "command": "npm test",
        "mended": 1,
        "kind": "edit",
        "name": f"{ROOT}/src/cart.ts",
        "passed": 1,
        "later": 0,
    }
    assert found[ROOT]["folders"] == [[ROOT, ""]]
    assert b"TS2304" not in data.mended.read_bytes()


def test_only_sessions_in_which_something_changed_are_read_again(data: DataDir, tmp_path: Path) -> None:
    planted = content(data)
    for root in (ROOT, BLOG):
        planted["projects"][root]["errors"][0]["command"] = "kept"
    data.mended.write_text(json.dumps(planted))
    script = third()
    script.user("Something else")
    script.edits("src/cart.ts", "x", "y")
    update(data.path, script.write(tmp_path / "more"))
    found = content(data)["projects"]
    assert [(one["command"], one["later"]) for one in found[ROOT]["errors"]] == [("kept", 1)]
    assert [(one["command"], one["later"]) for one in found[BLOG]["errors"]] == [("kept", 0)]


def test_a_session_with_the_same_error_comes_first_and_two_are_kept(data: DataDir, tmp_path: Path) -> None:
    for place, name in enumerate((THIRD, "4" + THIRD[1:])):
        script = Work(name, prefix="hi"[place])
        script.count = 9000 * (place + 1)
        update(data.path, mended_at_once(script).write(tmp_path / name))
    assert [session for session, _ in errors(data)] == ["4" + THIRD[1:], THIRD]


def test_a_session_that_goes_on_replaces_what_it_had(data: DataDir, tmp_path: Path) -> None:
    script = mended_at_once(third())
    path = script.write(tmp_path / "more")
    update(data.path, path)
    assert [error["passed"] for error in content(data)["projects"][ROOT]["errors"]] == [1, 1]
    script.user("And again")
    script.fails()
    script.edits("src/cart.ts", "a", "b")
    script.passes()
    script.write(tmp_path / "more")
    update(data.path, path)
    assert [(error["id"], error["passed"]) for error in content(data)["projects"][ROOT]["errors"]] == [
        (THIRD, 2),
        (SESSION, 1),
    ]


def test_a_forgotten_session_leaves_the_file(data: DataDir) -> None:
    with Indexer(data.path) as indexer:
        indexer.forgetting.forget([SessionIdentity("claude-code", SESSION)])
        assert not data.mended.exists()
    assert list(content(data)["projects"]) == [BLOG]
    assert SESSION.encode() not in data.mended.read_bytes()


def test_the_file_is_not_written_if_nothing_else_is_known(data: DataDir, tmp_path: Path) -> None:
    before = data.mended.read_bytes()
    assert write_mended(data) == content(data)["batch"]
    script = third()
    script.user("Only a question")
    script.says("An answer")
    update(data.path, script.write(tmp_path / "more"))
    assert data.mended.read_bytes() == before
    batch = write_mended(data)
    assert batch > content(data)["batch"]
    assert write_mended(data, batch) == batch


def test_what_new_rules_take_for_a_secret_leaves_the_file(data: DataDir, tmp_path: Path) -> None:
    script = third()
    script.user("Build")
    script.fails("npm run build", "error: the module of carts is missing")
    script.edits("src/ACME-123456789012.ts", "1", "2")
    script.passes("npm run build")
    path = script.write(tmp_path / "more")
    update(data.path, path)
    assert b"/src/ACME-123456789012.ts" in data.mended.read_bytes()
    try:
        use_patterns(["ACME-[0-9]{12}"])
        update(data.path, path)
    finally:
        use_patterns(())
    assert errors(data) == [(THIRD, 0), (SESSION, 0)]
    assert b"/src/[redacted:pattern].ts" in data.mended.read_bytes()
    assert b"123456789012" not in data.mended.read_bytes()


def test_the_newest_are_kept(data: DataDir, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = third()
    script.user("Build")
    for name in ("carts", "stamps", "coins"):
        script.fails("npm run build", f"error: the module of {name} is missing")
        script.edits("src/a.ts", "1", "2")
        script.passes("npm run build")
    path = script.write(tmp_path / "more")
    monkeypatch.setattr(mended_file, "_ERRORS", 2)
    update(data.path, path)
    assert [session for session, _ in errors(data)] == [THIRD, THIRD]
    data.mended.unlink()
    monkeypatch.setattr(mended_file, "_PROJECTS", 1)
    write_mended(data)
    assert list(content(data)["projects"]) == [ROOT]
    data.mended.unlink()
    monkeypatch.setattr(mended_file, "_ALL_ERRORS", 1)
    write_mended(data)
    assert len(errors(data)) == 1


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b"[]",
        b'{"rules": "%s", "batch": 9, "projects": {"a": 1}}' % RULES.encode(),
        b'{"rules": "0", "batch": 9, "projects": {}}',
    ],
)
def test_a_broken_file_is_written_anew(data: DataDir, broken: bytes) -> None:
    whole = data.mended.read_bytes()
    data.mended.write_bytes(broken)
    write_mended(data)
    assert data.mended.read_bytes() == whole
