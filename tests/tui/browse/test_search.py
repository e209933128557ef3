"""The search bar and the hits, over the sample sessions."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from textual.geometry import Region
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.browse.search.hit_list import HitList
from memtui.cli import cli
from memtui.services import live_search
from memtui.services.index_service import MODEL_IDLE
from memtui.services.live_search import FIRST_HITS, LiveSearch
from memtui.settings.config import Config
from memtui.views.files.file_list import FileList
from memtui.views.sessions.title_list import TitleList
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.search.line import SearchFacts, SearchLine
from memtui_core import open_index
from memtui_core.model import SearchResult
from memtui_core.search.engines import LocalEngines
from memtui_core.search.vectors.nearest import SemanticHit
from memtui_core.store.lexicon.query import Query
from support.indexes import update
from support.pasting import paste
from support.screens import app_on, browse, empty_text, hold_here, scope, search_note, settled, transcript, until
from support.transcripts import Script

WIDE = (140, 40)


def bar(pilot: Pilot[None]) -> SearchBar:
    """The search bar."""
    return pilot.app.screen.query_one(SearchBar)


def listed(pilot: Pilot[None]) -> list[str]:
    """The first line of every row of the hit list."""
    hits = pilot.app.screen.query_one(HitList)
    return [str(hits.get_option_at_index(place).prompt).split("\n")[0] for place in range(hits.option_count)]


async def test_tab_completes_a_filter(sample_index: Path) -> None:
    completed = {
        "retry pro": "retry project:",
        "tool:b": "tool:Bash",
        "-is:c": "-is:compaction",
        "project:inf": "project:infra",
    }
    seen = {}
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        for typed in completed:
            await paste(pilot, typed)
            await pilot.press("tab")
            await settled(pilot)
            seen[typed] = bar(pilot).value
            assert pilot.app.focused is bar(pilot)
            await pilot.press("ctrl+u")
    assert seen == completed


async def test_tab_completes_what_was_indexed_meanwhile(tmp_path: Path) -> None:
    def index_project(folder: str) -> None:
        name = folder.rpartition("/")[2]
        script = Script(f"{len(name):08d}-0000-4000-8000-000000000000", folder, prefix=name)
        script.user("Retry the upload")
        update(tmp_path / "data", script.write(tmp_path / "src"))

    async def completed(typed: str) -> str:
        await paste(pilot, typed)
        await pilot.press("tab")
        await settled(pilot)
        value = bar(pilot).value
        await pilot.press("ctrl+u")
        return value

    index_project("/home/ana/shop")
    async with app_on(tmp_path / "data").run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await settled(pilot)
        index_project("/home/ana/newsletter")
        await browse(pilot).run_action("refresh_index")
        await settled(pilot)
        # While the cursor is in the line.
        seen = [await completed("project:s"), await completed("project:n")]
        await pilot.press("escape")
        index_project("/home/ana/infrastructure")
        await browse(pilot).run_action("refresh_index")
        await settled(pilot)
        await pilot.press("slash")
        await settled(pilot)
        seen.append(await completed("project:in"))
    assert seen == ["project:shop", "project:newsletter", "project:infrastructure"]


async def test_tab_goes_on_where_there_is_nothing_to_complete(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "retry")
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, HitList)


async def test_a_filter_that_is_none_is_said_below_the_hits(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(60, 24)) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        for width in (60, 80, 140):
            await pilot.resize_terminal(width, 24)
            await pilot.press("ctrl+u")
            await paste(pilot, "projct:shop")
            note = "projct: is not a filter, searched as text"
            assert search_note(pilot.app.screen) == note
            assert pilot.app.screen.query_one(SearchFacts).text.endswith(" ms")
            assert str(pilot.app.screen.query_one(SearchFacts).tooltip).endswith(f" ms · {note}")
            drawn = pilot.app.screen.query_one(HitList)
            border = Region(0, drawn.outer_size.height - 1, 99, 1)
            last = "".join(segment.text for segment in drawn.render_lines(border)[0])
            assert note in last
            await pilot.press("space")
            await paste(pilot, "file:nowhere.xyz")
            assert empty_text(pilot.app.screen).endswith(f"\n\n{note}")


async def test_each_session_is_listed_once_and_opens_to_its_other_hits(sample_index: Path) -> None:
    # High enough for all hits: the titles are as long without a scroll bar before and after.
    async with app_on(sample_index).run_test(size=(140, 100)) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "flaky uploads")
        folded = listed(pilot)
        title, more, *_ = folded[0].split("  ")
        assert title == "Fix flaky uploads"
        others = int(more.removeprefix("+").removesuffix(" more"))
        await pilot.press("down", "space")
        await settled(pilot)
        assert all(line.startswith("  └ turn ") for line in listed(pilot)[1 : 1 + others])
        assert listed(pilot)[1 + others :] == folded[1:]
        await pilot.press("down")
        await settled(pilot)
        chosen = pilot.app.screen.query_one(HitList).chosen
        shown = transcript(pilot).session
        assert shown is not None
        assert (shown.key, transcript(pilot).number) == chosen
        await pilot.press("h")
        await settled(pilot)
        assert listed(pilot) == folded
        assert pilot.app.screen.query_one(HitList).highlighted == 0


async def test_the_command_line_gives_the_same_hits_in_the_same_order(sample_index: Path) -> None:
    shown = {}
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        for query in ("retry upload", "why were customers' pictures lost", "upload.py", "has:error", "ret"):
            bar(pilot).value = query
            await settled(pilot)
            shown[query] = pilot.app.screen.query_one(HitList).result
    for query, result in shown.items():
        assert result is not None
        outcome = CliRunner().invoke(
            cli, ["search", "--json", "--limit", str(FIRST_HITS), "--data-dir", str(sample_index), *query.split()]
        )
        assert [(hit["session_id"], hit["turn"]) for hit in json.loads(outcome.stdout)] == [
            (hit.session_id, hit.turn) for hit in result.hits
        ]
        assert result.hits


@pytest.mark.parametrize(("slow", "steps"), [(0.0, [False, True]), (60.0, [True])])
async def test_hits_by_words_come_first_only_if_the_search_by_meaning_is_slow(
    slow: float, steps: list[bool], sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_search, "_SLOW", slow)
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        live, shown = LiveSearch(browse(pilot).services.index), list[SearchResult]()
        # The first search loads the model, and the second one takes the time of meaning.
        for _ in range(2):
            live.search("how are prices rounded", FIRST_HITS, shown.append)
            await settled(pilot)
        live.search("why did we retry upload.py", FIRST_HITS, shown.append)
        await settled(pilot)
    by_meaning = [
        any(reason.startswith("meaning") for hit in result.hits for reason in hit.why)
        for result in shown
        if result.query == "why did we retry upload.py"
    ]
    assert by_meaning == steps


@asynccontextmanager
async def slow_meaning(pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch, question: str) -> AsyncIterator[None]:
    """Ask a question: within, its hits by words are listed, and the search by meaning answers at the end."""
    begun, held = threading.Event(), threading.Event()
    search_vectors = LocalEngines.search_vectors

    def slow(engines: LocalEngines, query: Query, limit: int) -> list[SemanticHit]:
        hold_here(begun, held)
        return search_vectors(engines, query, limit)

    await settled(pilot)
    await pilot.press("slash")
    await settled(pilot)
    monkeypatch.setattr(live_search, "_SLOW", -1.0)
    monkeypatch.setattr(LocalEngines, "search_vectors", slow)
    bar(pilot).put(question)
    try:
        await until(pilot, begun.is_set)
        await settled(pilot)
        yield
    finally:
        held.set()
    await settled(pilot)


def first_titles(pilot: Pilot[None]) -> list[str]:
    """The beginnings of the titles of the first hits, and of the session that is shown."""
    return [title[:9] for title in [*listed(pilot)[:3], str(transcript(pilot).border_title)]]


async def test_the_cursor_stays_on_the_first_hit_until_it_is_moved(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        async with slow_meaning(pilot, monkeypatch, "make the tests faster"):
            by_words = first_titles(pilot)
        with_meaning = first_titles(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert pilot.app.focused is transcript(pilot)
        opened = first_titles(pilot)
    assert by_words == ["Add price", "Terraform", "npm run b", "Add price"]
    assert with_meaning == opened == ["Fix flaky", "Accountin", "npm run b", "Fix flaky"]


@pytest.mark.parametrize(
    ("chosen_by", "kept"),
    [
        (["down"], False),
        (["down", "down"], True),
        (["down", "down", "up"], True),
        (["down", "space"], True),
        (["click"], True),
    ],
)
async def test_the_cursor_stays_on_the_hit_that_was_chosen(
    chosen_by: list[str], kept: bool, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chosen() -> tuple[int, str, int]:
        hits = pilot.app.screen.query_one(HitList)
        assert isinstance(hits.chosen, tuple)
        return hits.chosen[1], first_titles(pilot)[-1], transcript(pilot).number

    # By words turn 4 of the first session is its best hit, with meaning turn 3.
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        async with slow_meaning(pilot, monkeypatch, "what made the build fail"):
            if chosen_by == ["click"]:
                await pilot.click(HitList, offset=(5, 1))
            else:
                await pilot.press(*chosen_by)
            await settled(pilot)
            before, listed_before = chosen(), listed(pilot)
        assert listed(pilot) != listed_before
        assert (chosen() == before) is kept
        await pilot.press("enter")
        await settled(pilot)
        assert chosen() == (before if kept else (3, "npm run b", 3))


async def test_a_newer_result_with_the_same_first_hit_leaves_a_list_that_was_scrolled(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 24)) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "make the tests faster")
        await settled(pilot)
        hits = pilot.app.screen.query_one(HitList)
        result = hits.result
        assert result is not None
        hits.scroll_to(y=5, animate=False)
        await settled(pilot)
        hits.show(replace(result, hits=result.hits[:-1]))
        await settled(pilot)
        assert (hits.scroll_y, hits.highlighted, hits.result) == (5, 0, replace(result, hits=result.hits[:-1]))
        # Another first hit is shown, from the top of the list.
        hits.show(replace(result, hits=result.hits[::-1]))
        await settled(pilot)
        assert (hits.scroll_y, hits.highlighted) == (0, 0)


async def test_a_newer_result_shows_all_passages_of_the_hit_with_the_cursor(sample_index: Path) -> None:
    """The answer by words comes first, and the one with the passages by meaning once the model is loaded."""
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "why did uploads arrive twice on slow networks")
        await settled(pilot)
        hits = pilot.app.screen.query_one(HitList)
        whole = hits.result
        assert whole is not None
        count = len(whole.hits[0].passages)
        assert count > 1
        by_words = replace(whole.hits[0], passages=whole.hits[0].passages[:1])
        hits.show(replace(whole, query="", hits=(by_words, *whole.hits[1:])))
        await settled(pilot)
        assert transcript(pilot).passages.position == "passage 1 of 1"
        hits.show(replace(whole, query=""))
        await settled(pilot)
        assert transcript(pilot).passages.position == f"passage 1 of {count}"


async def test_ctrl_r_narrows_the_search_to_the_project_and_to_the_session(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "timeout")
        hits = pilot.app.screen.query_one(HitList)
        found = {}
        for name in ("all projects", "shop-api", "this session"):
            assert scope(pilot.app.screen) == name
            assert hits.result is not None
            found[name] = {(hit.project, hit.session) for hit in hits.result.hits}
            await pilot.press("ctrl+r")
            await settled(pilot)
        assert len({project for project, _ in found["all projects"]}) > 1
        assert {project for project, _ in found["shop-api"]} == {"shop-api"}
        assert len(found["this session"]) == 1
        assert scope(pilot.app.screen) == "sessions"
        assert not hits.is_on_screen
        await pilot.press("ctrl+r")
        assert scope(pilot.app.screen) == "all projects"


async def test_what_matches_nothing_in_a_project_is_searched_everywhere_next(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await pilot.press("ctrl+r")
        seen = []
        for query, key in (("terraform", "ctrl+r"), ("zebracorn", "ctrl+r"), ("zebracorn has:error", "ctrl+r")):
            bar(pilot).value = query
            await settled(pilot)
            for _ in range(2):
                seen.append((scope(pilot.app.screen), empty_text(pilot.app.screen)))
                await pilot.press(key)
                await settled(pilot)
    nothing, fewer = (
        "Nothing matched in shop-api.\n\nctrl+r searches all projects.\n",
        "Fewer or shorter words find more.\n",
    )
    filtered, clear = "These filters may exclude the hits:\nhas:error\n", "esc clears the query."
    assert seen == [
        ("shop-api", f"{nothing}{fewer}{clear}"),
        ("all projects", ""),
        # From all projects on to the project of the open session, with what is typed next.
        ("infra", f"Nothing matched in infra.\n\nctrl+r searches all projects.\n{fewer}{clear}"),
        ("all projects", f"Nothing matched.\n\n{fewer}{clear}"),
        ("infra", f"Nothing matched in infra.\n\nctrl+r searches all projects.\n{filtered}{clear}"),
        ("all projects", f"Nothing matched.\n\n{filtered}{clear}"),
    ]


async def test_sessions_are_filtered_by_the_names_of_their_projects_too(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", "ctrl+r", "ctrl+r", "ctrl+r")
        titles, seen = pilot.app.screen.query_one(TitleList), {}
        for text in ("infra", "INFRA backup", "backup"):
            bar(pilot).value = text
            await settled(pilot)
            seen[text] = [str(option.prompt).splitlines()[1].split(" · ")[0].strip() for option in titles.options]
    with closing(open_index(sample_index)) as index:
        of_infra = [session for session in index.sessions.all() if session.project == "infra"]
    assert seen == {"infra": ["infra"] * len(of_infra), "INFRA backup": ["infra"], "backup": ["infra"]}
    assert len(of_infra) > 1


async def test_a_filter_is_kept_by_each_view_and_unwound_by_esc(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        screen = pilot.app.screen
        await settled(pilot)

        async def seen(*keys: str) -> tuple[str, str, str, str, int | None]:
            """What is in the line, its scope, the pane in focus, and title and cursor of the list of files."""
            for key in keys:
                await (paste(pilot, key.strip("'")) if key.startswith("'") else pilot.press(key))
                await settled(pilot)
            files, focused = screen.query_one(FileList), type(pilot.app.focused).__name__
            return bar(pilot).value, scope(screen), focused, str(files.border_title), files.highlighted

        assert await seen("2", "j", "j") == ("", "files", "FileList", "files, newest first", 2)
        assert await seen("slash", "'zzz'") == ("zzz", "files", "SearchBar", "files, newest first · /zzz", None)
        assert empty_text(screen).startswith("No files match “zzz”.")
        assert await seen("escape") == ("", "files", "SearchBar", "files, newest first", 2)
        assert await seen("'up'", "enter") == ("up", "files", "FileList", "files, newest first · /up", 0)
        assert await seen("1") == ("", "all projects", "SessionTree", "files, newest first · /up", 0)
        assert (await seen("slash", "ctrl+r", "ctrl+r", "ctrl+r"))[1:3] == ("sessions", "SearchBar")
        assert (await seen("'flaky'", "down"))[:3] == ("flaky", "sessions", "TitleList")
        titles = screen.query_one(TitleList)
        assert [str(option.prompt).split("  ")[0] for option in titles.options] == ["Fix flaky uploads"]
        assert await seen("2") == ("up", "files", "FileList", "files, newest first · /up", 0)
        assert (await seen("1"))[:3] == ("flaky", "sessions", "TitleList")
        assert (await seen("escape"))[:3] == ("", "all projects", "SessionTree")
        assert await seen("2", "escape") == ("", "files", "FileList", "files, newest first", 2)
        assert (await seen("k", "k", "up"))[2] == "SearchBar"


@pytest.mark.parametrize("asks", ["inspector", "saved search"])
async def test_a_filter_is_searched_when_something_outside_the_line_asks_for_the_same_text(
    sample_index: Path, asks: str
) -> None:
    path = ".github/workflows/ci.yml"
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        screen = browse(pilot)
        await pilot.press("2", "slash")
        await paste(pilot, path)
        await pilot.press("enter")
        await settled(pilot)
        files = screen.query_one(FileList)
        filtered = str(files.border_title), files.option_count
        if asks == "inspector":
            # The turn of the edit, and the tab of its files.
            for key in ("enter", "enter", "i", "tab", "enter"):
                await pilot.press(key)
                await settled(pilot)
        else:
            screen.saved_searches.search_for(path)
            await settled(pilot)
        result = screen.query_one(HitList).result
        assert (bar(pilot).value, scope(screen), pilot.app.focused) == (path, "all projects", bar(pilot))
        assert (result.query if result is not None else "", screen.list_pane.view_name) == (path, "hits")
        # As it was not typed, it is left at once.
        await pilot.press("escape")
        await settled(pilot)
        assert (bar(pilot).value, scope(screen), screen.list_pane.view_name) == (path, "files", "files")
        assert (str(files.border_title), files.option_count) == filtered


async def test_a_click_on_the_scope_changes_it_and_the_text_moves(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("2", "slash")
        await paste(pilot, "upload")
        files = pilot.app.screen.query_one(FileList)
        filtered = files.option_count
        facts = pilot.app.screen.query_one(SearchFacts)
        await pilot.click(SearchFacts, offset=(str(facts.render()).index("files"), 0))
        await settled(pilot)
        assert (scope(pilot.app.screen), pilot.app.focused, bar(pilot).value) == ("all projects", bar(pilot), "upload")
        assert listed(pilot)
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert (scope(pilot.app.screen), bar(pilot).value, files.option_count > filtered) == ("files", "", True)
        assert pilot.app.focused is files


async def test_the_search_line_is_one_row_and_shortens_what_has_no_room(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(60, 24)) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "shop")
        line, facts = pilot.app.screen.query_one(SearchLine), pilot.app.screen.query_one(SearchFacts)
        facts.text = "2 hits · 7 ms · and more than fits"
        seen = []
        for width in (40, 50, 80, 140):
            await pilot.resize_terminal(width, 24)
            await settled(pilot)
            assert line.region == (0, 1, width, 1)
            assert facts.region.right == width - 1
            shown = str(facts.render())
            assert len(shown) == facts.size.width
            seen.append(shown.strip())
        assert seen == ["all projects", "all projects · 2 hits", "all projects · 2 hits · 7 ms", *seen[2:3]]


def read(pilot: Pilot[None]) -> tuple[object, ...]:
    """The pane in focus; of the transcript its turn, its line at the top, its fold levels, and whether it has marks."""
    text = transcript(pilot)
    levels = text.tools_level, text.thinking_level, text.minimap.has_marks
    return type(pilot.app.focused).__name__, text.number, text.viewport.top, *levels


async def after_each(pilot: Pilot[None], keys: str) -> list[tuple[object, ...]]:
    """What is read after each key."""
    seen = []
    for key in keys.split():
        await pilot.press(key)
        await settled(pilot)
        seen.append(read(pilot))
    return seen


async def test_keys_of_the_transcript_work_from_the_list_beside_it(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("j")
        await settled(pilot)
        assert await after_each(
            pilot, "right_square_bracket right_curly_bracket right_parenthesis left_curly_bracket t T m m"
        ) == [
            ("SessionTree", 2, 29, "summary", "line", True),
            ("SessionTree", 3, 48, "summary", "line", True),
            ("SessionTree", 4, 94, "summary", "line", True),
            ("SessionTree", 3, 48, "summary", "line", True),
            ("SessionTree", 3, 91, "short", "line", True),
            ("SessionTree", 3, 93, "short", "full", True),
            ("SessionTree", 3, 93, "short", "full", False),
            ("SessionTree", 3, 93, "short", "full", True),
        ]
        # The history of a file stands in the place of the transcript.
        await after_each(pilot, "2 enter")
        unchanged = ("FileTimeline", 3, 93, "short", "full", True)
        assert await after_each(pilot, "right_square_bracket t T m") == [unchanged] * 4


@pytest.mark.parametrize("view", ["1", "2", "3", "4"])
async def test_a_letter_does_not_lead_from_the_first_row_into_the_search_line(sample_index: Path, view: str) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press(view, "g")
        await settled(pilot)
        focused = pilot.app.focused
        await pilot.press("k", "k", "k")
        await settled(pilot)
        assert (pilot.app.focused, bar(pilot).value) == (focused, "")
        await pilot.press("up")
        await settled(pilot)
        assert pilot.app.focused is bar(pilot)


async def test_keys_of_the_transcript_work_from_the_search_line(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "timeout")
        assert await after_each(pilot, "pagedown pageup alt+t alt+T alt+m") == [
            ("SearchBar", 4, 63, "summary", "line", True),
            ("SearchBar", 2, 29, "summary", "line", True),
            ("SearchBar", 2, 62, "short", "line", True),
            ("SearchBar", 2, 64, "short", "full", True),
            ("SearchBar", 2, 64, "short", "full", False),
        ]
        assert bar(pilot).value == "timeout"


async def test_alt_with_a_letter_is_the_key_of_the_keymap(sample_index: Path) -> None:
    config = Config(theme="textual-dark", keymap={"resume": "w", "transcript.thinking": "i"})
    async with MemtuiApp(sample_index, config=config, run_indexer=False).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "timeout")
        seen = []
        for key in ("alt+T", "alt+i", "alt+r", "alt+w"):
            await pilot.press(key)
            await settled(pilot)
            seen.append((key, browse(pilot).reader.transcript.thinking_level, type(pilot.app.screen).__name__))
        assert seen == [
            ("alt+T", "line", "BrowseScreen"),
            ("alt+i", "full", "BrowseScreen"),
            ("alt+r", "full", "BrowseScreen"),
            ("alt+w", "full", "ConfirmScreen"),
        ]


async def test_keys_of_the_transcript_do_nothing_while_it_is_not_visible(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        before = read(pilot)
        assert await after_each(pilot, "right_square_bracket t T m") == [before] * 4
        await pilot.press("slash")
        await paste(pilot, "timeout")
        before = read(pilot)
        assert await after_each(pilot, "pagedown alt+t alt+T alt+m") == [before] * 4


async def test_the_model_comes_with_the_first_question_and_goes_when_nobody_asks(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        service = browse(pilot).services.index
        index = service._opened()
        assert not index.vectors.has_model
        await pilot.press("slash")
        await settled(pilot)
        assert index.vectors.has_model
        await paste(pilot, "stop people from hammering the service")
        first = listed(pilot)
        assert "Rate limit by client address" in first[0]
        asked = service._model_used_at
        service.drop_idle_model(asked + MODEL_IDLE - 1)
        await settled(pilot)
        assert index.vectors.has_model
        service.drop_idle_model(asked + MODEL_IDLE)
        await settled(pilot)
        assert not index.vectors.has_model
        await pilot.press("ctrl+u")
        await paste(pilot, "stop people from hammering the service")
        await settled(pilot)
        assert index.vectors.has_model
        assert listed(pilot) == first


async def test_meaning_counts_when_the_vectors_are_read_not_as_soon_as_the_model_is_loaded(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        index = browse(pilot).services.index
        live, by_meaning = LiveSearch(index), list[bool]()

        def show(result: SearchResult) -> None:
            by_meaning.append(any(reason.startswith("meaning") for hit in result.hits for reason in hit.why))

        index.query("model", lambda opened: opened.vectors.load_model(), lambda _: None)
        await settled(pilot)
        live.search("how are prices rounded", FIRST_HITS, show)
        await settled(pilot)
        index.update_vectors()
        await settled(pilot)
        live.search("how are prices rounded", FIRST_HITS, show)
        await settled(pilot)
        assert by_meaning == [False, True]


async def test_the_hits_of_the_screen_come_before_the_others_of_a_new_query_only(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        live, shown = LiveSearch(browse(pilot).services.index), list[SearchResult]()
        live.search("upload", FIRST_HITS, shown.append, screen=2)
        await settled(pilot)
        live.search("upload", FIRST_HITS, shown.append)
        await settled(pilot)
    groups = [dict.fromkeys(hit.group for hit in result.hits if hit.passages) for result in shown]
    everything = dict.fromkeys(hit.group for hit in shown[1].hits)
    assert len(everything) > 2
    assert groups == [dict.fromkeys(list(everything)[:2]), everything, everything]


async def test_a_key_ends_the_search_that_has_shown_its_screen(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without a key it would wait until the suite is given up.
    monkeypatch.setattr(live_search, "_REST", 36_000.0)
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        live, shown = LiveSearch(browse(pilot).services.index), list[str]()

        def show(result: SearchResult) -> None:
            shown.append(result.query)
            if result.query == "upload":
                live.search("uploads", FIRST_HITS, show)

        live.search("upload", FIRST_HITS, show, screen=2)
        await settled(pilot)
    assert shown == ["upload", "uploads"]
