"""`F`: where the errors of a turn came up before, and what mended them."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from memtui.browse.screen import BrowseScreen
from memtui.screens.help.screen import HelpScreen
from memtui.screens.origin.known_errors import KnownErrorsScreen
from support.indexes import update
from support.mended_errors import MISSING, Work, mended
from support.screens import app_on, notices, settled, transcript
from support.transcripts import OTHER_SESSION

SIZES = [(140, 40), (80, 24)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An error that was mended, and a newer session in which it came up again; its second turn has none."""
    folder = tmp_path_factory.mktemp("errors")
    again = Work(OTHER_SESSION, prefix="f")
    again.count = 1000
    again.user("Go on with the prices")
    again.fails()
    again.user("Stop here")
    again.says("Good.")
    for script in (mended(Work()), again):
        source = script.write(folder / "src")
    update(folder / "data", source.parent)
    return folder / "data"


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def dialog(pilot: Pilot[None]) -> KnownErrorsScreen:
    assert isinstance(pilot.app.screen, KnownErrorsScreen)
    return pilot.app.screen


def rows(pilot: Pilot[None]) -> list[str]:
    """The rows without their ages."""
    options = dialog(pilot).query_one(OptionList).options
    return [" ".join(str(option.prompt).split()[2:]) for option in options]


def details(pilot: Pilot[None]) -> list[str]:
    return str(dialog(pilot).query_one("#known-error", Static).visual).splitlines()


@pytest.mark.parametrize("size", SIZES)
async def test_the_cases_of_an_error_lead_to_the_turn_that_mended_it(data: Path, size: tuple[int, int]) -> None:
    async with app_on(data).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "g", "F")
        found = rows(pilot)
        assert [row.partition(" src/")[0] for row in found] == [
            "✎ mended 11111111:1",
            "✗ no pass known 22222222:1",
        ]
        assert details(pilot)[0] == MISSING
        assert details(pilot)[2:] == [
            "Passed in 11111111:2 after an edit of src/cart.ts in 11111111:1, with 1 other file edited.",
            "-const sum = 0",
            "+const total = 0",
        ]
        await press(pilot, "j")
        assert details(pilot)[2] == "No later run there is known to have passed."
        await press(pilot, "k", "enter")
        shown = transcript(pilot).session
        assert shown is not None
        assert (shown.title, transcript(pilot).number, transcript(pilot).has_focus) == ("Add the total", 1, True)


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_the_dialog_is_left_and_everything_is_as_it_was(data: Path, key: str) -> None:
    async with app_on(data).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "g")
        before = transcript(pilot).session
        await press(pilot, "F", key)
        assert isinstance(pilot.app.screen, BrowseScreen)
        assert transcript(pilot).session is before


@pytest.mark.parametrize("key", ["question_mark", "f1"])
async def test_its_keys_are_listed(data: Path, key: str) -> None:
    async with app_on(data).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "g", "F", key)
        assert isinstance(pilot.app.screen, HelpScreen)


async def test_a_turn_without_an_error_says_so(data: Path) -> None:
    async with app_on(data).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "G", "F")
        assert notices(pilot) == ["No command or tool of turn 2 failed with an error that can be recognized."]
