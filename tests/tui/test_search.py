"""The search bar and the hits, over the sample sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from textual.pilot import Pilot

from memtui.browse.hit_list import HitList
from memtui.cli import cli
from memtui.services.live_search import FIRST_HITS
from memtui.widgets.search_bar import SearchBar
from support.screens import app_on, scope, search_facts, settled, transcript, type_text

WIDE = (140, 40)


def bar(pilot: Pilot[None]) -> SearchBar:
    """The search bar."""
    return pilot.app.screen.query_one(SearchBar)


def listed(pilot: Pilot[None]) -> list[str]:
    """The first line of every row of the hit list."""
    hits = pilot.app.screen.query_one(HitList)
    return [str(hits.get_option_at_index(place).prompt).split("\n")[0] for place in range(hits.option_count)]


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("retry pro", "retry project:"),
        ("tool:b", "tool:Bash"),
        ("-is:c", "-is:compaction"),
        ("project:inf", "project:infra"),
    ],
)
async def test_tab_completes_a_filter(sample_index: Path, typed: str, completed: str) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, typed)
        await pilot.press("tab")
        await settled(pilot)
        assert bar(pilot).value == completed
        assert pilot.app.focused is bar(pilot)


async def test_tab_goes_on_where_there_is_nothing_to_complete(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "retry")
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, HitList)


async def test_a_filter_that_is_none_is_said_in_the_bar(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "projct:shop")
        assert "projct: is not a filter, searched as text" in search_facts(pilot.app.screen)


async def test_each_session_is_listed_once_and_opens_to_its_other_hits(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "flaky uploads")
        folded = listed(pilot)
        title, more, *_ = folded[0].split("  ")
        assert title == "Fix flaky uploads"
        others = int(more.removeprefix("+").removesuffix(" more"))
        await pilot.press("down", "space")
        await settled(pilot)
        assert all(line.startswith("  └ turn ") for line in listed(pilot)[1 : 1 + others])
        assert listed(pilot)[1 + others :] == folded[1:]
        await pilot.press("down")
        await settled(pilot)
        chosen = pilot.app.screen.query_one(HitList).chosen
        shown = transcript(pilot).session
        assert shown is not None
        assert (shown.key, transcript(pilot).number) == chosen
        await pilot.press("h")
        await settled(pilot)
        assert listed(pilot) == folded
        assert pilot.app.screen.query_one(HitList).highlighted == 0


async def test_the_command_line_gives_the_same_hits_in_the_same_order(sample_index: Path) -> None:
    shown = {}
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        for query in ("retry upload", "why were customers' pictures lost", "upload.py", "has:error", "ret"):
            bar(pilot).value = query
            await settled(pilot)
            shown[query] = pilot.app.screen.query_one(HitList).result
    for query, result in shown.items():
        assert result is not None
        outcome = CliRunner().invoke(
            cli, ["search", "--json", "--limit", str(FIRST_HITS), "--data-dir", str(sample_index), *query.split()]
        )
        assert [(hit["session_id"], hit["turn"]) for hit in json.loads(outcome.stdout)] == [
            (hit.session_id, hit.turn) for hit in result.hits
        ]
        assert result.hits


async def test_ctrl_r_narrows_the_search_to_the_project_and_to_the_session(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "timeout")
        hits = pilot.app.screen.query_one(HitList)
        found = {}
        for name in ("all projects", "shop-api", "this session"):
            assert scope(pilot.app.screen) == name
            assert hits.result is not None
            found[name] = {(hit.project, hit.session) for hit in hits.result.hits}
            await pilot.press("ctrl+r")
            await settled(pilot)
        assert len({project for project, _ in found["all projects"]}) > 1
        assert {project for project, _ in found["shop-api"]} == {"shop-api"}
        assert len(found["this session"]) == 1
        assert scope(pilot.app.screen) == "sessions"
        assert not hits.is_on_screen
        await pilot.press("ctrl+r")
        assert scope(pilot.app.screen) == "all projects"
