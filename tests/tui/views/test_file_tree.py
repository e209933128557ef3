"""Files as a tree of folders."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memtui.views.files.folders import TreeLine, file_key, folder_tree, folders_of, unfolded_lines
from memtui_core.queries.files import FileRow


def file(path: str, edited: int = 1, project: str = "shop", day: int = 1) -> FileRow:
    at = datetime(2026, 11, day, tzinfo=UTC)
    return FileRow(path, project, f"/code/{project}", edited, 2, 3, 1, at, at)


def drawn(line: TreeLine) -> str:
    folder = line.folder
    name = line.row.path if folder is None else f"{folder.name} {folder.count}"
    return f"{'  ' * line.depth}{name} {line.row.edited}"


def by_path(lines: Iterable[TreeLine]) -> list[TreeLine]:
    return sorted(lines, key=lambda line: line.row.path)


def newest_first(lines: Iterable[TreeLine]) -> list[TreeLine]:
    return sorted(lines, key=lambda line: line.row.last or datetime.min.replace(tzinfo=UTC), reverse=True)


FILES = [file("src/app/a.py", 3), file("src/app/b.py", 1), file("src/lib/deep/er/c.py", 9), file("README.md", 2)]


def test_folders_sum_their_files_and_single_ones_stand_in_one_line() -> None:
    folders = folder_tree([*FILES, file("x.py", 5, "web", 7)])
    keys = {("/code/shop", "shop", ""), ("/code/shop", "shop", "src/"), ("/code/shop", "shop", "src/lib/deep/er/")}
    assert [drawn(line) for line in unfolded_lines(folders, by_path, keys)] == [
        "shop 4 15",
        "  src/ 3 13",
        "    app/ 2 4",
        "    lib/deep/er/ 1 9",
        "      src/lib/deep/er/c.py 9",
        "  README.md 2",
        "web 1 5",
    ]
    assert [drawn(line) for line in unfolded_lines(folders, newest_first, ())] == ["web 1 5", "shop 4 15"]


def test_files_outside_of_projects_stand_below_their_roots() -> None:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    home = FileRow("~/.claude/settings.json", "~", "/home/ana", 1, 0, 0, 1, at, at)
    hosts = FileRow("/etc/hosts", "/", "/", 2, 0, 0, 1, at, at)
    folders = folder_tree([home, hosts, file("shop/a.py")])
    keys = [key for row in (home, hosts, file("shop/a.py")) for key in folders_of(folders, file_key(row))]
    assert [drawn(line) for line in unfolded_lines(folders, by_path, keys)] == [
        "~ 1 1",
        "  .claude/ 1 1",
        "    ~/.claude/settings.json 1",
        "/ 1 2",
        "  etc/ 1 2",
        "    /etc/hosts 2",
        "shop 1 1",
        "  shop/ 1 1",
        "    shop/a.py 1",
    ]


def test_the_folders_that_hold_a_file() -> None:
    key = ("/code/shop", "shop", "src/lib/deep/er/c.py")
    assert [path for _, _, path in folders_of(folder_tree(FILES), key)] == ["", "src/", "src/lib/deep/er/"]


def test_a_name_may_be_a_file_and_a_folder_and_a_path_may_lie_outside() -> None:
    folders = folder_tree([file("a"), file("a/b"), file("/etc/hosts")])
    everything = {
        *folders_of(folders, ("/code/shop", "shop", "a/b")),
        *folders_of(folders, ("/code/shop", "shop", "/etc/hosts")),
    }
    assert [drawn(line) for line in unfolded_lines(folders, by_path, everything)] == [
        "shop 3 3",
        "  /etc/ 1 1",
        "    /etc/hosts 1",
        "  a/ 1 1",
        "    a/b 1",
        "  a 1",
    ]


@given(st.lists(st.text("ab/", min_size=1, max_size=8), unique=True, min_size=1))
def test_every_file_is_in_the_tree_once(paths: list[str]) -> None:
    folders = folder_tree([file(path) for path in paths])
    everything = {key for path in paths for key in folders_of(folders, ("/code/shop", "shop", path))}
    shown = list(unfolded_lines(folders, by_path, everything))
    assert sorted(line.row.path for line in shown if line.folder is None) == sorted(paths)
    assert folders[0].count == len(paths)
