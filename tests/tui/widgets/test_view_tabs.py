"""The line of the views says as much as fits, in terminals of any width."""

from __future__ import annotations

from pathlib import Path

from memtui.widgets.view_tabs import ViewTabs
from support.screens import app_on, settled

LINES = {
    140: "memtui  1 Sessions  2 Files  3 Compactions  4 Pull requests  5 Stats  6 Timeline",
    82: "memtui  1 Sessions  2 Files  3 Compactions  4 Pull requests  5 Stats  6 Timeline",
    81: "1 Sessions  2 Files  3 Compactions  4 Pull requests  5 Stats  6 Timeline",
    73: "1 Sessions  2 Files  3 Compactions  4 PRs  5 Stats  6 Timeline",
    60: "1 Sessions  2 Files  3 Compact  4 PRs  5 Stats  6 Timeline",
    59: "1 Sess  2 Files  3 Compact  4 PRs  5 Stats  6 Timeline",
    55: "1 Sess  2 Files  3 Compact  4 PRs  5 Stats  6 Time",
    50: "1 Sess  2 Files  3  4 PRs  5 Stats  6 Time",
    43: "1 Sess  2  3  4 PRs  5 Stats  6 Time",
    30: "1 Sess  2  3  4 PRs  5  6",
    24: "1 Sess  2  3  4  5  6",
    12: "1 Sess  2  3  4  5  6",
}
"""By the width of the terminal."""


async def test_views_keep_their_names_as_long_as_a_short_one_fits(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 24)) as pilot:
        await settled(pilot)
        tabs = pilot.app.screen.query_one(ViewTabs)
        lines = {}
        for width in LINES:
            await pilot.resize_terminal(width, 24)
            await settled(pilot)
            lines[width] = tabs.render().plain
        assert lines == LINES


async def test_the_chosen_view_keeps_a_name_and_a_click_on_a_key_shows_its_view(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(26, 24)) as pilot:
        await settled(pilot)
        tabs = pilot.app.screen.query_one(ViewTabs)
        await pilot.press("3")
        assert tabs.render().plain == "1  2  3 Compact  4  5  6"
        await pilot.click(ViewTabs, offset=(1 + len("1  2  3 Compact  4  "), 0))
        await settled(pilot)
        assert tabs.render().plain == "1  2  3  4  5 Stats  6"
