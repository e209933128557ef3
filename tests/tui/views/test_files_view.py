"""The files and their history: when they were touched, by which turns, and the diff of each."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from uuid import UUID

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from memtui.browse.screen import BrowseScreen
from memtui.render.rows import Span
from memtui.render.tools.touches import touch_rows
from memtui.render.tools.word_changes import changed_words
from memtui.views.files.file_list import FileList
from memtui.views.files.file_timeline import FileTimeline
from memtui.views.files.history_pane import FileHistory
from memtui.views.files.touch_strip import TouchStrip, columns
from memtui.views.files.touch_view import TouchView
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.model import Block, FileTouch
from memtui_core.queries.file_history import DiffHunk, TouchCall, TouchDetails, TurnTouch
from memtui_core.tools.call import ToolCall
from support.indexes import update
from support.screens import TO_TERMINAL, app_on, empty_text, is_shown, notices, settled, transcript, type_text
from support.transcripts import DAY, OTHER_SESSION, Script

# Textual does not always tell a pane its first size, which is then known when it is drawn.
pytestmark = pytest.mark.draws_at_pauses

ROOT = "/home/ana/code/shop"
FILE = f"{ROOT}/src/upload.py"
SIZES = [(140, 40), (80, 24)]
BRACES = {"}": "right_curly_bracket", "{": "left_curly_bracket"}


def edit(script: Script, tool_id: str, before: str, after: str, line: int = 5) -> None:
    """An edit of one line of the file."""
    patch = [{"oldStart": line, "newStart": line, "lines": [" def upload():", f"-{before}", f"+{after}"]}]
    script.calls("Edit", {"file_path": FILE, "old_string": before, "new_string": after}, tool_id)
    script.result("ok", tool_id, toolUseResult={"structuredPatch": patch})


def use(script: Script, tool_id: str, tool: str, result: str = "ok", **fields: object) -> None:
    """A call of a tool."""
    script.calls(tool, fields, tool_id)
    script.result(result, tool_id)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions with three edits of one file, two reads and two mentions between them; and a file that was read."""
    first, second = Script(), Script(OTHER_SESSION, prefix="f")
    first.user("make the upload retry")
    edit(first, "a1", "    send(1)", "    send(retries=1)")
    first.user("look at it")
    use(first, "a2", "Read", "     5→def upload():\n     6→    send(retries=1)", file_path=FILE)
    use(first, "a3", "Bash", "def upload():", command="cat src/upload.py")
    first.user("once more")
    edit(first, "a4", "    send(retries=1)", "    send(retries=2)")
    use(first, "a5", "Read", "     1→name: ci", file_path=f"{ROOT}/.github/ci.yml")
    second.count = 2 * DAY
    second.user("what is in @src/upload.py?")
    use(second, "b1", "Read", "     5→def upload():", file_path=FILE)
    second.user("fewer")
    edit(second, "b2", "    send(retries=2)", "    send(retries=0)")
    folder = tmp_path_factory.mktemp("files")
    update(folder / "data", first.write(folder / "src"), second.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    """A copy of the index to write to."""
    return shutil.copytree(built, tmp_path / "data")


def part(pilot: Pilot[None], kind: type[Widget]) -> Widget:
    """The only widget of a kind."""
    return pilot.app.screen.query_one(kind)


def rows(pilot: Pilot[None]) -> list[str]:
    """The rows of the history, spaces run together."""
    return [" ".join(str(option.prompt).split()) for option in pilot.app.screen.query_one(FileTimeline).options]


def chosen(pilot: Pilot[None]) -> str:
    """The row with the cursor."""
    return rows(pilot)[pilot.app.screen.query_one(FileTimeline).highlighted or 0]


def text(pilot: Pilot[None]) -> list[str]:
    """The lines below the rows, with their numbers and signs."""
    view = pilot.app.screen.query_one(TouchView)
    return [line.text.rstrip() for line in view._source.lines]  # type: ignore[attr-defined]


def strip(pilot: Pilot[None]) -> list[str]:
    """The time axis, lines run together to one dash."""
    marks, dates = str(pilot.app.screen.query_one(TouchStrip).render()).split("\n")
    return ["─".join(filter(None, marks.split("─"))), " ".join(dates.split())]


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(BRACES.get(key, key))
        await settled(pilot)


@pytest.mark.spec("S5.4")
async def test_the_history_of_a_file_shows_its_edits_and_the_newest_diff_at_once(index: Path) -> None:
    async with app_on(index).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert pilot.app.focused is part(pilot, FileTimeline)
            assert (is_shown(part(pilot, FileHistory)), is_shown(part(pilot, TranscriptPane))) == (True, False)
            assert is_shown(part(pilot, FileList)) == (size[0] > 100)
            assert rows(pilot) == [
                "✎ turn 2 +1 −1 what is in @src/upload.py? 17 d",
                "▸ 1 read, 1 mention 18 d",
                "✎ turn 3 +1 −1 make the upload retry 19 d",
                "▸ 1 read, 1 mention 19 d",
                "✎ turn 1 +1 −1 make the upload retry 20 d",
            ]
            frame = part(pilot, FileTimeline).parent
            assert isinstance(frame, Widget)
            assert str(frame.border_title) == "src/upload.py"
            assert (
                str(frame.border_subtitle)
                == "✎ edited in 3 turns  ○ read in 2  · named in 2  ● 2 sessions  20 d to 17 d"
            )
            assert strip(pilot) == ["✎·○✎─·○✎", "1 Nov 2026 3 Nov 2026 09:00 ▲"]
            assert text(pilot) == ["line 5", "5   def upload():", "6 −     send(retries=2)", "6 +     send(retries=0)"]
            view = part(pilot, TouchView)
            assert str(view.border_title) == "✎ turn 2 · what is in @src/upload.py?"
            assert str(view.border_subtitle) == "+1 −1 · Edit · edit 3 of 3 · 17 d"


async def test_braces_walk_the_edits_in_time_across_sessions(index: Path) -> None:
    walks = {}
    async with app_on(index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter")
        for pane in (FileTimeline, TouchView):
            focused, walk, said = part(pilot, pane), [], []
            for key in ("}", "{", "{", "{", "}", "0", "}"):
                assert pilot.app.focused is focused
                await press(pilot, key)
                walk.append((chosen(pilot)[:8], text(pilot)[-1].strip()))
                said.append(notices(pilot))
            assert pilot.app.focused is focused
            walks[pane] = walk, said
            await press(pilot, "}", "tab")
    third, second, first = (
        ("✎ turn 2", "6 +     send(retries=0)"),
        ("✎ turn 3", "6 +     send(retries=2)"),
        ("✎ turn 1", "6 +     send(retries=1)"),
    )
    walk = [third, second, first, first, second, first, second]
    said = [["This is the last edit."]] * 3 + [["This is the first edit."]] * 4
    assert walks == {FileTimeline: (walk, said), TouchView: (walk, said)}


@pytest.mark.parametrize("size", SIZES)
async def test_a_row_opens_its_turn_and_esc_comes_back_step_by_step(size: tuple[int, int], index: Path) -> None:
    async with app_on(index).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter", "{", "enter")
        assert pilot.app.focused is transcript(pilot)
        assert is_shown(transcript(pilot))
        assert (transcript(pilot).session is not None, transcript(pilot).number) == (True, 3)
        await press(pilot, "escape")
        assert (pilot.app.focused, chosen(pilot)[:8]) == (part(pilot, FileTimeline), "✎ turn 3")
        await press(pilot, "tab", "enter", "escape")
        assert (pilot.app.focused, is_shown(transcript(pilot))) == (part(pilot, FileTimeline), False)
        await press(pilot, "tab")
        assert pilot.app.focused is part(pilot, TouchView)
        await press(pilot, "escape", "escape")
        assert pilot.app.focused is part(pilot, FileList)
        assert is_shown(part(pilot, FileList))
        await press(pilot, "tab", "tab", "tab")
        assert pilot.app.focused is part(pilot, SearchBar)


async def test_reads_and_mentions_unfold_and_show_what_was_read(index: Path) -> None:
    async with app_on(index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter", "j")
        assert text(pilot) == [
            "space lists them one by one.",
            "",
            "○ what is in @src/upload.py?  turn 1 · Read · 18 d",
            "· what is in @src/upload.py?  turn 1 · mention · 18 d",
        ]
        await press(pilot, "space", "j")
        assert rows(pilot)[1:4] == [
            "▾ 1 read, 1 mention 18 d",
            "○ turn 1 what is in @src/upload.py? 18 d",
            "· turn 1 what is in @src/upload.py? 18 d",
        ]
        assert (strip(pilot)[1], text(pilot)) == ("1 Nov 2026 3 Nov 2026 09:00 ▲", ["5 def upload():"])
        assert str(part(pilot, TouchView).border_subtitle) == "Read · 18 d"
        await press(pilot, "j")
        assert text(pilot) == ["● you", "what is in @src/upload.py?"]
        await press(pilot, "h")
        assert (len(rows(pilot)), chosen(pilot)) == (5, "▸ 1 read, 1 mention 18 d")
        await press(pilot, "space", "space")
        assert len(rows(pilot)) == 5


async def test_a_mark_of_the_axis_chooses_its_row_and_says_what_it_is(index: Path) -> None:
    async with app_on(index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter")
        axis = part(pilot, TouchStrip)
        await pilot.hover(TouchStrip, offset=(3, 0))
        await settled(pilot)
        assert str(axis.tooltip) == "○ turn 2 · make the upload retry"
        await pilot.click(TouchStrip, offset=(3, 0))
        await settled(pilot)
        assert (chosen(pilot), len(rows(pilot))) == ("○ turn 2 make the upload retry 19 d", 7)
        assert text(pilot) == ["5 def upload():", "6     send(retries=1)"]
        await pilot.click(TouchStrip, offset=(20, 0))
        await pilot.hover(TouchStrip, offset=(20, 0))
        assert (chosen(pilot)[:8], axis.tooltip) == ("○ turn 2", None)


async def test_the_diff_is_copied_as_a_patch_and_a_read_as_text(index: Path) -> None:
    async with app_on(index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter", "y")
        head = "--- a/src/upload.py\n+++ b/src/upload.py\n@@ -5,2 +5,2 @@\n def upload():\n"
        assert pilot.app.clipboard == f"{head}-    send(retries=2)\n+    send(retries=0)\n"
        assert notices(pilot) == [f"The patch copied · {TO_TERMINAL}"]
        await press(pilot, "j", "space", "j")
        await press(pilot, "y")
        assert pilot.app.clipboard == "def upload():"
        assert notices(pilot) == [f"The text copied · {TO_TERMINAL}"]


async def test_a_file_without_edits_says_so_and_shows_what_was_read(index: Path) -> None:
    async with app_on(index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "slash", *"ci.yml", "enter", "enter")
        frame = part(pilot, FileTimeline).parent
        assert isinstance(frame, Widget)
        assert str(frame.border_subtitle) == "no edits  ○ read in 1  ● 1 session  19 d"
        assert (rows(pilot), text(pilot)) == (["○ turn 3 make the upload retry 19 d"], ["1 name: ci"])
        await press(pilot, "0", "}")
        assert notices(pilot) == ["No session edited the file."]


async def test_what_is_not_there_has_words_and_the_next_key(index: Path, tmp_path: Path) -> None:
    async with app_on(index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "slash", *"zzzz")
        told = "No files match “zzzz”.\n\nesc removes the filter.\nctrl+r searches for it."
        assert (empty_text(pilot.app.screen), is_shown(part(pilot, FileHistory))) == (told, False)
        await press(pilot, "escape")
        assert text(pilot)[0] == "line 5"
    script = Script()
    script.user("hello")
    update(tmp_path / "none", script.write(tmp_path / "other"))
    async with app_on(tmp_path / "none").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        assert empty_text(pilot.app.screen) == "No session touched a file yet.\n\n1 goes back to the sessions."
        assert not is_shown(part(pilot, FileHistory))


async def test_moving_in_the_list_or_filtering_it_previews_the_history_of_the_file_in_which_it_rests(
    index: Path,
) -> None:
    async with app_on(index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        assert len(rows(pilot)) == 5
        await press(pilot, "j")
        assert (pilot.app.focused, rows(pilot)) == (part(pilot, FileList), ["○ turn 3 make the upload retry 19 d"])
        # The list comes back to a file before the one below it was shown.
        await pilot.press("k", "j", "k")
        await settled(pilot)
        assert chosen(pilot)[:8] == "✎ turn 2"
        frame = part(pilot, FileTimeline).parent
        assert isinstance(frame, Widget)
        assert str(frame.border_subtitle).startswith("✎ edited in 3 turns")
        await press(pilot, "slash")
        await type_text(pilot, "ci")
        assert rows(pilot) == ["○ turn 3 make the upload retry 19 d"]


async def test_a_turn_that_is_read_stays_while_the_index_changes(index: Path) -> None:
    async with app_on(index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter", "{", "enter")
        script = Script("33333333-3333-4333-8333-333333333333", prefix="g")
        script.count = 3 * DAY
        script.user("again")
        edit(script, "c1", "    send(retries=0)", "    send(retries=9)")
        update(index, script.write(index.parent / "src"))
        screen = pilot.app.screen
        assert isinstance(screen, BrowseScreen)
        screen.services.index.refresh()
        await settled(pilot)
        assert (pilot.app.focused, transcript(pilot).number) == (transcript(pilot), 3)
        await press(pilot, "escape")
        assert (chosen(pilot)[:8], len(rows(pilot))) == ("✎ turn 3", 6)


async def test_a_diff_that_waits_for_the_cursor_to_rest_is_shown_although_the_files_are_listed_again(
    index: Path,
) -> None:
    async with app_on(index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter", "{")
        history, files = part(pilot, FileHistory), part(pilot, FileList)
        assert isinstance(history, FileHistory)
        assert isinstance(files, FileList)
        await pilot.press(BRACES["{"])
        assert files.chosen_file is not None
        # The list shows the history again when there is a newer snapshot.
        history.show(files.chosen_file, at_once=True)
        await settled(pilot)
        assert (chosen(pilot)[:8], text(pilot)[-1]) == ("✎ turn 1", "6 +     send(retries=1)")


@pytest.mark.parametrize(("width", "behind"), [(200, ["Edit", "120 d"]), (80, ["120 d"])])
async def test_a_long_title_leaves_two_blanks_before_the_next_column(
    width: int, behind: list[str], tmp_path: Path
) -> None:
    script = Script()
    script.count = -100 * DAY
    script.user("make the upload retry " * 20)
    edit(script, "a1", "    send(1)", "    send(retries=1)")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(width, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter")
        [row] = pilot.app.screen.query_one(FileTimeline).options
        mark, counts, title, *columns = re.split("  +", str(row.prompt))
        assert (mark, counts, columns) == ("✎ turn 1", "+1 −1", behind)
        assert (title[:21], title[-1]) == ("make the upload retry", "…")


async def test_a_file_of_hundreds_of_sessions_is_listed_whole(tmp_path: Path) -> None:
    sources = []
    for number in range(200):
        script = Script(str(UUID(int=number)), prefix=f"s{number}-")
        script.count = number * 800
        script.user(f"session {number}")
        edit(script, f"a{number}", f"old {number}", f"new {number}")
        script.user("look")
        use(script, f"b{number}", "Read", "     1→x", file_path=FILE)
        sources.append(script.write(tmp_path / "src"))
    update(tmp_path / "data", *sources)
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter")
        assert len(rows(pilot)) == 400
        assert rows(pilot)[1] == "✎ turn 1 +1 −1 session 199 1 d"
        assert set(strip(pilot)[0]) == {"✎"}
        await press(pilot, "0")
        assert (chosen(pilot), text(pilot)[-1]) == ("✎ turn 1 +1 −1 session 0 20 d", "6 + new 0")


@pytest.mark.parametrize(
    ("times", "width", "expected"),
    [
        ([], 10, []),
        ([5.0], 10, [0]),
        ([0.0, 50.0, 100.0], 11, [0, 5, 10]),
        ([0.0, 1.0, 2.0, 100.0], 10, [0, 1, 2, 9]),
        ([0.0, 98.0, 99.0, 100.0], 10, [0, 7, 8, 9]),
        ([7.0, 7.0, 7.0], 10, [0, 1, 2]),
        ([0.0, 10.0, 10.0, 20.0], 3, [0, 1, 1, 2]),
        ([7.0, 7.0, 7.0, 7.0], 2, [0, 0, 1, 1]),
    ],
)
def test_each_time_has_a_column_of_its_own_while_there_is_room(
    times: list[float], width: int, expected: list[int]
) -> None:
    assert columns(times, width) == expected


@pytest.mark.parametrize(
    ("removed", "added", "expected"),
    [
        (["send(1, x)"], ["send(2, x)"], ([["1"]], [["2"]])),
        (["a = old_name + b"], ["a = new_name + b"], ([["old_name"]], [["new_name"]])),
        (["one two three four"], ["one two five six four"], ([["three"]], [["five six"]])),
        (["nothing in common"], ["quite another line"], ([[]], [[]])),
        (["keep(a, b, c)", "drop this"], ["keep(a, b)"], ([[", c"], []], [[]])),
        (
            ["  // one two three four", "  // five six eight"],
            ["  // one two three", "  // four five six nine"],
            ([[], ["eight"]], [[], ["nine"]]),
        ),
        (["# a b c d e"], ["# a b", "# c d", "#", "# f"], ([["e"]], [[], [], [], []])),
        (["call(a, b)"], ["// call(a, b)"], ([[]], [["//"]])),
        (["//one two", "* three four"], ["#one two", "* three five"], ([["//"], ["four"]], [["#"], ["five"]])),
        (["send(a, b)", "});"], ["send(a, c)"], ([["b"], []], [["c"]])),
        (["    )"], ["    ),"], ([[]], [[","]])),
        (
            ["- [ ] 2.4 Replace the comments", "- [ ] 2.5 Ensure that it is passed on"],
            ["- [ ] 2.4 Ensure that it is passed on"],
            ([[], ["5"]], [["4"]]),
        ),
    ],
)
def test_the_words_that_changed_are_marked_unless_it_is_another_line(
    removed: list[str], added: list[str], expected: tuple[list[list[str]], list[list[str]]]
) -> None:
    before, after = changed_words(removed, added)
    lines = ((removed, before), (added, after))
    marked = tuple([[line[a:b] for a, b in own] for line, own in zip(*side, strict=True)] for side in lines)
    assert marked == expected


def a_touch(hunk: DiffHunk) -> tuple[TurnTouch, TouchDetails]:
    """An edit with one hunk."""
    at = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=1)
    touch = FileTouch("a.py", "edited", "Edit", 1, "1", "title", "shop", 1, 0, at)
    call = ToolCall(Block(0, 0, "tool_call", "{}", "Edit", "t"))
    return TurnTouch(touch, ("Edit",), (1, 1)), TouchDetails((TouchCall(call, (hunk,)),))


def joined(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Spans of one style as one."""
    groups = groupby(spans, lambda span: span[1])
    return tuple(("".join(text for text, _ in group), style) for style, group in groups)


def test_a_changed_line_has_syntax_colours_its_words_and_a_background() -> None:
    hunk = DiffHunk(9, 10, (("-", "x = 1"), ("+", "x = None")), "def f():")
    rows = [(row.first, joined(row.spans), row.fill) for row in touch_rows(*a_touch(hunk))]
    assert rows == [
        ((), (("line 10 · def f():", "hunk"),), ""),
        (
            ((" 9 ", "gutter removed-line"), ("− ", "removed removed-line")),
            (("x = ", "removed-line"), ("1", "literal removed-line removed-word")),
            "removed-line",
        ),
        (
            (("10 ", "gutter added-line"), ("+ ", "added added-line")),
            (("x = ", "added-line"), ("None", "literal added-line added-word")),
            "added-line",
        ),
    ]


def test_a_very_long_diff_is_cut_and_says_how_much_is_left() -> None:
    rows = touch_rows(*a_touch(DiffHunk(1, 1, tuple(("+", f"line {number}") for number in range(5000)))))
    assert (len(rows), rows[-2].text, rows[-1].text) == (2001, "line 1998", "… 3,001 more lines")


def test_the_lines_of_a_read_keep_their_numbers_whatever_follows_them() -> None:
    for mark in ("→", "\t"):
        call = Block(0, 0, "tool_call", '{"file_path":"a.txt"}', "Read", "t")
        result = Block(1, 0, "tool_result", f"     9{mark}one\n    10{mark}\ttwo\n\n<system-reminder>x", "Read", "t")
        touch, _ = a_touch(DiffHunk(1, 1, ()))
        details = TouchDetails((TouchCall(ToolCall(call, result)),))
        rows = touch_rows(replace(touch, touch=replace(touch.touch, kind="read")), details)
        assert [(row.first, row.text) for row in rows] == [
            (((" 9 ", "gutter"),), "one"),
            ((("10 ", "gutter"),), "    two"),
        ]
