"""Connections to the team's server, and errors that never show a password."""

from __future__ import annotations

import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memtui_team.address import TeamAddress, forget_address, load_admin_url, save_admin_url
from memtui_team.connection import connect, connect_as_admin, is_private, place_of, reported_errors
from memtui_team.errors import NotInTeam, TeamError, TeamUnreachable
from support.postgres import PostgresServer, require, running_server
from support.systems import unix_only
from support.teams import make_team

FORM = "postgresql://USER:PASSWORD@HOST/DATABASE"
ADDRESS = f"This is not the address of a server: {FORM}. In a password, @ is %40 and / is %2F."


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ana:s3cret@host/team",
        "https://ana:s3cret@host/team",
        "host=h password=s3cret",
        "postgresql://ana:s3@cret@host/team",
        "postgresql://ana:s3/cret@host/team",
        "postgresql://ana:x@s3cret/b@host/team",
        "postgresql://ana:s3cret%zz@host/team",
        "postgresql://ana:s3cret@host/team?unknown=s3cret",
    ],
)
def test_what_is_no_address_is_not_quoted(url: str) -> None:
    """Nor do parts of a password with signs that must be encoded get into the name of a host."""
    for use in (connect, connect_as_admin, place_of):
        with pytest.raises(TeamError) as refused:
            use(url)
        assert str(refused.value) == ADDRESS


def test_a_place_has_no_login() -> None:
    assert {url: place_of(url) for url in (
        "postgresql://ana:s3cret@db.example:6432/team?sslmode=require",
        "postgres://ana:s%40cret@db.example/team",
        "postgresql:///team?host=/run/postgresql",
        "postgresql://h/d?user=ana@example",
    )} == {
        "postgresql://ana:s3cret@db.example:6432/team?sslmode=require": "db.example:6432/team",
        "postgres://ana:s%40cret@db.example/team": "db.example/team",
        "postgresql:///team?host=/run/postgresql": "/run/postgresql/team",
        "postgresql://h/d?user=ana@example": "h/d",
    }  # fmt: skip


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    with pytest.raises(TeamUnreachable) as refused:
        connect(f"postgresql://ana:s3cret@127.0.0.1:{closed_port()}/team")
    assert str(refused.value) == "The team's server 127.0.0.1 cannot be reached: Connection refused"
    assert "s3cret" not in repr(refused.value.__cause__)


def test_a_server_that_never_answers_is_given_the_time_that_it_has() -> None:
    """It takes 2 s, which libpq has as its least timeout."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        with pytest.raises(TeamUnreachable, match=r"^The team's server 127\.0\.0\.1 cannot be reached: "):
            connect(f"postgresql://ana:s3cret@127.0.0.1:{deaf.getsockname()[1]}/team", timeout=0.3)


def test_a_login_that_is_refused_says_why(one_server: PostgresServer) -> None:
    with pytest.raises(
        TeamError, match=r'^The team\'s server 127\.0\.0\.1 refuses the login: role "nobody" does not exist$'
    ):
        connect(one_server.url(user="nobody"))
    with pytest.raises(TeamError, match=r'refuses the login: database "nowhere" does not exist$'):
        connect(one_server.url("nowhere"))


def test_a_connection_is_ready_for_a_pooler(one_server: PostgresServer) -> None:
    """Nothing is prepared, no setting of the session is needed, and no transaction is left open."""
    team = make_team(one_server)
    with team.connected("ana") as ana:
        assert (ana.autocommit, ana.prepare_threshold) == (True, None)
        for _ in range(10):
            ana.execute("SELECT %s::int", [1])
        assert ana.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)
        shown = {name: ana.execute(f"SHOW {name}").fetchone() for name in ("application_name", "statement_timeout")}
        assert shown == {"application_name": ("memtui",), "statement_timeout": ("5min",)}
        parameters = ana.info.get_parameters()
        assert parameters["keepalives_idle"] == "20"
        assert "options" not in parameters
        assert is_private(ana)


def test_an_error_of_a_statement_is_one_sentence(one_server: PostgresServer) -> None:
    team = make_team(one_server)
    with team.connected("ana") as ana:
        said = {}
        for statement in (
            "SELECT 1 / 0",
            "SELECT * FROM memtui.figures",
            "SET statement_timeout = 1; SELECT pg_sleep(9)",
        ):
            with pytest.raises(TeamError) as refused, reported_errors():
                ana.execute(statement)
            said[statement] = (type(refused.value), str(refused.value))
        team.revoke("ana")
        with pytest.raises(TeamError) as refused, reported_errors():
            ana.execute("SELECT 2")
        said["SELECT 2"] = (type(refused.value), str(refused.value))
    assert said == {
        "SELECT 1 / 0": (TeamError, "The team's server refused: division by zero"),
        "SELECT * FROM memtui.figures": (TeamError, "The team's server refused: permission denied for view figures"),
        "SET statement_timeout = 1; SELECT pg_sleep(9)": (TeamError, "The team's server took too long."),
        "SELECT 2": (TeamUnreachable, "The connection to the team's server was lost."),
    }
    with pytest.raises(NotInTeam, match=r"^This device is no longer in the team: 127\.0\.0\.1 refuses its login\.$"):
        connect(team.url("ana"))


def test_a_server_that_stops_is_unreachable(tmp_path: Path) -> None:
    """With a server of its own, which takes more than 2 s on a busy machine."""
    require("plain")
    with running_server("plain", tmp_path / "server") as server:
        team = make_team(server)
        with team.connected("ana") as ana:
            server.kill()
            with pytest.raises(TeamUnreachable), reported_errors():
                ana.execute("SELECT 1")
        with pytest.raises(TeamUnreachable):
            connect(team.url("ana"))
        server.start()
        with team.connected("ana") as ana:
            assert ana.execute("SELECT 1").fetchone() == (1,)


@unix_only
def test_the_address_is_kept_for_its_owner_only(tmp_path: Path) -> None:
    address = TeamAddress("postgresql://ana:s3cret@h/d", "postgresql://ana:s3cret@replica/d", "ana", "laptop")
    assert TeamAddress.load(tmp_path) is None
    address.save(tmp_path)
    save_admin_url(tmp_path, "postgresql://postgres:s3cret@h/d")
    files = sorted((tmp_path / "team").iterdir())
    assert {file.name: stat.S_IMODE(file.stat().st_mode) for file in files} == {"admin.json": 0o600, "team.json": 0o600}
    assert (TeamAddress.load(tmp_path), load_admin_url(tmp_path)) == (address, "postgresql://postgres:s3cret@h/d")
    assert (address.searched_url, TeamAddress("u").searched_url) == ("postgresql://ana:s3cret@replica/d", "u")
    forget_address(tmp_path)
    forget_address(tmp_path)
    assert TeamAddress.load(tmp_path) is None


@pytest.mark.parametrize("content", [b"{", b"[]", b"{}", b'{"url": 1}', b'{"url": ""}', b"\xff"])
def test_an_address_that_is_damaged_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "team.json").write_bytes(content)
    with pytest.raises(TeamError, match=r"team\.json .*\. Remove it, and join the team again\.$"):
        TeamAddress.load(tmp_path)


def test_without_psycopg_the_command_that_installs_it_is_named() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from memtui_team.connection import connect\n"
        "try:\n    connect('postgresql://h/d')\nexcept Exception as error:\n    print(type(error).__name__, error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "TeamError A team needs psycopg. Install it with: pip install 'memtui[team]'\n"
