"""The list of hits on the screen: blocks with a gap and the bar of the cursor, or one line of each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from memtui.browse.search.hit_list import HitList
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
