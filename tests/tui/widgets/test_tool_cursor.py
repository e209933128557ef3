"""Going from tool call to tool call in a transcript, and what opens the one with the bar."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.screens.pager import Pages
from support.indexes import update
from support.screens import app_on, notices, settled, transcript
from support.transcripts import Script

COMMANDS = ["ls", "make", "pytest -q", "git status", "git diff"]
LOOKS = COMMANDS[3:]
"""Those that only look, which are folded to one line."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An index of a session whose first turn runs five commands one after the other, and its last, far below, two."""
    script = Script()
    script.user("Check it")
    _run(script, COMMANDS)
    for number in range(60):
        script.user(f"step {number}")
        script.says("Done.")
    script.user("Publish it")
    _run(script, ["git tag", "git push"])
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return tmp_path / "data"


def _run(script: Script, commands: list[str]) -> None:
    for command in commands:
        script.calls("Bash", {"command": command}, command)
        script.result(f"output of {command}", command)


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def tools(pilot: Pilot[None]) -> list[str]:
    """The lines of tool calls on the screen, each with the mark before it and without its duration."""
    view = transcript(pilot)
    lines = [view.render_line(y).text for y in range(view.page)]
    return [f"{line[0]} {line[1:].strip().removesuffix('10 s').strip()}" for line in lines if "Bash" in line]


def listed(*commands: str, current: str = "", unfolded: bool = False) -> list[str]:
    """The lines of commands, of which those that only look are folded to one line, or listed below it."""
    lines = []
    for command in commands:
        if command == LOOKS[0]:
            lines.append(f"▎ {'▾' if unfolded else '▸'} Bash ×2  {', '.join(LOOKS)}")
        if command not in LOOKS or unfolded:
            lines.append(f"{'▌' if command == current else '▎'} ▸ Bash  {command}")
    return lines


@pytest.mark.parametrize("size", [(140, 40), (60, 20)])
async def test_any_call_is_gone_to_and_opened_also_one_of_a_run(data: Path, size: tuple[int, int]) -> None:
    async with app_on(data).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        assert tools(pilot) == listed(*COMMANDS)
        await press(pilot, "full_stop")
        assert tools(pilot) == listed(*COMMANDS, current="ls")
        await press(pilot, "full_stop", "full_stop")
        assert tools(pilot) == listed(*COMMANDS, current="pytest -q")
        await press(pilot, "enter")
        pages = pilot.app.screen.query_one(Pages)
        assert [row.text for row in pages.rows(80, 20)] == [
            f"{'▾ Bash  pytest -q':<76}10 s",
            "",
            "output of pytest -q",
        ]
        await press(pilot, "escape", "comma")
        assert tools(pilot) == listed(*COMMANDS, current="make")
        for command in COMMANDS[2:]:
            await press(pilot, "full_stop")
            assert tools(pilot) == listed(*COMMANDS, current=command, unfolded=command in LOOKS)
        # The next call stands far below, in a turn that is not loaded yet; the run that it leaves is folded again.
        await press(pilot, "full_stop")
        assert tools(pilot) == listed("git tag", "git push", current="git tag")
        await press(pilot, "full_stop", "full_stop")
        assert notices(pilot) == ["No tool call after this one."]
        await press(pilot, "comma", "comma")
        assert tools(pilot) == listed(*COMMANDS, current="git diff", unfolded=True)
        await press(pilot, *["comma"] * 5)
        assert notices(pilot) == ["No tool call before this one."]


async def test_the_bar_stays_until_it_is_scrolled_away(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "full_stop", "full_stop", "j", "j")
        assert tools(pilot) == listed(*COMMANDS, current="make")
        await press(pilot, "pagedown", "pagedown", "v")
        assert notices(pilot) == ["No tool call is visible. Press . for the next one; i lists those of the turn."]
        await press(pilot, "g")
        assert tools(pilot) == listed(*COMMANDS)


async def test_a_clicked_call_is_the_one_that_opens(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        view = transcript(pilot)
        for text in ("Bash ×2  git status", "Bash  git diff"):
            # The first click lists the calls of the run, the second unfolds the one that it is on.
            y = next(y for y in range(view.page) if text in view.render_line(y).text)
            await pilot.click(view, offset=(10, y + 1))
            await settled(pilot)
        await press(pilot, "v")
        assert pilot.app.screen.query_one(Pages).rows(80, 20)[0].text == f"{'▾ Bash  git diff':<76}10 s"


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    """An index of a session with two edits of some lines, with words between them."""
    script = Script()
    for name in ("one", "two"):
        script.user(f"Change {name}")
        new = "\n".join(f"{name} {number}" for number in range(12))
        script.calls(
            "Edit", {"file_path": f"/home/ana/code/shop/{name}.py", "old_string": name, "new_string": new}, name
        )
        script.result("ok", name)
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return tmp_path / "data"


def lines_of_edits(pilot: Pilot[None]) -> dict[str, int]:
    """How many of the lines that the edits have added are on the screen."""
    view = transcript(pilot)
    added = [line.text[1:].split()[1] for line in map(view.render_line, range(view.page)) if " + " in line.text]
    return {name: added.count(name) for name in ("one", "two")}


async def test_an_edit_stays_as_a_level_or_a_click_left_it_when_another_is_gone_to(edits: Path) -> None:
    async with app_on(edits).run_test(size=(140, 60)) as pilot:
        await settled(pilot)
        seen = []
        for key in ("enter", "right_curly_bracket", "t", "right_curly_bracket"):
            await press(pilot, key, "g")
            seen.append(lines_of_edits(pilot))
        # The second edit is unfolded for as long as it is the current one; the level unfolds some lines of the first.
        await press(pilot, "t", "t", "left_curly_bracket", "g")
        seen.append(lines_of_edits(pilot))
        view = transcript(pilot)
        heading = next(y for y in range(view.page) if "Edit  one.py" in view.render_line(y).text)
        await pilot.click(view, offset=(20, heading))
        await settled(pilot)
        await press(pilot, "right_curly_bracket", "g")
        seen.append(lines_of_edits(pilot))
    assert seen == [
        {"one": 0, "two": 0},
        {"one": 12, "two": 0},
        {"one": 7, "two": 7},
        {"one": 7, "two": 12},
        {"one": 12, "two": 0},
        {"one": 0, "two": 12},
    ]
