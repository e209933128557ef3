"""What is on the terminal while the main screen is imported: the same list, and no key is lost."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.screen import Screen
from textual.widget import Widget

from memtui.app import MemtuiApp
from memtui.settings.app_state import AppState
from memtui.settings.config import Config
from memtui.startup.kept_list import KeptList
from memtui.startup.start_screen import StartScreen
from support.kept import HeldPreload, kept, main_screen
from support.screens import browse, settled, transcript, tree, until
from support.terminal import Terminal

SIZES = ((60, 20), (80, 24), (120, 40), (140, 12), (200, 60))
THEMES = ("textual-dark", "textual-light", "nord", "ansi-dark")
Cell = tuple[str, str]
"""A character with its style; of a blank the style does not matter."""


def app_with(data: Path, preload: HeldPreload, first: KeptList, theme: str = "textual-dark") -> MemtuiApp:
    return MemtuiApp(data, config=Config(theme=theme), run_indexer=False, preload=preload, first_list=first)


def cells(screen: Screen[Any]) -> list[list[Cell]]:
    """What is drawn on a screen."""
    drawn = []
    for strip in screen._compositor.render_strips():
        row: list[Cell] = []
        for text, style, _ in strip:
            shown = str(style.clear_meta_and_links()) if style is not None else ""
            row += [(letter, "" if letter == " " else shown) for letter in text]
        drawn.append(row)
    return drawn


async def check_picture(app: MemtuiApp, preload: HeldPreload, size: tuple[int, int]) -> None:
    """The start screen shows the tabs, the search line and the list of the main screen, cell by cell."""
    async with app.run_test(size=size) as pilot:
        main = await main_screen(pilot)
        assert main.services.index.snapshot is None
        first, later = cells(app.screen_stack[0]), cells(main)
        preload.may_open.set()
        assert isinstance(app.screen_stack[0], StartScreen)
        left = main.list_pane.size.width
        assert left == size[0] if size[0] < 100 else left < size[0] // 2
        # The tabs and the search line; then the list without its scroll bar, and the line beside it.
        assert first[:2] == later[:2]
        for row, other in zip(first[2:-1], later[2:-1], strict=True):
            assert row[: left - 1] == other[: left - 1]
            assert row[left : left + 1] == other[left : left + 1]
        assert "●" in {letter for letter, _ in (cell for row in first for cell in row)}


@pytest.mark.parametrize("size", SIZES)
async def test_the_list_is_drawn_as_the_main_screen_draws_it(size: tuple[int, int], data: Path) -> None:
    first, preload = kept(data), HeldPreload(data)
    await check_picture(app_with(data, preload, first), preload, size)


@pytest.mark.parametrize("theme", THEMES[1:])
async def test_it_has_the_colours_of_the_theme(theme: str, data: Path) -> None:
    first, preload = kept(data), HeldPreload(data)
    await check_picture(app_with(data, preload, first, theme), preload, (140, 40))


async def test_it_has_the_width_that_the_user_has_chosen_and_the_labels_of_agents(data: Path) -> None:
    first, preload = replace(kept(data), shows_agents=True), HeldPreload(data)
    AppState(data).keep_pane_sizes("sessions-wide", {"left": 0.25})
    await check_picture(app_with(data, preload, first), preload, (140, 40))


async def test_more_rows_than_fit_are_cut_for_the_scroll_bar(data: Path) -> None:
    first, preload = kept(data), HeldPreload(data)
    many = tuple(replace(first.projects[0], root=f"/many/{number}") for number in range(60))
    await check_picture(app_with(data, preload, replace(first, projects=many)), preload, (120, 24))


async def test_keys_before_the_main_screen_are_done_by_it(data: Path) -> None:
    first, preload = kept(data), HeldPreload(data)
    app = app_with(data, preload, first)
    async with app.run_test(size=(140, 40)) as pilot:
        # Nothing is imported yet when the list is drawn.
        assert isinstance(app.screen, StartScreen)
        for key in ("j", "j", "j", "k"):
            app.post_message(events.Key(key, key))
        app.post_message(events.Key("slash", "/"))
        app.post_message(events.Paste("zebra"))
        assert isinstance(app.screen, StartScreen)
        await main_screen(pilot)
        await until(pilot, lambda: browse(pilot)._search_line.bar.value)
        assert browse(pilot)._search_line.bar.value == "zebra"
        assert tree(pilot).cursor_line == 1
        preload.may_open.set()
        await settled(pilot)
        assert tree(pilot).session == first.sessions[0]


async def test_a_key_waits_until_the_list_has_handled_the_one_before(data: Path) -> None:
    first, preload = kept(data), HeldPreload(data)
    gate = asyncio.Event()

    class Busy(MemtuiApp):
        def _list_focused(self, focused: Widget | None) -> None:
            if focused is not None and not gate.is_set():
                focused.call_later(gate.wait)
            super()._list_focused(focused)

    app = Busy(data, config=Config(), run_indexer=False, preload=preload, first_list=first)
    async with app.run_test(size=(140, 40)) as pilot:
        app.post_message(events.Key("slash", "/"))
        for letter in "docker":
            app.post_message(events.Key(letter, letter))
        main = await main_screen(pilot)
        await until(pilot, lambda: main.focused is not None)
        for _ in range(200):  # turns of the event loop, in which no letter may overtake the key before it
            await asyncio.sleep(0)
        gate.set()
        await until(pilot, lambda: browse(pilot)._search_line.bar.value == "docker")
        preload.may_open.set()


async def test_a_list_grouped_by_agent_has_no_start_screen(data: Path) -> None:
    first, preload = kept(data), HeldPreload(data)
    AppState(data).group_by("agent")
    preload.may_open.set()
    app = app_with(data, preload, first)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        assert not isinstance(app.screen_stack[0], StartScreen)
        assert transcript(pilot).session is not None


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
def test_keys_that_are_typed_before_anything_is_drawn_are_done(data: Path, tmp_path: Path) -> None:
    """It starts memtui and its indexer, each in a process of its own."""
    kept(data)
    (tmp_path / "none").mkdir()
    arguments = [sys.executable, "-m", "memtui", "--data-dir", str(data), "--source", str(tmp_path / "none")]
    app = Terminal(arguments, os.environ | {"TERM": "xterm-256color"}, (140, 40))
    try:
        os.write(app._fd, b"4")
        app.until_shown("pull requests")
        app.type("\x11")
        assert app.end()[0] == 0
    finally:
        app.close()
