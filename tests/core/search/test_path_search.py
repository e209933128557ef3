"""Files over all sessions, and the turns that touched them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.model import FileTouch
from memtui_core.queries.files import FileRow
from support.indexes import build
from support.transcripts import SESSION, START, Script, touched_file

ROOT = "/home/ana/code/shop"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """One file edited twice and read once, another read only, a third mentioned."""
    script = Script()
    script.user("first")
    script.calls("Read", {"file_path": f"{ROOT}/src/upload.py"}, "t1")
    script.calls("Edit", {"file_path": f"{ROOT}/src/upload.py", "old_string": "a", "new_string": "b"}, "t2")
    script.calls("Read", {"file_path": f"{ROOT}/docs/upload.md"}, "t3")
    script.user("second, see @src/log.py")
    script.calls("Edit", {"file_path": f"{ROOT}/src/upload.py", "old_string": "b", "new_string": "c"}, "t4")
    folder = tmp_path_factory.mktemp("path_search")
    return build(folder / "data", script.write(folder / "src"))


def test_files_are_counted_in_turns_and_the_last_touched_comes_first(index: Index) -> None:
    first, second = START, START + timedelta(seconds=40)
    assert index.files.find().rows == [
        FileRow("src/log.py", "shop", ROOT, 0, 0, 1, 1, second, second),
        FileRow("src/upload.py", "shop", ROOT, 2, 1, 0, 1, first, second),
        FileRow("docs/upload.md", "shop", ROOT, 0, 1, 0, 1, first, first),
    ]


@pytest.mark.spec("S5.4")
def test_a_file_is_counted_over_its_sessions_from_the_first_touch_to_the_last(tmp_path: Path) -> None:
    index = build(tmp_path / "data", *touched_file(tmp_path / "src"))
    last = START + timedelta(days=18)
    assert index.files.find().rows == [FileRow("src/upload.py", "shop", ROOT, 2, 3, 1, 2, START, last)]


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("upload", ["src/upload.py", "docs/upload.md"]),
        ("upload.md", ["docs/upload.md"]),
        ("./SRC/upload.py", ["src/upload.py"]),
        ("uplaod.py", ["src/upload.py"]),
        ("zzzzzz", []),
        ("  ", ["src/log.py", "src/upload.py", "docs/upload.md"]),
    ],
)
def test_a_pattern_keeps_the_files_that_it_may_mean(index: Index, pattern: str, paths: list[str]) -> None:
    assert [row.path for row in index.files.find(pattern).rows][: len(paths)] == paths
    assert bool(index.files.find(pattern).rows) == bool(paths)


def test_the_turns_of_a_file_are_edits_first_then_the_newest(index: Index) -> None:
    touches = index.files.touches("src/upload.py").rows
    assert [(touch.turn, touch.kind, touch.tool) for touch in touches] == [
        (2, "edited", "Edit"),
        (1, "edited", "Edit"),
        (1, "read", "Read"),
    ]
    assert {type(touch) for touch in touches} == {FileTouch}
    assert {touch.session_id for touch in touches} == {SESSION}


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Files that only the output of git names, and one that no text names, which was talked about."""
    script = Script()
    script.user("Read the notes")
    script.calls("Read", {"file_path": f"{ROOT}/docs/notes.md"}, "t1")
    script.result("1 notes", "t1")
    script.user("Commit it")
    script.calls("Bash", {"command": "git add -A && git commit -m 'Add the site'"}, "t2")
    script.result("2 files changed\n create mode 100644 site/old/notes.md\n create mode 100644 site/index.html", "t2")
    script.user("Give every upload a budget for retries")
    script.says("The retry budget of an upload is ten.")
    folder = tmp_path_factory.mktemp("committed")
    return build(folder / "data", script.write(folder / "src"))


@pytest.mark.parametrize(
    ("path", "turns", "note"),
    [
        ("site/old/notes.md", [2, 1], "No session touched site/old/notes.md; shown: docs/notes.md"),
        ("site/new/notes.md", [1], "No session touched site/new/notes.md; shown: docs/notes.md"),
        (
            "src/upload/retry_budget.py",
            [3],
            "Nothing names src/upload/retry_budget.py; shown: turns with its words, retry budget upload",
        ),
        ("lib/zebra.py", [], ""),
    ],
)
def test_a_path_that_no_session_touched_finds_where_it_or_its_name_stands(
    committed: Index, path: str, turns: list[int], note: str
) -> None:
    result = committed.search(path)
    assert ([hit.turn for hit in result.hits], result.note) == (turns, note)


def test_nothing_names_a_path_among_the_turns_that_a_filter_leaves(committed: Index) -> None:
    result = committed.search("src/upload/retry_budget.py project:shop")
    assert [hit.turn for hit in result.hits] == [3]
    assert result.note.startswith("Nothing that the filters leave names src/upload/retry_budget.py; shown: turns")
