"""Each view keeps its place: going to another view, or to a search, and back changes nothing in it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Tree

from memtui.views.sessions.nodes import walk
from memtui.widgets.lines.view import LineView
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.transcript.layout.boxes import TranscriptPlace
from memtui.widgets.transcript.widget import TranscriptPane
from support.indexes import update
from support.pasting import paste
from support.screens import app_on, browse, draw_lines, is_shown, scope, settled, transcript, tree
from support.transcripts import Script

SIZES = [(140, 40), (80, 24)]


@dataclass(frozen=True)
class Reading:
    """What the transcript shows."""

    session: str
    turn: int
    lines: tuple[str, ...]
    """The lines on the screen, with their marks."""
    top: TranscriptPlace | None
    """The line at the top, which is exact, whereas the scroll position counts estimated heights above it."""
    levels: tuple[str, str]
    flipped: dict[int, frozenset[int]]
    subtitle: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Everything in which a view can differ from what it was."""

    view: str
    focus: str
    line: tuple[str, str]
    """The text and the scope of the search line."""
    rows: dict[str, tuple[int | None, int, int]]
    """Cursor, scroll position and number of rows of each list, by its id."""
    unfolded: tuple[str, ...]
    panes: tuple[str, ...]
    """The panes that are shown."""
    reading: Reading


def reading(pilot: Pilot[None]) -> Reading:
    shown = transcript(pilot)
    assert shown.session is not None
    lines = tuple(shown.render_line(y).text.rstrip() for y in range(shown.size.height)) if is_shown(shown) else ()
    return Reading(
        shown.session.title,
        shown.number,
        lines,
        shown.viewport.place if is_shown(shown) else None,
        (shown.tools_level, shown.thinking_level),
        shown.document.flipped,
        str(shown.border_subtitle),
        shown.matches.words,
    )


def place(pilot: Pilot[None]) -> Place:
    screen = browse(pilot)
    view = screen.list_pane
    lists = {
        str(rows.id): (rows.highlighted, round(rows.scroll_y), rows.option_count) for rows in view.query(OptionList)
    }
    trees = {str(one.id): (one.cursor_line, round(one.scroll_y), one.last_line) for one in view.query(Tree)}
    texts = {str(one.id): (None, round(one.scroll_y), 0) for one in view.query(LineView)}
    return Place(
        screen.view,
        str(screen.focused.id if screen.focused is not None else None),
        (screen.query_one(SearchBar).value, scope(screen)),
        lists | trees | texts,
        tuple(str(node.data) for node in walk(tree(pilot).root) if node.is_expanded and screen.view == "sessions"),
        tuple(str(pane.id) for pane in screen.query("#left > *, #reader > *") if is_shown(pane)),
        reading(pilot),
    )


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys or paste texts in quotes, and draw after each the panes whose drawing can change their own place."""
    for key in keys:
        if key.startswith('"'):
            await paste(pilot, key.strip('"'))
        else:
            await pilot.press(key)
            await settled(pilot)
        draw_lines(pilot)
        await pilot.pause()


WORK = [
    *("j", "j", "k", "G", "g", "l", "h", "tab", "pagedown", "space", "J", "t", "T", "s", "right_curly_bracket"),
    *("enter", "enter", "n", '/"up" enter', 'f "the" enter'),
]
"""What a user does in a view, in the pane that has the focus."""


async def work(pilot: Pilot[None], random: Random) -> bool:
    """Do some of it; True if a session was read."""
    read = False
    for _ in range(random.randint(1, 4)):
        keys = random.choice(WORK)
        focused = pilot.app.focused
        if keys.startswith(("f", "n")) and not isinstance(focused, TranscriptPane):
            continue
        items = browse(pilot).list_pane.ITEMS
        if keys.startswith("/") and not items:
            continue
        if keys.startswith("/"):
            await press(pilot, "slash")
            while scope(pilot.app.screen) != items:
                await press(pilot, "ctrl+r")
            keys = keys[1:]
        before = pilot.app.focused
        await press(pilot, *keys.split())
        read |= (
            keys in ("enter", "l") and before is not pilot.app.focused and isinstance(pilot.app.focused, TranscriptPane)
        )
        while len(pilot.app.screen_stack) > 2 or isinstance(pilot.app.focused, SearchBar):
            await press(pilot, "escape")
    return read


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(3))
async def test_going_away_and_back_changes_nothing(sample_index: Path, size: tuple[int, int], seed: int) -> None:
    """Each of the 16 views is worked in, and each key of that is awaited."""
    random = Random(seed)
    async with app_on(sample_index).run_test(size=size) as pilot:
        await settled(pilot)
        places: dict[str, Place] = {}
        steps: list[str] = []
        read_elsewhere = False
        for _ in range(16):
            key = random.choice([each for each in "123456" if not steps or each != steps[-1]])
            steps.append(key)
            await press(pilot, key)
            if key == "1" and read_elsewhere:
                node = tree(pilot).cursor_node
                assert getattr(node and node.data, "title", "") == reading(pilot).session, steps
            elif key in places:
                assert place(pilot) == places[key], steps
            if key == "1":
                read_elsewhere = False
            read = await work(pilot, random)
            read_elsewhere |= read and key != "1"
            places[key] = place(pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_a_search_and_back_changes_nothing(sample_index: Path, size: tuple[int, int]) -> None:
    """Five views, each with two searches, and each key awaited."""
    before: dict[tuple[str, str], Place] = {}
    after: dict[tuple[str, str], Place] = {}
    async with app_on(sample_index).run_test(size=size) as pilot:
        await settled(pilot)
        for view in "12346":
            await press(pilot, view, "j", "enter")
            if not isinstance(pilot.app.focused, TranscriptPane):
                await press(pilot, "enter")
            await press(pilot, "J", "pagedown", "t", "escape")
            before[view, "found"] = before[view, "given up"] = place(pilot)
            await press(pilot, "slash")
            while scope(pilot.app.screen) != "all projects":
                await press(pilot, "slash")
            await press(pilot, '"backoff"', "enter", "n", "J", "escape", "escape")
            after[view, "found"] = place(pilot)
            await press(pilot, "slash", "escape")
            after[view, "given up"] = place(pilot)
    assert after == before


def long_sessions(folder: Path) -> Path:
    """Two sessions of many turns with long lines, tools and thinking, in two projects."""
    for name, session in (("shop", "a" * 8), ("site", "b" * 8)):
        script = Script(f"{session}-1111-4111-8111-111111111111", f"/work/{name}", session[0])
        script.count = 1000 if name == "site" else 0
        for number in range(40):
            script.user(f"{name} prompt {number}")
            script.says("A long line that is wrapped in every pane. " * 12)
            script.calls("Edit", {"file_path": f"/work/{name}/a.py", "old_string": "a", "new_string": "b\n" * 9})
            script.result("done")
            script.says("done")
        script.write(folder / name)
    return folder


@pytest.fixture(scope="module")
def long_index_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    update(folder / "data", long_sessions(folder / "src"))
    return folder / "data"


@pytest.fixture
def long_index(long_index_made: Path, tmp_path: Path) -> Path:
    """An index of the long sessions in which the app may remember things."""
    return shutil.copytree(long_index_made, tmp_path / "data")


async def test_the_line_at_the_top_stays_though_the_views_have_other_widths(long_index: Path) -> None:
    async with app_on(long_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "enter", *["J"] * 9, "j", "j", "j", "j", "t", "j")
        shown = transcript(pilot)
        places = (shown.document.at(round(shown.scroll_y) + y) for y in range(shown.page))
        folds = ((at.turn, line.fold) for at in places if (line := shown.document.line(at)) is not None)
        shown.viewport.flip(*next((turn, fold) for turn, fold in folds if fold is not None))
        await settled(pilot)
        before = place(pilot)
        assert before.reading.flipped
        for _ in range(3):
            await press(pilot, "2", "j", "6", "5", "1")
            assert place(pilot) == before


async def test_the_tree_reveals_what_was_read_elsewhere_and_only_that(long_index: Path) -> None:
    async with app_on(long_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "enter", "J")
        first = place(pilot)
        assert first.reading.session == "site prompt 0"
        await press(pilot, "2", "slash", '"work"', "escape", "escape", "1")
        assert place(pilot) == first
        await press(pilot, "2", "j", "enter", "enter", "J", "J")
        elsewhere = reading(pilot)
        assert (elsewhere.session, elsewhere.turn > 3) == ("shop prompt 0", True)
        await press(pilot, "1")
        cursor = tree(pilot).cursor_node
        assert (reading(pilot).session, reading(pilot).turn) == (elsewhere.session, elsewhere.turn)
        assert (pilot.app.focused, getattr(cursor and cursor.data, "title", "")) == (tree(pilot), "shop prompt 0")
        revealed = place(pilot)
        await press(pilot, "2", "3", "2", "1")
        assert place(pilot) == revealed
        await press(pilot, "ctrl+o")
        assert (reading(pilot), pilot.app.focused) == (first.reading, transcript(pilot))


async def test_marks_stay_in_the_view_or_the_search_that_made_them(long_index: Path) -> None:
    async with app_on(long_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter", "enter")
        shown = transcript(pilot)
        assert (shown.matches.words, str(shown.border_subtitle)) == (("a.py",), "turn 40 of 40 · 40 matches")
        await press(pilot, "1")
        assert (shown.matches.words, str(shown.border_subtitle)) == ((), "turn 40 of 40")
        await press(pilot, "2", "4")
        assert (shown.matches.words, str(shown.border_subtitle)) == ((), "turn 40 of 40")
        await press(pilot, "2")
        assert (shown.matches.words, str(shown.border_subtitle)) == (("a.py",), "turn 40 of 40 · 40 matches")
        await press(pilot, "slash", "ctrl+r", '"wrapped"', "enter")
        assert (shown.passages.hit is not None, shown.passages.position) == (True, "passage 1 of 3")
        await press(pilot, "1")
        assert (shown.passages.hit, shown.passages.position) == (None, "")


async def test_the_inspector_never_shows_another_turn_than_the_transcript(long_index: Path) -> None:

    def inspected(pilot: Pilot[None]) -> tuple[str, int] | str:
        inspector = browse(pilot).reader.inspector
        if inspector.session is None or inspector.turn is None:
            return "".join(row.text for row in inspector.rows(40, 20))
        return inspector.session.title, inspector.turn.number

    async with app_on(long_index).run_test(size=(300, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "enter", "i", "J")
        here = inspected(pilot)
        await press(pilot, "6", "i", "G")
        assert (here, inspected(pilot)) == (("site prompt 0", 2), ("shop prompt 0", 1))
        await browse(pilot).run_action("view('sessions')")
        assert (reading(pilot).session, inspected(pilot)) == ("site prompt 0", "")
        await settled(pilot)
        assert inspected(pilot) == here


async def test_the_way_back_restores_view_scroll_and_folds(long_index: Path) -> None:
    async with app_on(long_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter", "enter", "t", "J", "pagedown", "j")
        files = place(pilot)
        await press(pilot, "1", "G", "l", "j", "enter", "T", "pagedown", "pagedown", "j")
        session = place(pilot)
        assert files.reading != session.reading
        await press(pilot, "ctrl+o")
        assert place(pilot) == files
        await press(pilot, "alt+right")
        assert place(pilot) == session
        await press(pilot, "slash", '"wrapped"', "enter")
        hit = reading(pilot)
        await press(pilot, "escape", "escape")
        assert reading(pilot) == session.reading
        await press(pilot, "ctrl+o")
        # The list of the hits is broader, so that the lines are wrapped elsewhere.
        assert replace(reading(pilot), lines=hit.lines) == hit
        await press(pilot, "ctrl+o")
        assert reading(pilot) == session.reading


async def test_a_preview_that_comes_late_is_for_its_own_view(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "j", "enter", "J")
        before = place(pilot)
        # Without a wait between them: the file's timeline is still loaded when the user goes back.
        await pilot.press("2", "1")
        await settled(pilot)
        assert place(pilot) == before


def focused(pilot: Pilot[None]) -> tuple[str, bool]:
    """The pane in focus, and whether it is shown."""
    pane = pilot.app.focused
    return (str(pane.id), is_shown(pane)) if pane is not None else ("", False)


@pytest.mark.parametrize("size", SIZES)
async def test_esc_returns_to_a_pane_that_is_still_shown(sample_index: Path, size: tuple[int, int]) -> None:
    async with app_on(sample_index).run_test(size=size) as pilot:
        await settled(pilot)
        seen = []
        for keys in (
            # From the line to the transcript, also where there is no room for both.
            ["enter", "slash", "escape"],
            # The history of a file gives way to a turn of it that is read again over the hits.
            ["2", "enter", "enter", "escape", "slash", "slash", '"timeout"', "down", "ctrl+o", "escape", "escape"],
        ):
            await press(pilot, *keys)
            seen.append(focused(pilot))
        assert seen == [("transcript", True), ("files", True)]


@pytest.mark.parametrize("size", SIZES)
async def test_what_was_read_in_a_search_over_the_statistics_is_gone_back_to_where_it_can_be_seen(
    sample_index: Path, size: tuple[int, int]
) -> None:
    async with app_on(sample_index).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "5", "slash", '"timeout"', "enter")
        first = reading(pilot)
        await press(pilot, "escape", "down", "enter", "pagedown")
        second = reading(pilot)
        assert first.session != second.session
        # While the hits are there, it is read beside them.
        await press(pilot, "ctrl+o")
        assert (browse(pilot).view, browse(pilot).list_pane.view_name) == ("stats", "hits")
        assert (focused(pilot), reading(pilot)) == (("transcript", True), first)
        await press(pilot, "alt+right", "1", "g", "j", "enter")
        last = place(pilot)
        assert last.reading.session not in (first.session, second.session)
        steps = ("ctrl+o", second), ("ctrl+o", first), ("alt+right", second), ("alt+right", last.reading)
        for key, expected in steps:
            await press(pilot, key)
            shown = reading(pilot)
            assert (shown.session, shown.turn) == (expected.session, expected.turn)
            assert (browse(pilot).view, focused(pilot)) == ("sessions", ("transcript", True))
        assert place(pilot) == last
        # From now on its place is kept there.
        await press(pilot, "ctrl+o", "g")
        moved = reading(pilot)
        assert (moved.session, moved.turn) == (second.session, 1)
        await press(pilot, "ctrl+o", "alt+right")
        assert reading(pilot) == moved
