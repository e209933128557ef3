"""How the panes share the width: by view and terminal, by mouse and key, and in the next run."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot
from textual.widget import Widget

from memtui.browse.panes import Panes
from memtui.browse.screen import BrowseScreen
from memtui.render.inspect import InspectorCounts
from memtui.settings.app_state import AppState
from memtui.views.pull_requests.pr_list import PrList
from memtui.views.sessions.rows import SHARE
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.inspector.rail import InspectorRail
from memtui.widgets.requests.pane_widths import Pane, PaneSizes, PaneWidths, Share, Zoom, arrange, resized, width_class
from memtui.widgets.requests.target import Target
from memtui.widgets.splitter import Splitter
from memtui.widgets.status.line import StatusFacts
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core import open_index
from memtui_core.store.data_folder import DataDir
from memtui_core.store.opened import opened_sessions
from support.indexes import update
from support.pasting import paste
from support.screens import app_on, hold, settled, transcript, tree
from support.transcripts import Script

WIDE = (140, 40)
SESSIONS, HITS = SHARE, Share(0.5)
SESSION = "Retry webhooks with the same backoff · shop-api"
CHOSEN = PaneSizes(0.4, 0.3, True)


@pytest.fixture
def data(sample_index: Path, tmp_path: Path) -> Path:
    """An index that a test may leave its sizes in."""
    return shutil.copytree(sample_index, tmp_path / "data", ignore=shutil.ignore_patterns("state.json"))


def screen(pilot: Pilot[None]) -> BrowseScreen:
    screen = pilot.app.screen
    assert isinstance(screen, BrowseScreen)
    return screen


def widths(pilot: Pilot[None]) -> tuple[int, ...]:
    """The width of the list, the text, the inspector and the rail on the screen; 0 for what is not visible."""
    here = screen(pilot)
    text = here.reader.detail or here.reader.transcript
    panes = [here.query_one("#left"), text, here.reader.inspector, here.query_one(InspectorRail)]
    return tuple(pane.region.width for pane in panes)


def zoomed(pilot: Pilot[None]) -> str:
    return screen(pilot).query_one(Panes).zoom


async def pressed(pilot: Pilot[None], *keys: str) -> tuple[int, ...]:
    """The widths after some keys."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
    return widths(pilot)


async def resized_to(pilot: Pilot[None], size: tuple[int, int]) -> tuple[int, ...]:
    """The widths in a terminal of another size."""
    await pilot.resize_terminal(*size)
    await settled(pilot)
    return widths(pilot)


async def drag(pilot: Pilot[None], line: str, column: int) -> tuple[int, ...]:
    """The widths after a line was dragged to a column."""
    at = screen(pilot).query_one(line, Widget).region
    for action, x in ((pilot.mouse_down, at.x), (pilot.hover, (at.x + column) // 2), (pilot.hover, column)):
        await action(offset=(x, at.y + 2))
    await pilot.mouse_up(offset=(column, at.y + 2))
    await settled(pilot)
    return widths(pilot)


# -- the arithmetic ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "share", "expected"),
    [
        (60, SESSIONS, (60, 0, 0, 0)),
        (80, SESSIONS, (80, 0, 0, 0)),
        (99, HITS, (99, 0, 0, 0)),
        (100, SESSIONS, (42, 53, 0, 3)),
        (127, HITS, (64, 58, 0, 3)),
        (128, SESSIONS, (54, 69, 0, 3)),
        (140, SESSIONS, (66, 69, 0, 3)),
        (140, HITS, (70, 65, 0, 3)),
        (159, SESSIONS, (66, 88, 0, 3)),
        (160, SESSIONS, (59, 62, 37, 0)),
        (200, SESSIONS, (74, 78, 46, 0)),
        (200, HITS, (100, 95, 0, 3)),
        (300, SESSIONS, (113, 114, 71, 0)),
        (140, None, (140, 0, 0, 0)),
    ],
)
def test_a_list_gets_its_fraction_and_prose_no_more_than_it_needs(
    width: int, share: Share | None, expected: tuple[int, ...]
) -> None:
    assert arrange(width, share, PaneSizes(), "left", "normal") == PaneWidths(*expected)


@pytest.mark.parametrize(
    ("pane", "zoom", "expected"),
    [
        ("left", "larger", (93, 42, 0, 3)),
        ("text", "larger", (28, 107, 0, 3)),
        ("inspector", "larger", (0, 69, 70, 0)),
        ("left", "full", (140, 0, 0, 0)),
        ("text", "full", (0, 140, 0, 0)),
        ("inspector", "full", (0, 0, 140, 0)),
    ],
)
def test_a_zoomed_pane_gets_most_of_the_width_or_all_of_it(pane: Pane, zoom: Zoom, expected: tuple[int, ...]) -> None:
    assert arrange(140, SESSIONS, CHOSEN, pane, zoom) == PaneWidths(*expected)


FRACTIONS = st.none() | st.floats(0.01, 0.99)


@given(
    st.integers(100, 400),
    st.sampled_from([SESSIONS, HITS, Share(0.9)]),
    st.builds(PaneSizes, FRACTIONS, FRACTIONS, st.none() | st.booleans()),
    st.sampled_from(get_args(Pane)),
    st.booleans(),
)
def test_the_panes_and_their_lines_fill_the_width_and_the_current_one_is_there(
    width: int, share: Share, sizes: PaneSizes, pane: Pane, replaced: bool
) -> None:
    shared = arrange(width, share, sizes, pane, "normal", is_replaced=replaced)
    cells = [shared.left, shared.text, shared.inspector, shared.rail]
    assert sum(cells) + sum(map(bool, cells)) - 1 == width
    assert shared.left >= 20
    assert shared.text >= 40 or (width_class(width), pane, replaced) == ("medium", "inspector", False)
    assert getattr(shared, "text" if replaced and pane == "inspector" else pane) > 0


def test_a_list_keeps_its_width_when_a_session_has_nothing_for_the_inspector() -> None:
    with_details = arrange(200, SESSIONS, PaneSizes(), "left", "normal")
    without = arrange(200, SESSIONS, PaneSizes(), "left", "normal", has_details=False)
    assert (with_details, without) == (PaneWidths(74, 78, 46, 0), PaneWidths(74, 121, 0, 3))


def test_an_inspector_that_was_opened_stays_where_a_session_has_nothing_for_it() -> None:
    sizes = PaneSizes(inspecting=True)
    opened = [arrange(width, SESSIONS, sizes, "left", "normal", has_details=False) for width in (128, 140, 160)]
    # Without room for three panes, the list yields.
    assert opened == [PaneWidths(40, 57, 29, 0), PaneWidths(40, 66, 32, 0), PaneWidths(59, 62, 37, 0)]


def test_what_was_chosen_stays_without_room_for_three_panes() -> None:
    chosen = [arrange(140, SESSIONS, sizes, "left", "normal") for sizes in (CHOSEN, PaneSizes(0.4), PaneSizes(0.3))]
    assert chosen == [PaneWidths(56, 40, 42, 0), PaneWidths(56, 79, 0, 3), PaneWidths(42, 93, 0, 3)]


def test_a_line_that_is_dragged_changes_one_pane() -> None:
    assert resized(140, CHOSEN, "text", 70) == PaneSizes(0.5, 0.3, True)
    assert resized(140, CHOSEN, "text", -5) == PaneSizes(0.1429, 0.3, True)
    assert resized(140, CHOSEN, "inspector", 97) == PaneSizes(0.4, 0.3, True)
    assert resized(140, CHOSEN, "inspector", 120) == PaneSizes(0.4, 0.2, True)
    assert resized(140, CHOSEN, "inspector", 130) == PaneSizes(0.4, 0.3, False)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ({"left": 0.5, "inspector": 0.25, "inspecting": False}, PaneSizes(0.5, 0.25, False)),
        ({"left": 40, "inspector": -1, "inspecting": 1}, PaneSizes()),
        ({"left": True, "inspector": "0.2", "inspecting": None, "other": 3}, PaneSizes()),
        ({"left": None, "inspector": [0.2], "inspecting": "yes"}, PaneSizes()),
    ],
)
def test_unusable_sizes_are_ignored(stored: dict[str, object], expected: PaneSizes) -> None:
    assert PaneSizes.read(stored) == expected


@pytest.mark.parametrize("panes", [3, [], {"sessions-wide": 7}, {"sessions-wide": {"left": 1.5}}])
def test_a_damaged_state_costs_only_the_sizes(tmp_path: Path, panes: object) -> None:
    (tmp_path / "state.json").write_text(json.dumps({"panes": panes, "theme": "nord"}))
    state = AppState(tmp_path)
    assert PaneSizes.read(state.pane_sizes("sessions-wide")) == PaneSizes()
    state.keep_pane_sizes("hits-wide", {"left": 0.5, "inspector": None})
    kept = {"sessions-wide": panes["sessions-wide"]} if isinstance(panes, dict) else {}
    assert json.loads((tmp_path / "state.json").read_text()) == {
        "panes": kept | {"hits-wide": {"left": 0.5}},
        "theme": "nord",
    }


# -- on the screen -------------------------------------------------------------------------------------------------


async def test_each_view_has_its_share(data: Path) -> None:
    sizes = [(60, 20), (80, 24), (110, 30), (140, 40), (200, 60)]
    async with app_on(data).run_test(size=sizes[0]) as pilot:
        await settled(pilot)
        shares = []
        for view in ("sessions", "hits", "stats"):
            if view == "hits":
                await pilot.press("slash")
                await paste(pilot, "upload")
                await pressed(pilot, "down")
            elif view == "stats":
                await pressed(pilot, "escape", "5")
            shares.append([await resized_to(pilot, size) for size in sizes])
    assert shares == [
        [(60, 0, 0, 0), (80, 0, 0, 0), (46, 59, 0, 3), (66, 69, 0, 3), (74, 121, 0, 3)],
        [(60, 0, 0, 0), (80, 0, 0, 0), (55, 50, 0, 3), (70, 65, 0, 3), (100, 95, 0, 3)],
        [(60, 0, 0, 0), (80, 0, 0, 0), (110, 0, 0, 0), (140, 0, 0, 0), (200, 0, 0, 0)],
    ]


async def test_one_pane_at_a_time_in_a_narrow_terminal(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert await pressed(pilot, "enter") == (0, 80, 0, 0)
        assert await pressed(pilot, "i") == (0, 0, 80, 0)
        assert await pressed(pilot, "escape") == (0, 80, 0, 0)
        assert await pressed(pilot, "z", "plus") == (0, 80, 0, 0)
        assert await pressed(pilot, "escape") == (80, 0, 0, 0)
        assert zoomed(pilot) == "normal"
        assert await pressed(pilot, "enter", "f") == (0, 80, 0, 0)
        assert await pressed(pilot, "escape", "slash") == (80, 0, 0, 0)


async def test_the_width_is_shared_again_in_another_terminal(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert await pressed(pilot, "enter") == (66, 69, 0, 3)
        for size, expected in (((80, 24), (0, 80, 0, 0)), ((110, 30), (46, 59, 0, 3)), (WIDE, (66, 69, 0, 3))):
            assert await resized_to(pilot, size) == expected


async def test_keys_make_the_pane_larger_and_full_and_bring_it_back(data: Path) -> None:
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter", "i", "escape")
        facts = screen(pilot).query_one(StatusFacts)
        keys = ("z", "z", "z", "plus", "plus", "minus", "underscore", "plus", "plus", "plus", "escape", "minus")
        larger_panes = ((93, 42, 0, 3), (28, 107, 0, 3), (0, 69, 70, 0))
        seen, expected = [], []
        for index, (lead, larger) in enumerate(zip((None, "enter", "tab"), larger_panes, strict=True)):
            if lead is not None:
                await pressed(pilot, lead)
            pane, normal = pilot.app.focused, (40, 66, 32, 0)
            full = tuple(140 if place == index else 0 for place in range(4))
            for key in keys:
                shared = await pressed(pilot, key)
                seen.append((key, shared, facts.facts[0] == "z: all panes", pilot.app.focused is pane))
            sizes = (larger, full, normal, larger, full, larger, normal, larger, full, full, normal, normal)
            expected += [(key, size, size == full, True) for key, size in zip(keys, sizes, strict=True)]
            assert seen == expected
        assert pilot.app.focused is screen(pilot).reader.inspector


async def test_another_pane_is_shown_in_full_when_it_gets_the_focus(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert await pressed(pilot, "plus", "plus") == (140, 0, 0, 0)
        assert await pressed(pilot, "enter") == (0, 140, 0, 0)
        assert await pressed(pilot, "i") == (0, 0, 140, 0)
        assert await pressed(pilot, "escape") == (40, 66, 32, 0)


async def test_a_pane_above_or_below_another_one_gets_more_of_the_height(sample_index: Path) -> None:
    # The size, the keys that lead to panes one above the other, the two panes, keys there, and the heights after each.
    history, touch = ("2 enter", "#touches", "#touch"), ("2 j j enter", "#touches", "#touch")
    compactions, timeline = ("3", "#compactions", "#missing"), ("6 p", "#chart", "#panes")
    cases = [
        # By tab from the list to the diff: larger, full, and back in the three ways that lead back.
        ((80, 24), history, "tab z z z", [(8, 13), (8, 13), (5, 16), (0, 21), (8, 13)]),
        ((80, 24), history, "tab plus plus minus minus", [(8, 13), (8, 13), (5, 16), (0, 21), (5, 16), (8, 13)]),
        ((60, 20), history, "tab plus plus escape", [(6, 11), (6, 11), (4, 13), (0, 17), (6, 11)]),
        ((120, 30), history, "tab z z z", [(10, 17), (10, 17), (6, 21), (0, 27), (10, 17)]),
        ((80, 24), history, "z z tab shift+tab", [(8, 13), (15, 6), (21, 0), (0, 21), (21, 0)]),
        # The zoom goes to the list of touches, and from there to the files.
        ((120, 30), history, "tab z escape escape", [(10, 17), (10, 17), (6, 21), (20, 7), (10, 17)]),
        # The diff has most of the height from the start.
        ((80, 24), touch, "tab z z plus minus", [(5, 16), (5, 16), (0, 21), (5, 16), (0, 21), (5, 16)]),
        ((80, 24), compactions, "z z z", [(7, 14), (15, 6), (21, 0), (7, 14)]),
        ((80, 24), timeline, "z k minus minus", [(5, 16), (0, 21), (21, 0), (15, 6), (5, 16)]),
    ]
    seen = []
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)

        async def heights(keys: str, *panes: str) -> tuple[int, ...]:
            await pressed(pilot, *keys.split())
            return tuple(screen(pilot).query_one(pane).region.height for pane in panes)

        for size, (way, *panes), keys, _ in cases:
            await resized_to(pilot, size)
            shown = [await heights(way, *panes), *[await heights(key, *panes) for key in keys.split()]]
            seen.append((size, (way, *panes), keys, shown))
            # Back to the top of the list, and without a zoom.
            screen(pilot).query_one(Panes).zoom = "normal"
            await pressed(pilot, "escape", "escape", "g", "1")
    assert seen == cases


async def test_borders_are_dragged_and_a_double_click_takes_it_back(data: Path) -> None:
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert await drag(pilot, "#list-line", 50) == (50, 85, 0, 3)
        assert await drag(pilot, "#inspector-line", 99) == (50, 48, 40, 0)
        assert await drag(pilot, "#list-line", 3) == (20, 78, 40, 0)
        assert await drag(pilot, "#inspector-line", 136) == (20, 115, 0, 3)
        assert await drag(pilot, "#inspector-line", 110) == (20, 89, 29, 0)
        for line in ("#list-line", "#inspector-line"):
            await pilot.click(line, times=2)
            await settled(pilot)
        assert widths(pilot) == (66, 69, 0, 3)
    assert json.loads((data / "state.json").read_text())["panes"] == {"sessions-wide": {}}


async def press_and_release(pilot: Pilot[None], line: str, *columns: int) -> tuple[int, ...]:
    """The widths after the mouse was pressed on a line, moved by some columns, one row lower each, and released."""
    at = screen(pilot).query_one(line, Widget).region
    await pilot.mouse_down(offset=(at.x, at.y + 2))
    for row, column in enumerate(columns, start=3):
        await pilot.hover(offset=(at.x + column, at.y + row))
    await pilot.mouse_up(offset=(at.x + columns[-1], at.y + 2))
    await settled(pilot)
    return widths(pilot)


async def test_a_click_on_a_border_chooses_no_width(data: Path) -> None:
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pressed(pilot, "4")
        rail, larger = widths(pilot), await pressed(pilot, "z")
        assert (rail[3], larger) == (3, (93, 42, 0, 3))
        # Beside the rail, and where the list is larger than it would be otherwise.
        for columns in ((0,), (0, 0)):
            for line in ("#inspector-line", "#list-line"):
                assert await press_and_release(pilot, line, *columns) == larger
        assert (zoomed(pilot), AppState(data).pane_sizes("prs-wide")) == ("larger", {})
        assert await pressed(pilot, "z", "z") == rail
        # Dragged and taken back, it is where it was released.
        assert await press_and_release(pilot, "#list-line", 5, 0) == rail
        assert AppState(data).pane_sizes("prs-wide") == {"left": 0.4786}


async def test_sizes_are_kept_by_view_and_class_of_width_and_zoom_is_not(data: Path) -> None:
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert await drag(pilot, "#list-line", 49) == (49, 86, 0, 3)
        await pilot.press("slash")
        await paste(pilot, "upload")
        assert await pressed(pilot, "down") == (70, 65, 0, 3)
        assert await pressed(pilot, "i") == (66, 40, 32, 0)
        assert await drag(pilot, "#list-line", 56) == (56, 50, 32, 0)
        await pressed(pilot, "z")
    stored = {"sessions-wide": {"left": 0.35}, "hits-wide": {"left": 0.4, "inspecting": True}}
    assert json.loads((data / "state.json").read_text())["panes"] == stored
    async with app_on(data).run_test(size=(160, 40)) as pilot:
        await settled(pilot)
        assert widths(pilot) == (56, 99, 0, 3)
        await pilot.press("slash")
        await paste(pilot, "upload")
        assert await pressed(pilot, "down") == (64, 57, 37, 0)
    async with app_on(data).run_test(size=(110, 30)) as pilot:
        await settled(pilot)
        assert widths(pilot) == (46, 59, 0, 3)


@pytest.mark.draws_at_once
async def test_the_line_being_read_stays_while_the_panes_change(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 16)) as pilot:
        await settled(pilot)
        # The second line of a paragraph, which other widths wrap elsewhere.
        await pressed(pilot, "enter", "j", "j")

        def top() -> str:
            return transcript(pilot).render_line(0).text[5:].strip()

        before, tops = top(), []
        assert before == "have the same trouble: one try, then they are"
        for change in ("z", "z", "z", "i", "i", "drag"):
            await (drag(pilot, "#list-line", 50) if change == "drag" else pressed(pilot, change))
            tops.append(top())
        assert [before.split()[0] in line for line in tops] == [True] * 6
        assert (tops[2], tops[4]) == (before, before)


# -- the inspector and its rail --------------------------------------------------------------------------------------


async def test_the_rail_counts_what_the_turn_has_and_opens_the_inspector(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert await pressed(pilot, "enter") == (66, 69, 0, 3)
        rail = screen(pilot).query_one(InspectorRail)
        seen = []
        for _ in range(3):
            drawn = [rail.render_line(y).text.strip() for y in range(9)]
            seen.append((transcript(pilot).number, rail.counts, " ".join(filter(None, drawn))))
            await pressed(pilot, "J")
        assert seen == [
            (1, InspectorCounts(0, 6, 3), "▸ 6 ✎ 3"),
            (2, InspectorCounts(0, 3, 1), "▸ 3 ✎ 1"),
            (3, InspectorCounts(0, 0, 0), ""),
        ]
        await pressed(pilot, "g")
        await pilot.click(rail, offset=(1, 1 + 3 + 3))
        await settled(pilot)
        assert widths(pilot) == (40, 66, 32, 0)
        assert screen(pilot).query_one(Inspector).tab == "files"


async def test_the_rail_opens_a_tab_for_the_turns_to_come_too(tmp_path: Path) -> None:
    script = Script()
    script.user("first")
    script.thinks("Hm.")
    script.says("Done.")
    script.user("second")
    script.thinks("Hm.")
    script.calls("Read", {"file_path": "a.py"}, "t1")
    script.result("1\tx", "t1")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=WIDE) as pilot:
        await settled(pilot)
        reader = screen(pilot).reader
        await pressed(pilot, "enter", "i", "g")
        seen = [(transcript(pilot).number, reader.inspector.tab)]
        await pressed(pilot, "i", "J")
        await pilot.click(reader.rail, offset=(1, 1))
        await settled(pilot)
        seen.append((transcript(pilot).number, reader.inspector.tab))
        assert seen == [(1, "thinking"), (2, "thinking")]


@pytest.mark.parametrize(
    ("thinks", "width", "shared"),
    [
        (False, 159, (66, 88, 0, 3)),
        (True, 159, (66, 88, 0, 3)),
        (False, 160, (59, 96, 0, 3)),
        (True, 160, (59, 62, 37, 0)),
        (False, 200, (74, 121, 0, 3)),
        (True, 200, (74, 78, 46, 0)),
    ],
)
async def test_the_inspector_opens_itself_in_a_wide_terminal_for_what_the_transcript_hides(
    tmp_path: Path, thinks: bool, width: int, shared: tuple[int, ...]
) -> None:
    """Tools are no reason: the transcript has them, too. The width stays in a turn without thinking."""
    script = Script()
    script.user("hello")
    if thinks:
        script.thinks("A greeting.")
    script.calls("Bash", {"command": "make"})
    script.says("Hello.")
    script.user("bye")
    script.says("Bye.")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(width, 40)) as pilot:
        await settled(pilot)
        seen = [widths(pilot)]
        for turn in (1, 2):
            seen.append(await pressed(pilot, "K" if turn == 1 else "J"))
            assert screen(pilot).query_one(InspectorRail).counts == InspectorCounts(int(thinks and turn == 1), turn % 2)
        assert seen == [shared] * 3
        # Without one, the list takes the room that the text does not need.
        assert await pressed(pilot, "i", "i") == ((81, 114, 0, 3) if width == 200 and not thinks else shared)


async def test_the_inspector_opens_when_a_session_gets_something_for_it(tmp_path: Path) -> None:
    data, script = tmp_path / "data", Script()
    script.user("hello")
    script.says("Hello.")
    path = script.write(tmp_path / "src")
    update(data, path)
    async with app_on(data).run_test(size=(160, 40)) as pilot:
        await settled(pilot)
        assert await pressed(pilot, "enter") == (59, 96, 0, 3)
        script.user("Run it")
        script.thinks("It needs make.")
        script.write(tmp_path / "src")
        update(data, path)
        assert await pressed(pilot, "R") == (59, 62, 37, 0)


async def test_a_click_meets_what_is_drawn_there(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(132, 40)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter", "i")
        inspector = screen(pilot).query_one(Inspector)
        await pilot.click(Inspector, offset=(inspector.render_line(0).text.index("Files"), 1))
        assert inspector.tab == "files"
        seen = []
        for line in (9, 17, 11):
            await pilot.click(TranscriptPane, offset=(20, line + 1))
            await settled(pilot)
            seen.append(transcript(pilot).render_line(11).text[5:].strip())
        assert seen == [f"{sign} Searched 2 times  webhook, src/*.py" for sign in "▸▸▾"]


# -- turns beside a list -------------------------------------------------------------------------------------------


async def test_turns_are_walked_from_the_list(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        numbers = []
        for key in ("J", "J", "K"):
            await pressed(pilot, key)
            numbers.append(transcript(pilot).number)
        assert numbers == [2, 3, 2]
        assert pilot.app.focused is tree(pilot)


async def test_a_turn_is_walked_in_the_session_whose_preview_waits(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        before = screen(pilot).reader.session
        await pilot.press("j", "J", "J")
        await settled(pilot)
        after = screen(pilot).reader.session
        assert (after != before, transcript(pilot).number) == (True, 3)


def two_sessions(folder: Path) -> Path:
    """Two sessions of three turns, without pull requests."""
    for session in ("upload", "prices"):
        script = Script(session, prefix=session)
        for number in range(3):
            script.user(f"{session} {number}")
            script.says("Done.")
        script.write(folder, f"{session}.jsonl")
    return folder


async def test_a_session_that_is_read_is_noted_for_the_indexer_and_one_that_is_passed_in_the_list_is_not(
    tmp_path: Path,
) -> None:
    data = DataDir(tmp_path / "data")
    update(data.path, two_sessions(tmp_path / "src"))
    async with app_on(data.path).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("g", "j", "j")
        await settled(pilot)
        shown = screen(pilot).reader.session
        assert shown is not None
        assert opened_sessions(data) == ()
        await pilot.press("enter")
        await settled(pilot)
        assert opened_sessions(data) == (shown.session_id,)


@pytest.mark.parametrize("instead", ["another view", "a failure"])
async def test_turns_are_walked_though_the_session_for_the_turns_before_was_never_shown(
    tmp_path: Path, instead: str
) -> None:
    def fail(_: object) -> None:
        raise OSError("the disk is gone")

    update(tmp_path / "data", two_sessions(tmp_path / "src"))
    with closing(open_index(tmp_path / "data")) as index:
        keys = {session.key for session in index.sessions.all()}
    async with app_on(tmp_path / "data").run_test(size=WIDE) as pilot:
        await settled(pilot)
        reader = screen(pilot).reader
        shown = reader.session
        assert shown is not None
        [other] = keys - {shown.key}
        held = await hold(pilot, "open")
        # As by a row and J, pressed before the preview of the row is due.
        reader.reading.open(Target(other), read=False)
        reader.loader.when_shown(reader.transcript.action_turn, 1)
        await pilot.pause()
        if instead == "another view":
            # Its list is empty, so that it opens nothing.
            await pilot.press("4")
        else:
            # In the place of the session, which waits in this queue.
            screen(pilot).services.index.query("open", fail, lambda _: None)
        held.set()
        await settled(pilot)
        numbers = [transcript(pilot).number]
        for key in ("J", "J", "K"):
            await pressed(pilot, key)
            numbers.append(transcript(pilot).number)
        assert (reader.session, numbers) == (shown, [1, 2, 3, 2])


# -- the line beside the current pane ------------------------------------------------------------------------------


async def test_the_line_is_thick_beside_the_pane_in_focus_and_thin_once_that_pane_is_hidden(
    sample_index: Path,
) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        lines = screen(pilot).query_one("#list-line", Splitter), screen(pilot).reader.line

        def thick() -> tuple[str, ...]:
            return tuple(line.focused_side for line in lines)

        seen = [thick()]
        for key in ("enter", "escape"):
            await pressed(pilot, key)
            seen.append(thick())
        # Textual takes the focus from what it hides.
        tree(pilot).display = False
        await settled(pilot)
        assert pilot.app.focused is None
        assert [*seen, thick()] == [("left", ""), ("right", "left"), ("left", ""), ("", "")]


# -- pull requests -------------------------------------------------------------------------------------------------


async def test_pull_requests_show_more_where_there_is_room(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pressed(pilot, "4")
        pull_requests, seen = screen(pilot).query_one(PrList), []
        for size in ((60, 20), WIDE, (300, 60)):
            await resized_to(pilot, size)
            seen.append(re.split(r" {2,}", str(pull_requests.options[0].prompt)))
    assert seen == [
        ["● Retry webhooks with the same ba…", "draft", "#219", "17 h"],
        ["● Retry webhooks with the same backoff", "draft", "#219", "17 h"],
        [
            "● Retry webhooks with the same backoff",
            "draft",
            "#219",
            "shop-api",
            "retry-webho…",
            "1",
            "17 h",
        ],
    ]
