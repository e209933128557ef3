"""The names of projects, of which several may have the same."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.model import Project
from memtui_core.queries.sessions import find_projects
from memtui_core.text.json_text import json_text
from memtui_core.text.names import ProjectName, distinct_folders, shown_names
from support.indexes import build, update
from support.transcripts import OTHER_SESSION, Script

FOLDERS = st.lists(st.sampled_from(["a", "bb", "src", "código", "long-folder-name"]), max_size=4)
ANA, BEN = "/home/ana/work/shop", "/home/ben/work/shop"


@pytest.mark.parametrize(
    ("paths", "folders"),
    [
        (["/home/marco/projects/spotter", "/home/ana/projects/spotter"], ["marco", "ana"]),
        (["/home/ana/wks/cli", "/home/ana/devenv/cli"], ["wks", "devenv"]),
        (["/p/x/cli", "/x/q/cli", "/y/q/cli"], ["p", "x/q", "y"]),
        (["/work/cli", "/work/old/cli"], ["/work", "old"]),
        (["", "/work/cli"], ["", "work"]),
    ],
)
def test_projects_of_one_name_have_different_folders(paths: list[str], folders: list[str]) -> None:
    assert distinct_folders(paths) == folders


@given(st.lists(FOLDERS.map(lambda folders: "/".join(["", *folders, "cli"])), unique=True))
def test_no_two_folders_are_the_same(paths: list[str]) -> None:
    folders = distinct_folders(paths)
    assert len(set(folders)) == len(paths)
    for path, folder in zip(paths, folders, strict=True):
        assert f"/{folder.strip('/')}/" in f"{path.rpartition('/')[0]}/" or not folder


def test_only_names_that_repeat_have_a_folder() -> None:
    projects = [(ANA, "shop"), (BEN, "shop"), ("", "shop"), ("/home/ana/site", "site"), (ANA, "shop")]
    assert shown_names([*projects, ("/x\x1b[31m/cli", "cli"), ("/y/cli", "cli")]) == {
        ("", "shop"): "shop",
        (ANA, "shop"): "shop · ana",
        (BEN, "shop"): "shop · ben",
        ("/home/ana/site", "site"): "site",
        ("/x\x1b[31m/cli", "cli"): "cli · x",
        ("/y/cli", "cli"): "cli · y",
    }


@pytest.mark.parametrize(
    ("name", "roots"),
    [
        ("shop", [ANA, BEN]),
        ("SHOP · ana", [ANA]),
        (f"{BEN}/", [BEN]),
        ("shop ·", [ANA, BEN]),
        ("si", ["/home/ana/site"]),
        ("cli\x1b", ["/x/cli"]),
        ("zebra", []),
        ("", [ANA, BEN, "/home/ana/site", "/x/cli"]),
    ],
)
def test_a_project_is_found_by_its_root_its_shown_and_its_stored_name(name: str, roots: list[str]) -> None:
    stored = [(ANA, "shop"), (BEN, "shop"), ("/home/ana/site", "site"), ("/x/cli", "cli\x1b")]
    names = shown_names(stored)
    projects = [Project(names[key], key[0], 1, None) for key in stored]
    assert [project.root for project in find_projects(projects, name)] == roots


def work(folder: Path, session: str, cwd: str) -> None:
    """A session with an edit, a pull request and a compaction."""
    script = Script(session, cwd, prefix=session[:1])
    script.user("Retry the upload")
    script.calls("Edit", {"file_path": f"{cwd}/a.py", "old_string": "1", "new_string": "2"})
    script.result("ok")
    script.raw(
        {"type": "pr-link", "sessionId": session, "prNumber": 7, "prUrl": f"https://github.com{cwd}/pull/7",
         "prRepository": "o/shop", "timestamp": "2026-11-01T09:00:00Z"}
    )  # fmt: skip
    script.compacts("It retries.")
    script.write(folder)


def test_every_list_tells_projects_of_one_name_apart(tmp_path: Path) -> None:
    """As soon as there is another of its name; queries and JSON have the name alone."""
    work(tmp_path / "src", "11111111-1111-4111-8111-111111111111", ANA)
    index = build(tmp_path / "data", tmp_path / "src")
    assert [project.name for project in index.sessions.projects()] == ["shop"]
    work(tmp_path / "src", OTHER_SESSION, BEN)
    update(tmp_path / "data", tmp_path / "src")
    assert index.refresh()
    [ben, ana] = sorted(index.sessions.projects(), key=lambda project: project.root, reverse=True)
    assert (ana.name, ben.name) == ("shop · ana", "shop · ben")
    assert [session.session_id for session in index.sessions.all(ben)] == [OTHER_SESSION]
    [file] = [file for file in index.files.find("").rows if file.root == BEN]
    assert [row.touch.project for row in index.files.history(file)] == ["shop · ben"]
    statistics = index.statistics.of_work()
    for rows in (
        index.sessions.all(),
        index.files.find("").rows,
        index.pull_requests.all(),
        index.pull_requests.links(),
        index.compactions.all(),
        index.search("retry upload").hits,
        statistics.files,
        statistics.projects,
    ):
        assert {row.project for row in rows} == {"shop · ana", "shop · ben"}
    assert {hit.project for hit in index.search("project:shop retry").hits} == {"shop · ana", "shop · ben"}
    name = index.sessions.all()[0].project
    assert isinstance(name, ProjectName)
    assert orjson.loads(json_text({"project": name})) == {"project": "shop"}
    assert index.sessions.all(Project("shop", ANA, 1, None)) == index.sessions.all(ana)
