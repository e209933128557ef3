"""The minimap: marks on a scale of the whole session, in the scroll bar of the transcript."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from memtui.browse.screen import BrowseScreen
from memtui.widgets.transcript.minimap.marks import Mark, Scale, rows_of, turn_marks
from memtui.widgets.transcript.minimap.widget import Minimap
from memtui_core.model import Turn
from support.indexes import update
from support.pasting import paste
from support.screens import app_on, settled, transcript
from support.transcripts import Script


def turn(number: int, kind: Any = "human", calls: tuple[str, ...] = (), errors: int = 0, prompt: int = 0) -> Turn:
    return Turn(number, 7, number, 0, 0, kind, 0, "x" * prompt, calls, None, None, errors=errors)


def shown(minimap: Minimap) -> str:
    """The characters of the rows, a line each."""
    return "\n".join(strip.text for strip in minimap.render_lines(minimap.size.region))


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def test_long_turns_have_more_rows_and_marks_are_where_they_belong() -> None:
    turns = [
        turn(1, calls=("Read a.py", "Edit a.py", "Bash: rm -r /", "Write b.py"), prompt=160),
        turn(2, "compaction"),
        turn(3, "agent", ("mcp__notes__update", "mcp__fs__edit_file"), errors=1),
        turn(4, "command"),
    ]
    # Lengths of 7, 3, 4 and 3 lines.
    scale = Scale(turns, 17)
    assert [scale.row(index) for index in range(4)] == [0, 7, 10, 14]
    assert list(turn_marks(scale, turns)) == [
        Mark("prompt", 0, 0.0),
        Mark("edit", 0, 0.375),
        Mark("edit", 0, 0.875),
        Mark("compaction", 1, 0.0),
        Mark("edit", 2, 0.75),
        Mark("error", 2, 0.5),
        Mark("prompt", 3, 0.0),
    ]
    assert {row: mark.kind for row, mark in rows_of(scale, turn_marks(scale, turns)).items()} == {
        0: "prompt",
        2: "edit",
        6: "edit",
        7: "compaction",
        12: "error",
        13: "edit",
        14: "prompt",
    }


def test_of_several_marks_in_a_row_the_most_important_one_is_shown() -> None:
    turns = [turn(1, "human", ("Edit a.py",), 1), turn(2, "compaction", (), 1), turn(3, "human", ("Edit b.py",))]
    scale = Scale(turns, 1)
    assert rows_of(scale, turn_marks(scale, turns)) == {0: Mark("compaction", 1, 0.0)}
    match = Mark("match", 2, 0.0)
    assert rows_of(scale, [Mark("prompt", 0, 0.0), Mark("edit", 0, 0.5), match, Mark("match", 2, 0.5)]) == {0: match}
    assert rows_of(scale, [match, Mark("error", 0, 0.5)]) == {0: Mark("error", 0, 0.5)}


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 12)), min_size=1, max_size=60), st.integers(1, 50))
def test_every_row_leads_back_to_itself_and_every_mark_has_a_row(lengths: list[tuple[int, int]], height: int) -> None:
    turns = [turn(n, calls=("Edit a",) * calls, prompt=prompt) for n, (prompt, calls) in enumerate(lengths)]
    scale = Scale(turns, height)
    assert [scale.row(*scale.position(row + 0.5)) for row in range(height)] == list(range(height))
    rows = rows_of(scale, turn_marks(scale, turns))
    assert set(rows) <= set(range(height))
    assert {scale.row(index) for index in range(len(turns))} <= set(rows)


async def test_a_click_goes_to_the_mark_and_the_visible_part_follows(sample_index: Path) -> None:
    characters = {"compaction": "⧉", "error": "✗", "edit": "✎", "prompt": "●"}
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        minimap = transcript(pilot).minimap
        # As wide as the terminal allows, then larger, then in full.
        for size, zoom, columns in (((80, 24), "", 1), ((200, 60), "", 1), ((200, 60), "z", 2), ((200, 60), "z", 2)):
            await pilot.resize_terminal(*size)
            await press(pilot, "g", *zoom)
            marks = minimap.marks()
            rows = shown(minimap).split("\n")
            assert {y: row[0] for y, row in enumerate(rows) if row[0] not in " ┃"} == {
                y: characters[mark.kind] for y, mark in marks.items()
            }
            assert {len(row) for row in rows} == {columns}
            compaction = next(y for y, mark in marks.items() if mark.kind == "compaction")
            await pilot.click(minimap, offset=(0, compaction))
            await settled(pilot)
            assert (transcript(pilot).number, transcript(pilot).viewport.place) == (4, (3, 0, 0))
            assert compaction in minimap.visible_rows()
            await pilot.click(minimap, offset=(0, minimap.size.height - 1))
            await settled(pilot)
            assert minimap.visible_rows().stop == minimap.size.height


async def test_a_click_on_an_edit_or_an_error_goes_to_the_call(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        reader = transcript(pilot)
        for kind, expected in (("edit", True), ("error", False)):
            y = max(y for y, mark in reader.minimap.marks().items() if mark.kind == kind)
            mark = reader.minimap.marks()[y]
            await pilot.click(reader.minimap, offset=(0, y))
            await settled(pilot)
            call = reader.visible_call()
            assert call is not None
            assert reader.document.index[reader.number] == mark.turn
            assert call.is_edit is expected
            assert (call.result is not None and call.result.is_error) is not expected


async def test_dragging_scrolls_through_the_session(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        minimap = transcript(pilot).minimap
        await pilot.mouse_down(minimap, offset=(0, 4))
        await pilot.hover(minimap, offset=(0, 12))
        await settled(pilot)
        first, position = minimap.visible_rows().start, transcript(pilot).viewport.top
        assert first == 12
        await pilot.hover(minimap, offset=(0, 0))
        await settled(pilot)
        assert (transcript(pilot).viewport.top, transcript(pilot).number) == (0, 1)
        await pilot.mouse_up(minimap, offset=(0, 0))
        await pilot.hover(minimap, offset=(0, 12))
        await settled(pilot)
        assert transcript(pilot).viewport.top == 0 < position


async def test_matches_are_marked_and_a_click_goes_to_them(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        reader = transcript(pilot)
        assert "◂" not in shown(reader.minimap)
        await press(pilot, "f")
        await paste(pilot, "backoff")
        matched = {mark.turn for mark in reader.minimap.marks().values() if mark.kind == "match"}
        assert matched
        assert matched <= {reader.document.index[number] for number in reader.matches._turns_with_matches}
        y = max(y for y, mark in reader.minimap.marks().items() if mark.kind == "match")
        await pilot.click(reader.minimap, offset=(0, y))
        await settled(pilot)
        current = reader.matches.current
        assert current is not None
        assert reader.document.index[current.number] == reader.minimap.marks()[y].turn
        await press(pilot, "escape")
        assert "◂" not in shown(reader.minimap)


@pytest.fixture
def giraffes(tmp_path: Path) -> Path:
    """An index of a session of one long turn: a prompt, and nine answers, of which three are about giraffes."""
    script = Script()
    script.user("Describe the zoo. " + "Please. " * 200)
    for number in range(9):
        script.says(f"Answer {number}. " + ("The giraffe is tall. " if number % 3 == 1 else "") + "More words. " * 99)
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return tmp_path / "data"


async def clicked_matches(pilot: Pilot[None]) -> list[str]:
    """The line at the cursor after a click on each mark of a match, from the last to the first."""
    view = transcript(pilot)
    lines = []
    for y, mark in reversed(view.minimap.marks().items()):
        if mark.kind == "match":
            await pilot.click(view.minimap, offset=(0, y))
            await settled(pilot)
            shown = [view.render_line(row).text for row in range(view.page)]
            lines.append(next(line[1:].strip()[:9] for line in shown if "giraffe" in line))
    return lines


async def test_a_click_goes_to_the_match_at_its_mark(giraffes: Path) -> None:
    async with app_on(giraffes).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "enter", "f")
        await paste(pilot, "giraffe")
        assert await clicked_matches(pilot) == ["Answer 7.", "Answer 4.", "Answer 1."]


async def test_a_click_goes_to_the_passage_at_its_mark(giraffes: Path) -> None:
    async with app_on(giraffes).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "slash")
        await paste(pilot, "giraffe")
        await press(pilot, "enter")
        assert await clicked_matches(pilot) == ["Answer 7.", "Answer 4.", "Answer 1."]


async def test_a_click_on_an_edit_goes_to_it_in_a_turn_that_begins_with_a_late_result(tmp_path: Path) -> None:
    script = Script()
    script.user("Run it")
    script.calls("Bash", {"command": "make"}, "late")
    script.user("Meanwhile change it. " + "Please. " * 200)
    script.result("done", "late")
    for name in ("a", "b", "c"):
        script.says("More words. " * 99)
        edit = {"file_path": f"/home/ana/code/shop/{name}.py", "old_string": "one", "new_string": "two"}
        script.calls("Edit", edit, name)
        script.result("ok", name)
    script.says("More words. " * 400)
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "enter")
        view, files = transcript(pilot), []
        for y, mark in view.minimap.marks().items():
            if mark.kind == "edit":
                await pilot.click(view.minimap, offset=(0, y))
                await settled(pilot)
                call = view.visible_call()
                files.append(call.written_path.rpartition("/")[2] if call is not None else "")
        assert files == ["a.py", "b.py", "c.py"]


async def test_passages_of_a_hit_are_marked(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "slash")
        await paste(pilot, "backoff")
        await press(pilot, "enter")
        reader = transcript(pilot)
        assert {mark.turn for mark in reader.minimap.marks().values() if mark.kind == "match"} == {
            reader.document.index[reader.number]
        }


async def test_a_session_that_fits_on_the_screen_has_no_marks(tmp_path: Path) -> None:
    script = Script()
    script.user("Retry the upload")
    script.says("Done.")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        minimap = transcript(pilot).minimap
        assert len(minimap.marks()) == 1
        assert shown(minimap).strip() == ""


async def test_the_choice_of_a_plain_scroll_bar_is_remembered(sample_index: Path, tmp_path: Path) -> None:
    for expected in (True, False):
        async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, "j", "enter")
            screen = pilot.app.screen
            assert isinstance(screen, BrowseScreen)
            assert transcript(pilot).minimap.has_marks is expected
            assert ("●" in shown(transcript(pilot).minimap)) is expected
            if expected:
                await press(pilot, "m")
                assert transcript(pilot).minimap.has_marks is False
                assert screen.services.state.shows_minimap is False
            else:
                before, bar = transcript(pilot).viewport.top, transcript(pilot).minimap
                await pilot.mouse_down(bar, offset=(0, 0))
                await pilot.hover(bar, offset=(0, 9))
                await pilot.mouse_up(bar, offset=(0, 9))
                await settled(pilot)
                assert transcript(pilot).viewport.top > before
                await press(pilot, "m")
