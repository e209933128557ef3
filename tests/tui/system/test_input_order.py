"""Keys that arrive together do what they do one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.screens.choice import ChoiceScreen
from support.screens import app_on, browse, settled, transcript, tree, type_text, until

_TURNS = 200
"""Turns of the event loop in which a later key could overtake an earlier one."""


def post(pilot: Pilot[None], keys: Iterable[str]) -> None:
    """Type keys, all before the app takes the first."""
    for key in keys:
        is_character = len(key) == 1
        pilot.app.post_message(
            events.Key(_character_to_key(key) if is_character else key, key if is_character else None)
        )


async def turns() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)


async def test_letters_after_a_slash_wait_for_the_search_line(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        line, gate = tree(pilot).cursor_line, asyncio.Event()
        tree(pilot).call_later(gate.wait)
        # Of the list `j` and `e` are keys.
        post(pilot, "/eject")
        await turns()
        assert browse(pilot)._search_line.bar.value == ""
        gate.set()
        await until(pilot, lambda: browse(pilot)._search_line.bar.value)
        await settled(pilot)
        assert (browse(pilot)._search_line.bar.value, tree(pilot).cursor_line) == ("eject", line)


async def test_letters_of_a_query_do_not_wait_for_anything_else(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(140, 40)) as pilot:
        await type_text(pilot, "/")
        gate = asyncio.Event()
        app.screen.call_later(gate.wait)
        post(pilot, "eject")
        await turns()
        assert browse(pilot)._search_line.bar.value == "eject"
        gate.set()


async def test_a_paste_waits_for_the_search_line(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        post(pilot, "/")
        app.post_message(events.Paste("docker"))
        post(pilot, " x")
        await until(pilot, lambda: browse(pilot)._search_line.bar.value == "docker x")


async def test_a_screen_that_is_left_before_it_was_drawn_keeps_no_key(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        below, above = (ChoiceScreen(title, [(1, "one")]) for title in ("below", "above"))
        for screen in (below, above):
            app.push_screen(screen)
            await settled(pilot)
        gate = asyncio.Event()
        below.call_later(gate.wait)
        post(pilot, ["escape"])
        await turns()
        assert app.screen is below
        app.pop_screen()
        gate.set()
        await settled(pilot)
        post(pilot, "/eject")
        await settled(pilot)
        assert browse(pilot)._search_line.bar.value == "eject"


@pytest.mark.parametrize("key", ["ctrl+p", "question_mark"])
async def test_letters_wait_for_a_screen_that_opens(sample_index: Path, key: str) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        post(pilot, [key, *"export"])
        await settled(pilot)
        assert app.screen.query_one(Input).value == "export"


async def test_a_key_after_a_screen_that_closes_is_for_the_list(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        line = tree(pilot).cursor_line
        post(pilot, ["ctrl+p", "escape", "j", "j", "k"])
        await settled(pilot)
        assert (app.screen, tree(pilot).cursor_line) == (browse(pilot), line + 1)


async def test_a_key_after_a_choice_is_for_what_was_chosen(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("j")
        await settled(pilot)
        session, line = tree(pilot).session, tree(pilot).cursor_line
        assert session is not None
        post(pilot, ["enter", "j", "j"])
        await settled(pilot)
        assert transcript(pilot).has_focus
        assert (tree(pilot).session, tree(pilot).cursor_line) == (session, line)


async def test_keys_go_on_when_the_widget_that_they_wait_for_is_removed(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        line, gate = tree(pilot).cursor_line, asyncio.Event()
        field = Input()
        await app.screen.mount(field)
        field.focus()
        await until(pilot, lambda: field.has_focus)
        field.call_later(gate.wait)
        post(pilot, ["f5", "f5", *"jj"])
        await turns()
        removal = field.remove()
        tree(pilot).focus()
        await turns()
        gate.set()
        await removal
        await until(pilot, lambda: tree(pilot).cursor_line == line + 2)
