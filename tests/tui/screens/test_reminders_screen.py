"""What memtui told the agent of a session, among the facts of the session and on a page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memtui.agents.hooks.reminder_text import NOTICE
from memtui.screens.pager import PagerScreen, Pages
from memtui.screens.reminders import ReminderList, RemindersScreen
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.requests.target import Target
from memtui_core.index.index import Index
from memtui_core.store.marks.reminder_log import ReminderLog
from support.indexes import update
from support.screens import NOW, app_on, browse, notices, settled, transcript
from support.transcripts import OTHER_SESSION, SESSION, Script

TEXT = f"{NOTICE}\n\n## Past context for a.py\n\n### Memory 1\n[…]\n> [User] Ask \x1b[31mred\n\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions."""
    folder = tmp_path_factory.mktemp("reminders")
    script, other = Script(), Script(OTHER_SESSION, prefix="f")
    for number in (1, 2):
        script.user(f"Prompt {number} of the first")
        script.says("Done.")
        other.user(f"Prompt {number} of the other")
        other.says("Done.")
    update(folder / "data", script.write(folder / "src"), other.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy, in which the first session and its subagent got reminders."""
    copied = Path(shutil.copytree(built, tmp_path / "data"))
    log = ReminderLog(copied, lambda: NOW.timestamp() - 7200)
    log.record(SESSION, event="PreToolUse", references=[f"{OTHER_SESSION}:2", "gone:1"], text=TEXT)
    ReminderLog(copied, lambda: NOW.timestamp() - 60).record(SESSION, "a1", event="SubagentStart", text="one\ntwo")
    return copied


def rows(shown: ReminderList) -> list[str]:
    return [str(option.prompt).rstrip() for option in shown.options]


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (24, 8)])
async def test_the_reminders_of_a_session_lead_to_the_turns_that_they_cite(data: Path, size: tuple[int, int]) -> None:
    async with app_on(data).run_test(size=size) as pilot:
        await settled(pilot)
        key = Index.open(data).sessions.find(SESSION).key
        browse(pilot).reader.reading.open(Target(key, 1), read=True)
        await settled(pilot)
        inspector = browse(pilot).query_one(Inspector)
        await pilot.press("i")
        inspector.tab = "info"
        inspector.focus()
        await settled(pilot)
        if size[0] > 24:
            facts = {"".join(t for t, _ in row.first).strip(): row.text for row in inspector.rows(60, 40)}
            assert facts["Told"] == "2 reminders by memtui"
        await pilot.press("enter")
        await settled(pilot)
        shown = pilot.app.screen.query_one(ReminderList)
        assert shown.highlighted == 0
        if size[0] > 24:
            assert rows(shown) == [
                "  1 m  at the start of a subagent · one",
                "  2 h  with a file · Past context for a.py",
                f"       {OTHER_SESSION[:8]}:2    Prompt 2 of the other",
                "       gone:1        not in the index any more",
            ]
        await pilot.press("j", "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, PagerScreen)
        text = [row.text for row in pilot.app.screen.query_one(Pages).rows(60, 40)]
        assert (text[0], text[-1]) == ("## Past context for a.py", "> [User] Ask red")
        await pilot.press("escape", "j", "j", "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, RemindersScreen), "that session is gone"
        assert notices(pilot)[-1] == "That session is not in the index any more."
        await pilot.press("k", "enter")
        await settled(pilot)
        opened = transcript(pilot).session
        assert opened is not None
        assert (opened.session_id, transcript(pilot).number) == (OTHER_SESSION, 2)


async def test_the_page_is_left_and_explained_by_the_usual_keys(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        key = Index.open(data).sessions.find(SESSION).key
        browse(pilot).reader.reading.open(Target(key, 1), read=True)
        await settled(pilot)
        seen = []
        inspector = browse(pilot).query_one(Inspector)
        await pilot.press("i")
        inspector.tab = "info"
        inspector.focus()
        for pressed in ("enter", "v", "escape", "question_mark", "escape", "f1", "escape", "q", "enter", "escape"):
            await pilot.press(pressed)
            await settled(pilot)
            seen.append(type(pilot.app.screen).__name__)
    page, browsing, helped = "RemindersScreen", "BrowseScreen", "HelpScreen"
    assert seen == [page, "PagerScreen", page, helped, page, helped, page, browsing, page, browsing]


async def test_a_session_without_reminders_says_so(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        key = Index.open(data).sessions.find(OTHER_SESSION).key
        browse(pilot).reader.reading.open(Target(key, 1), read=True)
        await settled(pilot)
        inspector = browse(pilot).query_one(Inspector)
        await pilot.press("i")
        inspector.tab = "info"
        inspector.focus()
        await settled(pilot)
        assert "Told" not in {"".join(t for t, _ in row.first).strip() for row in inspector.rows(60, 40)}
        await pilot.press("enter")
        await settled(pilot)
        assert notices(pilot)[-1].startswith("memtui has told this session nothing")
        assert not isinstance(pilot.app.screen, RemindersScreen)
