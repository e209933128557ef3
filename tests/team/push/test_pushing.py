"""What is shared is on the server after a push, row by row, and nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.exclusions import Exclusions
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest, write_manifest
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import COLUMNS, LIST, TEXT
from memtui_core.text.own_patterns import use_patterns
from memtui_team.admin.devices import DEVICE
from memtui_team.connection import connect
from memtui_team.content import SESSION_TABLES, TURN_TABLES
from memtui_team.errors import TeamError
from memtui_team.forgotten import Forgotten, with_subagents
from memtui_team.push.outgoing import Outgoing
from memtui_team.push.pusher import Pusher
from memtui_team.push.receiver import Receiver
from support.postgres import PostgresServer
from support.shop_and_blog import BLOG_SESSION, shop_and_blog
from support.team_machines import Machine, SessionRows, received
from support.teams import Team, make_team
from support.transcripts import OTHER_SESSION, SESSION, Script

SECRET = "AKIAIOSFODNN7EXAMPLQ"
SHOP, OTHER, BLOG = (SESSION, ""), (OTHER_SESSION, ""), (BLOG_SESSION, "")


def machine(folder: Path, team: Team, member: str = "ana", device: str = DEVICE) -> Machine:
    return Machine(folder, team.url(member, device))


def of(machine: Machine, *identities: tuple[str, str]) -> dict[tuple[str, str], SessionRows]:
    rows = machine.rows()
    return {identity: rows[identity] for identity in identities}


@pytest.fixture
def ana(team: Team, tmp_path: Path) -> Machine:
    """A machine with two sessions of a shop and one of a blog."""
    ana = machine(tmp_path / "ana", team)
    shop_and_blog(ana.transcripts)
    ana.index()
    return ana


def test_a_push_sends_everything_of_what_is_shared(server: PostgresServer, sample_index: Path, tmp_path: Path) -> None:
    """The sample sessions have rows in each table. It takes 3 s on each of two servers, as all of them are sent."""
    team = make_team(server)
    ana = machine(tmp_path, team)
    shutil.copytree(sample_index, ana.data, dirs_exist_ok=True)
    ana.address.save(ana.data)
    everything = ana.sharing("/")
    result = ana.push(everything)
    assert result is not None
    expected = ana.rows()
    sent = received(team)
    shared = {identity: expected[identity] for identity in sent}
    assert sent == shared
    # Without turns there is nothing to share.
    assert {identity for identity, rows in expected.items() if rows.turns and not rows.session["sessions"][0][-1]} == {
        *sent
    }
    assert (result.sessions, result.turns) == (len(sent), sum(len(rows.turns) for rows in sent.values()))
    filled = {table for rows in sent.values() for table, own in rows.session.items() if own}
    filled |= {table for rows in sent.values() for own in rows.turns.values() for table, kept in own.items() if kept}
    assert filled >= {*SESSION_TABLES, *TURN_TABLES} - {"forks"}
    assert all(
        rows.vectors[number] for rows in sent.values() for number, own in rows.turns.items() if own["chunks"][0][2]
    )
    assert ana.push(everything) is None
    assert (ana.plan(everything).changed, ana.plan(everything).removed) == ((), ())


def test_nothing_is_shared_by_default(team: Team, ana: Machine) -> None:
    result = ana.push(ana.sharing())
    assert result is not None
    assert (result.sessions, received(team)) == (0, {})


def test_only_the_turns_that_changed_are_sent_again(team: Team, ana: Machine) -> None:
    ana.push(ana.sharing("shop"))
    with team.admin() as connection:
        before = dict(connection.execute("SELECT id, digest FROM memtui.turns").fetchall())
    script = Script()
    script.lines = (ana.transcripts / "0" / f"{SESSION}.jsonl").read_bytes().splitlines()
    script.count = len(script.lines)
    script.user("Now paint the links red")
    script.says("They are red.")
    script.write(ana.transcripts / "0")
    ana.index()
    result = ana.push(ana.sharing("shop"))
    assert result is not None
    # The last turn before was provisional, and is not any more.
    assert (result.sessions, result.turns) == (1, 2)
    assert received(team) == of(ana, SHOP, OTHER)
    with team.admin() as connection:
        after = dict(connection.execute("SELECT id, digest FROM memtui.turns").fetchall())
    assert len(before.items() & after.items()) == 3


def test_a_new_pattern_of_secrets_reaches_the_server_before_anything_is_indexed_again(team: Team, ana: Machine) -> None:
    """The rows on the machine are the same until its indexer runs; what leaves it is redacted all the same."""
    ana.push(ana.sharing("shop"))
    with closing(Snapshot(DataDir(ana.data))) as snapshot:
        [(text,)] = snapshot.rows("SELECT min(user_text) FROM turns WHERE user_text <> ''")
    word = max(text.split(), key=len).strip(".,")
    assert word in str(received(team))
    use_patterns([word])
    try:
        result = ana.push(ana.sharing("shop"))
        assert ana.push(ana.sharing("shop")) is None
    finally:
        use_patterns(())
    assert result is not None
    assert result.redactions > 0
    assert word not in str([rows.turns for rows in received(team).values()])


def test_vectors_come_later(team: Team, ana: Machine) -> None:
    ana.push(ana.sharing("shop"))
    assert not any(own for rows in received(team).values() for own in rows.vectors.values())
    ana.index(vectors=True)
    ana.push(ana.sharing("shop"))
    sent = received(team)
    assert sent == of(ana, SHOP, OTHER)
    assert all(own for rows in sent.values() for own in rows.vectors.values())


def test_what_is_not_shared_any_more_is_removed_and_comes_back(team: Team, ana: Machine) -> None:
    shop = ana.sharing("shop")
    ana.push(shop)
    result = ana.push(ana.sharing("blog"))
    assert result is not None
    assert (result.removed, received(team)) == (2, of(ana, BLOG))
    ana.push(shop)
    assert received(team) == of(ana, SHOP, OTHER)


def test_the_choice_of_the_user_wins(team: Team, ana: Machine) -> None:
    ana.push(ana.sharing("shop"))
    ana.choose(SESSION, "private")
    ana.choose(BLOG_SESSION, "shared")
    ana.push(ana.sharing("shop"))
    assert received(team) == of(ana, OTHER, BLOG)
    ana.choose(SESSION, None)
    ana.choose(BLOG_SESSION, None)
    ana.push(ana.sharing("shop"))
    assert received(team) == of(ana, SHOP, OTHER)


def test_what_is_excluded_is_not_pushed_although_it_is_in_the_index(team: Team, ana: Machine) -> None:
    ana.choose(SESSION, "shared")
    ana.push(ana.sharing("shop", "blog", exclude=Exclusions(["project:shop"])))
    assert received(team) == of(ana, BLOG)


def test_a_server_that_was_restored_gets_everything_again(team: Team, ana: Machine) -> None:
    shop = ana.sharing("shop")
    ana.push(shop)
    assert ana.push(shop) is None
    with team.admin() as connection:
        connection.execute("DELETE FROM memtui.sessions WHERE session_id = %s", [SESSION])
    assert ana.push(shop) is not None
    assert received(team) == of(ana, SHOP, OTHER)


def test_what_this_machine_remembers_can_be_deleted(team: Team, ana: Machine) -> None:
    ana.push(ana.sharing("shop"))
    (ana.data / "team" / "pushed.json").unlink()
    result = ana.push(ana.sharing("shop"))
    assert result is not None
    assert (result.sessions, result.turns, received(team)) == (0, 0, of(ana, SHOP, OTHER))


def test_a_rebuilt_index_doubles_nothing(team: Team, ana: Machine) -> None:
    ana.push(ana.sharing("shop", "blog"))
    for path in ana.data.iterdir():
        if path.name != "team":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    # In another order, so that keys and ids are others.
    shutil.move(ana.transcripts / "2", ana.transcripts.parent / "later")
    ana.index()
    ana.push(ana.sharing("shop", "blog"))
    assert {*received(team)} == {SHOP, OTHER, BLOG}
    shutil.move(ana.transcripts.parent / "later", ana.transcripts / "2")
    ana.index()
    ana.push(ana.sharing("shop", "blog"))
    assert received(team) == ana.rows()


def test_what_the_index_has_lost_stays_as_long_as_its_project_is_shared(team: Team, ana: Machine) -> None:
    ana.push(ana.sharing("shop", "blog"))
    before = received(team)
    for path in ana.data.iterdir():
        if path.name != "team":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.rmtree(ana.transcripts / "0")
    shutil.rmtree(ana.transcripts / "2")
    ana.index()
    ana.push(ana.sharing("shop", "blog"))
    assert {key: rows for key, rows in received(team).items() if key != OTHER} == {
        SHOP: before[SHOP],
        BLOG: before[BLOG],
    }
    ana.push(ana.sharing("shop"))
    assert {*received(team)} == {SHOP, OTHER}
    ana.choose(SESSION, "private")
    ana.push(ana.sharing("shop"))
    assert {*received(team)} == {OTHER}


def test_a_session_that_was_forgotten_never_comes_back(team: Team, ana: Machine, tmp_path: Path) -> None:
    team.add("ana", "desktop")
    desktop = machine(tmp_path / "desktop", team, device="desktop")
    shop_and_blog(desktop.transcripts)
    desktop.index()
    shop = ana.sharing("shop")
    for one in (ana, desktop):
        one.push(one.sharing("shop"))
    assert received(team, device="desktop") == of(desktop, SHOP, OTHER)
    Forgotten(ana.data).add([("claude-code", SESSION)])
    result = ana.push(ana.sharing("shop"))
    assert result is not None
    assert result.forgotten == 1
    assert (received(team), received(team, device="desktop")) == (of(ana, OTHER), of(desktop, OTHER))
    # The other device has it still, in its index and in its mark.
    desktop.push(desktop.sharing("shop"))
    (desktop.data / "team" / "pushed.json").unlink()
    desktop.choose(SESSION, "shared")
    desktop.push(desktop.sharing("shop"))
    assert received(team, device="desktop") == of(desktop, OTHER)
    # Nor does it come back from this one, when what it remembers is gone.
    (ana.data / "team" / "forgotten.jsonl").unlink()
    ana.push(shop)
    assert received(team) == of(ana, OTHER)


def test_what_a_push_would_send_again_is_refused_by_the_server_after_a_tombstone(team: Team, ana: Machine) -> None:
    """The session is forgotten on another device after the push has looked what is there."""
    sharing = ana.sharing("shop")
    with Pusher(ana.data, ana.address, sharing) as pusher, closing(pusher.open_snapshot()) as snapshot:
        plan = pusher.plan(snapshot, agreed=True)
        with team.connected("ana") as connection:
            connection.execute("SELECT memtui.forget('claude-code', %s)", [SESSION])
        result = pusher.push(snapshot, plan)
    assert (result.sessions, received(team)) == (1, of(ana, OTHER))


def test_subagents_go_with_the_session_that_started_them(team: Team, tmp_path: Path) -> None:
    ana = machine(tmp_path, team)
    parent, child = Script(), Script(prefix="c")
    parent.user("Look for it")
    parent.calls("Agent", {"prompt": "Search"}, "t1")
    parent.result("found", "t1")
    parent.says("done")
    child.user("Search", isSidechain=True, agentId="abc")
    child.says("found", isSidechain=True, agentId="abc")
    ana.write(parent)
    child.write(ana.transcripts / SESSION / "subagents", "agent-abc.jsonl")
    ana.index()
    both = {SHOP, ("agent-abc", SESSION)}
    ana.push(ana.sharing("shop"))
    assert {*received(team)} == both
    ana.choose(SESSION, "private")
    ana.push(ana.sharing("shop"))
    assert received(team) == {}
    ana.choose(SESSION, None)
    ana.push(ana.sharing("shop"))
    assert {*received(team)} == both
    with closing(Snapshot(DataDir(ana.data))) as snapshot:
        [[key]] = snapshot.rows("SELECT key FROM sessions WHERE parent IS NULL")
        below = with_subagents(snapshot, key)
    assert sorted(below) == [("claude-code", SESSION), ("claude-code", "agent-abc")]
    Forgotten(ana.data).add(below)
    ana.push(ana.sharing("shop"))
    assert received(team) == {}


def publish_whole(data_dir: Path) -> None:
    """Publish an index as one base, without what changed since."""
    with Indexer(data_dir) as indexer:
        indexer.work.begin_batch()
        indexer.work.rewrite()
        indexer.publish()


def patched(data_dir: Path, statements: Iterable[str]) -> None:
    """Change rows of the base of an index, as an older version may have written them."""
    data = DataDir(data_dir)
    manifest = read_manifest(data)
    assert manifest is not None
    assert manifest.delta is None
    assert manifest.journal is None
    with duckdb.connect(str(data.base(manifest.base))) as connection:
        for statement in statements:
            connection.execute(statement)
    write_manifest(data, manifest._replace(base_bytes=data.base(manifest.base).stat().st_size))


def test_no_secret_leaves_the_machine_that_the_index_has(team: Team, sample_index: Path, tmp_path: Path) -> None:
    """An index of an older version, which did not know this kind of secret, has it in each text of each table."""
    ana = machine(tmp_path, team)
    shutil.copytree(sample_index, ana.data, dirs_exist_ok=True)
    publish_whole(ana.data)
    texts = {
        table: [name for name, kind in COLUMNS[table].items() if kind == TEXT]
        for table in (*SESSION_TABLES, *TURN_TABLES)
    }
    lists = [(table, name) for table in texts for name, kind in COLUMNS[table].items() if kind == LIST]
    updates = [
        f"UPDATE {table} SET " + ", ".join(f"{name} = coalesce({name}, '') || ' {SECRET}'" for name in names)
        for table, names in texts.items()
        if names
    ]
    updates += [f"UPDATE {table} SET {name} = list_append({name}, '{SECRET}')" for table, name in lists]
    patched(ana.data, updates)
    result = ana.push(ana.sharing("/"))
    assert result is not None
    assert result.refused == []
    assert result.redactions > 1_000
    sent = received(team)
    assert len(sent) > 3
    redacted: set[tuple[str, str]] = set()
    filled: set[str] = set()
    for rows in sent.values():
        for content in (rows.session, *rows.turns.values()):
            assert SECRET not in repr(content)
            filled |= {table for table, own in content.items() if own}
            redacted |= {
                (table, name)
                for table, own in content.items()
                for row in own
                for name, value in zip(COLUMNS[table], row, strict=True)
                if isinstance(value, str) and "[redacted:aws-key]" in value
            }
    assert redacted == {(table, name) for table, names in texts.items() if table in filled for name in names} | {*lists}
    with team.admin() as connection:
        columns = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'memtui'"
        ).fetchall()
        found = {
            (table, column)
            for table, column in columns
            for (value,) in connection.execute(f'SELECT "{column}"::text FROM memtui."{table}"')
            if value is not None and SECRET.lower() in value.lower()
        }
    assert found == set()


def test_texts_and_times_that_a_server_cannot_keep(team: Team, ana: Machine) -> None:
    """Characters that PostgreSQL refuses, paths too long for an index, times of wrong clocks."""
    publish_whole(ana.data)
    long = "é" * 5_000
    of_session = "SELECT key FROM sessions WHERE session_id = '{}'"
    patched(
        ana.data,
        [
            f"UPDATE sessions SET title = 'a' || chr(0) || 'b', project = 'shop' WHERE session_id = '{SESSION}'",
            "UPDATE blocks SET text = text || chr(0)",
            f"INSERT INTO file_mentions SELECT session, turn, line, '{long}', tool, kind, is_dir FROM file_mentions",
            "UPDATE turns SET started_at = '2261-01-01', ended_at = NULL"
            f" WHERE session = ({of_session.format(SESSION)})",
            "UPDATE turns SET started_at = NULL, ended_at = '1971-01-01'"
            f" WHERE session = ({of_session.format(BLOG_SESSION)})",
        ],
    )
    for _ in range(2):
        result = ana.push(ana.sharing("shop", "blog"))
    expected = ana.rows()
    for rows in expected.values():
        for number, mentions in rows.mentions.items():
            rows.mentions[number] = [mention for mention in mentions if mention[0] != long]
    assert received(team) == expected
    with team.admin() as connection:
        times = connection.execute(
            "SELECT s.session_id, s.title, s.started_at IS NULL, s.ended_at IS NULL, count(t.started_at),"
            " bool_and(t.month = date_trunc('month', now())::date)"
            " FROM memtui.sessions s JOIN memtui.turns t ON t.session = s.id"
            " GROUP BY s.id ORDER BY 1"
        ).fetchall()
    assert times[0] == (SESSION, "ab", True, True, 0, True)
    assert times[2][2:] == (True, True, 0, True)
    assert result is None


def test_a_session_whose_start_becomes_known_moves_to_its_month(team: Team, ana: Machine) -> None:
    def months() -> list[Any]:
        with team.admin() as connection:
            return connection.execute(
                "SELECT 'turn', month::text, count(*) FROM memtui.turns GROUP BY 2 UNION ALL"
                " SELECT 'mention', month::text, count(*) FROM memtui.mentions GROUP BY 2 UNION ALL"
                " SELECT 'vector', month::text, count(*) FROM memtui.vectors GROUP BY 2 ORDER BY 1, 2"
            ).fetchall()

    ana.index(vectors=True)
    publish_whole(ana.data)
    ana.push(ana.sharing("shop"))
    before = months()
    patched(ana.data, ["UPDATE turns SET started_at = started_at - INTERVAL 3 YEAR"])
    manifest = read_manifest(DataDir(ana.data))
    assert manifest is not None
    write_manifest(DataDir(ana.data), manifest._replace(published_at=manifest.published_at + 1))
    ana.push(ana.sharing("shop"))
    assert months() == [(kind, "2023-11-01", count) for kind, _, count in before]
    assert received(team) == of(ana, SHOP, OTHER)


def test_what_the_user_has_not_agreed_to_waits(team: Team, ana: Machine) -> None:
    shop, both = ana.sharing("shop"), ana.sharing("shop", "blog")
    assert ana.plan(shop, agreed=False).changed == ()
    ana.push(shop)
    plan = ana.plan(both, agreed=False)
    assert ([project.name for project in plan.new_projects], plan.changed, plan.is_first) == (["blog"], (), False)
    ana.choose(BLOG_SESSION, "shared")
    plan = ana.plan(ana.sharing("shop", "blog"), agreed=False)
    assert [session.session_id for session in plan.changed] == [BLOG_SESSION]


def test_a_project_goes_to_the_groups_of_the_settings(team: Team, ana: Machine, tmp_path: Path) -> None:
    team.add("ana", "second", groups=["backend"])
    ana.push(ana.sharing("shop", "blog", groups={"shop": ["backend"]}))

    def groups() -> list[Any]:
        with team.admin() as connection:
            return connection.execute(
                "SELECT p.name, g.name, count(DISTINCT s.id) FROM memtui.projects p"
                ' JOIN memtui.project_groups pg ON pg.project = p.id JOIN memtui.groups g ON g.id = pg."group"'
                " JOIN memtui.sessions s ON s.project = p.id GROUP BY 1, 2 ORDER BY 1"
            ).fetchall()

    assert groups() == [("blog", "everyone", 1), ("shop", "backend", 2)]
    with team.connected("bob") as connection:
        assert connection.execute("SELECT session_id FROM memtui.sessions").fetchall() == [(BLOG_SESSION,)]
    # What is shared with others from now on moves, with everything of it.
    ana.push(ana.sharing("shop", "blog"))
    assert groups() == [("blog", "everyone", 1), ("shop", "everyone", 2)]
    assert received(team) == ana.rows()


def test_a_project_for_groups_of_others_is_not_pushed_and_the_rest_is(team: Team, ana: Machine) -> None:
    result = ana.push(ana.sharing("shop", "blog", groups={"shop": ["leads"]}))
    assert result is not None
    assert result.refused == [
        "The project shop is not pushed: The team's server refused: a project is shared only with groups of its member"
    ]
    assert received(team) == of(ana, BLOG)
    # It is tried again.
    assert ana.push(ana.sharing("shop", "blog", groups={"shop": ["leads"]})) is not None


def test_one_session_that_the_server_refuses_stops_no_other(team: Team, ana: Machine) -> None:
    with team.admin() as connection:
        connection.execute(f"ALTER TABLE memtui.sessions ADD CHECK (session_id <> '{OTHER_SESSION}')")
    result = ana.push(ana.sharing("shop", "blog"))
    assert result is not None
    assert [reason.partition(": ")[0] for reason in result.refused] == [f"The session {OTHER_SESSION} is not pushed"]
    assert received(team) == of(ana, SHOP, BLOG)
    assert (result.sessions, result.turns) == (2, 3)


def test_only_one_process_pushes_for_a_device(ana: Machine) -> None:
    sharing = ana.sharing("shop")
    with (
        Pusher(ana.data, ana.address, sharing),
        pytest.raises(TeamError, match="Another memtui on this machine is pushing"),
    ):
        ana.push(sharing)
    assert ana.push(sharing) is not None


def test_a_transaction_may_take_the_time_that_large_sessions_need(team: Team) -> None:
    names = ("statement_timeout", "idle_in_transaction_session_timeout")
    with team.connected("ana") as connection, Receiver(connection).transaction():
        found = [connection.execute("SELECT current_setting(%s)", [name]).fetchone() for name in names]
    assert found == [("10min",), ("10min",)]


def test_a_copied_data_folder_pushes_the_same(team: Team, ana: Machine, tmp_path: Path) -> None:
    """Two processes of one device with data folders of their own: the server has what either of them has."""
    shutil.copytree(ana.data, tmp_path / "copy" / "data")
    copy = machine(tmp_path / "copy", team)
    for one in (ana, copy, ana):
        one.push(one.sharing("shop"))
        assert received(team) == of(ana, SHOP, OTHER)


def test_what_other_members_have_pushed_stays(team: Team, ana: Machine, tmp_path: Path) -> None:
    bob = machine(tmp_path / "bob", team, "bob")
    shop_and_blog(bob.transcripts)
    bob.index()
    bob.push(bob.sharing("shop"))
    Forgotten(ana.data).add([("claude-code", SESSION)])
    ana.push(ana.sharing("shop"))
    ana.push(ana.sharing())
    assert (received(team), received(team, "bob")) == ({}, of(bob, SHOP, OTHER))


def test_a_broken_choice_stops_the_push(team: Team, ana: Machine) -> None:
    """A private session must not be taken for another one."""
    ana.choose(SESSION, "private")
    path = ana.data / "team" / "sessions.json"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(TeamError, match=r"sessions\.json cannot be read, so that nothing is shared"):
        ana.sharing("shop")
    path.write_text(json.dumps([["claude-code", SESSION, "perhaps"]]))
    with pytest.raises(TeamError, match="a choice is not known"):
        ana.sharing("shop")
    assert received(team) == {}


def test_the_terms_are_written_last_in_a_transaction(ana: Machine) -> None:
    """Searches by BM25 wait from the first of them to the end of the transaction."""
    count = "SELECT (SELECT count(*) FROM memtui.turns), (SELECT count(*) FROM memtui.terms)"
    with closing(Snapshot(DataDir(ana.data))) as snapshot, connect(ana.address.url) as connection:
        receiver = Receiver(connection)
        outgoing = Outgoing(snapshot, receiver.now)
        shared = ana.sharing("shop").sessions(snapshot)
        states = outgoing.states(shared)
        project = receiver.open_project(shared[0].project)
        receiver.open_months([states[session.key].started_at for session in shared])
        with receiver.transaction():
            writer = receiver.writing()
            for session in outgoing.sessions(shared, states):
                writer.put(session, project, is_known=False)
            writer.flush()
            flushed = connection.execute(count).fetchone()
            writer.finish()
            assert (flushed, connection.execute(count).fetchone()) == ((writer.turns, 0), (writer.turns, writer.turns))
