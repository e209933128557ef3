"""What the app says stands where it covers nothing, once, and no longer than it has to."""

from __future__ import annotations

import shutil
from pathlib import Path

from textual.notifications import SeverityLevel
from textual.pilot import Pilot
from textual.widgets._toast import Toast

from memtui.app import MemtuiApp
from memtui.browse.screen import BrowseScreen
from memtui.screens.help.screen import HelpScreen
from memtui.settings.config import Config
from memtui.system import clock
from memtui.widgets.status.key_line import KeyLine
from memtui.widgets.status.line import StatusFacts, StatusLine
from memtui_core.model import Progress
from support.screens import app_on, browse, remarks, settled, transcript, tree, until

SMALL = (60, 20)
REFUSAL = "The pane has all the room already."


def toasts(pilot: Pilot[None]) -> list[str]:
    """The texts of the toasts on the screen, from above."""
    return [str(toast.render()) for toast in pilot.app.screen.query(Toast)]


def status(pilot: Pilot[None]) -> tuple[str, str]:
    """What stands at the left and at the right of the status line."""
    screen = pilot.app.screen
    return str(screen.query_one(StatusFacts).render()), str(screen.query_one(KeyLine).render())


async def test_a_refusal_stands_in_the_status_line_for_some_time(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot)
        before = status(pilot)
        await pilot.press("plus", "plus", "plus")
        await settled(pilot)
        assert (toasts(pilot), status(pilot)) == ([], (REFUSAL, "⏎ Read / Search ? Keys "))
        await pilot.press("j", "enter", "alt+right")
        await settled(pilot)
        assert (toasts(pilot), status(pilot)) == ([], ("There is no next turn.", "[ Previous prompt f Find ? Keys "))
        await pilot.press("escape")
        pilot.app.notify("Gone at once.", timeout=0.01)
        await until(pilot, lambda: status(pilot) == before, between=0.01)


async def test_what_does_not_fit_or_has_a_title_or_is_a_warning_is_a_toast(sample_index: Path) -> None:
    longest = "x" * (SMALL[0] - len("  ? Keys "))
    async with app_on(sample_index).run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot)
        pilot.app.notify(longest)
        await settled(pilot)
        assert (toasts(pilot), status(pilot)) == ([], (longest, "? Keys "))
        pilot.app.notify(f"{longest}x")
        pilot.app.notify("two\nlines")
        pilot.app.notify("written", title="Export")
        pilot.app.notify("careful", severity="warning")
        await settled(pilot)
        expected = [f"{longest}x", "two\nlines", "Export\nwritten", "careful"]
        assert (toasts(pilot), status(pilot)[0]) == (expected, longest)


async def test_what_is_not_urgent_waits_for_the_indexer_and_is_one_line_that_covers_nothing(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        line = app.screen.query_one(StatusLine)
        await settled(pilot)
        resting = line.progress
        line.progress = Progress(1, 2, 1, at=clock.now().timestamp())
        for text in ("These are samples.", f"Settings: {'x' * 60}"):
            browse(pilot).remark(text)
        await pilot.pause()
        assert (line.notice, toasts(pilot)) == ("", [])
        said = []
        line.progress = resting
        for _ in range(3):
            await pilot.pause()
            said.append(status(pilot)[0] if line.notice else "")
            line.remove_notice()
        room = SMALL[0] - len("  ? Keys ")
        assert (said, toasts(pilot)) == (["These are samples.", f"Settings: {'x' * 60}"[: room - 1] + "…", ""], [])


async def test_at_the_start_nothing_covers_the_list(tmp_path: Path, sample_index: Path) -> None:
    data = shutil.copytree(sample_index, tmp_path / "data")
    config = Config(theme="mauve", warnings=("there is no setting 'thme'",))
    app = MemtuiApp(data, config=config, run_indexer=False, greeting="These are samples.", first_steps=True)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        assert (toasts(pilot), remarks(pilot)) == (
            [],
            ["These are samples.", "2 mistakes in the settings: memtui doctor lists them."],
        )


async def test_a_screen_without_a_status_line_shows_toasts(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        pilot.app.notify(REFUSAL)
        await settled(pilot)
        assert toasts(pilot) == [REFUSAL]


async def test_the_same_toast_stands_once_as_long_as_the_last_one(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot)
        said: list[tuple[str, SeverityLevel]] = [("A", "warning"), ("B", "warning"), ("A", "error"), ("A", "warning")]
        for text, severity in said:
            pilot.app.notify(text, severity=severity, timeout=60)
            await settled(pilot)
        last = [(note.message, note.severity) for note in pilot.app._notifications]
        assert (toasts(pilot), last) == (["B", "A", "A"], [("B", "warning"), ("A", "error"), ("A", "warning")])


async def test_esc_closes_the_toasts_and_takes_its_step_as_well(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter")
        await settled(pilot)
        assert pilot.app.focused is transcript(pilot)
        pilot.app.notify("A", severity="error", timeout=60)
        pilot.app.notify("B", title="C", timeout=60)
        await settled(pilot)
        assert toasts(pilot) == ["A", "C\nB"]
        await pilot.press("escape")
        await settled(pilot)
        assert (toasts(pilot), list(pilot.app._notifications)) == ([], [])
        assert isinstance(pilot.app.screen, BrowseScreen)
        assert tree(pilot).has_focus
