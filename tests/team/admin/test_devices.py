"""Devices are invited with a login of their own, and revoked."""

from __future__ import annotations

from urllib.parse import urlsplit

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from memtui_team.admin.devices import invite, role_name
from memtui_team.connection import connect
from memtui_team.errors import TeamError
from memtui_team.schema import install
from support.postgres import PostgresServer
from support.teams import Team, make_team

STRANGE = ("o'neil", 'an"a', "ana; DROP SCHEMA memtui CASCADE; --", "日本", "%s {} $1", "Ana Łukasz", "memtui_member")


def test_any_name_gets_a_login_of_its_own(one_server: PostgresServer) -> None:
    team = Team(one_server)
    for member in STRANGE:
        team.add(member, device=f"{member}'s machine")
    for member in STRANGE:
        with connect(team.url(member, f"{member}'s machine")) as connection:
            who = connection.execute(
                "SELECT m.name, d.name, session_user::text FROM memtui.devices d"
                " JOIN memtui.members m ON m.id = d.member WHERE d.id = memtui.this_device()"
            ).fetchone()
        assert who == (member, f"{member}'s machine", team.role(member, f"{member}'s machine"))


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\x1b[2J", "a\u202eb", "x" * 101])
def test_a_name_that_cannot_be_shown_is_refused(one_server: PostgresServer, name: str) -> None:
    team = Team(one_server)
    with team.admin() as admin:
        for member, device in ((name, "main"), ("ana", name)):
            with pytest.raises(TeamError, match="cannot be the name of a"):
                invite(admin, team.admin_url, member, device)
        assert admin.execute("SELECT count(*) FROM memtui.members").fetchone() == (0,)


@given(st.text(), st.text(), st.sets(st.text("memtui_a2", max_size=12)))
def test_a_role_has_a_name_that_is_free_and_short_enough(member: str, device: str, taken: set[str]) -> None:
    name = role_name(member, device, taken)
    assert name.startswith("memtui")
    assert len(name.encode()) <= 63
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")
    assert name not in {*taken, "memtui_member", "memtui_lead"}
    assert role_name(member, device, {*taken, name}) != name


def test_roles_are_named_after_member_and_device() -> None:
    assert [role_name(*names) for names in (("ana", "laptop", ()), ("Ana", "Laptop!", ("memtui_ana_laptop",)))] == [
        "memtui_ana_laptop",
        "memtui_ana_laptop_2",
    ]
    assert role_name("lead", "", ()) == "memtui_lead_2"


def test_members_get_into_groups(one_server: PostgresServer) -> None:
    """A new one into `everyone` if no group is named; one who is there only into those that are named."""
    team = make_team(one_server, {})
    team.add("ana", "a")
    team.add("bob", "b", groups=("backend",))
    team.add("bob", "c")
    team.add("bob", "d", groups=("frontend", "backend"))
    with team.admin() as admin:
        rows = admin.execute(
            "SELECT m.name, array_agg(g.name ORDER BY g.name) FROM memtui.group_members gm"
            ' JOIN memtui.groups g ON g.id = gm."group"'
            " JOIN memtui.members m ON m.id = gm.member GROUP BY 1 ORDER BY 1"
        ).fetchall()
        assert rows == [("ana", ["everyone"]), ("bob", ["backend", "frontend"])]
        with pytest.raises(
            TeamError, match=r"^There is no group x\. The team's groups: backend, everyone, frontend\.$"
        ):
            invite(admin, team.admin_url, "carl", groups=("x",))
        assert admin.execute("SELECT count(*) FROM memtui.members").fetchone() == (2,)


def test_a_device_is_taken_back_with_a_new_password_and_as_what_it_is_now(one_server: PostgresServer) -> None:
    team = make_team(one_server, {"ana": ("everyone",)})
    role, first = team.role("ana"), team.url("ana")
    with team.admin() as admin, pytest.raises(TeamError, match=r"^ana has a device main already\."):
        invite(admin, team.admin_url, "ana")
    team.revoke("ana")
    second = team.add("ana", is_lead=True)
    assert (team.role("ana"), urlsplit(second).password == urlsplit(first).password) == (role, False)
    with connect(second) as ana:
        assert ana.execute("SELECT count(*) FROM memtui.figures").fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ana.execute("SELECT * FROM memtui.turns")


def test_an_unknown_device_is_not_revoked(one_server: PostgresServer) -> None:
    team = make_team(one_server)
    for names in (("zoe", ""), ("ana", "desk"), ("ana'; --", "")):
        with pytest.raises(TeamError, match=rf"^There is no device {' '.join(names).strip()} .*ana main, bob main\.$"):
            team.revoke(*names)


def test_only_the_password_that_was_sent_logs_in(one_server: PostgresServer) -> None:
    team = make_team(one_server)
    rules = one_server.folder / "pg_hba.conf"
    old = rules.read_text("utf-8")
    try:
        rules.write_text(f"host all +memtui_member 127.0.0.1/32 scram-sha-256\n{old}", "utf-8")
        with team.admin() as admin:
            admin.execute("SELECT pg_reload_conf()")
            stored = admin.execute(
                "SELECT rolpassword FROM pg_authid WHERE rolname = %s", [team.role("ana")]
            ).fetchone()
        password = urlsplit(team.url("ana")).password or ""
        assert len(password) >= 32
        assert stored is not None
        assert stored[0].startswith("SCRAM-SHA-256$")
        with connect(team.url("ana")) as ana:
            assert ana.pgconn.used_password
        wrong = team.url("ana").replace(password, password[::-1])
        with pytest.raises(TeamError, match=r'refuses the login: password authentication failed for user "') as refused:
            connect(wrong)
        assert password[::-1] not in f"{refused.value!r} {refused.value.__cause__!r}"
    finally:
        rules.write_text(old, "utf-8")
        with team.admin() as admin:
            admin.execute("SELECT pg_reload_conf()")


@pytest.mark.parametrize(
    ("given_url", "expected"),
    [
        ("postgresql://postgres:x@127.0.0.1:{port}/{database}", {"host": "127.0.0.1"}),
        (
            "postgresql://127.0.0.1:{port}/{database}?user=postgres&sslmode=prefer",
            {"host": "127.0.0.1", "sslmode": "prefer"},
        ),
        ("postgresql://postgres@/{database}?host={folder}&port={port}", {"host": "{folder}"}),
        (
            "postgresql://postgres@127.0.0.1:1,127.0.0.1:{port}/{database}",
            {"host": "127.0.0.1,127.0.0.1", "port": "1,{port}"},
        ),
    ],
)
def test_a_device_gets_the_place_of_the_server_and_nothing_of_the_administrator(
    one_server: PostgresServer, given_url: str, expected: dict[str, str]
) -> None:
    team = Team(one_server)
    values = {"port": one_server.port, "database": team.database, "folder": one_server.folder}
    with team.admin() as admin:
        invitation = invite(admin, given_url.format(**values), "ana")
    place = {"port": "{port}", "dbname": "{database}", **expected}
    assert conninfo_to_dict(invitation.url) == {
        **{name: text.format(**values) for name, text in place.items()},
        "user": invitation.role,
        "password": urlsplit(invitation.url).password,
    }
    with connect(invitation.url) as ana:
        assert ana.execute("SELECT count(*) FROM memtui.members").fetchone() == (1,)


def test_operators_are_found_if_pgvector_has_a_schema_of_its_own(one_server: PostgresServer) -> None:
    database = one_server.new_database()
    with psycopg.connect(one_server.url(database), autocommit=True) as admin:
        admin.execute('CREATE SCHEMA "Its own"')
        admin.execute('CREATE EXTENSION vector WITH SCHEMA "Its own"')
        install(admin)
    team = object.__new__(Team)
    team.take(one_server, database, one_server.url(database))
    with connect(team.add("ana")) as ana:
        assert ana.execute("SELECT '[1]'::halfvec <=> '[1]'::halfvec").fetchone() == (0.0,)
