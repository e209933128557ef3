"""Sessions of Windows in a real index, and paths asked for as Windows writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.search.query_parser import parse
from memtui_core.text.paths import is_absolute, query_path
from support.indexes import build
from support.transcripts import Script

ROOT = r"C:\Users\ana\My Code\shop"
OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A session of Windows that edited a file, read another and changed a third in its worktree; one of Linux."""
    folder = tmp_path_factory.mktemp("windows")
    script = Script(cwd=ROOT)
    script.user("make it quicker")
    script.calls("Edit", {"file_path": rf"{ROOT}\src\a.rs", "old_string": "a", "new_string": "b"}, "t1")
    script.result("done", "t1")
    script.user("look at that")
    script.calls("Read", {"file_path": rf"{ROOT}\src\deep\b.rs"}, "t2")
    script.result("b", "t2")
    script.user("now the other")
    script.calls("Edit", {"file_path": r"src\deep\c.rs", "old_string": "a", "new_string": "b"}, "t3")
    script.result("done", "t3")
    script.user("the last one")
    script.calls("Bash", {"command": "cat src/d.rs"}, "t4")
    script.result("d", "t4")
    linux = Script(OTHER, "/home/ana/code/shop", "f")
    linux.user("again")
    linux.calls("Read", {"file_path": "/home/ana/code/shop/src/myb.rs"}, "t5")
    linux.result("done", "t5")
    return build(folder / "data", script.write(folder / "src/a"), linux.write(folder / "src/b"))


def touching(index: Index, query: str) -> list[tuple[str, str | None]]:
    """First digit of the session and the path of every hit that touched a file."""
    return [(hit.session_id[0], hit.path) for hit in index.search(query).hits if hit.path]


def test_what_windows_writes_is_stored_with_forward_slashes(index: Index) -> None:
    assert [(row.path, row.root) for row in sorted(index.files.find().rows, key=lambda row: row.path)] == [
        ("src/a.rs", "C:/Users/ana/My Code/shop"),
        ("src/d.rs", "C:/Users/ana/My Code/shop"),
        ("src/deep/b.rs", "C:/Users/ana/My Code/shop"),
        ("src/deep/c.rs", "C:/Users/ana/My Code/shop"),
        ("src/myb.rs", "/home/ana/code/shop"),
    ]


@pytest.mark.spec("S4.16")
@pytest.mark.parametrize(
    ("query", "path"),
    [
        (rf'"{ROOT}\src\a.rs"', "src/a.rs"),
        (rf'"{ROOT.lower()}\SRC\a.rs"', "src/a.rs"),
        (rf'"{ROOT}\src\deep\..\a.rs:42"', "src/a.rs"),
        ('"C:/Users/ana/My Code/shop/src/a.rs"', "src/a.rs"),
        ('"/c/Users/ana/My Code/shop/src/a.rs"', "src/a.rs"),
        (r'"~\My Code\shop\src\a.rs"', "src/a.rs"),
        (r"src\a.rs", "src/a.rs"),
        (r".\src\a.rs", "src/a.rs"),
        ("src/a.rs", "src/a.rs"),
        (r"deep\b.rs", "src/deep/b.rs"),
        ("b.rs", "src/deep/b.rs"),
        ("c.rs", "src/deep/c.rs"),
        ("d.rs", "src/d.rs"),
        (r"what did we do to src\deep\b.rs?", "src/deep/b.rs"),
        (rf'file:"{ROOT}\src\a.rs"', "src/a.rs"),
        (r"file:src\a.rs", "src/a.rs"),
        ("file:a.rs", "src/a.rs"),
        (rf'file:"{ROOT}\src\deep\b*"', "src/deep/b.rs"),
    ],
)
def test_a_windows_path_finds_the_turn_either_way(index: Index, query: str, path: str) -> None:
    result = index.search(query)
    assert [(hit.session_id[0], hit.path) for hit in result.hits if hit.path] == [("1", path)]
    assert result.note == ""


def test_an_unquoted_path_without_spaces_finds_it_too(tmp_path: Path) -> None:
    script = Script(cwd=r"d:\proj")
    script.user("make it quicker")
    script.calls("Edit", {"file_path": r"D:\proj\src\a.rs", "old_string": "a", "new_string": "b"})
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    for query in (r"D:\proj\src\a.rs", r"d:\proj\src\a.rs:7", "D:/proj/src/a.rs", r"file:d:\proj\src\a.rs"):
        assert touching(index, query) == [("1", "src/a.rs")]
        assert index.search(query).note == ""
    assert touching(index, r"file:D:\proj\src" "\\") == [("1", "src/a.rs")]
    assert [hit.turn for hit in index.search("project:D:\\proj\\").hits] == [1]
    assert [hit.turn for hit in index.search(r"-project:d:\proj quicker").hits] == []


def test_folders_and_patterns_and_files_are_asked_for_either_way(index: Index) -> None:
    assert sorted(touching(index, "file:src\\deep\\")) == [("1", "src/deep/b.rs"), ("1", "src/deep/c.rs")]
    assert sorted(touching(index, r"file:src\deep\*.rs")) == [("1", "src/deep/b.rs"), ("1", "src/deep/c.rs")]
    assert [row.path for row in index.files.find(r"src\a.rs").rows] == ["src/a.rs"]
    assert [row.path for row in index.files.find(rf"{ROOT}\src\a.rs").rows] == ["src/a.rs"]
    assert [one.kind for one in index.files.touches(rf"{ROOT}\src\a.rs").rows] == ["edited"]
    assert index.handoffs.of_file(rf"{ROOT}\src\a.rs").first == 1
    assert [one.turn for one in index.recall.for_file(r"src\deep\b.rs")] == [2]
    assert [one.turn for one in index.recall.for_prompt(r"what is in src\deep\b.rs")] == [2]


def test_a_mistyped_absolute_path_is_the_file_that_it_resembles(index: Index) -> None:
    wrong = rf"{ROOT}\scr\deep\bb.rs"
    assert touching(index, f'file:"{wrong}"') == []
    result = index.search('file:"C:/Users/ana/My Code/shop/src/deeep/b.rs"')
    assert [hit.path for hit in result.hits] == ["src/deep/b.rs"]
    assert result.note == "No session touched C:/Users/ana/My Code/shop/src/deeep/b.rs; shown: src/deep/b.rs"


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        (r"C:\Users\x\proj\src\a.rs", (r"C:\Users\x\proj\src\a.rs",)),
        (r'"C:\My Code\src\a.rs"', (r"C:\My Code\src\a.rs",)),
        (r'"C:\Program Files (x86)\app\main.cpp:3"', (r"C:\Program Files (x86)\app\main.cpp",)),
        ('"/home/ana/My Code/src/a.rs"', ("/home/ana/My Code/src/a.rs",)),
        (r'"\\server\share\my code\a.rs"', (r"\\server\share\my code\a.rs",)),
        ('"/review src/a.rs"', ("src/a.rs",)),
        ('"fixed in src/a.rs"', ("src/a.rs",)),
        (r'"not C:\a.rs alone"', (r"C:\a.rs",)),
        (r"see (src\a.rs).", (r"src\a.rs",)),
    ],
)
def test_paths_in_a_query(text: str, hints: tuple[str, ...]) -> None:
    assert parse(text).paths == hints


@pytest.mark.spec("S4.7")
@pytest.mark.parametrize(
    ("written", "asked"),
    [
        (r".\src\a.rs", "src/a.rs"),
        (r"c:\p\x\..\a.rs", "C:/p/a.rs"),
        ("src//a.rs", "src/a.rs"),
        ("./src/", "src/"),
        (r"\\server\share\a.rs", "/server/share/a.rs"),
        ("  ", ""),
        ("../other/a.rs", "../other/a.rs"),
    ],
)
def test_a_path_is_normalised_before_it_is_looked_up(written: str, asked: str) -> None:
    assert query_path(written) == asked


def test_absolute_paths_of_every_system_are_told() -> None:
    assert [is_absolute(path) for path in ("/a", r"C:\a", "c:/a", r"\\s\a", "~/a", r"~\a")] == [True] * 6
    assert [is_absolute(path) for path in ("a", "C:a", "./a", r"..\a", "~a", "")] == [False] * 6
