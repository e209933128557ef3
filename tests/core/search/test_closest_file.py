"""A path that no session knows answers with the nearest file of the same name, and says so."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui_core.errors import MemtuiError
from memtui_core.index.index import Index
from memtui_core.memory.recall.similar_turns import RecallScope
from memtui_core.search.closest_file import IndexedFile, closest_files
from support.indexes import build
from support.transcripts import SESSION, Script

OTHER = "22222222-2222-4222-8222-222222222222"
ROOT = "/home/ana/code/shop"
BLOG = "/home/ana/code/blog"


def edit(script: Script, path: str) -> None:
    """A turn that edits a file."""
    script.user(f"change {script.count}")
    tool_id = f"t{script.count}"
    script.calls("Edit", {"file_path": f"{script.cwd}/{path}", "old_string": "a", "new_string": "b"}, tool_id)
    script.result("done", tool_id)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A shop whose test environment was moved away, and a blog that has a file of that path."""
    folder = tmp_path_factory.mktemp("near")
    shop, blog = Script(), Script(OTHER, BLOG, "f")
    edit(shop, "e2e/testenv.go")
    edit(shop, "cli/config/load.go")
    edit(shop, "srv/config/load.go")
    edit(shop, "cli/main.go")
    shop.user("move e2e/testenv.go to cli/e2e_test/testenv.go")
    shop.says("I would put it into cli/e2e_test/testenv.go, beside the other tests.")
    edit(blog, "e2e/testenv.go")
    edit(blog, "docs/index.md")
    return build(folder / "data", shop.write(folder / "src/a"), blog.write(folder / "src/b"))


def touching(index: Index, query: str) -> list[tuple[str, int, str]]:
    """First digit of the session, turn and path of every hit that touched a file."""
    return [(hit.session_id[0], hit.turn, hit.path) for hit in index.search(query).hits if hit.path]


@pytest.mark.parametrize(
    ("query", "hits", "note"),
    [
        (
            "project:shop cli/e2e_test/testenv.go",
            [("1", 1, "e2e/testenv.go")],
            "No session that the filters leave touched cli/e2e_test/testenv.go; shown: e2e/testenv.go",
        ),
        (
            "why is cli/confg/load.go slow",
            [("1", 2, "cli/config/load.go")],
            "No session touched cli/confg/load.go; shown: cli/config/load.go",
        ),
        (
            "file:web/config/load.go",
            [("1", 3, "srv/config/load.go")],
            "No session touched web/config/load.go; shown: srv/config/load.go",
        ),
        (
            "file:cli/load.go",
            [("1", 2, "cli/config/load.go")],
            "No session touched cli/load.go; shown: cli/config/load.go",
        ),
        (
            f"{BLOG}/web/e2e/testenv.go",
            [("1", 1, "e2e/testenv.go"), ("2", 1, "e2e/testenv.go")],
            f"No session touched {BLOG}/web/e2e/testenv.go; shown: e2e/testenv.go",
        ),
        (
            r"web\docs\index.md",
            [("2", 2, "docs/index.md")],
            r"No session touched web\docs\index.md; shown: docs/index.md",
        ),
        (
            "cli/main.go web/e2e/testenv.go project:shop",
            [("1", 1, "e2e/testenv.go"), ("1", 4, "cli/main.go")],
            "No session that the filters leave touched web/e2e/testenv.go; shown: e2e/testenv.go",
        ),
        ("e2e/testenv.go", [("1", 1, "e2e/testenv.go"), ("2", 1, "e2e/testenv.go")], ""),
        ("testenv.go", [("1", 1, "e2e/testenv.go"), ("2", 1, "e2e/testenv.go")], ""),
        ("file:web/nowhere.go", [], ""),
        ("file:web/*env.go", [], ""),
        ("file:config/", [("1", 2, "cli/config/load.go"), ("1", 3, "srv/config/load.go")], ""),
    ],
)
def test_a_path_that_no_session_knows_is_answered_with_the_nearest(
    index: Index, query: str, hits: list[tuple[str, int, str]], note: str
) -> None:
    assert sorted(touching(index, query)) == hits
    assert index.search(query).note == note


def test_the_nearest_is_shown_beside_the_turns_that_name_the_path(index: Index) -> None:
    hits = index.search("cli/e2e_test/testenv.go").hits
    assert ("1", 5, None) in [(hit.session_id[0], hit.turn, hit.path) for hit in hits]
    here = index.search("cli/e2e_test/testenv.go", current_folder=ROOT).hits
    both = [("1", 1, "e2e/testenv.go"), ("2", 1, "e2e/testenv.go")]
    assert [(hit.session_id[0], hit.turn, hit.path) for hit in here if hit.path] == both


def test_a_filter_that_keeps_out_takes_nothing_for_another_file(index: Index) -> None:
    assert len(index.search("-file:web/e2e/testenv.go project:shop").hits) == 5


def test_a_filter_of_turns_does_not_make_a_file_unknown(index: Index) -> None:
    result = index.search("e2e/testenv.go has:error")
    assert (result.hits, result.note) == ((), "")


def test_files_of_the_name_are_listed_from_the_nearest_on(index: Index) -> None:
    found = index.files.find("cli/conf/load.go")
    assert [(row.path, row.root) for row in found.rows] == [("cli/config/load.go", ROOT), ("srv/config/load.go", ROOT)]
    assert found.note == "No session touched cli/conf/load.go; shown: cli/config/load.go and 1 more"
    touches = index.files.touches("./cli/conf/load.go")
    assert [(touch.path, touch.turn) for touch in touches.rows] == [("cli/config/load.go", 2)]
    assert touches.note == "No session touched ./cli/conf/load.go; shown: cli/config/load.go"
    here = index.files.touches("web/e2e/testenv.go", ROOT)
    assert [(touch.session_id, touch.turn) for touch in here.rows] == [(SESSION, 1)]
    assert here.note == "No session of this project touched web/e2e/testenv.go; shown: e2e/testenv.go"
    assert index.files.find("config/load.go").note == ""
    assert index.files.touches("config/load.go").note == ""


def test_what_is_recalled_of_a_file_stays_exact_unless_another_is_asked_for(index: Index) -> None:
    scope = RecallScope(project=index.sessions.project_at(ROOT))
    assert index.recall.for_file("cli/e2e_test/testenv.go", 5, scope) == []
    assert index.recall.for_prompt("what is in web/e2e/testenv.go", 5, scope) == []
    meant = index.files.resolve("web/e2e/testenv.go", scope.project)
    assert meant.paths == (f"{ROOT}/e2e/testenv.go",)
    assert meant.note == "No session of this project touched web/e2e/testenv.go; shown: e2e/testenv.go"
    assert [one.turn for one in index.recall.for_file(meant.paths[0], 5, scope)] == [1]
    assert [one.turn for one in index.recall.for_prompt("what is in it", 5, scope, meant.paths)] == [1]
    assert index.files.resolve("maim.go", scope.project).paths == ()
    assert index.files.resolve("maim.go", scope.project, mistyped=True).paths == ("cli/main.go",)
    assert index.files.resolve("imdex.md", scope.project, mistyped=True).paths == ()


def test_a_hand_off_of_a_file_that_no_session_knows_names_the_nearest(index: Index) -> None:
    with pytest.raises(MemtuiError) as failed:
        index.handoffs.of_file("web/config/load.go")
    assert str(failed.value) == ("No session touched a file 'web/config/load.go'. The nearest is srv/config/load.go.")


def known(*paths: str) -> list[IndexedFile]:
    """Files, each touched a day after the one before."""
    return [IndexedFile(path, ROOT, datetime(2026, 11, day, tzinfo=UTC)) for day, path in enumerate(paths, 1)]


@pytest.mark.parametrize(
    ("path", "files", "order"),
    [
        # The end of the path counts most, then its beginning, then the day.
        ("a/b/c/x.py", ("q/b/c/x.py", "a/b/x.py", "q/c/x.py"), [0, 2, 1]),
        ("a/b/c/x.py", ("q/x.py", "a/q/x.py", "a/b/q/x.py", "z/x.py"), [2, 1, 3, 0]),
        ("a/x.py", ("b/x.py", "c/x.py"), [1, 0]),
        ("shop/src/x.py", ("lib/src/x.py", "src/x.py", "src/src/x.py"), [1, 2, 0]),
        (f"{ROOT}/a/x.py", ("b/x.py", "a/x.py"), [1, 0]),
        ("componens/x.py", ("components/x.py", "other/x.py"), [0, 1]),
        ("a/X.py", ("b/x.PY",), [0]),
        ("a/x.py", ("b/xx.py", "x.py/b"), []),
        ("x.py", ("b/x.py",), []),
        ("a/", ("b/a",), []),
        ("a/*.py", ("b/*.py",), []),
        ("", ("b/x.py",), []),
    ],
)
def test_the_nearest_shares_the_most_folders(path: str, files: tuple[str, ...], order: list[int]) -> None:
    assert closest_files(path, known(*files)) == order


def test_of_files_as_near_as_each_other_the_one_touched_last_comes_first_and_one_without_a_time_last() -> None:
    files = [IndexedFile("b/x.py", ROOT), *known("c/x.py", "d/x.py")]
    assert closest_files("a/x.py", files) == [2, 1, 0]
    assert IndexedFile("b/x.py", "").absolute_path == "b/x.py"


def test_a_file_at_the_top_of_its_project_stands_for_no_other_of_its_name(tmp_path: Path) -> None:
    script = Script()
    edit(script, "deep/down/notes.md")
    edit(script, "notes.md")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert touching(index, "file:web/notes.md") == [("1", 2, "notes.md")]
