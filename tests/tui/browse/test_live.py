"""The sessions that run or wait: their marks, the key that lists them, and a transcript that is followed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self

import pytest
from rich.style import Style
from textual.content import Content
from textual.pilot import Pilot

from memtui.browse.search.hit_list import HitList
from memtui.system import clock
from memtui.widgets.search.bar import SearchBar
from memtui_core.search import pipeline
from support.indexes import update
from support.screens import app_on, empty_text, settled, transcript, tree, type_text
from support.transcripts import SESSION, START, Script

WIDE = (140, 40)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """A session whose agent runs a command, beside one that asks, one that failed and one that has ended."""
    asks, failed, ended, runs = (Script(f"{digit}{SESSION[1:]}", prefix=f"{digit}-") for digit in range(4))
    asks.count, failed.count, ended.count = 15, 10, 5
    asks.user("Plan it")
    asks.says("Keep the old client?")
    failed.user("Write the notes")
    failed.says("API Error: 529", isApiErrorMessage=True)
    ended.user("Rename it")
    ended.says("Done.")
    runs.count = 20
    runs.user("Fix the test")
    runs.calls("Bash", {"command": "pytest -q"})
    for one in (asks, failed, ended, runs):
        one.write(tmp_path / "source")
    update(tmp_path / "data", tmp_path / "source")
    return runs


class FixedTime(datetime):
    """A clock that stands four minutes after the last entry."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp((START + timedelta(minutes=7, seconds=30)).timestamp(), tz)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of the screen and of the search."""
    monkeypatch.setattr(clock, "now", lambda: FixedTime.now(UTC))
    monkeypatch.setattr(pipeline, "datetime", FixedTime)


def titles(pilot: Pilot[None]) -> list[str]:
    """The title of each hit."""
    hits = pilot.app.screen.query_one(HitList)
    prompts = (str(hits.get_option_at_index(place).prompt) for place in range(hits.option_count))
    return [prompt.split("\n")[0].partition("   ")[0] for prompt in prompts]


def rows(pilot: Pilot[None]) -> list[str]:
    """The sessions in the tree, without columns."""
    shown = tree(pilot)
    nodes = shown.root.children[0].children
    return [shown.render_label(node, Style(), Style()).plain.split("   ")[0].strip() for node in nodes]


async def test_the_tree_marks_what_runs_waits_or_has_failed_and_l_lists_what_runs_or_waits(
    tmp_path: Path, script: Script
) -> None:
    async with app_on(tmp_path / "data").run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert rows(pilot) == ["◉ Fix the test", "? Plan it", "✗ Write the notes", "● Rename it"]
        await pilot.press("L")
        await settled(pilot)
        assert titles(pilot) == ["◉ Fix the test", "? Plan it"]
        assert bar(pilot).value == "is:live"
        await pilot.press("slash")
        await type_text(pilot, " -is:waiting")
        await settled(pilot)
        assert titles(pilot) == ["◉ Fix the test"]
        # It has an answer now.
        script.result("2 passed")
        script.says("Fixed.")
        update(tmp_path / "data", script.write(tmp_path / "source").parent)
        await pilot.press("escape", "escape", "R", "L")
        await settled(pilot)
        assert titles(pilot) == ["? Plan it"]


async def test_without_such_a_session_it_says_so(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("L")
        await settled(pilot)
        assert empty_text(pilot.app.screen).startswith("No session runs, and none waits for your answer.")


async def test_the_border_says_that_a_session_is_followed_until_the_reader_goes_elsewhere(
    tmp_path: Path, script: Script
) -> None:
    for number in range(30):
        script.result(f"line {number}", f"t{number}")
        script.says(f"Step {number}.")
    script.count = 26
    script.says("The last step.")
    update(tmp_path / "data", script.write(tmp_path / "source").parent)
    async with app_on(tmp_path / "data").run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("enter", "G")
        await settled(pilot)
        assert border(pilot).startswith("following")
        script.says("And one more.")
        update(tmp_path / "data", script.write(tmp_path / "source").parent)
        await pilot.press("R")
        await settled(pilot)
        assert "And one more." in shown(pilot)
        assert border(pilot).startswith("following")
        await pilot.press("pageup")
        assert "following" not in border(pilot)
        seen = shown(pilot)
        assert not any("And one more." in line for line in seen)
        script.says("The turn grows.")
        update(tmp_path / "data", script.write(tmp_path / "source").parent)
        await pilot.press("R")
        await settled(pilot)
        assert shown(pilot) == seen
        script.user("Something else")
        update(tmp_path / "data", script.write(tmp_path / "source").parent)
        await pilot.press("R")
        await settled(pilot)
        # Nothing moves.
        assert (shown(pilot), "↓ 1 new turn" in border(pilot)) == (seen, True)
        await pilot.press("end")
        await settled(pilot)
        assert border(pilot).startswith("following")


def border(pilot: Pilot[None]) -> str:
    """What the lower border of the transcript says."""
    return Content.from_markup(str(transcript(pilot).border_subtitle)).plain


def shown(pilot: Pilot[None]) -> list[str]:
    """The lines of the transcript on the screen."""
    pane = transcript(pilot)
    return [pane.render_line(y).text.strip("▎▌ ").strip() for y in range(pane.size.height)]


def bar(pilot: Pilot[None]) -> SearchBar:
    """The search bar."""
    return pilot.app.screen.query_one(SearchBar)
