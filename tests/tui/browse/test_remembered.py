"""What is remembered from one run to the next, and the ways back to it from the search bar."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.browse.search.hit_list import HitList
from memtui.browse.search.searches_view import SYNTAX, SearchList
from memtui.screens.filtered import FilteredScreen, FoundList
from memtui.settings.app_state import MAX_SEARCHES, AppState, with_newest
from memtui.settings.query_history import QueryHistory
from memtui.views.sessions.tree import SessionTree
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.index.index import Index
from support.indexes import build
from support.pasting import paste
from support.screens import app_on, is_shown, scope, settled, type_text
from support.transcripts import Script

WIDE = (140, 40)


@pytest.fixture
def data(sample_index: Path, tmp_path: Path) -> Path:
    """An index that a test may leave its searches in."""
    return shutil.copytree(sample_index, tmp_path / "data", ignore=shutil.ignore_patterns("state.json"))


def bar(pilot: Pilot[None]) -> SearchBar:
    return pilot.app.screen.query_one(SearchBar)


def stored(data: Path) -> object:
    return json.loads((data / "state.json").read_text())


def store(data: Path, *searches: str, saved: tuple[str, ...] = ()) -> None:
    data.mkdir(exist_ok=True)
    state = {"searches": searches, "saved": {query: query for query in saved}}
    (data / "state.json").write_text(json.dumps(state))


async def pressed(pilot: Pilot[None], *keys: str) -> list[str]:
    """What stands in the bar after each key."""
    values = []
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
        values.append(bar(pilot).value)
    return values


def examples(data: Path) -> dict[str, str]:
    """The examples of an index: each query with what it finds."""
    return {example.query: example.finds for example in Index.open(data).search.examples()}


def listed(pilot: Pilot[None]) -> list[str]:
    rows = pilot.app.screen.query_one(SearchList)
    return [str(rows.get_option_at_index(place).prompt) for place in range(rows.option_count)]


# -- the file ------------------------------------------------------------------------------------------------------


@given(st.lists(st.text(max_size=3), max_size=MAX_SEARCHES + 50))
def test_searches_are_newest_first_each_once_and_bounded(queries: list[str]) -> None:
    searches: list[str] = []
    for query in queries:
        searches = with_newest(searches, query)
    newest_first = list(dict.fromkeys(query for query in reversed(queries) if query))
    assert searches == newest_first[:MAX_SEARCHES]


def test_the_201st_search_drops_the_oldest() -> None:
    searches = [str(number) for number in range(MAX_SEARCHES)]
    assert with_newest(searches, "new") == ["new", *searches[:-1]]


def test_what_is_remembered_is_there_in_the_next_run(tmp_path: Path) -> None:
    first = AppState(tmp_path / "new")
    first.choose_theme("nord")
    for query in ("retry", "upload.py", " retry ", "", "  ", "x" * 1001):
        first.add(query)
    assert first.toggle(" has:error ") is True
    second = AppState(tmp_path / "new")
    assert (second.theme, second.searches, second.saved, second.queries) == (
        "nord",
        ("retry", "upload.py"),
        {"has:error": "has:error"},
        ("retry", "upload.py", "has:error"),
    )
    assert second.toggle("has:error") is False
    assert AppState(tmp_path / "new").saved == {}


def test_keys_of_other_versions_are_kept(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text('{"theme": "nord", "panes": {"left": 40}}')
    AppState(tmp_path).add("retry")
    assert stored(tmp_path) == {"theme": "nord", "panes": {"left": 40}, "searches": ["retry"]}


@pytest.mark.parametrize(
    "damaged",
    [b"", b'{"theme": "nord', b"\xff\xfe", b"[]", b'{"theme": 3, "searches": {"a": 1}, "saved": ["b"]}'],
)
def test_a_damaged_file_costs_only_the_memory(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "state.json").write_bytes(damaged)
    remembered = AppState(tmp_path)
    assert (remembered.theme, remembered.queries) == (None, ())
    remembered.add("retry")
    remembered.toggle("has:error")
    after = AppState(tmp_path)
    assert (after.searches, after.saved) == (("retry",), {"has:error": "has:error"})


def test_a_file_edited_by_hand_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    state = {"searches": ["a ", 1, "", "a", "b"], "saved": {"mine": " file:x ", "none": "", "odd": 2}}
    (tmp_path / "state.json").write_text(json.dumps(state))
    remembered = AppState(tmp_path)
    assert (remembered.searches, remembered.saved) == (("a", "b"), {"mine": "file:x"})


def test_what_cannot_be_written_is_remembered_until_the_end_and_written_when_it_can_be(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.write_text("a file where the folder should be")
    remembered = AppState(place)
    remembered.add("retry")
    remembered.toggle("has:error")
    assert (remembered.searches, remembered.saved) == (("retry",), {"has:error": "has:error"})
    place.unlink()
    store(place, "of another app")
    remembered.add("upload")
    assert AppState(place).searches == ("upload", "retry", "of another app")
    assert AppState(place).saved == {"has:error": "has:error"}


def test_two_apps_do_not_take_each_others_searches(tmp_path: Path) -> None:
    one, other = AppState(tmp_path), AppState(tmp_path)
    one.add("first")
    other.choose_theme("nord")
    other.add("second")
    one.toggle("third")
    assert stored(tmp_path) == {"searches": ["second", "first"], "theme": "nord", "saved": {"third": "third"}}
    other.refresh()
    assert other.saved == {"third": "third"}
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_a_forgotten_query_is_nowhere(tmp_path: Path) -> None:
    store(tmp_path, "a", "b", saved=("a",))
    AppState(tmp_path).forget("a")
    assert stored(tmp_path) == {"searches": ["b"], "saved": {}}


def test_half_a_surrogate_pair_is_remembered_as_a_question_mark(tmp_path: Path) -> None:
    AppState(tmp_path).add("a\ud800")
    assert AppState(tmp_path).searches == ("a?",)


# -- the way back --------------------------------------------------------------------------------------------------


def stops(walk: QueryHistory, step: Callable[[], object]) -> list[str]:
    """What is shown after each step until there is none."""
    found: list[str] = []
    while step():
        found.append(walk.current)
        assert len(found) < 1000
    return found


@given(st.text(max_size=2), st.lists(st.text(min_size=1, max_size=3), unique=True))
def test_a_walk_comes_back_the_way_it_went(typed: str, queries: list[str]) -> None:
    walk = QueryHistory(typed, queries)
    there = [walk.current, *stops(walk, walk.older)]
    back = [walk.current, *stops(walk, walk.newer)]
    assert there[0] == typed
    assert back == there[::-1]
    assert there[1:] == [one for one in queries if one in there[1:]]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", ["retry", "upload", "Retry after"]),
        ("re", ["retry", "Retry after"]),
        (" re", ["retry", "Retry after"]),
        ("retry ", ["upload", "Retry after"]),
        ("upload", []),
        ("z", []),
    ],
)
def test_a_walk_goes_through_what_begins_as_typed(typed: str, expected: list[str]) -> None:
    walk = QueryHistory(typed, ["retry", "upload", "Retry after"])
    assert stops(walk, walk.older) == expected


async def test_up_and_down_walk_the_queries_and_the_text_typed_comes_back(data: Path) -> None:
    store(data, "retry upload", "has:error", "ret", "retention")
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        assert await pressed(pilot, "r", "e", "up", "up", "up", "up", "down", "down", "down") == [
            *("r", "re", "retry upload", "ret", "retention", "retention", "ret", "retry upload", "re"),
        ]
        assert bar(pilot).cursor_at_end
        assert pilot.app.focused is bar(pilot)
        await pressed(pilot, "up")
        assert pilot.app.screen.query_one(HitList).result is not None
        assert await pressed(pilot, "s", "up", "down") == ["retry uploads"] * 3
        assert isinstance(pilot.app.focused, HitList)


async def test_up_does_nothing_where_nothing_is_remembered(data: Path) -> None:
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        assert await pressed(pilot, "up") == [""]
        assert pilot.app.focused is bar(pilot)
        await pilot.press("down")
        assert isinstance(pilot.app.focused, SearchList)


# -- what is remembered --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["enter", "down", "tab"])
async def test_a_query_is_remembered_when_a_person_goes_to_its_hits(data: Path, key: str) -> None:
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "upload ")
        await pressed(pilot, "ctrl+j", "ctrl+k")
        assert not (data / "state.json").exists()
        await pressed(pilot, key)
        assert isinstance(pilot.app.focused, TranscriptPane if key == "enter" else HitList)
    assert stored(data) == {"searches": ["upload"]}


async def test_the_query_before_is_one_key_away_after_a_search(data: Path) -> None:
    store(data, "upload")
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "timeout")
        assert await pressed(pilot, "enter", "slash", "up") == ["timeout", "timeout", "upload"]
        assert await pressed(pilot, "enter", "slash", "up") == ["upload", "upload", "timeout"]
    assert stored(data) == {"searches": ["upload", "timeout"], "saved": {}}


async def test_a_query_that_led_nowhere_is_not_remembered(data: Path) -> None:
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        for text in ("zzzzqqqq", " "):
            await type_text(pilot, text)
            await pressed(pilot, "down", "slash", "enter")
            assert pilot.app.focused is bar(pilot)
            await pilot.press("ctrl+u")
    assert not (data / "state.json").exists()


async def test_the_scope_is_not_remembered(data: Path) -> None:
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "timeout")
        await pressed(pilot, "ctrl+r", "ctrl+s", "enter")
        assert scope(pilot.app.screen) == "shop-api"
    assert stored(data) == {"saved": {"timeout": "timeout"}, "searches": ["timeout"]}


async def test_searches_and_the_theme_do_not_take_each_others_place(data: Path) -> None:
    async with MemtuiApp(data, run_indexer=False).run_test(size=WIDE) as pilot:
        for keys in (("ctrl+p",), "theme", ("enter",), "nord", ("enter",)):
            await pilot.press(*keys)
            await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "upload")
        await pressed(pilot, "enter")
    assert stored(data) == {"theme": "nord", "searches": ["upload"], "actions": ["theme"]}


# -- what is saved --------------------------------------------------------------------------------------------------


async def test_ctrl_s_saves_the_query_and_the_second_time_no_longer(data: Path) -> None:
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await pressed(pilot, "ctrl+s")
        await paste(pilot, "[b] upload")
        states = []
        for _ in range(2):
            await pressed(pilot, "ctrl+s")
            states.append(stored(data))
        said = [(note.title, note.message) for note in pilot.app._notifications]
    assert states == [{"saved": {"[b] upload": "[b] upload"}}, {"saved": {}}]
    assert said == [
        ("Search saved: the empty search line lists it", "[b] upload"),
        ("Search removed from the saved ones", "[b] upload"),
    ]


@pytest.mark.parametrize("size", [WIDE, (80, 24)])
async def test_the_empty_line_lists_the_saved_and_then_the_last_searches(data: Path, size: tuple[int, int]) -> None:
    store(data, "timeout", "has:error", "retry", saved=("upload [x]", "retry"))
    async with app_on(data).run_test(size=size) as pilot:
        await settled(pilot)
        await pressed(pilot, "slash")
        assert listed(pilot)[:4] == ["★ upload [x]", "★ retry", "  timeout", "  has:error"]
        assert [row[2:].split("  ")[0] for row in listed(pilot)[4:]] == list(examples(data))
        view = pilot.app.screen.query_one(SearchList)
        assert (is_shown(view), str(view.border_title)) == (True, "saved and recent searches")
        await pressed(pilot, "down", "j", "enter")
        assert (bar(pilot).value, pilot.app.focused, is_shown(view)) == ("retry", bar(pilot), False)
        assert pilot.app.screen.query_one(HitList).option_count > 0
        await pressed(pilot, "escape")
        assert (bar(pilot).value, is_shown(view)) == ("", True)
        await pressed(pilot, "escape")
        assert (isinstance(pilot.app.focused, SessionTree), is_shown(view)) == (True, False)


@pytest.mark.parametrize("size", [(80, 24), WIDE])
async def test_a_user_without_searches_gets_examples_of_the_own_history_to_run(
    data: Path, size: tuple[int, int]
) -> None:
    expected = examples(data)
    assert len(expected) > 4
    async with app_on(data).run_test(size=size) as pilot:
        await settled(pilot)
        await pressed(pilot, "slash")
        assert [row.split("  ")[0] for row in listed(pilot)] == list(expected)
        assert [row.rsplit("  ")[-1].strip() for row in listed(pilot)] == list(expected.values())
        for place, query in enumerate(expected):
            await pressed(pilot, "down", "delete", *"j" * place, "enter")
            assert (bar(pilot).value, pilot.app.focused) == (query, bar(pilot))
            assert pilot.app.screen.query_one(HitList).option_count > 0
            await pressed(pilot, "escape")
    assert not (data / "state.json").exists()


async def test_a_history_of_one_turn_gets_the_syntax_and_nothing_invented(tmp_path: Path) -> None:
    script = Script()
    script.user("Hello")
    data = tmp_path / "data"
    build(data, script.write(tmp_path / "src"))
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pressed(pilot, "slash")
        assert [row.split("  ")[0] for row in listed(pilot)] == list(SYNTAX)
        assert examples(data) == {}


async def test_the_list_is_left_for_the_line_or_the_view(data: Path) -> None:
    store(data, "timeout")
    left = {"escape": "SessionTree", "up": "SearchBar", "tab": "SessionTree"}
    seen = {}
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        for key in left:
            await pressed(pilot, "slash", "down", key)
            seen[key] = type(pilot.app.focused).__name__
            assert bar(pilot).value == ""
            assert is_shown(pilot.app.screen.query_one(SearchList)) == (seen[key] == "SearchBar")
            if key == "up":
                await pressed(pilot, "escape")
    assert seen == left


async def test_in_the_list_searches_are_saved_and_forgotten(data: Path) -> None:
    store(data, "timeout", "has:error", "retry", saved=("upload",))
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pressed(pilot, "slash", "down")
        seen = []
        for keys in (("j", "j", "ctrl+s"), ("delete",), ("delete",), ("g", "ctrl+s")):
            await pilot.press(*keys)
            await settled(pilot)
            seen.append(listed(pilot)[: -len(examples(data))])
        assert seen == [
            ["★ upload", "★ has:error", "  timeout", "  retry"],
            ["★ upload", "  timeout", "  retry"],
            ["★ upload", "  retry"],
            ["  retry"],
        ]
        await pressed(pilot, "delete")
        assert [row.split("  ")[0] for row in listed(pilot)] == list(examples(data))
        assert bar(pilot).queries == ()
    assert stored(data) == {"searches": [], "saved": {}}


async def test_the_palette_runs_saved_searches(data: Path) -> None:
    store(data, "timeout", saved=("retry upload",))
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p")
        assert isinstance(pilot.app.screen, FilteredScreen)
        await paste(pilot, "search: retry")
        await pilot.press("enter")
        await settled(pilot)
        assert bar(pilot).value == "retry upload"
        assert pilot.app.focused is bar(pilot)


async def test_brackets_of_a_saved_search_are_text_in_the_palette(data: Path) -> None:
    queries = ("[/INST]", "list[int]", "a[B] [$x]", "[/")
    state = {"saved": {query: query for query in queries} | {"closing": "[/b]"}}
    (data / "state.json").write_text(json.dumps(state))
    expected = [*(f"Search: {query} A saved search" for query in queries), "Search: closing [/b]"]
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p")
        for typed in ("", "search: "):
            await paste(pilot, typed)
            rows = [" ".join(str(row.prompt).split()) for row in pilot.app.screen.query_one(FoundList).options]
            assert sorted(row for row in rows if row.startswith("Search: ")) == sorted(expected)
        await paste(pilot, "list[")
        await pilot.press("enter")
        await settled(pilot)
        assert bar(pilot).value == "list[int]"
