"""Sessions of several machines on the screen: named, grouped, resumed over ssh, and their files opened or not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rich.style import Style
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.browse.search.hit_list import HitList
from memtui.screens.confirm import ConfirmScreen
from memtui.screens.dialog import DialogBox
from memtui.settings.app_state import AppState
from memtui.views.sessions.tree import SessionTree
from memtui.widgets.requests.panes import EditorRequested, editor_request
from memtui.widgets.status.line import StatusFacts, StatusLine
from memtui_core.index.index import Index
from memtui_core.ingest.machines.declared import undeclare
from memtui_core.store.data_folder import DataDir
from support.indexes import update
from support.screens import app_on, notices, settled, transcript, type_text
from support.systems import unix_only
from support.transcripts import OTHER_SESSION, SESSION
from support.two_machines import LAPTOP, declare, edits, projects_of, repository, set_state, three_machines


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return three_machines(tmp_path_factory.mktemp("machines"))


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the data folder to write to."""
    return shutil.copytree(built, tmp_path / "data")


def tree(pilot: Pilot[None]) -> SessionTree:
    return pilot.app.screen.query_one(SessionTree)


def rows(pilot: Pilot[None]) -> list[str]:
    """The rows of the tree without their columns."""
    nodes = [tree(pilot).get_node_at_line(number) for number in range(tree(pilot).last_line + 1)]
    return [tree(pilot).render_label(node, Style(), Style()).plain.split("   ")[0].rstrip() for node in nodes if node]


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


@pytest.mark.parametrize(("width", "name"), [(80, "@laptop"), (140, "@lap"), (300, "@laptop")])
async def test_a_row_names_the_machine_as_far_as_there_is_room(data: Path, width: int, name: str) -> None:
    """80 columns have only the tree, 140 a narrow one beside the transcript."""
    async with app_on(data).run_test(size=(width, 24)) as pilot:
        await settled(pilot)
        assert rows(pilot)[:3] == ["▾ shop", f"  ● {name} Prices of the cart in euros", "  ● Round the prices to cents"]
        await press(pilot, "j", "k", "enter")
        assert str(transcript(pilot).border_title) == "Prices of the cart in euros · @laptop"
        await press(pilot, "escape", "j", "enter")
        assert str(transcript(pilot).border_title) == "Round the prices to cents"


async def test_a_key_groups_by_machine_and_back_and_the_choice_stays(data: Path) -> None:
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "M")
        assert (str(tree(pilot).border_title), AppState(data).grouping) == ("machines", "machine")
        # The cursor stays on its session, and what contains it is unfolded.
        assert rows(pilot) == [
            "▾ laptop",
            "▾ shop",
            "  ● Prices of the cart in euros",
            "▸ notes",
            "▸ this machine",
            "▸ desk",
        ]
        await press(pilot, "G", "l", "j", "l")
        assert rows(pilot)[-3:] == ["▾ desk", "▾ infra", "  ● Prices of the servers"]
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert rows(pilot)[0] == "▾ laptop"
        await press(pilot, "A")
        assert (str(tree(pilot).border_title), AppState(data).grouping) == ("agents", "agent")
        await press(pilot, "M", "M")
        assert (str(tree(pilot).border_title), AppState(data).grouping) == ("projects", "")
        assert rows(pilot)[0] == "▾ shop"


async def test_without_other_machines_nothing_is_grouped_by_them(tmp_path: Path) -> None:
    """The key does nothing and is in no list; a choice from before the last machine was removed does not count."""
    data = tmp_path / "data"
    update(data, edits(SESSION, "/home/ana/code/shop").write(tmp_path / "here"))
    AppState(data).group_by("machine")
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert rows(pilot) == ["▾ shop", "  ● Change the cart"]
        assert "M" not in pilot.app.screen.active_bindings
        assert str(tree(pilot).border_title) == "projects"


async def test_hits_and_titles_name_the_machine(data: Path) -> None:
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await press(pilot, "slash")
        await type_text(pilot, "prices machine:laptop")
        await settled(pilot)
        hits = pilot.app.screen.query_one(HitList)
        lines = [str(row.prompt).splitlines() for row in hits.options]
        assert sorted((first.split()[-3], last.strip()) for first, *_, last in lines) == [
            ("notes", "@laptop"),
            ("shop", "@laptop"),
        ]


def confirmation(pilot: Pilot[None]) -> list[str]:
    screen = pilot.app.screen
    assert isinstance(screen, ConfirmScreen)
    return [*(str(one.content) for one in screen.query(Static)), screen.query_one(DialogBox).hints.plain]


@unix_only
async def test_a_session_is_resumed_over_ssh(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder need not be on this machine, nor the agent; `ssh` must be."""
    (tmp_path / "bin").mkdir()
    ssh = tmp_path / "bin" / "ssh"
    ssh.write_text("#!/bin/sh\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", str(ssh.parent))
    session_id = "33333333-3333-4333-8333-333333333333"
    inner = f"cd /home/me/shop && claude --resume {session_id}"
    async with app_on(data).run_test(size=(200, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "enter", "r")
        assert confirmation(pilot) == [
            f"ssh -t -p 2222 me@host '{inner}'",
            "on laptop in /home/me/shop",
            "enter start · y copy · esc cancel",
        ]
        await press(pilot, "y", "escape")
        assert pilot.app.clipboard == f"ssh -t -p 2222 me@host '{inner}'"
        ssh.unlink()
        await press(pilot, "r")
        assert confirmation(pilot)[2:] == ["ssh is not installed.", "y copy · esc cancel"]


async def test_a_session_of_a_folder_says_where_it_is(data: Path, tmp_path: Path) -> None:
    """So does that of a machine that is not declared any more."""
    undeclare(DataDir(data), LAPTOP)
    folder = tmp_path / "backup"
    folder.mkdir()
    async with app_on(data).run_test(size=(200, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "enter")
        for is_declared in (False, True):
            if is_declared:
                declare(data, LAPTOP, str(folder))
            await press(pilot, "r")
            assert confirmation(pilot) == [
                "claude --resume 33333333-3333-4333-8333-333333333333",
                "on laptop in /home/me/shop",
                "The session is on the machine laptop.",
                "y copy · esc cancel",
            ]
            await press(pilot, "y", "escape")
            command = "cd /home/me/shop && claude --resume 33333333-3333-4333-8333-333333333333"
            assert pilot.app.clipboard == command


async def test_a_file_of_another_machine_is_not_taken_for_that_of_this_machine(tmp_path: Path) -> None:
    """It is that in the same repository here; a file outside of it, and one of another repository, is nowhere here."""
    data, cwd = tmp_path / "data", repository(tmp_path / "work" / "shop")
    (cwd / "a.py").write_text("x = 1\n")
    theirs = str(tmp_path / "work" / "other")
    (tmp_path / "work" / "other").mkdir()
    (tmp_path / "work" / "other" / "b.py").write_text("x = 1\n")
    edits(SESSION, str(cwd)).write(tmp_path / "here")
    joined = "/home/me/shop"
    edits(OTHER_SESSION, joined, f"{joined}/a.py", "c/d.py", prefix="f").write(projects_of(data) / "p")
    alone = "33333333-3333-4333-8333-333333333333"
    edits(alone, theirs, f"{theirs}/b.py", prefix="g").write(projects_of(data) / "p")
    update(data, tmp_path / "here", projects_of(data))
    index = Index.open(data)
    requests = [
        editor_request(path, index.sessions.find(session)).paths
        for session, path in (
            (OTHER_SESSION, f"{joined}/a.py"),
            (OTHER_SESSION, "c/d.py"),
            (OTHER_SESSION, str(cwd / "a.py")),
            (alone, f"{theirs}/b.py"),
            (alone, "b.py"),
        )
    ]
    assert requests == [(cwd / "a.py",), (cwd / "c" / "d.py",), (), (), ()]
    async with app_on(data).run_test(size=(200, 24)) as pilot:
        await settled(pilot)
        pilot.app.screen.post_message(EditorRequested(()))
        await settled(pilot)
        assert notices(pilot) == ["The file is on another machine."]


async def test_the_status_line_names_a_machine_that_does_not_answer(data: Path) -> None:
    """As long as it does not; when all were last seen is in the statistics."""
    async with app_on(data).run_test(size=(200, 50)) as pilot:
        await settled(pilot)
        line = pilot.app.screen.query_one(StatusLine)
        assert line.query_one(StatusFacts).facts[-1] == "desk: last seen 3 h ago"
        await press(pilot, "5")
        shown = pilot.app.screen.query_one("#stats").rows(120, 40)  # type: ignore[attr-defined]
        assert "desk: last seen 3 h ago · laptop: last seen 4 m ago" in [row.text for row in shown]
        set_state(data, "desk", seen_at=None)
        pilot.app.screen._status.follow_machines()  # type: ignore[attr-defined]
        await settled(pilot)
        assert line.absent == ()
