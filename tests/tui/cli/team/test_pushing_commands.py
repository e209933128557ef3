"""`memtui team push` shows and asks before the first push; `memtui team forget` and `memtui forget` take back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from support.postgres import PostgresServer
from support.shop_and_blog import BLOG_SESSION, shop_and_blog
from support.team_machines import Machine, received
from support.teams import Team, make_team
from support.transcripts import OTHER_SESSION, SESSION, Script

Commands = Callable[..., Result]
SHOP, OTHER, BLOG = (SESSION, ""), (OTHER_SESSION, ""), (BLOG_SESSION, "")


@pytest.fixture
def team(one_server: PostgresServer) -> Team:
    """A new team of ana and bob."""
    return make_team(one_server)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the settings."""
    path = tmp_path / "config.toml"
    monkeypatch.setenv("MEMTUI_CONFIG", str(path))
    return path


@pytest.fixture
def ana(team: Team, tmp_path: Path) -> Machine:
    """A machine whose commands run with `at="ana/data"`."""
    ana = Machine(tmp_path / "ana", team.url("ana"))
    shop_and_blog(ana.transcripts)
    ana.index()
    return ana


AT = "ana/data"


def pending(memtui: Commands) -> str:
    """What `memtui team status` says is pending."""
    return memtui("team", "status", at=AT).stdout.splitlines()[-1].removeprefix("pending  ")


def test_what_would_leave_is_shown_before_the_first_push(
    memtui: Commands, team: Team, ana: Machine, config: Path
) -> None:
    nothing = (
        "Nothing is shared: no session of the index is in a project that the settings name"
        ' (share = ["shop"]), or was shared by p in the app.\n'
    )
    assert memtui("team", "push", "--dry-run", at=AT).stdout == nothing
    config.write_text('share = ["shopp"]\n')
    assert memtui("team", "push", "--dry-run", at=AT).stdout == nothing
    config.write_text('share = ["shop"]\n')
    shown = (
        "shop in /home/ana/code/shop, for everyone: 2 sessions, 4 turns\n"
        "To push: 2 sessions with 4 new turns, 5 kB of text.\n"
    )
    dry = memtui("team", "push", "--dry-run", at=AT)
    assert (dry.exit_code, dry.stdout) == (0, shown)
    verbose = memtui("team", "push", "--dry-run", "-v", at=AT).stdout.splitlines()
    assert sorted(verbose[1:3]) == [f"  {session}  claude-code, 2 turns *" for session in (SESSION, OTHER_SESSION)]
    [counts] = json.loads(memtui("team", "push", "--dry-run", "--json", at=AT).stdout)
    assert 4_500 < counts.pop("bytes") < 5_500
    assert counts == {
        "projects": [{"project": "shop", "key": "shop", "groups": ["everyone"], "sessions": 2, "turns": 4}],
        "sessions": 2, "removed": 0, "forgotten": 0, "turns": 4, "redactions": 0, "left_out": 0,
    }  # fmt: skip
    assert pending(memtui) == "2 sessions to push: memtui team push"
    # Nobody can be asked.
    asked = memtui("team", "push", at=AT)
    assert (asked.exit_code, asked.stdout) == (2, "")
    assert asked.stderr.startswith(shown)
    assert received(team) == {}
    done = memtui("team", "push", "--yes", at=AT)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "2 sessions pushed, 4 turns.\n")
    assert {*received(team)} == {SHOP, OTHER}
    assert pending(memtui) == "nothing"
    again = memtui("team", "push", at=AT)
    assert (again.exit_code, again.stderr) == (0, "There is nothing new to push.\n")
    assert json.loads(memtui("team", "push", "--json", at=AT).stdout)[0]["sessions"] == 0


def test_a_new_project_is_asked_about_and_a_new_session_is_not(
    memtui: Commands, team: Team, ana: Machine, config: Path
) -> None:
    config.write_text('share = ["blog"]\n')
    assert memtui("team", "push", "--yes", at=AT).exit_code == 0
    config.write_text('share = ["blog", "shop"]\n')
    assert memtui("team", "push", at=AT).exit_code == 2
    assert {*received(team)} == {BLOG}
    config.write_text('share = ["blog"]\n')
    ana.choose(SESSION, "shared")
    assert memtui("team", "push", at=AT).exit_code == 0
    assert {*received(team)} == {BLOG, SHOP}
    ana.choose(BLOG_SESSION, "private")
    assert pending(memtui) == "1 session to remove: memtui team push"
    assert memtui("team", "push", at=AT).stderr == "0 sessions pushed, 0 turns; 1 session removed.\n"
    assert {*received(team)} == {SHOP}


def test_commands_without_a_team_say_so(memtui: Commands) -> None:
    for arguments in (("push",), ("push", "--watch"), ("push", "--dry-run"), ("forget", "1")):
        result = memtui("team", *arguments, at="nowhere")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == "memtui: No team was joined. Join one with: memtui team join\n"


def test_a_session_is_forgotten_on_the_server(
    memtui: Commands, team: Team, ana: Machine, config: Path, tmp_path: Path
) -> None:
    config.write_text('share = ["shop", "blog"]\n')
    memtui("team", "push", "--yes", at=AT)
    assert memtui("team", "forget", SESSION[:8], at=AT).exit_code == 2
    done = memtui("team", "forget", SESSION[:8], "--yes", at=AT)
    assert (done.exit_code, done.stderr) == (0, "1 session removed, subagents and all devices included.\n")
    assert done.stdout.startswith(f"{SESSION}  ")
    memtui("team", "push", at=AT)
    assert {*received(team)} == {OTHER, BLOG}
    # From another machine of hers, which does not have the session.
    team.add("ana", "desktop")
    Machine(tmp_path / "desktop", team.url("ana", "desktop"))
    done = memtui("team", "forget", OTHER_SESSION[:4], "--yes", at="desktop/data")
    assert (done.exit_code, done.stderr) == (0, "1 session removed, subagents and all devices included.\n")
    unknown = memtui("team", "forget", "9", "--yes", at="desktop/data")
    assert unknown.exit_code == 1
    assert unknown.stderr == "memtui: Neither the index nor the team's server has a session '9' of yours.\n"
    # Nor those of others.
    bob = Machine(tmp_path / "bob", team.url("bob"))
    assert memtui("team", "forget", BLOG_SESSION, "--yes", at="bob/data").exit_code == 1
    assert bob.sharing().forgotten == frozenset()
    assert {*received(team)} == {BLOG}


def test_what_is_forgotten_here_is_taken_from_the_server_by_the_next_push(
    memtui: Commands, team: Team, ana: Machine, config: Path
) -> None:
    config.write_text('share = ["shop", "blog"]\n')
    memtui("team", "push", "--yes", at=AT)
    config.write_text('share = ["shop", "blog"]\nexclude = ["project:shop"]\n')
    assert memtui("forget", "--yes", at=AT).exit_code == 0
    config.write_text('share = ["shop", "blog"]\n')
    ana.index()
    done = memtui("team", "push", at=AT)
    assert (done.exit_code, done.stderr) == (0, "0 sessions pushed, 0 turns; 2 sessions forgotten.\n")
    assert {*received(team)} == {BLOG}


def test_a_server_that_is_away_is_one_sentence(memtui: Commands, team: Team, ana: Machine, config: Path) -> None:
    config.write_text('share = ["shop"]\n')
    url = team.url("ana").replace(f":{team.server.port}/", ":1/")
    Machine(ana.data.parent, url)
    result = memtui("team", "push", "--yes", at=AT)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert result.stderr.startswith("memtui: The team's server 127.0.0.1 cannot be reached: ")
    result = memtui("team", "forget", SESSION, "--yes", at=AT)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == "The next memtui team push removes it."
    assert ana.sharing().forgotten == {("claude-code", SESSION)}


def test_watching_pushes_what_is_new_and_ends_with_a_signal(team: Team, ana: Machine, config: Path) -> None:
    """The second push follows a change of the index. It takes 12 s, as watching pushes every 10 s at most."""
    config.write_text('share = ["shop"]\n')
    command = [sys.executable, "-m", "memtui", "team", "push", "--watch", "--yes", "--data-dir", str(ana.data)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ}) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "2 sessions pushed, 4 turns.\n"
        ana.choose(SESSION, "private")
        assert process.stderr.readline() == "0 sessions pushed, 0 turns; 1 session removed.\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=2) == -signal.SIGTERM
        assert process.stderr.read() == ""
    assert {*received(team)} == {OTHER}


def test_names_and_titles_do_not_act_on_the_terminal(
    memtui: Commands, team: Team, tmp_path: Path, config: Path
) -> None:
    hostile = "\x1b]0;taken\x07\x1b[2Jshop\u202e"
    config.write_text('share = ["/"]\n')
    ana = Machine(tmp_path / "ana", team.url("ana"))
    script = Script(cwd=f"/home/ana/{hostile}")
    script.user(f"{hostile} title")
    script.says("done")
    ana.write(script)
    ana.index()
    runs = [
        ("push", "--dry-run", "-v"), ("push", "--dry-run", "--json"), ("push",), ("push", "--yes", "--json"),
        ("forget", SESSION, "--yes"), ("forget", hostile, "--yes"), ("push", hostile),
    ]  # fmt: skip
    shown = [memtui("team", *arguments, at=AT).output for arguments in runs]
    assert [text for text in shown if any(sign in text for sign in "\x1b\x07\u202e")] == []
    assert "shop" in shown[0]
    assert received(team) == {}
