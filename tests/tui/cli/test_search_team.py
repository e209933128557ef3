"""Commands and the server for agents with what colleagues share."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from memtui.agents.mcp.backend import Backend
from memtui.agents.mcp.tools.search import SEARCH
from memtui.agents.mcp.tools.show import SHOW
from memtui.cli import cli
from support.postgres import PostgresServer
from support.team_searches import SHOP, Colleague, share
from support.teams import make_team
from support.transcripts import SESSION, Script


def _joined(server: PostgresServer, folder: Path) -> Path:
    """The data folder of bob, whose colleague ana shares a session."""
    team = make_team(server)
    script = Script(SESSION, SHOP)
    script.user("Water the greenhouse at night")
    script.says("The greenhouse is watered.")
    share(folder / "ana", team, script)
    Colleague(folder / "bob", team).team.close()
    return folder / "bob" / "data"


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, arguments)
    return result.exit_code, result.output


def test_search_and_show_with_a_team(one_server: PostgresServer, tmp_path: Path) -> None:
    data = str(_joined(one_server, tmp_path))
    code, output = _run("search", "--team", "water greenhouse", "--data-dir", data)
    assert code == 0
    assert f"{SESSION}:1  Water the greenhouse at night · shop · ana (main) · 2026-11-01" in output
    _, output = _run("search", "--team", "greenhouse", "--json", "--data-dir", data)
    shared = [hit for hit in json.loads(output) if hit["member"]]
    assert [(hit["session_id"], hit["member"], hit["machine"]) for hit in shared] == [(SESSION, "ana", "main")]
    _, output = _run("search", "greenhouse", "--data-dir", data)
    assert SESSION not in output
    code, output = _run("show", SESSION[:8], "--data-dir", data)
    assert (code, "The greenhouse is watered." in output, "ana (main)" in output) == (0, True, True)
    assert _run("export", SESSION, "--output", "-", "--data-dir", data)[0] == 0
    assert _run("show", "77777777", "--data-dir", data)[0] == 1


def test_without_a_team_the_option_says_how_to_join(one_server: PostgresServer, tmp_path: Path) -> None:
    data = _joined(one_server, tmp_path)
    (data / "team" / "team.json").unlink()
    assert _run("search", "--team", "greenhouse", "--data-dir", str(data)) == (
        1,
        "memtui: No team was joined. Join one first: memtui team join URL\n",
    )


def test_an_agent_searches_the_team_and_reads_what_it_found(one_server: PostgresServer, tmp_path: Path) -> None:
    state = Backend(_joined(one_server, tmp_path)).state()
    found = SEARCH.answer(state, {"query": "greenhouse", "scope": "team"}).text
    assert f"## Turn: {SESSION}:1" in found
    assert "· ana · main*" in found
    assert "The greenhouse is watered." in SHOW.answer(state, {"turns": f"{SESSION}:1"}).text
    assert SESSION not in SEARCH.answer(state, {"query": "greenhouse"}).text
    assert state.index is not None
    state.index.close()
