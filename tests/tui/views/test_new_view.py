"""A view is added by one package and one line in the registry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memtui.actions import actions_of
from memtui.browse.screen import BrowseScreen
from memtui.keymap_check import keymap_warnings
from memtui.views import registry
from memtui.views.registry import ViewEntry
from memtui.widgets.view_tabs import ViewTabs
from support.branches_view.view import BranchList
from support.indexes import update
from support.screens import app_on, empty_text, is_shown, settled, transcript
from support.transcripts import Script

WIDE = (140, 40)
BRANCHES = ViewEntry("branches", "7", ("Branches",), "support.branches_view.view:BranchesView", "git worktree")


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "VIEWS", [*registry.VIEWS, BRANCHES])


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


def test_the_keymap_knows_a_new_view() -> None:
    assert keymap_warnings({"view-branches": "b", "branches.sort": "z", "view-commits": "c"}) == [
        "[keymap]: there is no id 'view-commits'; it is ignored."
    ]
