"""Dialogs and lists while keys come faster than the screen, and where there is no room for a line."""

from __future__ import annotations

from pathlib import Path

from memtui.browse.screen import BrowseScreen
from memtui.screens.choice import ChoiceScreen
from memtui.screens.palette import ActionPalette
from memtui.views.files.file_list import FileList
from memtui.widgets.option_list import ChoiceList
from support.screens import app_on, settled


async def test_a_dialog_that_is_ended_twice_ends_once(sample_index: Path) -> None:
    """With the second of two clicks the screen below it would end, and the app with it."""
    app = app_on(sample_index)
    chosen: list[str | None] = []
    async with app.run_test() as pilot:
        await settled(pilot)
        app.push_screen(ChoiceScreen("Which", [("one", "One"), ("two", "Two")]), chosen.append)
        await settled(pilot)
        choices = app.screen.query_one(ChoiceList)
        choices.action_select()
        choices.action_select()
        await settled(pilot)
        assert isinstance(app.screen, BrowseScreen)
    assert chosen == ["one"]


async def test_the_palette_is_ended_once_and_moves_at_any_size(sample_index: Path) -> None:
    app = app_on(sample_index)

    async with app.run_test() as pilot:
        await settled(pilot)
        for size in ((80, 24), (1, 1), (20, 2), (3, 30), (120, 40)):
            await pilot.press("ctrl+p")
            await settled(pilot)
            assert isinstance(app.screen, ActionPalette), size
            await pilot.resize_terminal(*size)
            await pilot.press("pagedown", "pageup", "down", "up", "pagedown")
            app.simulate_key("escape")
            app.simulate_key("escape")
            await settled(pilot)
            assert isinstance(app.screen, BrowseScreen), size


async def test_a_list_without_room_is_moved_through_by_pages(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pilot.press("2")
        await settled(pilot)
        files = app.screen.query_one(FileList)
        files.highlighted = 17
        for size in ((1, 1), (100, 4)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert not files.scrollable_content_region
            files.action_page_down()
            files.action_page_up()
            assert files.highlighted == 17
        await pilot.resize_terminal(100, 30)
        await settled(pilot)
        files.action_page_down()
        assert files.highlighted > 17
