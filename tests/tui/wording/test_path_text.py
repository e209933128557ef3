"""Paths in little room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.wording.path_text import distinguishing_folders, middle_cut

PROPOSALS = ["openspec/changes/add-a-thing/proposal.md", "openspec/changes/drop-it/proposal.md", "openspec/proposal.md"]
FOLDERS = st.lists(st.sampled_from(["a", "bb", "src", "código", "long-folder-name"]), max_size=4)
PATHS = st.tuples(
    st.sampled_from(["", "/", "/home/ana/"]), FOLDERS, st.sampled_from(["x.py", "読む.md", "README"])
).map(lambda parts: parts[0] + "/".join([*parts[1], parts[2]]))


@pytest.mark.parametrize(
    ("path", "width", "text"),
    [
        ("src/upload.py", 13, "src/upload.py"),
        ("src/net/http/retry/upload.py", 24, "src/…/retry/upload.py"),
        ("src/net/http/retry/upload.py", 15, "src/…/upload.py"),
        ("src/net/http/retry/upload.py", 12, "…/upload.py"),
        ("src/upload_with_a_long_name.py", 12, "uplo…name.py"),
        ("upload.py", 1, "…"),
        ("/home/ana/notes/a.md", 40, "~/notes/a.md"),
        ("/Users/ana/a.md", 40, "~/a.md"),
        ("/home/ana", 40, "/home/ana"),
        ("/homes/ana/a.md", 40, "/homes/ana/a.md"),
        ("/root/.claude/projects/shop/tool-results/b1.txt", 24, "…/tool-results/b1.txt"),
        ("/var/lib/shop/tool-results/b1.txt", 24, "…/tool-results/b1.txt"),
        ("src/components/buttons/", 12, "…/buttons/"),
    ],
)
def test_paths_lose_their_middle_and_keep_the_file_name(path: str, width: int, text: str) -> None:
    assert middle_cut(path, width) == text


@pytest.mark.parametrize(
    ("width", "texts"),
    [
        (40, ["openspec/changes/add-a-thing/proposal.md", "openspec/changes/drop-it/proposal.md"]),
        (30, ["…/add-a-thing/proposal.md", "openspec/…/drop-it/proposal.md"]),
        (22, ["…/add-a-t…/proposal.md", "…/drop-it/proposal.md"]),
        (14, ["…/proposal.md", "…/proposal.md"]),
    ],
)
def test_files_of_one_name_keep_the_folder_that_differs(width: int, texts: list[str]) -> None:
    indices = distinguishing_folders([*PROPOSALS, "a.md", "z/proposal.md"])
    assert indices == {PROPOSALS[0]: 2, PROPOSALS[1]: 2, "z/proposal.md": 0}
    assert [middle_cut(path, width, indices[path]) for path in PROPOSALS[:2]] == texts


def test_a_home_folder_that_tells_paths_apart_stays() -> None:
    paths = ["/home/ana/x/a.md", "/home/bob/x/a.md"]
    assert [middle_cut(path, 40, distinguishing_folders(paths)[path]) for path in paths] == paths


@given(PATHS, st.integers(1, 40), st.none() | st.integers(0, 3))
def test_a_cut_path_fits_and_ends_with_its_name(path: str, width: int, folder: int | None) -> None:
    name = path.rpartition("/")[2]
    folders = path.count("/")
    short = middle_cut(path, width, folder if folder is not None and folder < folders else None)
    assert cell_len(short) <= width
    assert short.endswith(name) or cell_len(name) + 2 > width


@given(st.lists(PATHS, unique=True), st.integers(1, 60))
def test_the_distinguishing_folder_is_shown_if_there_is_room(paths: list[str], width: int) -> None:
    for path, index in distinguishing_folders(paths).items():
        *folders, name = path.split("/")
        room = cell_len(f"…/{folders[index]}/…/{name}")
        if width >= room and not path.startswith("/home/ana"):
            assert folders[index] in middle_cut(path, width, index).split("/")


@given(st.text(), st.integers(1, 40))
def test_any_text_fits(text: str, width: int) -> None:
    assert cell_len(middle_cut(text, width)) <= width
