"""The pictures of all screens: each view and each dialog has one, and the same screen gives the same picture."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

import memtui
from memtui.app import MemtuiApp
from memtui.browse.screen import BrowseScreen
from memtui.screens.dialog import Dialog
from memtui.screens.filtered import FilteredScreen, Offer
from memtui.screens.reminders import RemindersScreen
from memtui.views.registry import VIEWS
from support.indexes import update
from support.sample_files import with_files
from support.screens import app_on, settled
from tools.make_pictures import (
    FIRST_START,
    NO_SESSIONS,
    ON_DISK,
    SAMPLES,
    SHOTS,
    SIZES,
    THEMES,
    file_name,
    index_page,
    seen,
)
from tools.terminal_svg import Run, animation, frame, svg


@pytest.fixture
def data(sample_index: Path, tmp_path: Path) -> dict[str, Path]:
    """The folders with which the app starts."""
    samples = shutil.copytree(sample_index, tmp_path / "samples")
    update(tmp_path / "nothing", tmp_path / "no-transcripts")
    on_disk = with_files(tmp_path / "on disk")
    return {SAMPLES: samples, FIRST_START: samples, NO_SESSIONS: tmp_path / "nothing", ON_DISK: on_disk}


def shown(app: MemtuiApp) -> str:
    """The view, the dialog, or what is offered in it."""
    screen = app.screen
    if isinstance(screen, FilteredScreen):
        return type(screen.offer).__name__
    return screen.view if isinstance(screen, BrowseScreen) else type(screen).__name__


async def test_each_way_leads_to_what_the_picture_shows(data: dict[str, Path]) -> None:
    ends = {shot.name: await seen(shot, data[shot.start], (80, 24), "dark", shown) for shot in SHOTS}
    assert ends == {shot.name: shot.shows for shot in SHOTS}


def test_every_view_and_every_dialog_has_a_picture() -> None:
    for module in pkgutil.walk_packages(memtui.__path__, "memtui."):
        if ".screens" in module.name or ".views" in module.name:
            importlib.import_module(module.name)
    own = [kind for kind in Dialog.__subclasses__() if kind.__module__.startswith("memtui.")]
    kinds = {kind.__name__ for kind in (*own, *Offer.__subclasses__())} - {FilteredScreen.__name__}
    # The samples have no reminders of hooks: tests/tui/test_snapshots.py draws these.
    assert {shot.shows for shot in SHOTS} == {view.name for view in VIEWS} | kinds - {RemindersScreen.__name__}


def test_the_page_links_every_picture_once() -> None:
    page = index_page()
    names = [file_name(shot, size, theme) for shot in SHOTS for size in SIZES for theme in THEMES]
    assert len(set(names)) == len(names)
    assert [name for name in names if page.count(f"]({name})") != 1 + name.endswith("140x40-dark.svg")] == []


async def test_the_same_screen_gives_the_same_bytes(data: dict[str, Path]) -> None:
    """Searches take the time that they take, and cursors blink."""
    hit = next(shot for shot in SHOTS if shot.name == "hits")
    first, second = [svg(await seen(hit, data[SAMPLES], (140, 40), "light", frame)) for _ in range(2)]
    assert first == second
    # Nothing is loaded from elsewhere, and nothing runs.
    assert [word for word in ("http://", "https://", "@font-face", "<script", "url(") if word in first[60:]] == []


async def test_a_picture_has_every_word_in_its_place(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(100, 30)) as pilot:
        await _open(pilot)
        strips = pilot.app.screen._compositor.render_strips()
        root = ET.fromstring(svg(frame(pilot.app)))
    cells = [[" "] * 100 for _ in strips]
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        line, x = cells[int(text.get("y", "")) // 20], int(text.get("x", "")) // 10
        for letter in text.text or "":
            line[x : x + cell_len(letter)] = [letter, *[""] * (cell_len(letter) - 1)]
            x += cell_len(letter)
    assert ["".join(line).rstrip() for line in cells] == [strip.text.rstrip() for strip in strips]


async def _open(pilot: Pilot[None]) -> None:
    await settled(pilot)
    await pilot.press("j", "enter", "i")
    await settled(pilot)


def _line(text: str, colour: str) -> tuple[Run, ...]:
    return (Run(0, len(text), text, f"fill:{colour}", "#000000"),)


def test_an_animation_shows_each_frame_for_its_seconds_and_without_motion_the_poster() -> None:
    same, first, second = (_line(text, "#ffffff") for text in ("same", "1st.", "2nd."))
    drawn = animation([((same, first), 1.0), ((same, second), 2.0), ((same, first), 1.0)], 1)
    root = ET.fromstring(drawn)
    style = root.findtext("{http://www.w3.org/2000/svg}style") or ""
    always = [text.text for text in root.findall("{http://www.w3.org/2000/svg}text")]
    groups = {group.get("class", "")[1:]: group for group in root.findall("{http://www.w3.org/2000/svg}g")}
    texts = {name: group[0].text for name, group in groups.items()}
    assert (always, sorted(map(str, texts.values()))) == (["same"], ["1st.", "2nd."])
    assert {texts[name]: group.get("visibility") for name, group in groups.items()} == {"1st.": "hidden", "2nd.": None}
    steps = {texts[name]: re.search(rf"@keyframes k{name}\{{(.*?\}})\}}", style) for name in groups}
    assert {text: found and found[1] for text, found in steps.items()} == {
        "1st.": "0.000%{visibility:visible}25.000%{visibility:hidden}75.000%{visibility:visible}",
        "2nd.": "0.000%{visibility:hidden}25.000%{visibility:visible}75.000%{visibility:hidden}",
    }
    assert style.count("4s step-end infinite") == 2
    assert "@media not (prefers-reduced-motion:reduce){@keyframes" in style
