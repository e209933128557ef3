"""Dialogs and lists while keys come faster than the screen, and where there is no room for a line."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.geometry import Spacing
from textual.pilot import Pilot
from textual.theme import BUILTIN_THEMES

from memtui.app import MemtuiApp
from memtui.browse.screen import BrowseScreen
from memtui.screens.choice import ChoiceScreen
from memtui.screens.dialog import DialogBox
from memtui.screens.filtered import FilteredScreen, FoundList
from memtui.screens.palette import matched
from memtui.settings.app_state import AppState
from memtui.settings.config import Config
from memtui.views.files.file_list import FileList
from memtui.widgets.option_list import ChoiceList
from support.screens import app_on, notices, settled, until


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
            assert isinstance(app.screen, FilteredScreen), size
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


# -- the frame -----------------------------------------------------------------------------------------------------

OPENED = {
    "palette": "ctrl+p",
    "themes": "ctrl+p t h e m e enter",
    "help": "question_mark",
    "export": "j enter e",
    "resume": "j enter r",
    "title": "j c",
    "note": "j a",
    "forget": "j delete",
    "observation": "6 j a",
}
"""Keys that open each dialog in a frame."""


@pytest.mark.parametrize("size", [(80, 24), (140, 40), (200, 60)])
async def test_all_dialogs_have_one_frame_within_the_terminal(size: tuple[int, int], sample_index: Path) -> None:
    """Title at the top, keys at the bottom, none of them cut, and nothing beside the screen."""
    frames: dict[str, object] = {}
    for name, keys in OPENED.items():
        async with app_on(sample_index).run_test(size=size) as pilot:
            await settled(pilot)
            await pilot.press(*keys.split())
            await settled(pilot)
            box = pilot.app.screen.query_one(DialogBox)
            region = box.region
            strips = pilot.app.screen._compositor.render_strips()
            top, bottom = (strips[y].crop(region.x, region.right).text for y in (region.y, region.bottom - 1))
            assert (region.x >= 2, region.y >= 1) == (True, True), name
            assert (region.right <= size[0] - 2, region.bottom <= size[1] - 1) == (True, True), name
            assert top.startswith(f"╭─ {box.title} ─"), name
            assert bottom.endswith(f"─ {box.hints.plain} ─╯"), name
            frames[name] = (box.styles.border_top[0], box.styles.padding, pilot.app.screen.styles.background.a)
    assert frames == dict.fromkeys(OPENED, ("round", Spacing(0, 1, 0, 1), 0))


async def test_a_title_that_is_too_long_is_cut_and_the_dialog_stays_within_the_terminal(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.push_screen(ChoiceScreen("which of them " * 20, [("one", "One")]))
        for width in (80, 50):
            await pilot.resize_terminal(width, 24)
            await settled(pilot)
            box = app.screen.query_one(DialogBox).region
            top = app.screen._compositor.render_strips()[box.y].crop(box.x, box.right).text
            assert ((box.x, box.right), top[-4:]) == ((2, width - 2), "… ─╮")


async def test_the_keys_of_a_dialog_are_those_of_the_keymap(sample_index: Path) -> None:
    config = Config(theme="textual-dark", keymap={"choice.close": "f9"})
    app = MemtuiApp(sample_index, config=config, run_indexer=False)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("j", "enter", "e")
        await settled(pilot)
        assert app.screen.query_one(DialogBox).hints.plain == "enter choose · f9 close"


def test_the_words_of_a_query_stand_out_where_they_begin_a_word_or_else_anywhere() -> None:
    def marks(text: str, query: str) -> list[str]:
        return [text[span.start : span.end] for span in matched(text, query).spans]

    assert marks("Export the expert", "exp") == ["Exp", "exp"]
    assert marks("Copy the code", "od cop") == ["od", "Cop"]
    assert marks("Read", "write") == []


async def test_a_row_of_the_palette_says_by_which_other_word_it_was_found(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"grep")
        await settled(pilot)
        rows = [" ".join(str(row.prompt).split()) for row in app.screen.query_one(FoundList).options]
        assert rows == ["Search grep · Search, or in files and compactions filter the list /"]
        width = app.screen.query_one(FoundList).content_size.width
        assert str(app.screen.query_one(FoundList).get_option_at_index(0).prompt).endswith("  /")
        assert cell_len(str(app.screen.query_one(FoundList).get_option_at_index(0).prompt)) == width - 2


# -- themes --------------------------------------------------------------------------------------------------------


def _wears(app: MemtuiApp, theme: str) -> bool:
    return app.theme == theme


async def choose_theme(pilot: Pilot[None]) -> FoundList:
    """Open the choice of a theme; its rows."""
    await pilot.press("ctrl+p", *"theme", "enter")
    await settled(pilot)
    assert isinstance(pilot.app.screen, FilteredScreen)
    return pilot.app.screen.query_one(FoundList)


async def test_themes_are_shown_under_the_cursor_and_escape_shows_the_one_of_before(work: Path) -> None:
    app = app_on(work)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        rows = await choose_theme(pilot)
        names = [str(row.prompt).split()[0] for row in rows.options]
        assert (sorted(names), names[rows.highlighted or 0]) == (sorted(BUILTIN_THEMES), "textual-dark")
        assert [str(row.prompt).split()[1:] for row in rows.options if "now" in str(row.prompt)] == [
            ["now", "·", "dark"]
        ]
        steps = {"up": "solarized-dark", "ctrl+home": "atom-one-dark", "ctrl+end": "ansi-light", "n o": "nord"}
        for keys, theme in steps.items():
            await pilot.press(*keys.split())
            await until(pilot, partial(_wears, app, theme))
        await pilot.press("escape")
        await settled(pilot)
        assert (app.theme, AppState(work).theme) == ("textual-dark", None)


async def test_enter_keeps_the_theme_and_says_what_the_settings_want(work: Path) -> None:
    app = app_on(work)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await choose_theme(pilot)
        # Before the theme has been shown.
        await pilot.press("down", "enter")
        await settled(pilot)
        assert (app.theme, AppState(work).theme) == ("tokyo-night", "tokyo-night")
        assert notices(pilot) == ["The next start shows textual-dark again, as the settings say."]


async def test_only_the_theme_on_which_the_cursor_stays_is_shown(work: Path) -> None:
    """Each change gives all widgets their styles anew: not for those that are passed on the way."""
    app = app_on(work)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await choose_theme(pilot)
        shown: list[str] = []
        app.theme_changed_signal.subscribe(app, lambda theme: shown.append(theme.name))
        for _ in range(4):
            app.simulate_key("up")
        await until(pilot, partial(_wears, app, "nord"))
    assert shown == ["nord"]


@pytest.fixture
def work(sample_index: Path, tmp_path: Path) -> Path:
    """An index of the sample sessions to write to."""
    return shutil.copytree(sample_index, tmp_path / "data", ignore=shutil.ignore_patterns("state.json"))
