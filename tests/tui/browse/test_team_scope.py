"""The scope of the team: it is there only where a team was joined, and colleagues' sessions are read like one's own."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from memtui.browse.search.hit_list import HitList
from support.pasting import paste
from support.postgres import PostgresServer
from support.screens import app_on, notices, scope, search_note, settled, transcript
from support.team_searches import SHOP, Colleague, share
from support.teams import make_team
from support.transcripts import SESSION, Script

_WIDE = (140, 40)


async def _scopes(pilot: Pilot[None]) -> list[str]:
    """The scopes in the order of the key, until the first one comes again."""
    seen: list[str] = []
    while (name := scope(pilot.app.screen)) not in seen:
        seen.append(name)
        await pilot.press("ctrl+r")
        await settled(pilot)
    return seen


async def test_a_colleagues_session_is_found_and_read(one_server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(one_server)
    script = Script(SESSION, SHOP)
    script.user("Water the greenhouse at night")
    script.calls("Edit", {"file_path": f"{SHOP}/src/water.py", "old_string": "a", "new_string": "b"})
    script.result("done")
    script.says("The greenhouse is watered.")
    share(tmp_path / "ana", team, script)
    bob = Colleague(tmp_path / "bob", team)
    bob.team.close()
    async with app_on(tmp_path / "bob" / "data").run_test(size=_WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "water greenhouse")
        await settled(pilot)
        hits = pilot.app.screen.query_one(HitList)
        assert hits.result is not None
        assert [hit.member for hit in hits.result.hits] == [""]
        assert await _scopes(pilot) == ["all projects", "all + team", "shop", "this session", "sessions"]
        await pilot.press("ctrl+r")
        await settled(pilot)
        assert [(hit.member, hit.machine) for hit in hits.result.hits] == [("", ""), ("ana", "main")]
        assert "\n  ana (main)" in str(hits.get_option_at_index(1).prompt)
        await pilot.press("down", "down", "enter")
        await settled(pilot)
        shown = transcript(pilot)
        assert (str(shown.border_title), shown.session is not None and shown.session.key < 0) == (
            "Water the greenhouse at night · ana (main)",
            True,
        )
        await pilot.press("escape")
        await settled(pilot)
        await pilot.press("r")
        await pilot.pause()
        assert notices(pilot) == [
            "This session can only be resumed on ana's machine main. Here the session can be read."
        ]


async def test_without_a_team_there_is_no_such_scope(tmp_path: Path, one_server: PostgresServer) -> None:
    bob = Colleague(tmp_path, make_team(one_server))
    bob.team.close()
    (tmp_path / "data" / "team" / "team.json").unlink()
    async with app_on(tmp_path / "data").run_test(size=_WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "plants")
        assert await _scopes(pilot) == ["all projects", "shop", "this session", "sessions"]


async def test_a_server_that_is_gone_leaves_the_local_hits_and_a_note(
    tmp_path: Path, one_server: PostgresServer
) -> None:
    bob = Colleague(tmp_path, make_team(one_server))
    bob.team.close()
    one_server.stop()
    try:
        async with app_on(tmp_path / "data").run_test(size=_WIDE) as pilot:
            await settled(pilot)
            await pilot.press("slash")
            await pilot.press("ctrl+r")
            await paste(pilot, "plants")
            await settled(pilot)
            assert scope(pilot.app.screen) == "all + team"
            hits = pilot.app.screen.query_one(HitList)
            assert hits.result is not None
            assert (len(hits.result.hits), search_note(pilot.app.screen)) == (1, "team: not reachable")
    finally:
        one_server.start()
