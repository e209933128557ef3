"""What is shared is on the server after a push, row by row, and nothing else."""

from __future__ import annotations

from pathlib import Path

from memtui_team.admin.devices import DEVICE
from support.postgres import PostgresServer
from support.shop_and_blog import BLOG_SESSION, shop_and_blog
from support.team_machines import Machine, received
from support.teams import Team, make_team


def machine(folder: Path, team: Team, member: str = "ana", device: str = DEVICE) -> Machine:
    return Machine(folder, team.url(member, device))


def test_a_push_sends_everything_of_what_is_shared(any_server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(any_server)
    ana = machine(tmp_path, team)
    shop_and_blog(ana.transcripts)
    ana.index(vectors=True)
    result = ana.push(ana.sharing("shop"))
    assert result is not None
    assert (result.sessions, result.turns, result.removed, result.refused) == (2, 4, 0, [])
    expected = ana.rows()
    del expected[BLOG_SESSION, ""]
    assert received(team) == expected
    assert any(vectors for rows in expected.values() for vectors in rows.vectors.values())
    assert ana.push(ana.sharing("shop")) is None
