"""The schema is installed and upgraded whole or not at all, and client and server refuse what does not fit."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from memtui_team.admin.status import ranking_advice, team_status
from memtui_team.connection import connect, connect_as_admin, reported_errors
from memtui_team.errors import NotInTeam, TeamError, TeamTooNew, TeamTooOld
from memtui_team.schema import Migration, check_schema, install, migrations, plan_installation
from support.postgres import PostgresServer, require
from support.teams import Team, make_team, push_session

KNOWN = migrations()
NEXT = Migration(
    len(KNOWN) + 1,
    "ALTER TABLE memtui.sessions ADD COLUMN labels text[] NOT NULL DEFAULT '{}';\n"
    "GRANT INSERT (labels), UPDATE (labels) ON memtui.sessions TO memtui_member;",
)
"""A migration that does not exist yet."""


def described(team: Team) -> list[tuple[str, ...]]:
    """All columns, indexes, policies, grants and functions of the schema."""
    with team.admin() as admin:
        return admin.execute(
            """
            SELECT 'column', attrelid::regclass::text, attname::text, format_type(atttypid, atttypmod),
                coalesce(attacl::text, ''), coalesce(attstattarget::text, '')
                FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
                WHERE relnamespace = 'memtui'::regnamespace AND attnum > 0 AND NOT attisdropped
            UNION ALL SELECT 'table', oid::regclass::text, relkind::text, coalesce(relacl::text, ''),
                relrowsecurity::text, '' FROM pg_class WHERE relnamespace = 'memtui'::regnamespace
            UNION ALL SELECT 'index', indexname::text, indexdef, '', '', '' FROM pg_indexes WHERE schemaname = 'memtui'
            UNION ALL SELECT 'policy', tablename::text, policyname::text, cmd, coalesce(qual, ''),
                coalesce(with_check, '') FROM pg_policies WHERE schemaname = 'memtui'
            UNION ALL SELECT 'function', oid::regprocedure::text, md5(prosrc), coalesce(proacl::text, ''), '', ''
                FROM pg_proc WHERE pronamespace = 'memtui'::regnamespace
            UNION ALL SELECT 'meta', key, value, '', '', '' FROM memtui.meta
            ORDER BY 1, 2, 3
            """
        ).fetchall()


def test_the_ranking_is_that_of_the_server(server: PostgresServer) -> None:
    team = Team(server)
    assert team.ranks == (server.kind == "bm25")
    with team.admin() as admin:
        assert install(admin) == team.ranks
        assert plan_installation(admin)._replace(notes=()) == (1, "", "", ())


def test_every_upgrade_ends_in_the_schema_of_a_new_server(one_server: PostgresServer) -> None:
    """From each version, with rows of a member, who then goes on."""
    known = (*KNOWN, NEXT)
    fresh = Team(one_server, known=known)
    expected = described(fresh)
    assert ("meta", "schema", str(len(known)), "", "", "") in expected
    for version in range(1, len(known)):
        team = make_team(one_server, known=known[:version])
        with team.connected("ana", known=known[:version]) as ana:
            push_session(ana, "shop", ["everyone"], "before")
        with team.admin() as admin:
            assert plan_installation(admin, known).schema == version
            install(admin, known)
            admin.execute(
                "DROP TABLE memtui.turns_2026_11, memtui.terms_2026_11, memtui.mentions_2026_11, memtui.vectors_2026_11"
            )
            assert admin.execute("SELECT session_id FROM memtui.sessions").fetchall() == [("before",)]
        with team.connected("ana", known=known) as ana:
            push_session(ana, "shop", ["everyone"], "after")
            assert ana.execute("SELECT count(*) FROM memtui.sessions").fetchone() == (2,)
        with team.admin() as admin:
            admin.execute(
                "DROP TABLE memtui.turns_2026_11, memtui.terms_2026_11, memtui.mentions_2026_11, memtui.vectors_2026_11"
            )
        assert described(team) == expected


def test_the_sql_that_is_shown_is_what_is_run(one_server: PostgresServer) -> None:
    """An administrator may run it by psql instead."""
    team = Team(one_server)
    other = one_server.new_database()
    with connect_as_admin(one_server.url(other)) as admin:
        planned = plan_installation(admin)
        with admin.transaction():
            admin.execute(planned.sql.encode())
        admin.execute(planned.ranking_sql.encode())
        assert plan_installation(admin) == (len(KNOWN), "", "", ())
    team_of_psql = object.__new__(Team)
    team_of_psql.admin_url = one_server.url(other)
    assert described(team_of_psql) == described(team)


def test_a_migration_that_fails_leaves_the_schema_as_it_was(one_server: PostgresServer) -> None:
    team = Team(one_server)
    before = described(team)
    broken = Migration(len(KNOWN) + 1, f"{NEXT.sql}\nSELECT 1 / 0;")
    with team.admin() as admin, pytest.raises(psycopg.errors.DivisionByZero):
        install(admin, (*KNOWN, broken))
    assert described(team) == before


def test_a_server_that_does_not_fit_is_refused_with_what_to_do(one_server: PostgresServer) -> None:
    newer = (*KNOWN, NEXT)
    team, upgraded = make_team(one_server), make_team(one_server, known=newer)
    with team.connected("ana") as ana, pytest.raises(TeamTooOld) as too_old:
        check_schema(ana, newer)
    with pytest.raises(TeamTooNew) as too_new:
        connect(upgraded.url("ana"))
    with upgraded.admin() as admin, pytest.raises(TeamTooNew) as no_downgrade:
        install(admin)
    upgrade = " The team's administrator upgrades it: memtui team init URL"
    update = f"The team's server has schema {len(newer)}; this memtui knows {len(KNOWN)}. Update memtui."
    assert [str(error.value) for error in (too_old, too_new, no_downgrade)] == [
        f"The team's server has schema {len(KNOWN)}; this memtui needs {len(newer)}.{upgrade}",
        update,
        update,
    ]


def test_a_migration_can_let_older_clients_go_on(one_server: PostgresServer) -> None:
    gentle = NEXT._replace(sql=f"-- Clients: {len(KNOWN)}\n{NEXT.sql}")
    team = make_team(one_server, known=(*KNOWN, gentle))
    with team.connected("ana") as ana:
        push_session(ana, "shop", ["everyone"], "of an older client")
        assert ana.execute("SELECT labels FROM memtui.sessions").fetchall() == [([],)]
    # A later migration that says nothing ends that.
    last = Migration(len(KNOWN) + 2, "SELECT 1;")
    with team.admin() as admin:
        install(admin, (*KNOWN, gentle, last))
    with pytest.raises(TeamTooNew):
        connect(team.url("ana"))


def test_a_server_without_a_team_says_what_its_administrator_runs(one_server: PostgresServer) -> None:
    empty = one_server.url(one_server.new_database())
    with pytest.raises(TeamError, match=r"^There is no team on this server\. .*memtui team init URL$"):
        connect(empty)
    team = Team(one_server)
    with team.admin() as admin:
        admin.execute(f"CREATE ROLE visitor_of_{team.database} LOGIN")
    with pytest.raises(NotInTeam, match=r"^This login is no device of the team\. .*memtui team invite MEMBER$"):
        connect(one_server.url(team.database, f"visitor_of_{team.database}"))


def test_an_administrator_without_rights_hears_which_ones_are_missing(server: PostgresServer) -> None:
    """And with them, without being a superuser, does all that an administrator does."""
    database = server.new_database()
    login = f"owner_of_{database}"
    url = server.url(database, login)
    with connect_as_admin(server.url(database)) as superuser:
        superuser.execute(f"CREATE ROLE {login} LOGIN")
        with connect_as_admin(url) as admin, pytest.raises(TeamError) as refused:
            install(admin)
        head, _, commands = str(refused.value).partition(": ")
        assert head == f"{login} lacks rights. A superuser of the server runs in {database}"
        assert commands.startswith(f'ALTER ROLE "{login}" CREATEROLE; GRANT CREATE ON DATABASE "{database}"')
        assert "CREATE EXTENSION vector;" in commands
        superuser.execute(commands.encode())
    with connect_as_admin(url) as admin, reported_errors():
        # pg_textsearch needs a superuser, and is added when one runs it.
        assert install(admin) is False
    team = object.__new__(Team)
    team.take(server, database, url)
    team.add("ana")
    team.add("boss", is_lead=True)
    with team.connected("ana") as ana, team.connected("boss") as boss:
        push_session(ana, "shop", ["everyone"], "s")
        assert len(boss.execute("SELECT * FROM memtui.figures").fetchall()) == 1
        team.revoke("ana")
        with pytest.raises(psycopg.OperationalError):
            ana.execute("SELECT 1")
    with connect_as_admin(server.url(database)) as superuser:
        assert install(superuser) == (server.kind == "bm25")


def test_the_numbers_of_migrations_have_no_gap(tmp_path: Path) -> None:
    (tmp_path / "0001.sql").write_text("SELECT 1;", "utf-8")
    (tmp_path / "0003.sql").write_text("SELECT 3;", "utf-8")
    with pytest.raises(ValueError, match=r"the migrations are \[1, 3\]"):
        migrations(tmp_path)


def test_a_server_that_lets_everybody_create_functions_is_pointed_out(one_server: PostgresServer) -> None:
    team = Team(one_server)
    with team.admin() as admin:
        admin.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
        assert plan_installation(admin).notes == (
            "Every login can create functions in the schema public, which others may run by mistake."
            " Run: REVOKE CREATE ON SCHEMA public FROM PUBLIC;",
        )


def test_a_new_month_waits_for_nobody_who_reads(server: PostgresServer) -> None:
    team = make_team(server)
    with team.connected("ana") as ana, team.connected("bob") as bob:
        push_session(ana, "shop", ["everyone"], "1")
        with bob.transaction():
            for table in ("sessions", "turns", "terms", "mentions", "vectors"):
                assert bob.execute(f"SELECT count(*) FROM memtui.{table}").fetchone() == (1,)
            ana.execute("SET lock_timeout = '50ms'")
            ana.execute("SELECT memtui.open_month('2026-10-31')")
            ana.execute("SELECT memtui.open_month('2026-10-01')")
    with team.admin() as admin:
        months = admin.execute(
            "SELECT inhrelid::regclass::text, pg_get_expr(relpartbound, inhrelid), relrowsecurity,"
            " (SELECT count(*) FROM pg_index i WHERE i.indrelid = c.oid) ="
            " (SELECT count(*) FROM pg_index i WHERE i.indrelid = inhparent),"
            " (SELECT count(*) FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f')"
            " FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE c.relkind = 'r' AND relname LIKE '%2026_10'"
            " ORDER BY 1"
        ).fetchall()
    bound = "FOR VALUES FROM ('2026-10-01') TO ('2026-11-01')"
    assert months == [
        (f"memtui.{table}_2026_10", bound, True, True, 1) for table in ("mentions", "terms", "turns", "vectors")
    ]


@pytest.mark.parametrize("month", ["2019-12-31", "2199-01-01"])
def test_no_month_is_made_in_which_no_session_can_have_started(one_server: PostgresServer, month: str) -> None:
    team = make_team(one_server)
    with team.connected("ana") as ana, pytest.raises(psycopg.errors.DatetimeFieldOverflow):
        ana.execute("SELECT memtui.open_month(%s)", [month])


def test_bm25_comes_later_to_turns_that_are_there() -> None:
    """The server is started again with the library, which takes more than 2 s on a busy machine."""
    require("bm25")
    with TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
        server = PostgresServer("bm25", Path(folder) / "server")
        server.start("shared_preload_libraries=")
        try:
            team = make_team(server)
            with team.connected("ana") as ana, team.connected("bob") as bob, team.admin() as admin:
                push_session(ana, "shop", ["everyone"], "1")
                assert (team.ranks, install(admin), team_status(bob).ranking) == (False, False, "ts_rank_cd")
                assert team_status(bob).advice == ranking_advice(is_there=True)
            server.stop()
            server.start()
            with team.admin() as admin:
                assert install(admin)
            with team.connected("bob") as bob:
                assert (team_status(bob).ranking, team_status(bob).advice) == ("bm25", "")
                found = bob.execute("SELECT memtui.best_turns('terms', NULL, NULL, NULL, NULL, 9)").fetchone()
                assert found == bob.execute("SELECT array_agg(id) FROM memtui.turns").fetchone()
        finally:
            server.stop()


def test_scores_that_are_open_to_everybody_are_closed_by_a_superuser(one_server: PostgresServer) -> None:
    team = make_team(one_server)
    score = "bm25_text_bm25query_score(text, bm25query)"
    with team.admin() as admin:
        admin.execute(f"GRANT EXECUTE ON FUNCTION {score} TO PUBLIC")
        planned = plan_installation(admin)
        assert planned.sql == ""
        assert planned.notes == (
            "Every login can ask pg_textsearch whether any turn has a word. A superuser closes that by running"
            " memtui team init again.",
        )
        assert install(admin)
        assert plan_installation(admin) == (len(KNOWN), "", "", ())
        row = admin.execute("SELECT has_function_privilege('public', %s, 'EXECUTE')", [score]).fetchone()
    assert row == (False,)
