"""The commands that pin, rename, tag, note and archive, and the list of what was added."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui_core.index.index import Index

FLAGSHIP = "db9cde85-9adb-4762-985f-42e87f989d54"
SHORT = FLAGSHIP[:8]
TITLE = "Fix flaky uploads"


@pytest.fixture
def data(sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = shutil.copytree(sample_index, tmp_path / "data")
    monkeypatch.setenv("MEMTUI_DATA_DIR", str(folder))
    return folder


def run(*arguments: str, given: str = "") -> Result:
    return CliRunner().invoke(cli, arguments, input=given)


def said(*arguments: str, given: str = "") -> tuple[str, str, int]:
    """What is printed to stdout and stderr, and the exit code."""
    result = run(*arguments, given=given)
    return result.stdout, result.stderr, result.exit_code


@pytest.mark.usefixtures("data")
def test_a_session_and_a_turn_are_pinned_until_that_is_taken_back() -> None:
    assert said("pin", SHORT, f"{SHORT}:5") == (
        "", f"Pinned: {FLAGSHIP} {TITLE}\nPinned: {FLAGSHIP}:5 {TITLE}\n", 0,
    )  # fmt: skip
    assert said("pin", SHORT)[1] == f"Was pinned: {FLAGSHIP} {TITLE}\n"
    found = json.loads(run("search", "is:pinned", "--json", "--limit", "1").stdout)
    assert [(hit["session_id"], hit["pinned"]) for hit in found] == [(FLAGSHIP, True)]
    assert said("pin", "--remove", SHORT)[1] == f"No longer pinned: {FLAGSHIP} {TITLE}\n"
    assert said("pin", "--remove", SHORT)[1] == f"Not pinned: {FLAGSHIP} {TITLE}\n"
    assert run("search", "is:pinned").stdout.startswith(f"{FLAGSHIP}:5  ★ {TITLE} · shop-api")


@pytest.mark.usefixtures("data")
def test_a_title_of_the_users_is_shown_beside_the_agents() -> None:
    assert said("rename", SHORT, "The", "upload", "saga") == (
        "", f"Title: {FLAGSHIP} The upload saga (the agent's: {TITLE})\n", 0,
    )  # fmt: skip
    assert run("show", f"{SHORT}:1").stdout.splitlines()[:6] == [
        "The upload saga",
        "shop-api · Claude Code · branch fix/flaky-uploads · 20 Nov 2026 12:45–14:49",
        "turn 1 of 13 · 31 tools",
        "48k in · 4.2k out · 698k read from cache · with 2 subagents · about $0.02 for 15 % of the turns · no price for"
        " claude-opus-5 · prices of 15 Feb 2026 · 7 min of work in 2 h 3 m",
        FLAGSHIP,
        f"the agent's title: {TITLE}",
    ]
    exported = json.loads(run("export", SHORT, "--format", "json", "--output", "-").stdout)["session"]
    assert (exported["title"], exported["agent_title"]) == ("The upload saga", TITLE)
    assert said("rename", "--remove", SHORT)[1] == f"Title: {FLAGSHIP} {TITLE}\n"
    assert said("rename", SHORT, "x" * 201) == ("", "memtui: The title has 201 characters; at most 200 fit.\n", 1)
    for arguments in (("rename", SHORT), ("rename", SHORT, "x", "--remove"), ("rename", f"{SHORT}:1", "x")):
        assert said(*arguments)[2] == 2


@pytest.mark.usefixtures("data")
def test_tags_are_added_listed_and_taken_away() -> None:
    assert said("tag", SHORT, "Release", "#later") == ("release\nlater\n", "", 0)
    assert said("tag", f"{SHORT}:5", "later") == ("later\n", "", 0)
    assert said("tag") == ("later\nrelease\n", "", 0)
    assert said("tag", SHORT) == ("release\nlater\n", "", 0)
    assert said("tag", "--remove", SHORT, "later") == ("release\n", "", 0)
    assert said("tag", "--remove", SHORT, "release") == ("", "No tags.\n", 0)
    assert said("tag", "--remove", SHORT)[2] == 2
    assert said("tag", SHORT, "a b")[1:] == (
        "memtui: The tag 'a b' has a blank, a comma or a quote; join words by a hyphen.\n", 1,
    )  # fmt: skip


@pytest.mark.usefixtures("data")
def test_notes_are_written_changed_and_removed() -> None:
    assert said("note", SHORT) == ("", "No notes.\n", 0)
    assert said("note", SHORT, "Ask", "Bob") == ("", f"Noted: {FLAGSHIP} {TITLE}\n", 0)
    assert said("note", f"{SHORT}:5", "-", given="first\nsecond\n")[1] == f"Noted: {FLAGSHIP}:5 {TITLE}\n"
    printed = run("note", f"{SHORT}:5").stdout
    assert re.fullmatch(r"[0-9a-f]{8}  \d{4}-\d\d-\d\d \d\d:\d\d  first\n    second\n", printed)
    note = run("note", SHORT).stdout[:8]
    assert said("note", SHORT, "--change", note, "Ask", "Eve")[1] == f"Note changed: {FLAGSHIP} {TITLE}\n"
    assert run("note", SHORT).stdout.endswith("Ask Eve\n")
    note = run("note", SHORT).stdout[:8]
    assert said("note", SHORT, "--remove", note)[1] == f"Note removed: {FLAGSHIP} {TITLE}\n"
    assert said("note", SHORT, "--remove", note) == (
        "", f"memtui: There is no note whose id begins with '{note}'.\n", 1,
    )  # fmt: skip
    for arguments in (("--change", "a"), ("--remove", "a", "text"), ("--remove", "a", "--change", "b", "text")):
        assert said("note", SHORT, *arguments)[2] == 2


@pytest.mark.usefixtures("data")
def test_an_archived_session_is_left_out_of_searches_only() -> None:
    assert FLAGSHIP in run("search", "upload").stdout
    assert said("archive", SHORT) == ("", f"Archived: {FLAGSHIP} {TITLE}\n", 0)
    assert said("archive", SHORT)[1] == f"Was archived: {FLAGSHIP} {TITLE}\n"
    assert FLAGSHIP not in run("search", "upload").stdout
    assert f"  ⊟ {TITLE} · shop-api" in run("search", "upload is:archived").stdout
    assert run("show", SHORT).stdout.splitlines()[5] == "archived"
    assert said("archive", "--remove", SHORT)[1] == f"No longer archived: {FLAGSHIP} {TITLE}\n"
    assert said("archive", "--remove", SHORT)[1] == f"Not archived: {FLAGSHIP} {TITLE}\n"
    assert FLAGSHIP in run("search", "upload").stdout
    assert said("archive", f"{SHORT}:1")[2] == 2


def filled() -> None:
    run("pin", SHORT)
    run("rename", SHORT, "The upload saga")
    run("tag", f"{SHORT}:5", "flaky")
    run("note", f"{SHORT}:5", "-", given="Ask\nBob")


@pytest.mark.spec("S6.10")
@pytest.mark.usefixtures("data")
def test_the_list_has_everything() -> None:
    assert said("annotations") == ("", "Nothing was added.\n", 0)
    filled()
    lines = run("annotations").stdout.splitlines()
    assert lines[0] == f"{FLAGSHIP}  ★ The upload saga  ({TITLE})"
    assert lines[1] == f"{FLAGSHIP}:5  The upload saga  #flaky"
    assert [re.sub(r"^ {4}[0-9a-f]{8}  \S+ \S+", "", line) for line in lines[2:]] == ["  Ask", "        Bob"]
    listed: list[dict[str, Any]] = json.loads(run("annotations", SHORT, "--json").stdout)
    of_session = {"session_id": FLAGSHIP, "agent": "claude-code", "project": "shop-api"}
    names = {"title": "The upload saga", "agent_title": TITLE}
    [note] = listed[1].pop("notes")
    assert listed == [
        {**of_session, "turn": 0, **names, "pinned": True, "archived": False, "tags": [], "notes": []},
        {**of_session, "turn": 5, **names, "pinned": False, "archived": False, "tags": ["flaky"]},
    ]
    assert (note["text"], note["by"], note["changed_at"]) == ("Ask\nBob", "shell", None)
    assert run("annotations", "3169d584").stdout == ""
    history = json.loads(run("annotations", "--history", "--json").stdout)
    assert [(one["kind"], one["turn"], one["text"]) for one in history] == [
        ("pinned", 0, ""),
        ("renamed", 0, "The upload saga"),
        ("tagged", 5, "flaky"),
        ("noted", 5, "Ask\nBob"),
    ]
    table = run("annotations", "--history").stdout.splitlines()
    assert [line.split()[2:4] for line in table] == [
        ["pinned", FLAGSHIP],
        ["renamed", FLAGSHIP],
        ["tagged", f"{FLAGSHIP}:5"],
        ["noted", f"{FLAGSHIP}:5"],
    ]


def test_the_log_of_another_machine_is_added(data: Path, sample_index: Path, tmp_path: Path) -> None:
    filled()
    other = shutil.copytree(sample_index, tmp_path / "other")
    arguments = ("annotations", "--data-dir", str(other), "--merge", str(data / "annotations.jsonl"))
    assert [said(*arguments)[1], said(*arguments)[1]] == ["4 records added.\n", "0 records added.\n"]
    index = Index.open(other)
    assert index.sessions.find(SHORT).title == "The upload saga"
    assert said("annotations", "--merge", str(tmp_path / "nothing"))[2] == 2
