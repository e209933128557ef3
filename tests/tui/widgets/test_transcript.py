from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.geometry import Offset
from textual.message import Message
from textual.pilot import Pilot
from textual.selection import Selection

from memtui.widgets.lines.view import LineView
from memtui.widgets.requests.panes import CopyRequested
from memtui.widgets.requests.target import HitPassages
from memtui.widgets.transcript.layout.boxes import TranscriptPlace
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.model import Block, Passage, Session, Turn
from support.screens import scroll_until, until

START = datetime(2026, 2, 13, 14, 2, tzinfo=UTC)
SIZES = [(80, 24), (140, 40)]
NEEDLE = "needle"


def session(turns: int, **more: Any) -> Session:
    values: dict[str, Any] = {
        "key": 7,
        "session_id": "0f3a",
        "agent": "claude-code",
        "parent": None,
        "parent_tool_id": None,
        "project": "shop",
        "root": "/home/ann/shop",
        "cwd": "/home/ann/shop",
        "branch": "main",
        "version": "2.1",
        "models": (),
        "title": "Fix flaky uploads",
        "started_at": START,
        "ended_at": START,
        "turns": turns,
        "tool_calls": 0,
        "input_tokens": 0,
        "output_tokens": 0,
    }
    return Session(**(values | more))


def a_turn(number: int, said: str, blocks: Sequence[Block], kind: Any = "human") -> Turn:
    return Turn(
        number,
        7,
        number,
        number * 100,
        number * 100 + len(blocks),
        kind,
        0,
        said,
        tuple("" for block in blocks if block.kind == "tool_call"),
        START + timedelta(minutes=number),
        START + timedelta(minutes=number, seconds=40),
        output_tokens=300,
        blocks=tuple(blocks),
    )


def turn(number: int, paragraphs: int = 3) -> Turn:
    """A turn whose lines all differ: a prompt, thinking, text, two calls with results, text."""
    said = f"Prompt {number} asks for something."
    read = "\n".join(f"{n:6d}→value_{number}_{n} = {n}" for n in range(1, 31))
    output = "\n".join(f"output {number} {n}" for n in range(1, 31))
    text = "\n\n".join(f"Paragraph {number}.{n} " + f"word{n} " * 30 for n in range(paragraphs))
    blocks = [
        Block(0, 0, "user", said),
        Block(1, 1, "thinking", f"Thought {number} one.\nThought {number} two."),
        Block(2, 2, "text", text),
        Block(3, 3, "tool_call", json.dumps({"file_path": f"/home/ann/shop/f{number}.py"}), "Read", "r"),
        Block(4, 4, "tool_call", json.dumps({"command": f"run {number}"}), "Bash", "b"),
        Block(5, 5, "tool_result", output, "Bash", "b"),
        Block(6, 6, "tool_result", read, "Read", "r"),
        Block(7, 7, "note", f"reminded {number}", "reminder"),
        Block(8, 8, "text", f"Turn {number} is done."),
    ]
    return a_turn(number, said, blocks)


class Host(App[None]):
    """Answers what the transcript asks for from values in memory."""

    def __init__(self, turns: Sequence[Turn], **shown: Any) -> None:
        super().__init__()
        self.turns = list(turns)
        self.shown = shown
        self.answers = True
        self.wanted: list[tuple[int, int]] = []
        self.current: list[int] = []
        self.copied: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield TranscriptPane()

    def on_mount(self) -> None:
        self.transcript.focus()
        self.choose()

    def choose(self) -> None:
        self.transcript.show(session(len(self.turns)), self.heads, **self.shown)

    @property
    def transcript(self) -> TranscriptPane:
        return self.query_one(TranscriptPane)

    @property
    def heads(self) -> list[Turn]:
        return [replace(each, blocks=()) for each in self.turns]

    @on(CopyRequested)
    def _copy(self, message: CopyRequested) -> None:
        self.copied.append((message.text, message.what))

    @on(TranscriptPane.BlocksRequested)
    def _answer(self, message: TranscriptPane.BlocksRequested) -> None:
        self.wanted.append((message.first, message.last))
        if self.answers:
            self.transcript.supply(message.session, self.blocks(message.first, message.last))

    def blocks(self, first: int, last: int) -> dict[int, tuple[Block, ...]]:
        return {each.number: each.blocks for each in self.turns if first <= each.number <= last}

    @on(TranscriptPane.TurnChanged)
    def _turn_changed(self, message: TranscriptPane.TurnChanged) -> None:
        self.current.append(message.number)

    @property
    def matches(self) -> tuple[int, int, bool]:
        """The number of the current match, how many are counted, and whether all turns are."""
        matches = self.transcript.matches
        return matches.position(), matches.total, self.transcript.finder.complete

    @property
    def new_turns(self) -> int:
        """The number of new turns below the screen, as the border tells it."""
        told = re.search(r"↓ (\d+) new turn", str(self.transcript.border_subtitle))
        return int(told[1]) if told else 0

    def screen_lines(self) -> list[str]:
        """What stands on the screen, without the mark of the current turn."""
        transcript = self.transcript
        return [transcript.render_line(y).text[1:].rstrip() for y in range(transcript.size.height)]


async def until_counted(app: Host, pilot: Pilot[None]) -> None:
    await until(pilot, lambda: app.transcript.matches.words and app.transcript.finder.complete)


def turns(count: int, paragraphs: int = 3) -> list[Turn]:
    return [turn(number, paragraphs) for number in range(1, count + 1)]


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    found: tuple[int, int] = request.param
    return found


async def test_a_session_opens_at_the_head_of_the_wanted_turn(size: tuple[int, int]) -> None:
    app = Host(turns(100), at=60)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        lines = app.screen_lines()
        assert lines[0].startswith(" 60 ● you")
        assert lines[1] == "      Prompt 60 asks for something."
        assert app.current == [60]


async def test_only_blocks_near_the_screen_are_asked_for(size: tuple[int, int]) -> None:
    app = Host(turns(200), at=100)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        first = min(first for first, _ in app.wanted)
        last = max(last for _, last in app.wanted)
        assert first == 80
        assert 120 <= last < 150
        asked = [number for first, last in app.wanted for number in range(first, last + 1)]
        assert len(asked) == len(set(asked))


async def test_scrolling_down_by_lines_shows_each_line_once(size: tuple[int, int]) -> None:
    app = Host(turns(40))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        before = app.screen_lines()
        for _ in range(60):
            app.transcript.scroll_lines(1)
            after = app.screen_lines()
            assert after[:-1] == before[1:]
            before = after


async def test_scrolling_up_into_turns_that_were_never_laid_out_moves_by_one_line(size: tuple[int, int]) -> None:
    app = Host(turns(60), at=50)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        app.transcript.tools_level = "full"
        await pilot.pause()
        app.transcript.cursor.go_to(30)
        before = app.screen_lines()
        for step in range(200):
            app.transcript.scroll_lines(-1)
            if step % 10 == 0:
                await pilot.pause()
            after = app.screen_lines()
            assert after[1:] == before[:-1]
            before = after


async def test_a_page_back_and_forth_overlaps_by_one_line(size: tuple[int, int]) -> None:
    app = Host(turns(60), at=30)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("k")
        before = app.screen_lines()
        await pilot.press("pageup")
        above = app.screen_lines()
        assert above[-1] == before[0]
        await pilot.press("pagedown")
        assert app.screen_lines() == before
        await pilot.press("pagedown")
        assert app.screen_lines()[0] == before[-1]


async def test_the_wheel_and_the_scroll_bar_land_on_whole_lines() -> None:
    app = Host(turns(60))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        transcript = app.transcript
        for y in (3, 700, 703, 400, 397, 10_000):
            transcript.scroll_to(y=y, animate=False)
            await pilot.pause()
            place = transcript.document.at(round(transcript.scroll_y))
            assert place == transcript.viewport.place
            assert app.screen_lines()[0] == (
                transcript.document.lines(place.turn, place.part)[place.line].text.rstrip()
            )
        assert app.screen_lines()[-1] == "     Turn 60 is done."


async def test_end_shows_the_very_last_line_at_the_bottom(size: tuple[int, int]) -> None:
    app = Host(turns(120))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("G")
        await pilot.pause()
        assert app.screen_lines()[-1] == "      Turn 120 is done."
        assert app.transcript.scroll_y == app.transcript.max_scroll_y
        before = app.screen_lines()
        await pilot.press("j", "pagedown")
        assert app.screen_lines() == before
        assert app.current[-1] == 120
        await pilot.press("g")
        assert app.screen_lines()[0].startswith("  1 ● you")


async def test_the_end_stays_in_view_when_the_last_blocks_come_late() -> None:
    app = Host(turns(100))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.answers = False
        await pilot.press("end")
        await pilot.pause()
        app.transcript.supply(7, app.blocks(70, 100))
        await pilot.pause()
        assert app.screen_lines()[-1] == "      Turn 100 is done."


async def test_the_head_of_the_last_turn_can_stand_at_the_top(size: tuple[int, int]) -> None:
    app = Host([*turns(5), a_turn(6, "Bye.", [Block(0, 0, "user", "Bye.")])])
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        app.transcript.cursor.go_to(6)
        await pilot.pause()
        lines = app.screen_lines()
        assert lines[0].startswith("6 ● you")
        assert lines[1:3] == ["    Bye.", ""]
        assert not any(lines[3:])
        await pilot.press("k")
        assert app.screen_lines()[1].startswith("6 ● you")


@pytest.mark.parametrize("key", ["t", "T"])
async def test_folding_keeps_the_line_at_the_top(size: tuple[int, int], key: str) -> None:
    app = Host(turns(40), at=20)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for steps in (1, 3, 5, 9):
            app.transcript.cursor.go_to(20)
            app.transcript.scroll_lines(steps)
            top = app.screen_lines()[0]
            for _ in range(3):
                await pilot.press(key)
                assert app.screen_lines()[0] == top


async def test_text_at_the_top_stays_there_at_every_level() -> None:
    app = Host(turns(40, paragraphs=12), at=20)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        scroll_until(lambda: app.transcript.scroll_lines(1), lambda: "Paragraph 20.5" in app.screen_lines()[0])
        app.transcript.scroll_lines(1)
        top = app.screen_lines()[0]
        assert "word5" in top
        for key in "tTtTtT":
            await pilot.press(key)
            await pilot.pause()
            assert app.screen_lines()[0] == top


async def test_a_new_width_keeps_the_words_at_the_top() -> None:
    app = Host(turns(60, paragraphs=12), at=30)
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        scroll_until(lambda: app.transcript.scroll_lines(1), lambda: "Paragraph 30.4" in app.screen_lines()[0])
        for width, height in ((80, 24), (60, 24), (140, 40)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            assert "Paragraph 30.4" in app.screen_lines()[0]


async def test_blocks_that_come_late_do_not_move_what_is_read() -> None:
    app = Host(turns(60), at=30)
    app.answers = False
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.transcript.supply(7, app.blocks(30, 31))
        app.transcript.scroll_lines(7)
        before = app.screen_lines()[:5]
        app.transcript.supply(7, app.blocks(1, 29))
        assert app.screen_lines()[:5] == before
        app.transcript.supply(99, app.blocks(32, 60))
        assert app.transcript.document.turns[40].blocks is None


async def test_live_growth_keeps_the_place_and_takes_the_new_last_turn(size: tuple[int, int]) -> None:
    all_turns = turns(9)
    partial = replace(all_turns[7], blocks=all_turns[7].blocks[:3], end_line=802, provisional=True)
    app = Host([*all_turns[:7], partial])
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("G", "k")
        await pilot.pause()
        before = app.screen_lines()
        app.turns = all_turns
        app.transcript.grow(session(len(app.heads)), app.heads)
        await pilot.pause()
        assert app.screen_lines()[0] == before[0]
        await pilot.press("G")
        await pilot.pause()
        assert app.screen_lines()[-1] == "    Turn 9 is done."
        app.transcript.cursor.go_to(8)
        await pilot.pause()
        assert "    Turn 8 is done." in app.screen_lines()


async def test_the_end_stays_in_view_while_the_session_grows_until_the_user_leaves_it(size: tuple[int, int]) -> None:
    all_turns = turns(9)
    partial = replace(all_turns[5], blocks=all_turns[5].blocks[:3], end_line=602, provisional=True)
    app = Host([*all_turns[:5], partial])
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("G")
        await pilot.pause()
        seen = []
        for count, key in ((6, ""), (8, "k"), (9, "")):
            app.turns = all_turns[:count]
            app.transcript.grow(session(len(app.heads)), app.heads)
            await pilot.pause()
            seen.append((app.screen_lines()[-1].strip(), app.transcript.number, app.new_turns))
            await pilot.press(*key)
        top, bottom = app.transcript.number, app.screen_lines()[-1]
    assert seen[:2] == [("Turn 6 is done.", 6, 0), ("Turn 8 is done.", 8, 0)]
    assert seen[2] == (bottom.strip(), top, 1)
    assert bottom.strip() != "Turn 9 is done."


async def test_a_match_in_sight_stays_there_while_the_session_grows() -> None:
    made = needles([5], 8)
    app = Host(made[:5], words=[NEEDLE])
    async with app.run_test(size=(80, 40)) as pilot:
        await until_counted(app, pilot)
        await pilot.press("G", "n")
        await pilot.pause()
        before = app.screen_lines()
        app.turns = made
        app.transcript.grow(session(len(app.heads)), app.heads)
        await pilot.pause()
        after = app.screen_lines(), app.new_turns
    assert any(NEEDLE in line for line in before)
    assert after == (before, 3)


async def test_new_turns_below_the_screen_are_counted_until_they_were_on_it() -> None:
    all_turns = turns(12)
    app = Host(all_turns[:6])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.transcript.cursor.go_to(3)
        counts = []
        for count in (6, 8, 9, 12):
            app.turns = all_turns[:count]
            app.transcript.grow(session(len(app.heads)), app.heads)
            await pilot.pause()
            counts.append((app.transcript.number, app.new_turns))
        for number in (7, 10, 3):
            app.transcript.cursor.go_to(number)
            await pilot.pause()
            counts.append((number, app.new_turns))
        await pilot.press("G")
        await pilot.pause()
        counts.append((app.transcript.number, app.new_turns))
        app.choose()
        await pilot.pause()
        counts.append((app.transcript.number, app.new_turns))
    assert counts == [(3, 0), (3, 2), (3, 3), (3, 6), (7, 4), (10, 1), (3, 1), (12, 0), (1, 0)]


async def test_a_turn_of_which_only_the_heading_is_loaded_hides_the_turns_after_it() -> None:
    all_turns = turns(60)
    app = Host(all_turns[:6])
    app.answers = False
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.turns = all_turns
        app.transcript.grow(session(60), app.heads)
        app.transcript.cursor.go_to(40)
        await pilot.pause()
        counts = [app.new_turns]
        app.transcript.supply(7, app.blocks(40, 60))
        await pilot.pause()
        counts.append(app.new_turns)
    assert counts == [20, 19]


async def test_turns_and_prompts_are_gone_through_by_key() -> None:
    mixed = [turn(1), a_turn(2, "", [Block(0, 0, "text", "Hi")], "opening"), turn(3), turn(4)]
    app = Host(mixed)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        seen = []
        for key in ("J", "J", "K", "left_square_bracket", "right_square_bracket"):
            await pilot.press(key)
            seen.append(app.screen_lines()[0][:5])
        assert seen == ["2 ○ c", "3 ● y", "2 ○ c", "1 ● y", "3 ● y"]
        await pilot.press("j", "K")
        assert app.screen_lines()[0].startswith("3 ● you")
        assert app.transcript.number == 3


async def test_the_turn_at_the_top_is_the_current_one() -> None:
    app = Host(turns(5))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for _ in range(4):
            await pilot.press("pagedown")
        assert app.current == sorted(set(app.current))
        number = app.transcript.number
        marked = [y for y in range(24) if app.transcript.render_line(y).text.startswith("▎")]
        assert marked[0] == 0
        assert number == app.transcript.document.turns[app.transcript.viewport.place.turn].turn.number


def needles(numbers: Sequence[int], count: int = 20) -> list[Turn]:
    """Turns of which some hold the needle: twice in a text, once in a result."""
    made = turns(count)
    for number in numbers:
        blocks = list(made[number - 1].blocks)
        blocks[2] = replace(blocks[2], text=f"A {NEEDLE} here.\n\nAnd a **{NEEDLE}s** there.")
        blocks[5] = replace(blocks[5], text=blocks[5].text + f"\nthe {NEEDLE} in the output")
        made[number - 1] = replace(made[number - 1], blocks=tuple(blocks))
    return made


async def test_all_matches_are_counted_in_the_background() -> None:
    app = Host(needles([2, 70, 150], 150), words=[NEEDLE])
    async with app.run_test(size=(80, 24)) as pilot:
        await until_counted(app, pilot)
        assert app.matches == (0, 9, True)
        assert not [box for box in app.transcript.document.turns if box.blocks is None]


async def test_the_matches_of_a_turn_that_grows_are_counted_again() -> None:
    made = needles([2, 9], 9)
    half = replace(made[8], blocks=made[8].blocks[:3], end_line=903, provisional=True)
    app = Host([*made[:8], half], words=[NEEDLE])
    async with app.run_test(size=(80, 24)) as pilot:
        await until_counted(app, pilot)
        counted = [app.matches]
        app.turns = made
        app.transcript.grow(session(len(app.heads)), app.heads)
        await until_counted(app, pilot)
        assert [*counted, app.matches] == [(0, 5, True), (0, 6, True)]


async def test_n_goes_through_all_matches_and_opens_what_is_folded(size: tuple[int, int]) -> None:
    app = Host(needles([2, 15]), words=[NEEDLE])
    async with app.run_test(size=size) as pilot:
        await until_counted(app, pilot)
        seen = []
        for _ in range(7):
            await pilot.press("n")
            await pilot.pause()
            seen.append(app.matches[0])
            shown = [line for line in app.screen_lines() if NEEDLE in line]
            assert shown
            if app.matches[0] in {3, 6}:
                assert any("the needle in the output" in line for line in shown)
        assert seen == [1, 2, 3, 4, 5, 6, 1]
        await pilot.press("N")
        assert app.matches == (6, 6, True)
        assert app.transcript.number == 15


@pytest.mark.parametrize(("key", "expected"), [("n", 3), ("N", 2)])
async def test_the_first_step_to_a_match_starts_at_the_top_of_the_screen(key: str, expected: int) -> None:
    app = Host(needles([2], 3), words=[NEEDLE], at=2)
    async with app.run_test(size=(80, 12)) as pilot:
        await until_counted(app, pilot)
        scroll_until(lambda: app.transcript.scroll_lines(1), lambda: NEEDLE in "".join(app.screen_lines()))
        scroll_until(lambda: app.transcript.scroll_lines(1), lambda: NEEDLE not in "".join(app.screen_lines()))
        assert app.transcript.number == 2
        await pilot.press(key)
        assert app.matches[:2] == (expected, 3)


async def test_a_match_that_is_on_the_screen_is_gone_to_without_a_move() -> None:
    app = Host(needles([1]), words=[NEEDLE])
    async with app.run_test(size=(80, 24)) as pilot:
        await until_counted(app, pilot)
        before = app.screen_lines()
        await pilot.press("n", "n")
        assert app.screen_lines() == before


async def test_n_waits_for_blocks_that_are_not_there_yet() -> None:
    app = Host(needles([90], 100), words=[NEEDLE])
    app.answers = False
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.transcript.supply(7, app.blocks(1, 40))
        await pilot.press("n")
        app.transcript.supply(7, app.blocks(41, 100))
        await pilot.pause()
        assert app.matches[:2] == (1, 3)
        assert any(NEEDLE in line for line in app.screen_lines())


async def test_seek_goes_to_the_first_match_of_a_turn_when_its_blocks_come() -> None:
    made = needles([5])
    long = replace(
        made[4], blocks=(*made[4].blocks, Block(9, 9, "text", "\n\n".join(["para"] * 80) + f"\n\n{NEEDLE} at last"))
    )
    long = replace(long, blocks=tuple(b if b.seq not in {2, 5} else replace(b, text="x") for b in long.blocks))
    made[4] = long
    app = Host(made, at=5, words=[NEEDLE])
    async with app.run_test(size=(80, 24)) as pilot:
        app.transcript.finder.go_to_turn(5)
        await pilot.pause()
        assert any("needle at last" in line for line in app.screen_lines())
        assert app.matches[0] == 1


async def test_other_words_are_marked_without_a_move() -> None:
    app = Host(needles([1]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = app.screen_lines()
        app.transcript.mark([NEEDLE])
        await until_counted(app, pilot)
        assert app.screen_lines() == before
        strip = next(
            app.transcript.render_line(y) for y in range(24) if "A needle here" in app.transcript.render_line(y).text
        )
        marked = [segment.text for segment in strip if segment.style and segment.style.underline]
        assert marked == [NEEDLE]


async def test_a_click_selects_the_turn_and_opens_what_is_folded() -> None:
    app = Host(turns(5, paragraphs=1))
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.pause()
        lines = app.screen_lines()
        thinking = [y for y, line in enumerate(lines) if "▸ thinking" in line][1]
        await pilot.click(TranscriptPane, offset=(10, thinking))
        assert app.transcript.number == 2
        assert app.screen_lines()[thinking : thinking + 3] == [
            "    ▾ thinking (2 lines)",
            "      Thought 2 one.",
            "      Thought 2 two.",
        ]
        await pilot.click(TranscriptPane, offset=(10, thinking))
        assert app.screen_lines()[thinking] == "    ▸ thinking (2 lines)"


async def test_a_click_on_a_run_of_looks_lists_them_below_its_line_and_folds_them_again() -> None:
    blocks = [Block(0, 0, "user", "Go.")]
    for n in range(3):
        path = f'{{"file_path": "f{n}.py"}}'
        blocks.append(Block(2 * n + 1, n, "tool_call", path, "Read", str(n)))
        blocks.append(Block(2 * n + 2, n, "tool_result", "a\nb", "Read", str(n)))
    app = Host([a_turn(1, "Go.", blocks), *turns(3, paragraphs=9)[1:]])
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.pause()
        before = app.screen_lines()
        run = next(y for y, line in enumerate(before) if "Read" in line)
        assert before[run] == "    ▸ Read 3 files  f0.py, f1.py, f2.py"
        await pilot.click(TranscriptPane, offset=(8, run))
        listed = ["    ▾ Read 3 files  f0.py, f1.py, f2.py", *(f"      ▸ Read  f{n}.py · 2 lines" for n in range(3))]
        assert app.screen_lines()[: run + 4] == [*before[:run], *listed]
        await pilot.click(TranscriptPane, offset=(9, run + 2))
        assert app.screen_lines()[run : run + 6] == [
            *listed[:2],
            "",
            "      ▾ Read  f1.py · 2 lines",
            "        a",
            "        b",
        ]
        await pilot.click(TranscriptPane, offset=(9, run + 3))
        await pilot.click(TranscriptPane, offset=(8, run))
        assert app.screen_lines() == before


def a_turn_with_looks() -> Turn:
    """A turn that reads three files, the second of which contains the needle, and runs a command that fails."""
    blocks = [Block(0, 0, "user", "Go.")]
    for n, name in enumerate(("f0", "f1", "f2")):
        text = "\n".join(f"{name} {NEEDLE if (n, at) == (1, 20) else at}" for at in range(30))
        blocks.append(Block(2 * n + 1, n, "tool_call", json.dumps({"file_path": f"{name}.py"}), "Read", str(n)))
        blocks.append(Block(2 * n + 2, n, "tool_result", text, "Read", str(n)))
    output = "\n".join([NEEDLE, *(f"step {n}" for n in range(30)), "ValueError: no"])
    blocks.append(Block(7, 7, "tool_call", json.dumps({"command": "make"}), "Bash", "b"))
    blocks.append(Block(8, 8, "tool_result", output, "Bash", "b", is_error=True))
    return a_turn(1, "Go.", blocks)


FOLDED = ["    ▸ Read 3 files  f0.py, f1.py, f2.py", f"    {'✗ Bash  make':<68}error", "      … 24 lines"]


async def test_a_passage_in_a_run_is_shown_and_the_run_is_folded_again_after_it() -> None:
    texts = ((4, f"f1 {NEEDLE}"), (8, NEEDLE))
    hit = HitPassages(tuple(Passage(block, 0, len(text), "tool output", text) for block, text in texts), (NEEDLE,))
    app = Host([a_turn_with_looks(), *turns(3)[1:]], at=1, hit=hit)
    seen = []
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for _ in texts:
            await pilot.press("n")
            await pilot.pause()
            seen.append([line.strip() for line in app.screen_lines()])
        await pilot.press("g")
        seen[1] += [line.strip() for line in app.screen_lines()]
    assert f"f1 {NEEDLE}" in seen[0]
    assert (NEEDLE in seen[1], FOLDED[0].strip() in seen[1]) == (True, True)


async def test_a_call_that_was_unfolded_in_a_run_is_still_so_when_a_passage_unfolds_the_run() -> None:
    text = f"f1 {NEEDLE}"
    hit = HitPassages((Passage(4, 0, len(text), "tool output", text),), (NEEDLE,))
    app = Host([a_turn_with_looks(), *turns(3)[1:]], hit=hit, at=1)
    async with app.run_test(size=(80, 60)) as pilot:
        await pilot.pause()
        run = next(y for y, line in enumerate(app.screen_lines()) if "▸ Read" in line)
        for y in (run, run + 2):
            await pilot.click(TranscriptPane, offset=(8, y))
        assert f"        {text}" in app.screen_lines()
        await pilot.click(TranscriptPane, offset=(8, run))
        assert app.screen_lines()[run] == FOLDED[0]
        await pilot.press("n")
        await pilot.pause()
        assert f"        {text}" in app.screen_lines()


async def test_a_match_in_a_run_is_shown_and_stays_unfolded() -> None:
    app = Host([a_turn_with_looks(), *turns(3)[1:]], words=[NEEDLE])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        lines = app.screen_lines()
        start = next(y for y, line in enumerate(lines) if "▸ Read" in line)
        assert lines[start : start + 3] == FOLDED
        seen = []
        for _ in range(2):
            await pilot.press("n")
            await pilot.pause()
            seen.append([line.strip() for line in app.screen_lines()])
    assert f"f1 {NEEDLE}" in seen[0]
    assert NEEDLE in seen[1]


async def test_text_is_selected_with_the_mouse_and_copied_unwrapped() -> None:
    app = Host(turns(3))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        first = next(y for y, line in enumerate(app.screen_lines()) if "Paragraph 1.0" in line)
        await pilot.mouse_down(TranscriptPane, offset=(5, first))
        await pilot.hover(TranscriptPane, offset=(9, first + 2))
        await pilot.mouse_up(TranscriptPane, offset=(9, first + 2))
        copied = app.screen.get_selected_text()
        assert copied is not None
        assert copied.startswith("Paragraph 1.0 word0 word0")
        assert "\n" not in copied


async def test_a_selection_survives_the_layout_of_what_is_above() -> None:
    app = Host(turns(60), at=30)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        transcript = app.transcript
        offsets = [segment.style.meta["offset"] for segment in transcript.render_line(1) if segment.style]
        y = offsets[0][1]
        app.screen.selections = {transcript: Selection(Offset(5, y), Offset(14, y))}
        transcript.document.measure_below(TranscriptPlace(0, 0, 0), 10_000)
        assert app.screen.get_selected_text() == "Prompt 30"


async def test_a_turn_is_copied_by_key() -> None:
    app = Host(turns(2, paragraphs=1))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("y")
        ((text, what),) = app.copied
        assert what == "Turn 1"
        assert text.startswith("Prompt 1 asks for something.\n\nParagraph 1.0 word0")
        assert text.endswith("▸ Read  f1.py · 30 lines\n▸ Bash  run 1\n\nTurn 1 is done.")


async def test_one_turn_may_be_the_whole_session() -> None:
    blocks = [Block(0, 0, "user", "Go.")]
    for n in range(1, 2001):
        blocks.append(Block(n, n, "text", f"Step {n} " + "word " * 200))
    app = Host([a_turn(1, "Go.", blocks)])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        held = sum(1 for box in app.transcript.document.turns[0].boxes if box.lines is not None)
        assert held < 60
        await pilot.press("G")
        await pilot.pause()
        assert "Step 2000" in "\n".join(app.screen_lines())
        before = app.screen_lines()
        await pilot.press("pageup")
        assert app.screen_lines()[-1] == before[0]


async def test_lines_that_are_out_of_sight_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.widgets.transcript.layout.document.MAX_CACHED_LINES", 300)
    app = Host(turns(80))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.transcript.document.measure_below(TranscriptPlace(0, 0, 0), 100_000)
        height = app.transcript.document.height
        boxes = [box for each in app.transcript.document.turns for box in each.boxes]
        assert sum(len(box.lines) for box in boxes if box.lines is not None) <= 300
        assert app.screen_lines()[0].startswith(" 1 ● you")
        assert app.transcript.document.height == height


async def test_every_theme_paints_every_style() -> None:
    app = Host(needles([1]), words=[NEEDLE])
    async with app.run_test(size=(80, 24)) as pilot:
        for theme in list(app.available_themes):
            app.theme = theme
            await pilot.pause()
            for name in set(re.findall(r"\.lines--(\w+)", LineView.DEFAULT_CSS)):
                app.transcript.painter.style(name)
            assert app.screen_lines()[0].startswith(" 1 ● you")


class NoSession(Host):
    """A transcript before a session is chosen."""

    def choose(self) -> None:
        pass


@pytest.mark.parametrize(("host", "text"), [(Host, "This session has no turns."), (NoSession, "No session chosen.")])
async def test_nothing_to_show_is_said_in_words(host: type[Host], text: str) -> None:
    app = host([])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert text in [line.strip() for line in app.screen_lines()]
        before = app.screen_lines()
        await pilot.press("j", "G", "g", "n", "t", "T", "J", "y", "pagedown", "left_square_bracket")
        app.transcript.supply(7, {1: ()})
        assert (app.screen_lines(), app.copied, app.wanted) == (before, [], [])


def test_every_key_can_be_bound_anew_and_explains_itself() -> None:
    bindings = [binding for binding in TranscriptPane.BINDINGS if isinstance(binding, Binding)]
    assert len(bindings) == len(TranscriptPane.BINDINGS)
    assert all(binding.id and binding.description and binding.tooltip for binding in bindings)
    assert len({binding.id for binding in bindings}) == len(bindings)
    assert sum(binding.show for binding in bindings) <= 7


def test_a_flood_of_turn_changes_collapses() -> None:
    message: Message = TranscriptPane.TurnChanged(7, 1)
    assert message.can_replace(TranscriptPane.TurnChanged(7, 2))
    assert not message.can_replace(TranscriptPane.BlocksRequested(7, 1, 2))
