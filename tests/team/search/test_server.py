"""A server that is missing, slow or hostile costs a search next to nothing, and never shows an error."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memtui_core.errors import SessionUnknown
from memtui_team.address import TeamAddress
from memtui_team.content import decode, encode
from memtui_team.errors import TeamError
from memtui_team.search import merged
from memtui_team.search import server as team_server
from memtui_team.search.server import TeamServer
from support.postgres import PostgresServer
from support.team_searches import SHOP, Colleague, share
from support.teams import Team, make_team
from support.transcripts import OTHER_SESSION, SESSION, Script


def _script(session: str = SESSION, text: str = "Write an invoice for March", cwd: str = SHOP) -> Script:
    script = Script(session, cwd, session[0])
    script.user(text)
    script.says("It is written.")
    return script


@contextmanager
def _silent_server() -> Iterator[int]:
    """A port that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        accepted: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    accepted.append(listening.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
    for one in accepted:
        one.close()


def _redirected(colleague: Colleague, url: str) -> None:
    """Let the team of a colleague have another address."""
    TeamAddress(url).save(colleague.index.data.path)
    colleague.index.guest = None
    joined = team_server_of(colleague)
    assert joined is not None


def team_server_of(colleague: Colleague) -> object:
    from memtui_team.search.joined import join

    joined = join(colleague.index)
    assert joined is not None
    colleague.team = joined
    return joined


def test_a_server_that_never_answers_costs_little(one_server: PostgresServer, tmp_path: Path) -> None:
    """It takes 0.3 s, for which the search waits for it."""
    bob = Colleague(tmp_path, make_team(one_server))
    with _silent_server() as port:
        _redirected(bob, f"postgresql://bob@127.0.0.1:{port}/team")
        first, second = bob.search("plants"), bob.search("plants")
    assert [(len(result.hits), result.note) for result in (first, second)] == [(1, merged.UNREACHABLE)] * 2
    assert second.elapsed_ms < merged.PATIENCE * 1000 < first.elapsed_ms


def test_a_server_that_is_not_there_is_a_quiet_note(one_server: PostgresServer, tmp_path: Path) -> None:
    bob = Colleague(tmp_path, make_team(one_server))
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    _redirected(bob, f"postgresql://bob@127.0.0.1:{port}/team")
    result = bob.search("plants")
    assert ([hit.title for hit in result.hits], result.note) == (["Water the plants"], merged.UNREACHABLE)
    with pytest.raises(SessionUnknown, match="There is no session '777' in the index"):
        bob.index.sessions.find("777")


def test_a_server_that_was_stopped_is_asked_again_later(
    one_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = make_team(one_server)
    share(tmp_path / "ana", team, _script())
    bob = Colleague(tmp_path / "bob", team)
    assert bob.found("invoice") == [("1", 1)]
    monkeypatch.setattr(team_server, "REST", 0.0)
    one_server.stop()
    try:
        assert (bob.search("invoice march").hits, bob.search("invoice march").note) == ((), merged.UNREACHABLE)
    finally:
        one_server.start()
    assert bob.found("invoice march") == [("1", 1)]
    bob.team.close()


def test_a_statement_that_takes_too_long_is_given_up_and_ended(
    one_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = make_team(one_server)
    share(tmp_path / "ana", team, _script())
    bob = Colleague(tmp_path / "bob", team)
    assert bob.found("invoice") == [("1", 1)]
    monkeypatch.setattr(team_server, "REST", 0.0)
    with team.admin() as admin, admin.transaction():
        admin.execute("LOCK TABLE memtui.turns IN ACCESS EXCLUSIVE MODE")
        result = bob.search("plants invoice")
        assert ([hit.session_id[:1] for hit in result.hits], result.note) == (["9"], merged.LATE)
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'memtui.turns'::regclass"
        while admin.execute(waiting).fetchone() != (0,):
            pass
    assert bob.found("invoice march") == [("1", 1)]
    bob.team.close()


class _Cancelled(Exception):
    pass


def test_a_search_that_is_cancelled_ends_its_statement(one_server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(one_server)
    share(tmp_path / "ana", team, _script())
    bob = Colleague(tmp_path / "bob", team)
    assert bob.found("invoice") == [("1", 1)]
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'memtui.turns'::regclass"
    with team.admin() as admin, admin.transaction():
        admin.execute("LOCK TABLE memtui.turns IN ACCESS EXCLUSIVE MODE")

        def cancel_when_it_waits() -> None:
            if admin.execute(waiting).fetchone() == (1,):
                raise _Cancelled

        with pytest.raises(_Cancelled):
            bob.team.search("plants invoice", 20, check_cancelled=cancel_when_it_waits)
        while admin.execute(waiting).fetchone() != (0,):
            pass
    assert bob.found("invoice march") == [("1", 1)]
    bob.team.close()


def test_a_restarted_server_is_asked_again_at_once(one_server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(one_server)
    share(tmp_path / "ana", team, _script())
    bob = Colleague(tmp_path / "bob", team)
    assert bob.found("invoice") == [("1", 1)]
    one_server.stop()
    one_server.start()
    assert (bob.found("invoice march"), bob.search("invoice march").note) == ([("1", 1)], "")
    bob.team.close()


def test_members_of_other_groups_find_nothing(server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(server, {"ana": ("everyone",), "bob": ("everyone",), "eve": ("others",)})
    share(tmp_path / "ana", team, _script())
    found = {}
    for member in ("bob", "eve"):
        one = Colleague(tmp_path / member, team, member)
        found[member] = one.found("invoice march"), one.found("project:shop"), one.found("file:x.py")
        one.team.close()
    assert found == {"bob": ([("1", 1)], [("1", 1)], []), "eve": ([], [], [])}


def test_broken_contents_are_left_out(one_server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(one_server)
    share(tmp_path / "ana", team, _script(), _script(OTHER_SESSION, "Another invoice"))
    bob = Colleague(tmp_path / "bob", team)
    for broken in (b"", b"\x28\xb5\x2f\xfd", encode({"turns": [], "blocks": []}), encode({"sessions": []})):
        with team.admin() as connection:
            connection.execute(
                "UPDATE memtui.turns SET content = %s"
                " WHERE session IN (SELECT id FROM memtui.sessions WHERE session_id = %s)",
                [broken, SESSION],
            )
        fresh = Colleague(tmp_path / f"bob{len(broken)}", team)
        assert (fresh.found("invoice"), fresh.search("invoice").note) == ([("2", 1)], "")
        fresh.team.close()
    bob.team.close()


def test_a_content_with_rows_of_others_changes_only_its_own_session(one_server: PostgresServer, tmp_path: Path) -> None:
    """Whoever pushes can put any rows into a content: those with other keys, and broken ones, are left out."""
    team = make_team(one_server)
    share(tmp_path / "ana", team, _script(), _script(OTHER_SESSION, "Another invoice"))
    of_first = "session = (SELECT id FROM memtui.sessions WHERE session_id = %s)"
    with team.admin() as connection:
        row = connection.execute(f"SELECT content FROM memtui.turns WHERE {of_first}", [SESSION]).fetchone()
        assert row is not None
        content = decode(row[0])
        own = content["turns"][0][0]
        foreign = [
            (turn, 0, 0, "text", "Foreign words", None, None, False, None, None, None) for turn in (own + 1, -1, 0)
        ]
        content["blocks"] += [*foreign, (own, None, 0, "text", "No number", None, None, False, None, None, None)]
        connection.execute(f"UPDATE memtui.turns SET content = %s WHERE {of_first}", [encode(content), SESSION])
    bob = Colleague(tmp_path / "bob", team)
    keys = {hit.session_id: hit.session for hit in bob.search("invoice").hits}
    texts = {
        name: [block.text for block in bob.index.sessions.blocks(keys[name], 1, 1)[1]]
        for name in (SESSION, OTHER_SESSION)
    }
    assert texts == {
        SESSION: ["Write an invoice for March", "It is written."],
        OTHER_SESSION: ["Another invoice", "It is written."],
    }
    bob.team.close()


def test_a_session_is_read_whole_and_found_by_its_id(one_server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(one_server)
    script = _script()
    script.user("Send it")
    script.calls("Edit", {"file_path": f"{SHOP}/src/mail.py", "old_string": "a", "new_string": "b"})
    script.result("done")
    script.says("It is sent.")
    share(tmp_path / "ana", team, script)
    bob = Colleague(tmp_path / "bob", team)
    (hit,) = [hit for hit in bob.search("invoice march").hits if hit.session < 0]
    session = bob.index.sessions.get(hit.session)
    assert (session.member, session.machine, session.turns, session.title) == ("ana", "main", 2, hit.title)
    turns = bob.index.sessions.whole_turns(session.key, 1, 2)
    assert [[block.text for block in turn.blocks if block.kind in ("user", "text")] for turn in turns] == [
        ["Write an invoice for March", "It is written."],
        ["Send it", "It is sent."],
    ]
    assert [touch.path for touch in bob.index.files.of_turn(session.key, 2)] == ["src/mail.py"]
    assert bob.index.sessions.find(SESSION[:8]) == session
    assert "It is sent." in str(bob.index.handoffs.of_session(session.key))
    assert [one.session_id[:1] for one in bob.index.sessions.all()] == ["9"]
    bob.team.close()


def test_what_was_pushed_again_is_read_again(one_server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(one_server)
    script = _script()
    ana = share(tmp_path / "ana", team, script)
    bob = Colleague(tmp_path / "bob", team)
    key = bob.search("invoice march").hits[0].session
    assert len(bob.index.sessions.turns(key)) == 1
    script.user("Send the invoice of march")
    ana.write(script)
    ana.index(vectors=True)
    ana.push(ana.sharing("shop"))
    assert sorted(bob.found("invoice march")) == [("1", 1), ("1", 2)]
    assert len(bob.index.sessions.turns(key)) == 2
    bob.team.close()


def test_a_session_that_was_withdrawn_says_so(one_server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(one_server)
    ana = share(tmp_path / "ana", team, _script())
    bob = Colleague(tmp_path / "bob", team)
    key = bob.search("invoice march").hits[0].session
    ana.push(ana.sharing())
    with pytest.raises(SessionUnknown, match="no longer shared"):
        bob.index.sessions.turns(key)
    bob.team.close()


def test_two_sessions_that_begin_alike_are_named(one_server: PostgresServer, tmp_path: Path) -> None:
    team: Team = make_team(one_server)
    other = Script(f"78{SESSION[2:]}", SHOP, "z")
    other.user("Another invoice")
    share(tmp_path / "ana", team, _script(f"77{SESSION[2:]}"), other)
    bob = Colleague(tmp_path / "bob", team)
    with pytest.raises(SessionUnknown, match="Several sessions of the team"):
        bob.index.sessions.find("7")
    bob.team.close()


def test_a_server_raises_team_errors_only(one_server: PostgresServer, tmp_path: Path) -> None:
    bob = Colleague(tmp_path, make_team(one_server))
    server = TeamServer(TeamAddress("postgresql://nobody@127.0.0.1:1/none"), bob.index.data)
    with pytest.raises(TeamError):
        server.find("x")
    bob.team.close()
