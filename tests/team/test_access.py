"""What each login may do with every table, view, sequence and function of the schema, as the catalog lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import ExitStack
from typing import Final, NamedTuple

import psycopg
import pytest

from memtui_team.admin.devices import revoke
from memtui_team.connection import connect, connect_as_admin
from support.postgres import PostgresServer
from support.teams import Team, found_turns, make_team, push_session

PROJECTS: Final = ("shop", "site", "plans", "vault")
_NONE: Final = {
    "meta": 0,
    "members": 0,
    "devices": 0,
    "groups": 0,
    "group_members": 0,
    "projects": 0,
    "project_groups": 0,
    "sessions": 0,
    "tombstones": 0,
    "turns": 0,
    "terms": 0,
    "mentions": 0,
    "vectors": 0,
}
SEES: Final[Mapping[str, Mapping[str, int]]] = {
    "ana": {
        "meta": 2,
        "members": 5,
        "devices": 6,
        "groups": 2,
        "group_members": 5,
        "projects": 3,
        "project_groups": 3,
        "sessions": 3,
        "tombstones": 1,
        "turns": 3,
        "terms": 3,
        "mentions": 3,
        "vectors": 3,
    },
    "bob": {
        "meta": 2,
        "members": 5,
        "devices": 6,
        "groups": 1,
        "group_members": 4,
        "projects": 2,
        "project_groups": 2,
        "sessions": 2,
        "tombstones": 0,
        "turns": 2,
        "terms": 2,
        "mentions": 2,
        "vectors": 2,
    },
    "eve": {
        "meta": 2,
        "members": 5,
        "devices": 6,
        "groups": 1,
        "group_members": 1,
        "projects": 1,
        "project_groups": 1,
        "sessions": 1,
        "tombstones": 0,
        "turns": 1,
        "terms": 1,
        "mentions": 1,
        "vectors": 1,
    },
    "lead": {"meta": 2, "members": 5, "devices": 6, "figures": 4},
    "revoked lead": {"meta": 0, "members": 0, "devices": 0, "figures": 0},
    "lead of another team": {"meta": 0, "members": 0, "devices": 0, "figures": 0},
    "revoked": _NONE,
    "of another team": _NONE,
    "stranger": {},
}
"""How many rows a login reads; whatever is not named is refused, such as each table of a month.

Groups: backend has ana, bob and rex, frontend ana, secret eve. Shared are `shop` (ana) and `site` (rex) with backend,
`plans` (ana) with frontend and `vault` (eve) with secret. Rex was revoked with a connection open."""
READS: Final[Mapping[str, frozenset[str]]] = {
    "ana": frozenset({"shop", "site", "plans"}),
    "bob": frozenset({"shop", "site"}),
    "eve": frozenset({"vault"}),
    # Their names, of which one is the name of the project.
    "lead": frozenset(PROJECTS),
    **dict.fromkeys(("revoked", "revoked lead", "of another team", "lead of another team", "stranger"), frozenset()),
}
"""Of which projects there is something in all that a login reads."""
_LEADS: Final = ("lead", "revoked lead", "lead of another team")
_READ: Final = frozenset({"SELECT"})
_MEMBER: Final = {
    "sessions": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    **dict.fromkeys(("turns", "terms", "mentions", "vectors"), frozenset({"SELECT", "INSERT", "DELETE"})),
    **dict.fromkeys(
        ("meta", "members", "devices", "groups", "group_members", "projects", "project_groups", "tombstones"), _READ
    ),
}
RIGHTS: Final[Mapping[str, Mapping[str, Set[str]]]] = {
    **dict.fromkeys(("ana", "bob", "eve", "revoked", "of another team"), _MEMBER),
    **dict.fromkeys(_LEADS, dict.fromkeys(("meta", "members", "devices", "figures"), _READ)),
    "stranger": {},
}
"""What is granted to a login, on a relation or a column of it; the policies are on top of that."""
_MEMBER_RUNS: Final = {
    *("this_device", "this_member", "own_devices", "allowed_projects", "known_groups", "find_turns"),
    *("open_project", "open_month", "forget"),
}
_LEAD_RUNS: Final = frozenset({"this_device", "is_lead"})
RUNS: Final[Mapping[str, Set[str]]] = {
    **dict.fromkeys(("ana", "bob", "eve", "revoked", "of another team"), _MEMBER_RUNS),
    **dict.fromkeys(_LEADS, _LEAD_RUNS),
    "stranger": frozenset(),
}
NOT_RUN: Final = {"refuse_forgotten"}
"""Functions that nobody may call."""


class Place(NamedTuple):
    team: Team
    logins: Mapping[str, psycopg.Connection]


@pytest.fixture(scope="module")
def place(server: PostgresServer) -> Iterator[Place]:
    team = make_team(
        server, {"ana": ("backend", "frontend"), "bob": ("backend",), "rex": ("backend",), "eve": ("secret",)}
    )
    team.add("boss", groups=("backend",), is_lead=True)
    with team.connected("ana") as ana, team.connected("rex") as rex, team.connected("eve") as eve:
        push_session(ana, "shop", ["backend"], "shop-1")
        push_session(ana, "plans", ["frontend"], "plans-1")
        push_session(rex, "site", ["backend"], "site-1")
        push_session(eve, "vault", ["secret"], "vault-1")
        ana.execute("SELECT memtui.forget('claude-code', 'never-pushed')")
    team.add("boss", "old", is_lead=True)
    other = make_team(server, {"mallory": ("backend",)})
    strangers = [other.url("mallory"), other.add("chief", is_lead=True)]
    with ExitStack() as stack:
        logins = {name: stack.enter_context(team.connected(name)) for name in ("ana", "bob", "eve")}
        logins["lead"] = stack.enter_context(team.connected("boss"))
        logins["revoked"] = stack.enter_context(team.connected("rex"))
        logins["revoked lead"] = stack.enter_context(team.connected("boss", "old"))
        for name, url in zip(("of another team", "lead of another team"), strangers, strict=True):
            here = url.replace(f"/{other.database}", f"/{team.database}")
            logins[name] = stack.enter_context(connect_as_admin(here))
        with team.admin() as admin:
            admin.execute(f"CREATE ROLE stranger_of_{team.database} LOGIN")
            gone = [team.role("rex"), team.role("boss", "old")]
            # As `revoke` does it, but for the connection, which that ends.
            admin.execute("UPDATE memtui.devices SET revoked_at = now() WHERE role = ANY (%s)", [gone])
        stranger = server.url(team.database, f"stranger_of_{team.database}")
        logins["stranger"] = stack.enter_context(connect_as_admin(stranger))
        yield Place(team, logins)


def relations(team: Team) -> list[str]:
    with team.admin() as admin:
        rows = admin.execute(
            "SELECT relname::text FROM pg_class WHERE relnamespace = 'memtui'::regnamespace"
            " AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S') ORDER BY 1"
        )
        return [row[0] for row in rows]


def readable(connection: psycopg.Connection, team: Team) -> dict[str, list[str]]:
    """The rows of all relations that a login may read, as texts."""
    found = {}
    for name in relations(team):
        try:
            rows = connection.execute(f'SELECT * FROM memtui."{name}"').fetchall()
        except psycopg.errors.InsufficientPrivilege:
            continue
        found[name] = list(map(repr, rows))
    return found


def test_a_login_reads_what_is_shared_with_it_and_nothing_else(place: Place) -> None:
    found = {name: readable(connection, place.team) for name, connection in place.logins.items()}
    assert {name: {table: len(rows) for table, rows in read.items()} for name, read in found.items()} == SEES
    said = {name: str(list(read.values())) for name, read in found.items()}
    assert {name: frozenset(project for project in PROJECTS if project in text) for name, text in said.items()} == READS


def test_a_lead_reads_no_text(place: Place) -> None:
    rows = place.logins["lead"].execute("SELECT * FROM memtui.figures ORDER BY project").fetchall()
    day = rows[0][0]
    assert rows == [
        (day, project, member, "claude-code", 1, 1, 2, 1, 10, 20)
        for project, member in (("plans", "ana"), ("shop", "ana"), ("site", "rex"), ("vault", "eve"))
    ]


def test_what_is_granted_is_what_memtui_needs(place: Place) -> None:
    query = """
        SELECT c.relname::text, r.name FROM pg_class c
        CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) r(name)
        WHERE c.relnamespace = 'memtui'::regnamespace AND CASE
            WHEN c.relkind IN ('r', 'p', 'v', 'm', 'f') THEN has_table_privilege(c.oid, r.name)
                OR (r.name IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') AND has_any_column_privilege(c.oid, r.name))
            WHEN c.relkind = 'S' AND r.name IN ('SELECT', 'UPDATE') THEN has_sequence_privilege(c.oid, r.name)
                OR has_sequence_privilege(c.oid, 'USAGE')
            ELSE false END
    """
    granted: dict[str, dict[str, set[str]]] = {}
    for name, connection in place.logins.items():
        granted[name] = {}
        for relation, right in connection.execute(query):
            granted[name].setdefault(relation, set()).add(right)
    assert granted == RIGHTS


def test_a_login_runs_the_functions_that_are_for_it(place: Place) -> None:
    query = """
        SELECT proname::text, has_function_privilege(oid, 'EXECUTE') FROM pg_proc
        WHERE pronamespace = 'memtui'::regnamespace
    """
    may: dict[str, dict[str, bool]] = {}
    for name, connection in place.logins.items():
        may[name] = dict(connection.execute(query).fetchall())
    of_server = {"best_turns"} if place.team.ranks else set()
    expected = {name: runs | of_server if runs == _MEMBER_RUNS else runs for name, runs in RUNS.items()}
    assert {name: {function for function, runs in found.items() if runs} for name, found in may.items()} == expected
    assert set(may["stranger"]) == _MEMBER_RUNS | _LEAD_RUNS | NOT_RUN | of_server


def test_every_table_has_policies_on_it_and_every_function_its_path(place: Place) -> None:
    with place.team.admin() as admin:
        open_tables = admin.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'memtui'::regnamespace AND relkind IN ('r', 'p')"
            " AND NOT relrowsecurity"
        ).fetchall()
        unsafe = admin.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'memtui'::regnamespace AND (NOT prosecdef OR NOT"
            " 'search_path=pg_catalog, pg_temp' = ANY (coalesce(proconfig, '{}')))"
        ).fetchall()
        # What a policy computes for a row again is slow: each function stands in a query of its own.
        policies = admin.execute(
            "SELECT polrelid::regclass::text, polname, pg_get_expr(polqual, polrelid),"
            " pg_get_expr(polwithcheck, polrelid) FROM pg_policy"
        ).fetchall()
    assert (open_tables, unsafe) == ([], [])
    assert len(policies) == 24
    for policy in policies:
        text = f"{policy[2] or ''} {policy[3] or ''}"
        assert text.count("memtui.") == text.count("SELECT memtui."), policy


def test_a_query_computes_what_is_allowed_once(place: Place) -> None:
    ana = place.logins["ana"]
    for table in (
        "sessions",
        "turns",
        "terms",
        "mentions",
        "vectors",
        "projects",
        "project_groups",
        "groups",
        "group_members",
    ):
        plan = "\n".join(row[0] for row in ana.execute(f"EXPLAIN (VERBOSE) SELECT * FROM memtui.{table}"))
        computed = plan.count("allowed_projects()") + plan.count("known_groups()")
        assert (computed, "InitPlan" in plan, "SubPlan" in plan) == (1, True, False), plan


def test_a_device_that_was_revoked_can_do_nothing_with_a_connection_that_is_open(place: Place) -> None:
    revoked = place.logins["revoked"]
    for statement in (
        "SELECT memtui.open_project('site', 'site', '{backend}')",
        "SELECT memtui.open_month('2026-10-01')",
        "SELECT memtui.forget('claude-code', 'site-1')",
        "INSERT INTO memtui.sessions (device, project, agent, session_id, title, turns, version, content)"
        " SELECT d, 1, 'claude-code', 'new', 'new', 0, '', '' FROM generate_series(1, 9) d",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            revoked.execute(statement)
    for statement in (
        f"SELECT * FROM {found_turns('words')}",
        "SELECT memtui.this_device() WHERE memtui.this_device() IS NOT NULL",
        "SELECT unnest(memtui.own_devices() || memtui.allowed_projects() || memtui.known_groups())",
        "UPDATE memtui.sessions SET title = 'x' RETURNING id",
        "DELETE FROM memtui.sessions RETURNING id",
        "DELETE FROM memtui.turns RETURNING id",
    ):
        assert revoked.execute(statement).fetchall() == [], statement


def test_a_connection_ends_when_its_device_is_revoked(one_server: PostgresServer) -> None:
    team = make_team(one_server)
    team.add("ana", "desk")
    with team.connected("ana") as laptop, team.connected("ana", "desk") as desk, team.connected("bob") as bob:
        with team.admin() as admin:
            assert revoke(admin, "ana", "desk") == ("desk",)
        with pytest.raises(psycopg.OperationalError):
            desk.execute("SELECT 1")
        # The other device of the member, and other members, go on.
        assert [connection.execute("SELECT 1").fetchone() for connection in (laptop, bob)] == [(1,), (1,)]
        with pytest.raises(psycopg.OperationalError), psycopg.connect(team.url("ana", "desk")):
            pass
        with team.admin() as admin:
            assert revoke(admin, "ana") == ("main",)
        with pytest.raises(psycopg.OperationalError):
            laptop.execute("SELECT 1")
    with connect(team.url("bob")) as bob:
        assert bob.execute("SELECT count(*) FROM memtui.devices WHERE revoked_at IS NULL").fetchone() == (1,)
