"""A view is added by one package and one line in the registry, a key by one object and its action."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from memtui.browse.keymap_check import keymap_warnings
from memtui.browse.screen import BrowseScreen
from memtui.keys.actions import actions_of
from memtui.keys.declarations import BROWSE_KEYS, EVERYWHERE, Key, keys
from memtui.views import registry
from memtui.views.base import View
from memtui.views.registry import ViewEntry
from memtui.widgets.row_list import RowList
from memtui.widgets.view_tabs import ViewTabs
from support.branches_view.view import BranchList
from support.indexes import update
from support.screens import app_on, empty_text, is_shown, settled, transcript
from support.transcripts import Script
from tools.docs_tables import keys_table

WIDE = (140, 40)
BRANCHES = ViewEntry("branches", "7", ("Branches",), "support.branches_view.view:BranchesView", "git worktree")


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "VIEWS", [*registry.VIEWS, BRANCHES])


def options(pilot: Pilot[None]) -> list[str]:
    """The rows of the palette or of the help, with their spaces run together."""
    rows = pilot.app.screen.query(OptionList).last()
    return [" ".join(str(option.prompt).partition("\n")[0].split()) for option in rows.options]


def rows(screen: BrowseScreen) -> list[str]:
    return [str(option.prompt) for option in screen.query_one(BranchList).options]


async def test_a_new_view_has_a_tab_a_key_rows_and_a_way_back(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, BrowseScreen)
        assert str(screen.query_one(ViewTabs).render()).endswith("6 Timeline  7 Branches")
        shown = {action.key.description: action.labels for action in actions_of(screen)}
        assert shown["Branches"] == ("7",)
        assert not screen.query(BranchList)
        await pilot.press("7")
        await settled(pilot)
        first, *others = rows(screen)
        assert (screen.view, is_shown(screen.query_one(BranchList)), others != []) == ("branches", True, True)
        await pilot.press("s")
        assert rows(screen) == [*reversed(others), first]
        await pilot.press("enter")
        await settled(pilot)
        assert pilot.app.focused is transcript(pilot)
        read = screen.reader.session
        assert read is not None
        assert read.branch == others[-1].rpartition(" ")[0]
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert screen.view == "sessions"


def test_a_view_is_imported_when_it_is_first_shown() -> None:
    code = "import sys, memtui.app; print(*sorted(name for name in sys.modules if name.startswith('memtui.views')))"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    paths = [view.path.partition(":")[0] for view in registry.VIEWS]
    assert [path for path in paths if path in imported] == []


async def test_a_search_covers_a_new_view_and_gives_it_back(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("7", "slash", *"upload")
        await settled(pilot)
        screen = pilot.app.screen
        assert not is_shown(screen.query_one(BranchList))
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert is_shown(screen.query_one(BranchList))


async def test_a_new_view_says_when_it_is_empty(tmp_path: Path) -> None:
    script = Script()
    script.user("The first prompt", gitBranch="")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("7")
        await settled(pilot)
        assert empty_text(pilot.app.screen) == "No session has a branch."


def test_the_table_of_keys_lists_a_new_view_and_its_lists() -> None:
    rows = keys_table().splitlines()
    assert "|  | `7` | Show the view: branches | `view-branches` |" in rows
    assert "| branches | `s` | Sort the other way round | `branches.sort` |" in rows


async def test_palette_and_help_find_a_new_view_by_other_words(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"worktree")
        await settled(pilot)
        assert options(pilot) == ["Branches worktree · Show the view: branches 7"]
        await pilot.press("escape", "question_mark", *"worktree")
        await settled(pilot)
        assert options(pilot) == ["Everywhere", "7 Branches Show the view: branches"]
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(pilot.app.focused, BranchList)


async def test_a_new_key_is_known_everywhere(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = Key("f6", "greet('there')", "Greet", "Greet the turn", "greet", synonyms="hello", needs_turn=True)
    greeted: list[str] = []
    monkeypatch.setattr(BrowseScreen, "action_greet", lambda screen, name: greeted.append(name), raising=False)
    BROWSE_KEYS.extend(keys(EVERYWHERE, new))
    try:
        assert "|  | `f6` | Greet the turn | `greet` |" in keys_table().splitlines()
        assert keymap_warnings({"greet": "f7"}) == []
        async with app_on(sample_index).run_test(size=WIDE) as pilot:
            await settled(pilot)
            await pilot.press("f6")
            assert greeted == ["there"]
            await pilot.press("question_mark", *"hello")
            await settled(pilot)
            assert options(pilot) == ["Everywhere", "f6 Greet Greet the turn"]
            # The statistics have no transcript beside them.
            await pilot.press("escape", "escape", "5", "f6")
            await settled(pilot)
            assert "greet" not in {action.key.id for action in actions_of(pilot.app.screen)}
            assert greeted == ["there"]
    finally:
        BROWSE_KEYS.pop()


def test_an_incomplete_view_list_or_key_is_refused_when_it_is_defined() -> None:
    with pytest.raises(TypeError, match=r"Bare is no complete View: SHARE, compose_view, reload, focus_target$"):

        class Bare(View):
            pass

    with pytest.raises(TypeError, match=r"Rowless is no complete RowList: HELP, rows$"):

        class Rowless(RowList):
            def choose(self, index: int, *, read: bool) -> None:
                """Do nothing."""

    with pytest.raises(TypeError, match="a key needs a name, a sentence and an id"):
        Key("x", "forget", "Forget", "", "rows.forget")


def test_keys_that_do_not_say_where_they_work_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    key = Key("s", "sort", "Sort", "Sort the other way round", "branches.sort")
    monkeypatch.setattr(BranchList, "BINDINGS", [key])
    with pytest.raises(TypeError, match=r"branches_view\.view\.BranchList: .* is not made by .*\.keys"):
        keys_table()


def test_the_keymap_knows_a_new_view() -> None:
    assert keymap_warnings({"view-branches": "b", "branches.sort": "z", "view-commits": "c"}) == [
        "[keymap]: there is no id 'view-commits'; it is ignored."
    ]
