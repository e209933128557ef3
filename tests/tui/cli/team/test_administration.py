"""The administrator sets up a server, invites, revokes and groups; members join, look at the state, and leave."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from memtui_team.address import TeamAddress, load_admin_url
from memtui_team.admin.status import ranking_advice
from memtui_team.connection import connect, connect_as_admin
from memtui_team.schema import migrations, ranking_sql
from support.postgres import PostgresServer
from support.teams import push_session

Commands = Callable[..., Result]
HOSTILE = "\x1b]0;taken\x07\x1b[2Jshop\u202e"


@pytest.fixture
def url(one_server: PostgresServer) -> str:
    """The URL of an administrator, of a database that is empty."""
    return one_server.url(one_server.new_database())


def joined(memtui: Commands, member: str, *options: str, at: str) -> str:
    """Invite a member, and join at another machine; the URL of the device."""
    invited = memtui("team", "invite", member, *options)
    assert invited.exit_code == 0, invited.stderr
    *command, url = shlex.split(invited.stdout)
    assert command == ["memtui", "team", "join"]
    assert memtui("team", "join", at=at, said=f"{url}\n").exit_code == 0
    return url


def test_the_sql_is_shown_before_it_is_run(memtui: Commands, server: PostgresServer, tmp_path: Path) -> None:
    url = server.url(server.new_database())
    dry = memtui("team", "init", url, "--dry-run")
    assert (dry.exit_code, migrations()[0].sql in dry.stdout) == (0, True)
    assert (ranking_sql().strip() in dry.stdout) == (server.kind == "bm25")
    # Nobody can be asked.
    asked = memtui("team", "init", url)
    assert (asked.exit_code, asked.stdout) == (2, "")
    place = url.partition("@")[2]
    lines = len(dry.stdout.splitlines())
    assert asked.stderr.splitlines()[0] == (
        f"{lines} lines of SQL create the schema memtui and two roles in {place}; --dry-run prints them."
    )
    with connect_as_admin(url) as admin:
        assert admin.execute("SELECT to_regnamespace('memtui')").fetchone() == (None,)
    assert load_admin_url(tmp_path / "admin") == ""
    advice = f"Hits by words are ranked without BM25. {ranking_advice(is_there=False)}\n"
    ranks = "" if server.kind == "bm25" else advice
    invite = "Invite each device of a member with: memtui team invite MEMBER --device NAME\n"
    done = memtui("team", "init", url, "--yes")
    assert done.stderr == f"The server is set up, with a group everyone.\n{ranks}{invite}"
    assert load_admin_url(tmp_path / "admin") == url
    again = memtui("team", "init", url)
    assert (again.exit_code, again.stderr) == (0, f"The server is up to date.\n{ranks}{invite}")
    assert memtui("team", "init", url, "--dry-run").stdout == "-- Nothing is to be done.\n"


def test_a_member_joins_looks_and_leaves(memtui: Commands, url: str, tmp_path: Path) -> None:
    memtui("team", "init", url, "--yes")
    invited = memtui("team", "invite", "ana", "--device", "laptop")
    assert invited.stderr.splitlines()[0] == "ana is in everyone."
    device_url = shlex.split(invited.stdout)[-1]
    assert re.fullmatch(r"postgresql://memtui_ana_laptop\w*:[\w-]{32}@127\.0\.0\.1:\d+/team\d+", device_url)
    join = memtui("team", "join", at="laptop", said=f"{device_url}\n")
    assert join.stderr == (
        "Joined as ana, with the device laptop. Nothing is shared yet: memtui team push does that.\n"
    )
    assert TeamAddress.load(tmp_path / "laptop") == TeamAddress(device_url, "", "ana", "laptop")
    with connect(device_url) as ana:
        push_session(ana, HOSTILE, ["everyone"], "s")
    state = memtui("team", "status", at="laptop")
    place = url.partition("@")[2]
    assert (state.exit_code, state.stderr) == (0, "")
    shown = state.stdout.splitlines()
    assert re.fullmatch(rf"server   {place}, PostgreSQL \d+\.\d+, schema 1, [\d.]+ MB", shown[0])
    assert [line.rpartition(" ")[0] for line in shown[1:3]] == [
        "words    ranked by bm25, pg_textsearch",
        "meaning  pgvector",
    ]
    assert shown[3:6] == ["member   ana, device laptop", "groups   everyone", "projects shop"]
    assert re.fullmatch(r"own      1 session, 1 turn, last push \d{4}-\d\d-\d\d \d\d:\d\d", shown[6])
    assert shown[7].startswith("pending  Nothing is indexed in ")
    (values,) = json.loads(memtui("team", "status", "--json", at="laptop").stdout)
    assert {name: values[name] for name in ("url", "member", "projects", "turns", "ranking", "advice")} == {
        "url": place,
        "member": "ana",
        "projects": [HOSTILE],
        "turns": 1,
        "ranking": "bm25",
        "advice": "",
    }
    password = device_url.split(":")[2].partition("@")[0]
    assert password not in f"{state.stdout}{values}{join.output}"
    assert memtui("team", "leave", at="laptop").exit_code == 0
    gone = memtui("team", "status", at="laptop")
    assert (gone.exit_code, gone.stderr) == (1, "memtui: No team was joined. Join one with: memtui team join\n")


def test_searches_may_go_to_a_replica_of_the_same_team(memtui: Commands, url: str, tmp_path: Path) -> None:
    memtui("team", "init", url, "--yes")
    laptop, desk = (
        shlex.split(memtui("team", "invite", "ana", "--device", name).stdout)[-1] for name in ("laptop", "desk")
    )
    wrong = memtui("team", "join", laptop, "--read-url", desk, at="laptop")
    assert (wrong.exit_code, wrong.stderr) == (1, "memtui: --read-url belongs to another device or team.\n")
    assert TeamAddress.load(tmp_path / "laptop") is None
    replica = f"{laptop}?application_name=replica"
    assert memtui("team", "join", laptop, "--read-url", replica, at="laptop").exit_code == 0
    assert TeamAddress.load(tmp_path / "laptop") == TeamAddress(laptop, replica, "ana", "laptop")
    assert memtui("team", "status", at="laptop").stdout.splitlines()[1].startswith("         searches go to 127.0.0.1:")


def test_groups_are_listed_and_changed(memtui: Commands, url: str) -> None:
    memtui("team", "init", url, "--yes")
    joined(memtui, "bob", at="bob")
    said = [memtui("team", "groups", "add", "backend").stderr]
    with connect(joined(memtui, "ana", "--group", "backend", at="ana")) as ana:
        push_session(ana, HOSTILE, ["backend"], "s")
        ana.execute("SELECT memtui.open_project('site', 'site', '{backend}')")
    for arguments in (
        ("share", "site", "everyone"),
        ("add", "everyone", "ana", "bob"),
        ("remove", "everyone", "bob"),
        ("add", "backend", "zoe"),
        ("remove", "backend"),
        ("share", "site"),
        ("list", "x"),
    ):
        result = memtui("team", "groups", *arguments)
        said.append(result.stderr.splitlines()[-1])
    assert said == [
        "The group backend is new.\n",
        "everyone reads site now.",
        "The group everyone has them now.",
        "The group everyone is without them now.",
        "memtui: There is no member zoe. The team's members: ana, bob.",
        "Cannot ask: standard input is not a terminal. Use --yes to write the changes, or --dry-run to see them.",
        "Error: memtui team groups share takes PROJECT GROUP.",
        "Error: memtui team groups list takes no names.",
    ]
    assert memtui("team", "groups").stdout.splitlines() == [
        "group     members  projects",
        "backend   ana      shop, site",
        "everyone  ana      site",
    ]
    assert json.loads(memtui("team", "groups", "--json").stdout) == [
        {"name": "backend", "members": ["ana"], "projects": [HOSTILE, "site"]},
        {"name": "everyone", "members": ["ana"], "projects": ["site"]},
    ]
    # A member sees the groups that read what he reads.
    assert memtui("team", "groups", at="bob").stdout.splitlines() == ["group  members  projects"]
    assert memtui("team", "groups", at="ana").stdout == memtui("team", "groups").stdout
    assert memtui("team", "groups", "add", "mine", at="ana").exit_code == 1
    assert memtui("team", "groups", "unshare", "site", "everyone").exit_code == 0
    assert memtui("team", "groups", "remove", "backend", "--yes").exit_code == 0
    assert memtui("team", "groups").stdout.splitlines()[1:] == ["everyone  ana      -"]


def test_a_device_that_is_revoked_is_out(memtui: Commands, url: str) -> None:
    memtui("team", "init", url, "--yes")
    joined(memtui, "ana", "--device", "laptop", at="laptop")
    joined(memtui, "ana", "--device", "desk", at="desk")
    assert memtui("team", "revoke", "ana", "desk").stderr == "Revoked of ana: desk.\n"
    states = {at: memtui("team", "status", at=at).exit_code for at in ("laptop", "desk")}
    assert states == {"laptop": 0, "desk": 1}
    assert memtui("team", "status", at="desk").stderr == (
        "memtui: This device is no longer in the team: 127.0.0.1 refuses its login.\n"
    )
    unknown = memtui("team", "revoke", "ana", "desk")
    assert (unknown.exit_code, unknown.stderr) == (
        1, "memtui: There is no device ana desk in the team. Devices: ana laptop.\n"
    )  # fmt: skip
    joined(memtui, "ana", "--device", "desk", at="desk")
    assert memtui("team", "status", at="desk").exit_code == 0


def test_a_lead_is_shown_as_one(memtui: Commands, url: str) -> None:
    memtui("team", "init", url, "--yes")
    joined(memtui, "boss", "--lead", at="boss")
    shown = memtui("team", "status", at="boss").stdout.splitlines()
    assert shown[3:] == ["member   boss, device main, a lead: figures without texts"]


@pytest.mark.parametrize("command", [("invite", "ana"), ("revoke", "ana"), ("groups",)])
def test_the_administrator_needs_a_url(memtui: Commands, command: tuple[str, ...]) -> None:
    result = memtui("team", *command)
    assert (result.exit_code, result.stderr) == (
        1, "memtui: The URL of the administrator is missing. Give it by --url or MEMTUI_TEAM_ADMIN_URL.\n"
    )  # fmt: skip


def test_a_url_that_is_given_needs_no_kept_one(memtui: Commands, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memtui("team", "init", url, "--yes")
    assert memtui("team", "invite", "ana", "--url", url, at="elsewhere").exit_code == 0
    monkeypatch.setenv("MEMTUI_TEAM_ADMIN_URL", url)
    assert memtui("team", "invite", "bob", at="elsewhere").exit_code == 0
    assert memtui("team", "groups", at="elsewhere").stdout.splitlines()[1:] == ["everyone  ana, bob  -"]


def test_an_address_of_the_environment_is_used(memtui: Commands, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memtui("team", "init", url, "--yes")
    device_url = shlex.split(memtui("team", "invite", "ana").stdout)[-1]
    monkeypatch.setenv("MEMTUI_TEAM_URL", device_url)
    assert memtui("team", "join", at="laptop").exit_code == 0
    monkeypatch.setenv("MEMTUI_TEAM_URL", "postgresql://ana:s3@cret@h/d")
    refused = memtui("team", "join", at="other")
    assert (refused.exit_code, "cret" in refused.output) == (1, False)


def test_the_administrator_is_no_device(memtui: Commands, url: str) -> None:
    memtui("team", "init", url, "--yes")
    result = memtui("team", "join", url, at="laptop")
    assert (result.exit_code, result.stderr) == (1, "memtui: This login is no device of the team.\n")


def test_doctor_says_whether_the_server_answers(memtui: Commands, url: str, sample_index: Path, tmp_path: Path) -> None:
    def team_lines() -> list[str]:
        lines = memtui("doctor", at="laptop").stdout.splitlines()
        return [line for line in lines if line.startswith("team ")]

    shutil.copytree(sample_index, tmp_path / "laptop")
    found = [team_lines()]
    memtui("team", "init", url, "--yes")
    joined(memtui, "ana", "--device", "laptop", at="laptop")
    found.append(team_lines())
    memtui("team", "revoke", "ana")
    found.append(team_lines())
    assert found == [
        [],
        [f"team     {url.partition('@')[2]} answers; ana, device laptop"],
        ["team     This device is no longer in the team: 127.0.0.1 refuses its login."],
    ]
