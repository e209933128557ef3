"""The state of the server, as a device sees it."""

from __future__ import annotations

from datetime import UTC, datetime

from memtui_team.admin.status import team_status
from support.postgres import PostgresServer
from support.teams import make_team, push_session


def test_the_state_of_a_member(server: PostgresServer) -> None:
    team = make_team(server, {"ana": ("backend",), "bob": ("backend",), "eve": ("secret",)})
    team.add("ana", "desk")
    with team.connected("ana") as ana, team.connected("bob") as bob, team.connected("eve") as eve:
        push_session(ana, "shop", ["backend"], "1")
        push_session(bob, "site", ["backend"], "2")
        push_session(eve, "vault", ["secret"], "3")
    at = datetime(2026, 11, 5, tzinfo=UTC)
    with team.admin() as admin:
        admin.execute("UPDATE memtui.sessions SET pushed_at = %s", [at])
    with team.connected("ana", "desk") as desk:
        state = team_status(desk)
        version = desk.info.server_version
    is_ranked = server.kind == "bm25"
    assert state._replace(vector="", textsearch="", size=0)._asdict() == {
        "server": f"{version // 10_000}.{version % 10_000}",
        "vector": "",
        "textsearch": "",
        "is_private": True,
        "ranking": "bm25" if is_ranked else "ts_rank_cd",
        "advice": ""
        if is_ranked
        else "For BM25 the administrator does this: install pg_textsearch on the server; add pg_textsearch to"
        " shared_preload_libraries and restart the server, unless it is there; run memtui team init URL again,"
        " as a superuser.",
        "schema": 1,
        "size": 0,
        "member": "ana",
        "device": "desk",
        "is_lead": False,
        "groups": ("backend",),
        "projects": ("shop", "site"),
        "sessions": 1,
        "turns": 1,
        "pushed_at": at,
    }
    assert (bool(state.vector), bool(state.textsearch), state.size > 1_000_000) == (True, is_ranked, True)


def test_a_lead_has_no_projects(one_server: PostgresServer) -> None:
    team = make_team(one_server, {"ana": ("backend",)})
    team.add("ana", "chart", is_lead=True)
    with team.connected("ana") as ana:
        push_session(ana, "shop", ["backend"], "1")
    with team.connected("ana", "chart") as chart:
        state = team_status(chart)
    assert (state.member, state.is_lead, state.groups, state.projects, state.sessions) == ("ana", True, (), (), 0)
