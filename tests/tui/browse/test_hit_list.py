"""The list of hits on the screen: blocks with a gap and the bar of the cursor, or one line of each."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from memtui.browse.search.hit_list import HitList
from memtui_core.model import Variety
from support.screens import app_on, browse, hold, settled, transcript, type_text

SIZES = [(80, 24), (140, 40)]


@pytest.fixture
def data(sample_index: Path, tmp_path: Path) -> Path:
    """An index in which a test may leave its state."""
    return shutil.copytree(sample_index, tmp_path / "data", ignore=shutil.ignore_patterns("state.json"))


def hits(pilot: Pilot[None]) -> HitList:
    """The list of hits."""
    return pilot.app.screen.query_one(HitList)


def drawn(pilot: Pilot[None]) -> list[str]:
    """The lines of the list."""
    rows = hits(pilot)
    return [rows.render_line(y).text.rstrip() for y in range(rows.size.height)]


def heights(pilot: Pilot[None]) -> list[int]:
    """The lines of each hit, without the gap."""
    return [str(option.prompt).rstrip("\n").count("\n") + 1 for option in hits(pilot).options]


async def search(pilot: Pilot[None], query: str) -> None:
    """Type a query."""
    await settled(pilot)
    await pilot.press("slash")
    await type_text(pilot, query)


@pytest.mark.parametrize("size", SIZES)
async def test_a_gap_is_below_each_hit_and_a_bar_beside_the_one_with_the_cursor(
    data: Path, size: tuple[int, int]
) -> None:
    async with app_on(data).run_test(size=size) as pilot:
        await search(pilot, "retry")
        await pilot.press("down", "j")
        await settled(pilot)
        first, second = heights(pilot)[:2]
        lines = drawn(pilot)
        gaps = [index for index, line in enumerate(lines[: first + second + 2]) if not line]
        assert gaps == [first, first + second + 1]
        bars = [index for index, line in enumerate(lines) if line.startswith("┃ ")]
        assert bars == list(range(first + 2, first + 1 + second))
        painted = hits(pilot).get_visual_style("option-list--option", "option-list--option-highlighted").rich_style
        backgrounds = [
            {segment.style.bgcolor for segment in hits(pilot).render_line(y) if segment.style is not None}
            for y in range(first + second + 2)
        ]
        assert [y for y, colours in enumerate(backgrounds) if painted.bgcolor in colours] == [first + 1]


@pytest.mark.parametrize("size", SIZES)
async def test_a_key_shows_one_line_of_each_hit_at_once_and_keeps_that(data: Path, size: tuple[int, int]) -> None:
    async with app_on(data).run_test(size=size) as pilot:
        await search(pilot, "retry")
        await pilot.press("down", "j", "j")
        await settled(pilot)
        before = hits(pilot).chosen, hits(pilot).result, drawn(pilot)
        held = await hold(pilot, "search")
        await pilot.press("D")
        await pilot.pause()
        count = hits(pilot).option_count
        assert heights(pilot) == [1] * count
        assert [len(line) <= hits(pilot).size.width for line in drawn(pilot)[:count]] == [True] * count
        assert (hits(pilot).chosen, hits(pilot).result) == before[:2]
        held.set()
        await pilot.press("D")
        await settled(pilot)
        assert (hits(pilot).chosen, hits(pilot).result, drawn(pilot)) == before
        await pilot.press("D")
    async with app_on(data).run_test(size=size) as pilot:
        await search(pilot, "retry")
        assert set(heights(pilot)) == {1}
        # While a query is typed, the key is reached with alt.
        await pilot.press("alt+shift+d")
        await settled(pilot)
        assert set(heights(pilot)) != {1}
        assert browse(pilot).focused is pilot.app.screen.query_one("#search")


def cursor_line(pilot: Pilot[None]) -> int:
    """The line of the screen on which the hit with the cursor begins."""
    rows = hits(pilot)
    assert rows.highlighted is not None
    return rows._index_to_line[rows.highlighted] - round(rows.scroll_y)


@pytest.mark.parametrize("short", [False, True])
async def test_the_hit_under_the_cursor_stays_on_its_line_while_hits_are_added(data: Path, short: bool) -> None:
    async with app_on(data).run_test(size=(140, 24)) as pilot:
        await search(pilot, "the")
        await pilot.press("down", *["D"] * short)
        await settled(pilot)
        rows = hits(pilot)
        result = rows.result
        assert result is not None
        result = replace(result, query=f"{result.query} ", more=False)
        # The hits by words, then those by meaning among and above them, in another order, and again without these.
        few = replace(result, hits=result.hits[6:])
        rows.show(few)
        await settled(pilot)
        await pilot.press("j", "j")
        await settled(pilot)
        before = rows.chosen, cursor_line(pilot)
        above = [str(option.prompt) for option in rows.options[:2]]
        assert before[1] > 0
        for newer in (result, replace(result, hits=result.hits[::-1]), few):
            rows.show(newer)
            await settled(pilot)
            assert rows.result is not None
            assert sorted(rows.result.hits, key=hash) == sorted(newer.hits, key=hash)
            assert (rows.chosen, cursor_line(pilot)) == before
            assert [str(option.prompt) for option in rows.options[:2]] == above
        # What came later is below, the best of it first.
        rows.show(result)
        await settled(pilot)
        assert rows.result is not None
        kept = set(list(dict.fromkeys(hit.group for hit in few.hits))[:3])
        below = [[hit for hit in one.hits if hit.group not in kept] for one in (rows.result, result)]
        assert below[0] == below[1]


async def test_a_chosen_hit_stays_that_is_not_among_the_best_of_a_newer_result(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await search(pilot, "retry")
        await pilot.press("down", "j", "j")
        await settled(pilot)
        rows = hits(pilot)
        result, chosen = rows.result, rows.chosen
        assert result is not None
        [kept] = [hit for hit in result.hits if (hit.session, hit.turn) == chosen]
        others = tuple(hit for hit in result.hits if hit.session != kept.session)
        better = replace(result, hits=others, more=True)
        rows.show(better)
        await settled(pilot)
        before = result.hits.index(kept)
        assert (rows.chosen, rows.result) == (chosen, replace(better, hits=(*others[:before], kept, *others[before:])))
        # All that is found: the hit is none any more.
        rows.show(replace(better, more=False))
        await settled(pilot)
        assert (rows.highlighted, rows.result) == (0, replace(better, more=False))


async def test_a_chosen_hit_that_a_newer_index_does_not_have_goes(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await search(pilot, "retry")
        await pilot.press("down", "j", "j")
        await settled(pilot)
        rows = hits(pilot)
        assert rows.result is not None
        newer = replace(rows.result, hits=rows.result.hits[:2], more=True)
        rows.let_go()
        rows.show(newer)
        await settled(pilot)
        assert (rows.highlighted, rows.result) == (0, newer)


async def test_projects_have_a_column_whatever_the_hits_are(data: Path) -> None:
    async with app_on(data).run_test(size=(200, 60)) as pilot:
        await search(pilot, "retry")
        await pilot.press("alt+shift+d")
        await settled(pilot)
        rows = hits(pilot)
        result = rows.result
        assert result is not None
        [line] = [line for line, hit in zip(drawn(pilot), result.hits, strict=False) if hit is result.hits[0]]
        assert rows.varies == Variety(projects=True)
        assert f"  {result.hits[0].project}  " in line
        # One hit has the same columns as many, and in the scope of a project it need not be named.
        rows.show(replace(result, hits=result.hits[:1]))
        await settled(pilot)
        assert drawn(pilot)[0] == line
        await pilot.press("ctrl+r")
        await settled(pilot)
        assert rows.varies == Variety(projects=False)
        assert result.hits[0].project not in drawn(pilot)[0]


async def test_a_click_on_any_line_of_a_hit_chooses_it(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await search(pilot, "retry")
        first, second = heights(pilot)[:2]
        for line, chosen in ((first + 2, 1), (0, 0), (first + second, 1), (1, 0), (1, 0)):
            await pilot.click(HitList, offset=(3, line + 1))
            await settled(pilot)
            assert hits(pilot).highlighted == chosen
        assert isinstance(browse(pilot).focused, OptionList)
        assert transcript(pilot).session is not None
