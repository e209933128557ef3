"""Help and palette: every action of a screen, found by what one would call it, and run from there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.app import MemtuiApp
from memtui.browse.first_steps import FirstSteps
from memtui.browse.keymap_check import declared_keys
from memtui.browse.screen import BrowseScreen
from memtui.browse.search.hit_list import HitList
from memtui.keys.actions import Action, actions_of, word_relevance
from memtui.screens.filtered import FilteredScreen, FoundList
from memtui.screens.help.action_list import ActionList
from memtui.screens.help.screen import HelpScreen, Legend
from memtui.screens.outgoing.handoff.screen import Preview
from memtui.settings.app_state import AppState
from memtui.settings.config import Config
from memtui.views.sessions.tree import SessionTree
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.index.index import Index
from support.screens import app_on, settled, transcript, type_text

SIZE = (140, 40)
WORDS = {(key.id, key.description, key.tooltip) for key in declared_keys()}
"""What the table of keys says of every action, by its id."""
PANES = {
    "tree": ("", "SessionTree"),
    "transcript": ("j enter", "TranscriptPane"),
    "inspector": ("i tab", "Inspector"),
    "find": ("shift+tab f", "FindBar"),
    "choice": ("escape e", "ChoiceList"),
    "hand-off": ("escape H", "HandoffItems"),
    "text of a hand-off": ("tab", "Preview"),
    "search": ("escape slash", "SearchBar"),
    "hits": ("r e t r y down", "HitList"),
    "files": ("2", "FileList"),
    "filter": ("slash", "SearchBar"),
    "timeline of a file": ("escape enter", "FileTimeline"),
    "full screen": ("v", "Pages"),
    "compactions": ("escape 3", "CompactionList"),
    "review": ("enter", "ReviewList"),
    "pull requests": ("4", "PrList"),
    "commits of sessions": ("j tab", "CommitList"),
    "stats": ("5", "StatsPane"),
    "timeline": ("6", "TimelineList"),
    "form": ("a", "TypeChoice"),
}
"""The keys that lead from each pane to the next one, and what is in focus there."""


async def walk(pilot: Pilot[None], keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys.split():
        await pilot.press(key)
        await settled(pilot)


def rows(pilot: Pilot[None]) -> list[str]:
    """The rows of the menu, with their spaces run together."""
    return [" ".join(str(one.prompt).split()) for one in pilot.app.screen.query_one(ActionList).options]


def listed(pilot: Pilot[None]) -> list[Action]:
    """The actions of the menu."""
    menu = pilot.app.screen.query_one(ActionList)
    return [action for action in map(menu.action_at, range(menu.option_count)) if action is not None]


def can_run(action: Action, app: MemtuiApp) -> bool:
    """Whether the node of an action, or what the action names, has a method for it."""
    target, name, _ = app._parse_action(action.key.action, action.node)
    return any(hasattr(target, f"{prefix}action_{name}") for prefix in ("", "_"))


async def test_every_row_of_every_pane_is_ours_and_can_run(sample_index: Path) -> None:
    """It opens the menu of 20 panes, one after the other."""
    app, seen = app_on(sample_index), {}
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        for pane, (keys, _) in PANES.items():
            await walk(pilot, keys)
            below, focused = app.screen, app.focused
            await pilot.press("f1")
            await settled(pilot)
            actions = listed(pilot)
            declared = [action.key for action in actions]
            await pilot.press("escape")
            await settled(pilot)
            in_pane, names = [action.in_pane for action in actions], Counter(key.description for key in declared)
            wrong = {
                "of others": [str(key) for key in declared if (key.id, key.description, key.tooltip) not in WORDS],
                "few or twice": not len({key.id for key in declared}) == len(actions) > 3,
                "of one name": [name for name, count in names.items() if count > 1],
                # The pane's own actions come first, those of the app last.
                "out of order": in_pane != sorted(in_pane, reverse=True),
                "left elsewhere": (app.screen, app.focused) != (below, focused),
                "cannot run": [action.key.id for action in actions if not can_run(action, app)],
            }
            seen[pane] = type(focused).__name__, {what: found for what, found in wrong.items() if found}
    assert seen == {pane: (name, {}) for pane, (_, name) in PANES.items()}


async def test_texts_of_the_menu_go_on_in_the_next_line(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(45, 24)) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter", "f1")
        menu = pilot.app.screen.query_one(ActionList)
        for width in (45, 60, 80):
            await pilot.resize_terminal(width, 24)
            await settled(pilot)
            lines = [line for option in menu.options for line in str(option.prompt).splitlines()]
            texts = set(rows(pilot))
            cut = [
                action.key.tooltip
                for action in listed(pilot)
                if not any(row.endswith(action.key.tooltip) for row in texts)
            ]
            assert (width, cut) == (width, [])
            assert max(map(len, lines)) <= menu.scrollable_content_region.width <= width
            assert len(lines) > menu.option_count


async def test_words_and_synonyms_filter_and_enter_runs_it_on_the_pane(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await walk(pilot, "j enter question_mark")
        await type_text(pilot, "collapse")
        assert rows(pilot) == [
            "Turns",
            "t Tools Show tools on one line, in short or in full",
            "T Thinking Hide thinking, or show it on one line or in full",
        ]
        before = transcript_level(pilot)
        await walk(pilot, "down enter")
        assert isinstance(pilot.app.focused, TranscriptPane)
        assert (before, transcript_level(pilot)) == (("summary", "line"), ("summary", "full"))
        await walk(pilot, "question_mark")
        await type_text(pilot, "zebra")
        assert (rows(pilot), pilot.app.screen.query_one("#help-none").display) == ([], True)
        await walk(pilot, "enter escape")
        assert rows(pilot)[0] == "Turns"


def transcript_level(pilot: Pilot[None]) -> tuple[str, str]:
    """How tools and thinking are shown in the screen below all others."""
    reader = pilot.app.screen_stack[1].query_one(TranscriptPane)
    return reader.tools_level, reader.thinking_level


async def test_an_action_of_the_screen_runs_there_once_the_help_is_closed(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await walk(pilot, "j enter H question_mark")
        await type_text(pilot, "go to the text")
        await walk(pilot, "enter")
        assert isinstance(pilot.app.focused, Preview)


async def test_a_click_runs_a_row_and_one_beside_closes(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await walk(pilot, "question_mark")
        await type_text(pilot, "stats")
        await pilot.click(ActionList, offset=(4, 1))
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, BrowseScreen)
        assert screen.view == "stats"
        await walk(pilot, "question_mark")
        await pilot.click(offset=(1, 1))
        await settled(pilot)
        assert pilot.app.screen is screen


async def test_the_keys_are_those_of_the_settings(sample_index: Path) -> None:
    keymap = {"export": "w,ctrl+e", "tree.close": "F"}
    app = MemtuiApp(sample_index, config=Config(theme="textual-dark", keymap=keymap), run_indexer=False)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        shown = {action.key.id: action.labels for action in actions_of(app.screen)}
        assert (shown["export"], shown["tree.close"], shown["tree.down"]) == (("w", "^e"), ("F",), ("j", "↓"))


async def test_while_typing_letters_are_no_keys(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await walk(pilot, "slash")
        shown = {action.key.id: action.labels for action in actions_of(pilot.app.screen)}
        assert (shown["force-quit"], shown["help"], "export" in shown) == (("^q",), ("f1",), False)


async def test_the_legend_says_what_the_symbols_and_the_filters_mean(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await walk(pilot, "2 question_mark tab")
        legend = pilot.app.screen.query_one(Legend)
        assert pilot.app.focused is legend
        text = "\n".join(row.text for row in legend._rows(100, 40))
        assert text.startswith("Files\n")
        assert {mark for mark in "●○◌▸▾✗⧉✎★☑☐…" if mark not in text} == set()
        assert all(word in text for word in ("in:user|assistant", "double click", "takes one step back"))
        await walk(pilot, "G")
        assert legend.scroll_y == legend.max_scroll_y > 0
        await walk(pilot, "tab")
        assert isinstance(pilot.app.focused, Input)


# -- the palette ---------------------------------------------------------------------------------------------------


def commands(pilot: Pilot[None]) -> list[str]:
    """The rows of the palette: names and keys, without what stands between them."""
    rows = [re.split(r"  +", str(one.prompt).strip()) for one in pilot.app.screen.query_one(FoundList).options]
    return [" ".join([row[0], *row[2:]]) for row in rows]


async def test_the_palette_knows_other_words(sample_index: Path) -> None:
    first = {
        "html": "Export e",
        "markdown": "Export e",
        "save": "Export e",
        "dark": "Theme",
        "colour": "Theme",
        "grep": "Search /",
        "copy": "Copy id Y",
        "clipboard": "Copy id Y",
        "cost": "Stats 5",
        "exit": "Quit q ^q",
    }
    found = {}
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await walk(pilot, "ctrl+p")
        for typed in first:
            await type_text(pilot, typed)
            found[typed] = commands(pilot)[0]
            await walk(pilot, "ctrl+u")
    assert found == first


async def test_the_palette_finds_what_can_be_done_in_another_view_and_leads_there(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await walk(pilot, "ctrl+p")
        assert "Blame" not in " ".join(commands(pilot))
        await type_text(pilot, "days")
        assert commands(pilot) == ["Timeline 6", "Days", "Range"]
        await walk(pilot, "ctrl+u")
        await type_text(pilot, "leave form")
        assert commands(pilot) == []
        await walk(pilot, "ctrl+u")
        await type_text(pilot, "who wrote each line")
        [row] = pilot.app.screen.query_one(FoundList).options
        assert re.split("  +", str(row.prompt).strip()) == [
            "Blame", "In view Files: Show who wrote each line of the file"
        ]  # fmt: skip
        await walk(pilot, "enter")
        screen = pilot.app.screen
        assert isinstance(screen, BrowseScreen)
        assert screen.view == "files"
        # There it is an action with its key.
        await walk(pilot, "ctrl+p")
        await type_text(pilot, "who wrote each line")
        assert commands(pilot) == ["Blame b"]


async def test_the_palette_begins_with_what_is_likely_and_the_next_time_with_what_was_used(sample_index: Path) -> None:
    shown = []
    for _ in range(2):
        async with app_on(sample_index).run_test(size=SIZE) as pilot:
            await settled(pilot)
            await walk(pilot, "ctrl+p")
            assert isinstance(pilot.app.screen, FilteredScreen)
            shown.append(commands(pilot))
            await type_text(pilot, "money")
            await walk(pilot, "enter")
            screen = pilot.app.screen
            assert isinstance(screen, BrowseScreen)
            assert screen.view == "stats"
    assert shown[0][:8] == [
        *("Read enter", "Search /", "Export e", "Hand off H", "Resume r", "Theme", "Keys ? f1", "Inspect i"),
    ]
    assert shown[0][-4:] == ["Up k ↑", "Down j ↓", "Top g home", "End G end"]
    names = " ".join(shown[0])
    assert not any(word in names for word in ("Maximize", "Screenshot", "Palette", "ancestor", "bottom"))
    assert shown[1][0] == "Stats 5"
    state = AppState(sample_index)
    for name in ("a", "b", "c", "a"):
        state.use_action(name)
    assert AppState(sample_index).recent_actions == ("a", "c", "b")


def test_each_word_of_a_query_must_match() -> None:
    texts = ("Copy id", "clipboard", "Copy the session's id", ("Y",))
    assert word_relevance("copy zebra", *texts) == 0
    assert word_relevance("copy", *texts) > word_relevance("clip", *texts) > word_relevance("session", *texts) > 0
    assert word_relevance("y", *texts) > word_relevance("lipb", *texts) > 0


# -- the first start -----------------------------------------------------------------------------------------------


async def test_the_first_start_shows_what_to_try_until_escape(sample_index: Path) -> None:
    seen = []
    for _ in range(2):
        app = MemtuiApp(sample_index, config=Config(theme="textual-dark"), run_indexer=False, first_steps=True)
        async with app.run_test(size=SIZE) as pilot:
            await settled(pilot)
            seen.append(len(app.screen.query(FirstSteps)))
            if seen[-1]:
                for width, height in (SIZE, (80, 24)):
                    await pilot.resize_terminal(width, height)
                    # All keys work meanwhile, and nothing covers the list.
                    await walk(pilot, "3 1")
                    card = app.screen.query_one(FirstSteps).region
                    assert (card.right <= width, card.bottom <= height - 1) == (True, True)
                    assert isinstance(app.focused, SessionTree)
                    assert not app.focused.region.overlaps(card)
                await walk(pilot, "escape")
                seen.append(len(app.screen.query(FirstSteps)))
    assert seen == [1, 0, 0]


async def test_the_card_keeps_its_texts_beside_the_keys_in_any_width_until_a_session_is_read(
    sample_index: Path,
) -> None:
    shown = {}
    async with MemtuiApp(sample_index, run_indexer=False, first_steps=True).run_test(size=(60, 24)) as pilot:
        await settled(pilot)
        card = pilot.app.screen.query_one(FirstSteps)
        for width in (60, 40):
            await pilot.resize_terminal(width, 24)
            await settled(pilot)
            shown[width] = str(card.render()).split("\n")
            assert card.content_size.height == len(shown[width])
        assert card.border_title == "Things to try"
        await walk(pilot, "j enter")
        assert not pilot.app.screen.query(FirstSteps)
        assert transcript(pilot).has_focus
    assert shown == {
        60: [
            "    /  Ask in your own words, or try file:export.py",
            "enter  Read a session, then } goes from edit to edit",
            "    3  See what the summary of a compaction left out",
            "    ?  See all keys, and what the symbols mean",
        ],
        40: [
            "    /  Ask in your own words",
            "enter  Read a session, then } goes",
            "       from edit to edit",
            "    3  See what the summary of a",
            "       compaction left out",
            "    ?  See all keys, and what the",
            "       symbols mean",
        ],
    }


async def test_a_click_on_an_example_of_the_card_asks_it(sample_index: Path) -> None:
    queries = [example.query for example in Index.open(sample_index).search.examples()]
    async with MemtuiApp(sample_index, run_indexer=False, first_steps=True).run_test(size=SIZE) as pilot:
        await settled(pilot)
        card = pilot.app.screen.query_one(FirstSteps)
        first = str(card.render()).split("\n")[0]
        shown = [query for query in queries if query in first]
        assert (shown[:3], len(queries) > 4) == (queries[:3], True)
        gutter = card.content_region.x - card.region.x, card.content_region.y - card.region.y
        await pilot.click(FirstSteps, offset=(first.index(shown[1]) + gutter[0], gutter[1]))
        await settled(pilot)
        bar = pilot.app.screen.query_one(SearchBar)
        assert (bar.value, pilot.app.focused) == (shown[1], bar)
        assert pilot.app.screen.query_one(HitList).option_count > 0


async def test_help_that_opens_while_the_app_ends_is_no_crash(
    sample_index: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.exit(return_code=1)
        app.push_screen(HelpScreen(app.screen))
        await pilot.pause()
    assert (app.return_code, [record.message for record in caplog.records]) == (1, [])
