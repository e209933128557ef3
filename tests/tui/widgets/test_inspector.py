from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding

from memtui.render.inspect import info_rows
from memtui.render.turns.part import PROSE
from memtui.widgets.inspector.pane import Inspector, InspectorTab
from memtui_core.model import Block, FileTouch, Session, TouchKind, Turn
from support.screens import settled

START = datetime(2026, 2, 13, 14, 2, 11, tzinfo=UTC)
SESSION = Session(
    key=7,
    session_id="0f3a",
    agent="claude-code",
    parent=None,
    parent_tool_id=None,
    project="shop",
    root="/home/ann/shop",
    cwd="/home/ann/shop",
    branch="main",
    version="2.1.9",
    models=("opus",),
    title="Fix flaky uploads",
    started_at=START,
    ended_at=None,
    turns=14,
    tool_calls=2,
    input_tokens=0,
    output_tokens=0,
    compactions=1,
    forked_from="77aa",
    worktree="/home/ann/shop/.worktrees/fast",
)
TURN = Turn(
    6,
    7,
    6,
    40,
    48,
    "human",
    0,
    "Go.",
    ("Read a.py", "Bash: pytest -q"),
    START,
    # The recap comes three minutes after the work.
    START + timedelta(minutes=4),
    ("opus",),
    20_000,
    3100,
    1,
    active=timedelta(seconds=48),
    blocks=(
        Block(0, 40, "user", "Go."),
        Block(1, 41, "thinking", "First.\nSecond."),
        Block(2, 42, "tool_call", json.dumps({"file_path": "/home/ann/shop/src/a.py"}), "Read", "r"),
        Block(3, 43, "tool_result", "     1→x = 1\n     2→y = 2", "Read", "r"),
        Block(4, 44, "thinking", "Third."),
        Block(5, 45, "tool_call", json.dumps({"command": "pytest -q"}), "Bash", "b"),
        Block(6, 46, "tool_result", "Exit code 1\n3 failed", "Bash", "b", is_error=True),
    ),
)
BARE = replace(TURN, number=7, blocks=(), tool_summary=(), errors=0)


def touch(path: str, kind: TouchKind) -> FileTouch:
    return FileTouch(path, kind, "Edit", 7, "0f3a", "t", "shop", 6, 41, START)


TOUCHES = [touch("ci.yml", "mentioned"), touch("src/a.py", "read"), touch("src/a.py", "edited"), touch("b.py", "read")]


class Host(App[None]):
    def __init__(
        self,
        turn: Turn | None = TURN,
        touches: Sequence[FileTouch] = TOUCHES,
        tab: InspectorTab | None = "tools",
    ) -> None:
        """`tab` is the one that the user has chosen before, None if none."""
        super().__init__()
        self.turn = turn
        self.tab = tab
        self.touches = touches
        self.files: list[str] = []

    def compose(self) -> ComposeResult:
        yield Inspector()

    def on_mount(self) -> None:
        self.inspector.focus()
        if self.tab is not None:
            self.inspector.tab = self.tab
        if self.turn is not None:
            self.inspector.show(SESSION, self.turn, self.touches)

    @property
    def inspector(self) -> Inspector:
        return self.query_one(Inspector)

    @on(Inspector.FileChosen)
    def _file_chosen(self, message: Inspector.FileChosen) -> None:
        self.files.append(message.path)

    def lines(self) -> list[str]:
        """What stands on the screen, without blank lines at its end."""
        drawn = [self.inspector.render_line(y).text.rstrip() for y in range(self.inspector.size.height)]
        while drawn and not drawn[-1]:
            drawn.pop()
        return drawn


def ending(text: str, outcome: str, width: int = 80) -> str:
    """The line of a call whose outcome stands at the right of a pane of this width."""
    return text + outcome.rjust(min(width - 1, PROSE + 2) - len(text))


@pytest.fixture(params=[(80, 24), (140, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    found: tuple[int, int] = request.param
    return found


async def test_tools_are_opened_and_closed_one_by_one(size: tuple[int, int]) -> None:
    app = Host()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        folded = [
            "Thinking  Tools 2  Files 3  Info",
            "",
            "› ▸ Read  src/a.py · 2 lines",
            ending("  ✗ Bash  pytest -q", "exit 1", size[0]),
        ]
        assert app.lines() == folded
        await pilot.press("j", "enter")
        assert app.lines() == [
            "Thinking  Tools 2  Files 3  Info",
            "",
            "  ▸ Read  src/a.py · 2 lines",
            ending("› ✗ Bash  pytest -q", "exit 1", size[0]),
            "    3 failed",
        ]
        await pilot.press("enter", "k", "k")
        assert app.lines() == folded


async def test_tabs_are_changed_by_key_and_by_click(size: tuple[int, int]) -> None:
    app = Host()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        seen = []
        for key in ("l", "right", "l", "left", "h"):
            await pilot.press(key)
            seen.append(app.inspector.tab)
        assert seen == ["files", "info", "thinking", "info", "files"]
        await pilot.click(Inspector, offset=(2, 0))
        assert app.inspector.tab == "thinking"
        assert app.lines()[2:] == ["First.", "Second.", "", "⋯", "", "Third."]


async def test_a_file_is_listed_once_by_the_strongest_touch_and_chosen_by_enter(size: tuple[int, int]) -> None:
    app = Host()
    async with app.run_test(size=size) as pilot:
        await pilot.press("l")
        assert app.lines()[2:] == [
            "Edited 1",
            "› src/a.py",
            "",
            "Read 1",
            "  b.py",
            "",
            "Mentioned 1",
            "  ci.yml",
        ]
        await pilot.press("j", "j", "j", "enter")
        await pilot.click(Inspector, offset=(4, 3))
        assert app.files == ["ci.yml", "src/a.py"]


async def test_info_has_absolute_times_and_ids(size: tuple[int, int]) -> None:
    app = Host()
    async with app.run_test(size=size) as pilot:
        await pilot.press("l", "l")
        await settled(pilot)
        app.inspector.action_end(0)
        shown = app.lines()[2:]
        app.inspector.action_end(1)
        await pilot.pause()
        shown += [line for line in app.lines()[2:] if line not in shown]
        assert shown == [
            "Turn         6 of 14",
            "Kind         human",
            "Started      2026-02-13 14:02:11 +0000",
            "Ended        2026-02-13 14:06:11 +0000",
            "Worked       48 s",
            "Models       opus",
            "Tokens in    20,000",
            "Tokens out   3,100",
            "Tools        2",
            "Errors       1",
            "Lines        41–49 of the transcript",
            "Reference    0f3a:6",
            "",
            "Session      Fix flaky uploads",
            "Id           0f3a",
            "Agent        Claude Code 2.1.9",
            "Project      shop",
            "Folder       /home/ann/shop",
            "Worktree     /home/ann/shop/.worktrees/fast",
            "Branch       main",
            "Started      2026-02-13 14:02:11 +0000",
            "Ended        unknown",
            "Compacted    1 time",
            "Forked from  77aa",
        ]


@pytest.mark.parametrize(
    ("presses", "words"),
    [
        (["l"], ["No thinking in this turn.", "Agents may think without writing it down."]),
        (["h", "h"], ["No tools in this turn."]),
        (["h"], ["No files in this turn."]),
    ],
)
async def test_an_empty_tab_says_so(presses: list[str], words: list[str]) -> None:
    app = Host(BARE, [])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*presses, "j", "k", "enter")
        assert app.lines() == ["Thinking  Tools  Files  Info", "", *words]


async def test_another_tab_stands_in_for_an_empty_one_until_the_chosen_one_has_something() -> None:
    app = Host(None)
    thought = replace(BARE, number=8, blocks=(Block(1, 50, "thinking", "Hm."),))
    async with app.run_test(size=(80, 24)):
        tabs = []
        for chosen in ("tools", "files", "info"):
            app.inspector.tab = chosen
            for turn, touches in ((thought, ()), (TURN, TOUCHES), (BARE, ()), (TURN, ())):
                app.inspector.show(SESSION, turn, touches)
                tabs.append(app.inspector.tab)
        assert tabs == [
            *("thinking", "tools", "info", "tools"),
            *("thinking", "files", "info", "thinking"),
            *("info", "info", "info", "info"),
        ]


@pytest.mark.parametrize(
    ("turn", "touches", "tab"),
    [
        (TURN, TOUCHES, "thinking"),
        (replace(TURN, blocks=TURN.blocks[2:4]), TOUCHES, "files"),
        (replace(TURN, blocks=TURN.blocks[2:4]), (), "tools"),
        (BARE, (), "info"),
    ],
)
async def test_the_first_tab_is_the_one_with_what_the_transcript_hides(
    turn: Turn, touches: Sequence[FileTouch], tab: InspectorTab
) -> None:
    app = Host(turn, touches, None)
    async with app.run_test(size=(80, 24)):
        assert app.inspector.tab == tab


async def test_a_tab_that_stands_in_for_the_chosen_one_can_be_chosen() -> None:
    app = Host(replace(BARE, number=8, blocks=(Block(1, 50, "thinking", "Hm."),)), ())
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        tabs = [app.inspector.tab]
        await pilot.click(Inspector, offset=(2, 0))
        app.inspector.show(SESSION, TURN, TOUCHES)
        assert [*tabs, app.inspector.tab] == ["thinking", "thinking"]


async def test_without_a_turn_it_says_so() -> None:
    app = Host(None)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "enter", "J", "G")
        assert app.lines()[2:] == ["No turn is open."]
        app.inspector.show(SESSION, TURN, TOUCHES)
        app.inspector.clear("No turn is open.")
        assert app.lines()[2:] == ["No turn is open."]


async def test_a_growing_turn_keeps_what_is_open_and_another_turn_does_not() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "enter")
        before = app.lines()
        app.inspector.show(SESSION, replace(TURN, end_line=60), TOUCHES)
        assert app.lines() == before
        app.inspector.show(SESSION, BARE, [])
        app.inspector.show(SESSION, TURN, TOUCHES)
        assert app.lines()[2].startswith("› ▸ Read")


async def test_the_marked_tool_stays_on_the_screen() -> None:
    calls = [Block(n, n, "tool_call", json.dumps({"command": f"run {n}"}), "Bash", str(n)) for n in range(60)]
    app = Host(replace(TURN, blocks=tuple(calls)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["j"] * 40)
        assert [line for line in app.lines() if line.startswith("›")] == [ending("› ▸ Bash  run 40", "no result")]
        await pilot.press("G")
        assert app.lines()[-1] == ending("  ▸ Bash  run 59", "no result")
        assert app.lines()[0].startswith("Thinking")
        await pilot.press("pageup")
        assert app.lines()[-1] == ending("  ▸ Bash  run 38", "no result")


async def test_a_click_in_the_header_means_no_tool() -> None:
    calls = [Block(n, n, "tool_call", json.dumps({"command": f"run {n}"}), "Bash", str(n)) for n in range(60)]
    app = Host(replace(TURN, blocks=tuple(calls)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("pagedown")
        await settled(pilot)
        shown = app.lines()
        assert shown[2] == ending("  ▸ Bash  run 21", "no result")
        # Beside the tabs, and in the blank line below them.
        for offset in ((70, 0), (4, 1)):
            await pilot.click(Inspector, offset=offset)
            await settled(pilot)
            assert app.lines() == shown
        await pilot.click(Inspector, offset=(4, 2))
        await settled(pilot)
        assert app.lines()[2:4] == [ending("› ▾ Bash  run 21", "no result"), ""]


async def test_narrow_tabs_lose_their_counts_before_their_names() -> None:
    app = Host()
    async with app.run_test(size=(27, 24)) as pilot:
        await pilot.pause()
        assert app.lines()[0] == "Thinking Tools Files Info"


async def test_text_is_copied_without_line_numbers() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        first = next(y for y, line in enumerate(app.lines()) if "x = 1" in line)
        await pilot.mouse_down(Inspector, offset=(6, first))
        await pilot.hover(Inspector, offset=(20, first + 1))
        await pilot.mouse_up(Inspector, offset=(20, first + 1))
        assert app.screen.get_selected_text() == "x = 1\ny = 2"


def test_every_key_can_be_bound_anew_and_explains_itself() -> None:
    bindings = [binding for binding in Inspector.BINDINGS if isinstance(binding, Binding)]
    assert len(bindings) == len(Inspector.BINDINGS)
    assert all(binding.id and binding.description and binding.tooltip for binding in bindings)
    assert sum(binding.show for binding in bindings) <= 7


def test_the_info_has_what_the_session_used() -> None:
    used = [("Tokens", "38k in · 4k out"), ("Cost", "about $0.42 · prices of 15 Feb 2026"), ("Time", "")]
    lines = ["".join(text for text, _ in (*row.first, *row.spans)) for row in info_rows(SESSION, TURN, used)]
    about = lines[lines.index("") :]
    assert [line.split("  ")[0] for line in about if line.startswith(("Tokens", "Cost", "Time"))] == ["Tokens", "Cost"]
    assert any(line.endswith("about $0.42 · prices of 15 Feb 2026") for line in about)
