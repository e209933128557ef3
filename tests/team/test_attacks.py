"""A member who sends SQL of his own: what others have is not read, not changed, and not guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import psycopg
import pytest

from support.postgres import PostgresServer
from support.teams import MONTH, Team, found_turns, make_team, push_session

SECRET: Final = "vault"
REFUSED: Final[Mapping[str, str]] = {
    "a session of another device": """
        INSERT INTO memtui.sessions (device, project, agent, session_id, title, turns, version, content)
        VALUES ({eve}, {own_project}, 'a', 's', 't', 0, '', '')""",
    "a session in another project": """
        INSERT INTO memtui.sessions (device, project, agent, session_id, title, turns, version, content)
        VALUES ({mallory}, {vault}, 'a', 's', 't', 0, '', '')""",
    "an id of his choice": """
        INSERT INTO memtui.sessions (id, device, project, agent, session_id, title, turns, version, content)
        OVERRIDING SYSTEM VALUE VALUES (77, {mallory}, {own_project}, 'a', 's', 't', 0, '', '')""",
    "his session into another project": "UPDATE memtui.sessions SET project = {vault} WHERE id = {own_session}",
    "his session to another device": "UPDATE memtui.sessions SET device = {eve} WHERE id = {own_session}",
    "a turn of another device": """
        INSERT INTO memtui.turns (month, session, device, project, number, agent, kind, tool_calls, errors,
            input_tokens, output_tokens, digest, words, content)
        VALUES ('{month}', {vault_session}, {eve}, {vault}, 9, 'a', '', 0, 0, 0, 0, '', '', '')""",
    "a mention in another project": """
        INSERT INTO memtui.mentions (month, turn, session, device, project, path, kind, is_dir)
        VALUES ('{month}', 1, {vault_session}, {mallory}, {vault}, '/x', 'edit', false)""",
    "terms of another device": """
        INSERT INTO memtui.terms (month, turn, session, device, project, agent, terms)
        VALUES ('{month}', 1, {vault_session}, {eve}, {vault}, 'a', 'x')""",
    "a vector of another device": """
        INSERT INTO memtui.vectors SELECT month, turn, 2, {vault_session}, {eve}, {vault}, vector
        FROM memtui.vectors""",
    "another member": "INSERT INTO memtui.members (name) VALUES ('m')",
    "another group": "INSERT INTO memtui.group_members VALUES (1, 1)",
    "a project for his group": 'INSERT INTO memtui.project_groups (project, "group") VALUES ({vault}, 1)',
    "a device of his own": "UPDATE memtui.devices SET member = 1",
    "the schema's number": "UPDATE memtui.meta SET value = '9'",
    "a group that is not his": "SELECT memtui.open_project('new', 'new', '{{secret}}')",
    "no group": "SELECT memtui.open_project('new', 'new', '{{}}')",
    "no groups": "SELECT memtui.open_project('new', 'new', NULL)",
    "all rows away": "TRUNCATE memtui.turns",
    "a table of a month": "SELECT * FROM memtui.turns_2026_11",
    "a table of a month as a copy": "COPY memtui.turns_2026_11 TO STDOUT",
    "rows without policies": "SET row_security = off; SELECT * FROM memtui.turns",
    "the role of all members": "SET ROLE memtui_member",
    "the role of leads": "SET ROLE memtui_lead",
    "the role of the administrator": "SET ROLE postgres",
    "the session of the administrator": "SET SESSION AUTHORIZATION postgres",
    "another password": "ALTER ROLE {eve_role} PASSWORD 'x'",
    "the end of policies": "ALTER TABLE memtui.turns DISABLE ROW LEVEL SECURITY",
    "a policy": "CREATE POLICY mine ON memtui.turns USING (true)",
    "a trigger": "CREATE TRIGGER mine BEFORE INSERT ON memtui.turns EXECUTE FUNCTION memtui.refuse_forgotten()",
    "a table in the schema": "CREATE TABLE memtui.mine (x int)",
    "a function that others run": "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "another function of the schema": """
        CREATE OR REPLACE FUNCTION memtui.this_device() RETURNS int LANGUAGE sql AS 'SELECT 1'""",
    "a child of a table": "CREATE TEMP TABLE mine () INHERITS (memtui.sessions)",
    "the ids given so far": "SELECT last_value FROM memtui.sessions_id_seq",
    "the next id": "SELECT nextval('memtui.sessions_id_seq')",
    "the figures of leads": "SELECT * FROM memtui.figures",
    "an index on all": "CREATE INDEX ON memtui.terms (terms)",
    "statistics of all": "ANALYZE memtui.terms; CREATE STATISTICS memtui.mine ON terms, agent FROM memtui.terms",
    "files": "SELECT pg_read_file('PG_VERSION')",
    "programs": "COPY (SELECT 1) TO PROGRAM 'true'",
}
"""What the server refuses, as it is not granted or a policy is against it."""


class Place(NamedTuple):
    team: Team
    mallory: psycopg.Connection
    ids: Mapping[str, Any]


@pytest.fixture
def place(server: PostgresServer) -> Iterator[Place]:
    team = make_team(server, {"eve": ("secret",), "mallory": ("public",)})
    with team.connected("eve") as eve, team.connected("mallory") as mallory, team.admin() as admin:
        session = push_session(eve, "vault", ["secret"], "vault-1")
        own = push_session(mallory, "own", ["public"], "own-1")
        eve.execute("SELECT memtui.forget('claude-code', 'vault-forgotten')")
        admin.execute("ANALYZE")
        rows = admin.execute("SELECT id, device, project FROM memtui.sessions ORDER BY id").fetchall()
        notices: list[str] = []
        mallory.add_notice_handler(lambda diagnostic: notices.append(diagnostic.message_primary or ""))
        ids = {
            "vault_session": session,
            "own_session": own,
            "month": MONTH,
            "eve_role": team.role("eve"),
            "eve": rows[0][1],
            "vault": rows[0][2],
            "mallory": rows[1][1],
            "own_project": rows[1][2],
            "notices": notices,
        }
        yield Place(team, mallory, ids)


def everything(team: Team) -> dict[str, list[str]]:
    """All rows of all tables, as texts."""
    with team.admin() as admin:
        tables = admin.execute(
            "SELECT relname::text FROM pg_class WHERE relnamespace = 'memtui'::regnamespace AND relkind IN ('r', 'p')"
        ).fetchall()
        return {name: sorted(map(repr, admin.execute(f'SELECT * FROM memtui."{name}"'))) for (name,) in tables}


def refusal(connection: psycopg.Connection, statement: str) -> tuple[str, str]:
    """The code and the whole text of the error of a statement; empty if there is none."""
    try:
        connection.execute(statement)
    except psycopg.Error as error:
        return error.sqlstate or "", f"{error} {error.diag.message_detail}"
    finally:
        connection.rollback()
        connection.execute("RESET ALL")
    return "", ""


def test_what_a_member_may_not_do_is_refused_and_changes_nothing(place: Place) -> None:
    before = everything(place.team)
    said = {name: refusal(place.mallory, statement.format(**place.ids)) for name, statement in REFUSED.items()}
    assert {name: code for name, (code, _) in said.items() if code != "42501"} == {}
    assert [text for _, text in said.values() if SECRET in text] == []
    assert everything(place.team) == before


def test_statements_on_rows_of_others_find_none(place: Place) -> None:
    before = everything(place.team)["sessions"]
    for statement in (
        "UPDATE memtui.sessions SET title = 'x' WHERE id = {vault_session} RETURNING title",
        "DELETE FROM memtui.sessions WHERE device = {eve} RETURNING title",
        "DELETE FROM memtui.terms WHERE project = {vault} RETURNING terms",
        "SELECT * FROM memtui.tombstones",
        "SELECT word FROM ts_stat('SELECT words FROM memtui.turns') WHERE word LIKE 'vault%'",
        "SELECT tablename FROM pg_stats WHERE schemaname = 'memtui' AND NOT (most_common_vals IS NULL"
        " AND histogram_bounds IS NULL) AND tablename <> 'meta'",
    ):
        assert place.mallory.execute(statement.format(**place.ids)).fetchall() == [], statement
    assert place.mallory.execute("SELECT memtui.forget('claude-code', 'vault-1')").fetchone() == (0,)
    assert everything(place.team)["sessions"] == before


def test_a_copy_of_a_table_keeps_to_the_policies(place: Place) -> None:
    with place.mallory.cursor().copy("COPY memtui.sessions (session_id) TO STDOUT") as copied:
        assert b"".join(bytes(piece) for piece in copied) == b"own-1\n"


def test_a_function_that_tells_its_arguments_gets_no_row_of_others(place: Place) -> None:
    place.mallory.execute(
        "CREATE FUNCTION pg_temp.tell(said text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001"
        " AS $$ BEGIN RAISE NOTICE '%', said; RETURN true; END $$"
    )
    for statement in (
        "SELECT FROM memtui.sessions WHERE pg_temp.tell(title)",
        "SELECT FROM memtui.terms WHERE pg_temp.tell(terms) ORDER BY started_at",
        "SELECT FROM memtui.mentions m JOIN memtui.terms t ON t.turn = m.turn AND pg_temp.tell(m.path || t.terms)",
        "SELECT FROM memtui.projects WHERE pg_temp.tell(key) OR pg_temp.tell(name)",
        "SELECT FROM memtui.groups WHERE pg_temp.tell(name)",
        "DELETE FROM memtui.mentions WHERE pg_temp.tell(path) AND false",
        "UPDATE memtui.sessions SET title = title WHERE pg_temp.tell(session_id)",
    ):
        place.mallory.execute(statement)
    # He has some of his own, and both see the function work.
    assert "title of own-1" in place.ids["notices"]
    assert [text for text in place.ids["notices"] if SECRET in text] == []


def test_an_error_is_the_same_whether_others_have_the_row_or_not(place: Place) -> None:
    """Each pair of statements asks about a row that somebody else has, and about one that nobody has."""
    turn = """
        INSERT INTO memtui.turns (month, session, device, project, number, agent, kind, tool_calls, errors,
            input_tokens, output_tokens, digest, words, content)
        VALUES ('{month}', %s, {mallory}, {own_project}, %s, 'a', '', 0, 0, 0, 0, '', '', '')""".format(**place.ids)
    session = """
        INSERT INTO memtui.sessions (device, project, agent, session_id, title, turns, version, content)
        VALUES ({eve}, {own_project}, 'claude-code', '%s', 't', 0, '', '')""".format(**place.ids)
    vault = place.ids["vault_session"]
    numbers = [refusal(place.mallory, turn % (vault, number))[0] for number in (1, 2)]
    sessions = [refusal(place.mallory, turn % (number, 1))[0] for number in (vault, 987)]
    pushed = [refusal(place.mallory, session % name) for name in ("vault-1", "nowhere")]
    forgotten = [refusal(place.mallory, session % name) for name in ("vault-forgotten", "nowhere")]
    assert (numbers, sessions) == (["23503"] * 2, ["23503"] * 2)
    assert (pushed[0], forgotten[0]) == (pushed[1], forgotten[1])
    assert pushed[0][0] == "42501"


def test_a_key_that_another_group_has_is_like_a_new_one(place: Place) -> None:
    before = everything(place.team)["project_groups"]
    opened = [
        place.mallory.execute("SELECT memtui.open_project(%s, %s, '{public}')", [key, key]).fetchone()
        for key in ("vault", "nobody's", "vault")
    ]
    assert opened[0] == opened[2]
    assert opened[0] != opened[1]
    assert (place.ids["vault"],) not in opened
    # Eve goes on in her own one, which is still shared with her group alone.
    with place.team.connected("eve") as eve:
        again = eve.execute("SELECT memtui.open_project('vault', 'vault', '{secret}')").fetchone()
    assert again == (place.ids["vault"],)
    assert set(before) < set(everything(place.team)["project_groups"])


def test_nobody_else_decides_with_whom_a_project_is_shared(one_server: PostgresServer) -> None:
    """Whoever opens a project first, with more groups or with fewer, the next one shares it as he says."""
    team = make_team(one_server, {"ana": ("everyone", "backend"), "mallory": ("everyone",), "bob": ("backend",)})
    with team.connected("mallory") as mallory, team.connected("ana") as ana, team.connected("bob") as bob:
        push_session(mallory, "shop", ["everyone"], "first")
        push_session(ana, "shop", ["backend"], "second")
        push_session(ana, "shop", ["backend", "everyone"], "third")
        read = "SELECT session_id FROM memtui.sessions ORDER BY id"
        seen = {name: [row[0] for row in login.execute(read)] for name, login in (("mallory", mallory), ("bob", bob))}
    assert seen == {"mallory": ["first", "third"], "bob": ["second", "third"]}


def test_estimates_of_the_planner_tell_nothing_of_texts(place: Place) -> None:
    with place.team.connected("eve") as eve, place.team.admin() as admin:
        for number in range(40):
            push_session(eve, f"vault-{number % 3}", ["secret"], f"vault-s{number}")
        admin.execute("ANALYZE")
    for query in (
        "SELECT FROM memtui.projects WHERE key = '{}'",
        "SELECT FROM memtui.projects WHERE name >= '{}'",
        "SELECT FROM memtui.projects WHERE key < '{}'",
        "SELECT FROM memtui.sessions WHERE session_id = '{}'",
        "SELECT FROM memtui.sessions WHERE title < 'title of {}'",
        "SELECT FROM memtui.mentions WHERE path < '/src/{}'",
        "SELECT FROM memtui.mentions WHERE reversed >= 'yp.{}'",
        "SELECT FROM memtui.terms WHERE terms >= 'terms {}'",
        "SELECT FROM memtui.turns WHERE words @@ '''{}'''",
        "SELECT FROM memtui.tombstones WHERE session_id >= '{}'",
    ):
        plans = [
            str(place.mallory.execute("EXPLAIN " + query.format(text)).fetchall()).replace(text, "")
            for text in ("vault-1", "aaaaaaa", "zzzzzzz")
        ]
        assert plans[0] == plans[1] == plans[2], query


def test_nothing_of_the_index_of_words_is_for_members(one_server: PostgresServer) -> None:
    """It lists the words of all turns, and scores any text by them: by that one learns whether a turn has a word."""
    team = make_team(one_server, {"eve": ("secret",), "mallory": ("public",)})
    with team.connected("eve") as eve, team.connected("mallory") as mallory:
        push_session(eve, "vault", ["secret"], "vault-1")
        push_session(mallory, "own", ["public"], "own-1")
        runs = mallory.execute(
            "SELECT d.objid::regprocedure::text FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid"
            " WHERE e.extname = 'pg_textsearch' AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass"
            " AND has_function_privilege(d.objid, 'EXECUTE')"
        ).fetchall()
        assert runs == []
        for statement in (
            "SELECT bm25_dump_index('memtui.turns_terms')",
            "SELECT bm25_summarize_index('memtui.turns_terms')",
            "SELECT bm25_text_bm25query_score('vault', to_bm25query('vault', 'memtui.turns_terms'))",
            "SELECT bm25_text_bm25query_score('vault', 'memtui.turns_terms:vault'::bm25query)",
            "SELECT turn FROM memtui.terms ORDER BY terms <@> to_bm25query('vault', 'memtui.turns_terms')",
            "SELECT turn FROM memtui.terms ORDER BY terms <@> 'memtui.turns_terms:vault'::bm25query",
            "SELECT turn FROM memtui.terms ORDER BY terms <@> 'vault'",
            "SELECT bm25_get_current_score()",
        ):
            assert refusal(mallory, statement)[0] == "42501", statement


def test_the_search_of_the_server_finds_and_counts_turns_of_the_own_groups_only(place: Place) -> None:
    """The function reads without policies. It finds those of colleagues, and of those that are named any."""
    own = place.mallory.execute("SELECT id FROM memtui.turns").fetchall()
    for query in ("words", "vault & words", "!own", "!nothing"):
        found = place.mallory.execute(f"SELECT turn, frequencies FROM {found_turns(query)}").fetchall()
        assert found == [(own[0][0], [0])], query
    with place.team.connected("eve") as eve:
        assert eve.execute(f"SELECT count(*) FROM {found_turns('own')} WHERE matched[1]").fetchone() == (0,)
    place.team.add("colleague", groups=("public",))
    with place.team.connected("colleague") as colleague:
        assert colleague.execute(f"SELECT turn, frequencies FROM {found_turns('words')}").fetchall() == [
            (own[0][0], [1])
        ]


def test_orders_by_likeness_give_rows_of_the_own_groups_only(place: Place) -> None:
    """The indexes of words and vectors are those of all rows."""
    nearest = "SELECT session FROM memtui.vectors ORDER BY vector <=> %s LIMIT 5"
    vector = str([7.0, *[1.0] * 383])
    assert place.mallory.execute(nearest, [vector]).fetchall() == [(place.ids["own_session"],)]
    if place.team.ranks:
        best = "SELECT memtui.best_turns(%s, NULL, NULL, NULL, NULL, 50)"
        with place.team.connected("eve") as eve:
            found = [login.execute(best, ["terms"]).fetchone() for login in (place.mallory, eve)]
            # Only a colleague finds something.
            assert found == [([],), ([],)]
        place.team.add("colleague", groups=("public",))
        with place.team.connected("colleague") as colleague:
            own = colleague.execute("SELECT array_agg(id) FROM memtui.turns").fetchone()
            assert colleague.execute(best, ["terms ' || vault"]).fetchone() == own


def test_a_forgotten_session_does_not_return_with_a_push_that_had_begun(one_server: PostgresServer) -> None:
    team = make_team(one_server)
    team.add("ana", "desk")
    with team.connected("ana") as laptop, team.connected("ana", "desk") as desk, team.admin() as admin:
        push_session(laptop, "shop", ["everyone"], "other")
        insert = (
            "INSERT INTO memtui.sessions (device, project, agent, session_id, title, turns, version, content)"
            " SELECT memtui.this_device(), id, 'claude-code', %s, 't', 0, '', '' FROM memtui.projects"
        )
        with laptop.transaction():
            laptop.execute(insert, ["s"])
            desk.execute("SET lock_timeout = '50ms'")
            # It waits for the push, instead of missing what that has not committed.
            with pytest.raises(psycopg.errors.LockNotAvailable):
                desk.execute("SELECT memtui.forget('claude-code', 's')")
        assert desk.execute("SELECT memtui.forget('claude-code', 's')").fetchone() == (1,)
        laptop.execute(insert, ["s"])
        assert admin.execute("SELECT session_id FROM memtui.sessions").fetchall() == [("other",)]
