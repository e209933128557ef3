"""The view of the timeline: past sessions, what was written down in them, and writing by hand."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from memtui.screens.pager import PagerScreen
from memtui.views.timeline.observations.form import ObservationForm, TypeChoice
from memtui.views.timeline.observations.pane import ObservationPane
from memtui.views.timeline.observations.rows import observation_rows, session_rows, text_of
from memtui.views.timeline.rows import Folds, TimelineEntry, entries
from memtui.views.timeline.timeline_list import TimelineList
from memtui.widgets.status.line import StatusLine
from memtui.widgets.transcript.widget import TranscriptPane
from memtui.widgets.view_tabs import ViewTabs
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.summaries import SessionSummary
from memtui_core.memory.timeline.days import DiaryDay
from memtui_core.memory.timeline.model import SessionOutcome, TimelinePage, TimelineQuery, TimelineSession
from memtui_core.store.observation import Observation, ObservationContent
from support.indexes import update
from support.screens import app_on, browse, is_shown, notices, settled, transcript, type_text, until
from support.transcripts import SESSION, START, Script

SIZES = [(140, 40), (80, 24)]
OTHER = "22222222-2222-4222-8222-222222222222"
SHOP, SITE = "/home/ana/code/shop", "/home/ana/code/site"


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def on_top(pilot: Pilot[None]) -> Screen[Any]:
    """What covers all others."""
    return pilot.app.screen


def focused(pilot: Pilot[None]) -> Widget | None:
    """What has the focus."""
    return pilot.app.focused


def timeline(pilot: Pilot[None]) -> TimelineList:
    """The list."""
    return browse(pilot).query_one(TimelineList)


def listed(pilot: Pilot[None]) -> list[str]:
    """The rows, spaces and rules run together."""
    return [re.sub("─+", "—", " ".join(str(option.prompt).split())) for option in timeline(pilot).options]


def heads(pilot: Pilot[None]) -> list[str]:
    """The titles of the sessions, each with the mark before it, and of observations, without times."""
    lines = [str(option.prompt).split("\n")[0] for option in timeline(pilot).options if not option.disabled]
    return [" ".join(re.sub(r" · (?:shop|site)\b.*|  \S*\d.*$|\d+ [smhdy]$", "", line).split()) for line in lines]


def noted(pilot: Pilot[None]) -> list[str]:
    """What stands in the place of the transcript; nothing while that is shown."""
    view = browse(pilot).query_one(ObservationPane)
    return text_of(view.rows(80, 20)).splitlines() if is_shown(view) else []


def titles(pilot: Pilot[None]) -> tuple[str, str]:
    """Title and count in the border of the list."""
    shown = timeline(pilot)
    return Content.from_markup(str(shown.border_title)).plain, str(shown.border_subtitle)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of two sessions of two projects; three observations."""
    folder = tmp_path_factory.mktemp("timeline")
    script = Script()
    script.user("Retry the upload")
    script.says("Done.")
    script.user("Write it down")
    script.says("It is written down.")
    other = Script(OTHER, SITE, "o")
    other.user("Build the site")
    other.says("Built.")
    update(folder / "data", script.write(folder / "src"), other.write(folder / "src"))
    save(folder / "data", "id1", 25, type="decision", title="Retry thrice", narrative="**Not** more.")
    save(folder / "data", "id2", 28, type="bugfix", title="No double uploads", narrative="They had no key.")
    save(folder / "data", "id3", 99, "gone", type="decision", title="Other tool", narrative="It was slow.")
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the index to write to."""
    return shutil.copytree(built, tmp_path / "data")


def save(folder: Path, name: str, seconds: int, session: str = SESSION, **given: str) -> Observation:
    """Write an observation as another process would, some seconds after the session began."""
    book = Observations(folder, now=lambda: START + timedelta(seconds=seconds), new_id=lambda: name)
    return book.save(session, SHOP, **dict[str, Any](given))


@pytest.mark.spec("S3.12")
async def test_sessions_stand_with_their_summaries_and_observations(data: Path) -> None:
    chosen = []
    async with app_on(data).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await press(pilot, "6")
            chosen.append(timeline(pilot).chosen)
            assert focused(pilot) is timeline(pilot)
            assert "6 Timeline" in browse(pilot).query_one(ViewTabs).render().plain
            assert listed(pilot) == [
                "Sun 1 Nov — 3 sessions · 30 s",
                "▾ ● session gone · shop 09:01 no transcript",
                "decision Other tool 19 d",
                "▾ ● Retry the upload · shop 09:00",
                "bugfix No double uploads 19 d",
                "decision Retry thrice 19 d",
                "● Build the site · site 09:00",
            ]
            assert titles(pilot) == ("timeline of all projects", "3 sessions · 3 observations")
            await press(pilot, "g", "j", "j")
            assert noted(pilot) == []
            assert transcript(pilot).session is not None
            await press(pilot, "h", "j")
            assert heads(pilot)[2:] == ["▸ ● Retry the upload", "● Build the site"]
            await press(pilot, "k", "l", "l", "j")
            assert timeline(pilot).chosen == ("observation", "id1")
            await press(pilot, "l")
            assert isinstance(pilot.app.focused, ObservationPane)
            assert pilot.app.focused.size.width > 40
            assert noted(pilot)[:3] == ["Retry thrice", "", "Not more."]
            assert "From     Retry the upload · turn 2" in noted(pilot)
            await press(pilot, "escape", "h")
            assert timeline(pilot).chosen == ("session", SESSION)
            await press(pilot, "v")
            assert isinstance(pilot.app.screen, PagerScreen)
            await press(pilot, "escape", "escape")
            assert browse(pilot).view == "sessions"
    assert chosen == [("session", "gone"), ("session", SESSION)]


async def test_an_observation_leads_to_the_turn_it_comes_from(data: Path) -> None:
    async with app_on(data).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            browse(pilot).query_one(StatusLine).notice = ""
            await press(pilot, "6", "g", "j", "j", "j", "j")
            assert notices(pilot) == []
            assert timeline(pilot).chosen == ("observation", "id1")
            # Where there is room for one pane, the observation is read first.
            await press(pilot, *["enter"] * (1 if size[0] > 100 else 2))
            assert isinstance(focused(pilot), TranscriptPane)
            assert (transcript(pilot).number, noted(pilot)) == (2, [])
            await press(pilot, "escape")
            assert focused(pilot) is timeline(pilot)
            assert is_shown(browse(pilot).query_one(ObservationPane)) == (size[0] > 100)
            await press(pilot, "g", "j", *["enter"] * (1 if size[0] > 100 else 2))
            assert not isinstance(focused(pilot), TranscriptPane)
            assert notices(pilot) == ["There is no transcript of the session of this observation."]


async def test_a_type_is_listed_alone_and_a_project_too(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "F")
        assert titles(pilot) == ("timeline of all projects · decision", "2 of 3 observations")
        assert listed(pilot) == [
            "decision Other tool 19 d session gone · shop",
            "decision Retry thrice 19 d Retry the upload · shop",
        ]
        await press(pilot, "F")
        assert titles(pilot)[0] == "timeline of all projects · bugfix"
        await press(pilot, "escape")
        assert (browse(pilot).view, titles(pilot)[0]) == ("timeline", "timeline of all projects")
        # The observation that was chosen stays so.
        assert timeline(pilot).chosen == ("observation", "id2")
        await press(pilot, "G", "p")
        assert (titles(pilot), heads(pilot)) == (("timeline of site", "1 session"), ["● Build the site"])
        await press(pilot, "p")
        assert titles(pilot)[0] == "timeline of all projects"


async def test_an_observation_is_written_by_hand_and_changed(data: Path) -> None:
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "G", "a")
        form = on_top(pilot)
        assert isinstance(form, ObservationForm)
        assert isinstance(pilot.app.focused, TypeChoice)
        await press(pilot, "d", "right", "left", "ctrl+s")
        assert form.query_one(TypeChoice).value == "discovery"
        assert str(form.query_one("#refused", Static).content) == "The title is empty."
        assert focused(pilot) is form.query_one("#title")
        pilot.app.post_message(events.Paste("T" * 81))
        await press(pilot, "enter")
        await type_text(pilot, "Why")
        await press(pilot, "enter", "x", "ctrl+s")
        assert str(form.query_one("#refused", Static).content) == "The title has 81 characters; at most 80 fit."
        await press(pilot, "backspace", "tab", "tab")
        assert focused(pilot) is form.query_one("#files")
        await type_text(pilot, "src/a.py, src/b.py")
        await press(pilot, "tab", "k", "ctrl+s")
        assert on_top(pilot) is browse(pilot)
        written = [one for one in Observations(data).select() if one.session_id == OTHER]
        assert [(one.root, one.tool_name, one.content) for one in written] == [
            (
                SITE,
                "memtui",
                ObservationContent(
                    "discovery", "T" * 80, "Why\nx", facts=("k",), files_modified=("src/a.py", "src/b.py")
                ),
            )
        ]
        assert timeline(pilot).chosen == ("observation", written[0].id)
        await press(pilot, "c")
        form = on_top(pilot)
        assert isinstance(form, ObservationForm)
        assert form.query_one("#files", Input).value == "src/a.py, src/b.py"
        # What another process changes meanwhile stays, where the person left it as it was.
        Observations(data).edit(written[0].id, narrative="Because.")
        form.query_one("#title", Input).value = "Short"
        await press(pilot, "ctrl+s")
        changed = Observations(data).get(written[0].id)
        assert (changed.content.title, changed.content.narrative, changed.revision) == ("Short", "Because.", 3)
        assert "discovery Short" in heads(pilot)
        await press(pilot, "c")
        pilot.app.screen.query_one(TextArea).text = "lost"
        await press(pilot, "escape")
        assert "ctrl+s saves them" in str(pilot.app.screen.query_one("#refused", Static).content)
        await press(pilot, "escape")
        assert on_top(pilot) is browse(pilot)
        assert Observations(data).get(written[0].id) == changed


@pytest.mark.spec("S3.16")
async def test_what_is_forgotten_comes_back(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "j", "j", "j", "x")
        assert heads(pilot) == [
            "▾ ● session gone",
            "decision Other tool",
            "▾ ● Retry the upload",
            "decision Retry thrice",
            "● Build the site",
        ]
        assert timeline(pilot).chosen == ("observation", "id1")
        assert noted(pilot)[0] == "Retry thrice"
        await press(pilot, "delete", "F", "F")
        assert titles(pilot) == ("timeline of all projects · forgotten", "2 observations")
        assert heads(pilot) == ["decision Retry thrice", "bugfix No double uploads"]
        await press(pilot, "j", "u")
        assert [one.id for one in Observations(data).select(forgotten=True)] == ["id1"]
        assert (titles(pilot)[0], timeline(pilot).chosen) == ("timeline of all projects", ("observation", "id2"))
        assert noted(pilot)[0] == "No double uploads"
        await press(pilot, "g", "u")
        assert Observations(data).select(forgotten=True) == []
        assert timeline(pilot).chosen == ("observation", "id1")


async def test_what_another_process_writes_appears(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "j", "j", "j")
        save(data, "id4", 29, type="change", title="By an agent", narrative="While you look.")
        Observations(data).edit("id2", narrative="There was no key.")
        await until(
            pilot,
            lambda: "change By an agent" in heads(pilot) and noted(pilot)[2] == "There was no key.",
            between=0.05,
        )
        await settled(pilot)
        assert heads(pilot)[2:5] == ["▾ ● Retry the upload", "change By an agent", "bugfix No double uploads"]
        assert timeline(pilot).chosen == ("observation", "id2")
        assert noted(pilot)[2] == "There was no key."


async def test_nothing_saved_has_its_own_words_and_a_search_covers_the_view(tmp_path: Path) -> None:
    script = Script()
    script.user("hello")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        words = browse(pilot).query_one("#unsaved", Static)
        assert words.display
        assert str(words.content).startswith("No observation yet: a writes one,")
        assert words.size.height == 1
        assert listed(pilot) == ["Sun 1 Nov — 1 session", "● hello · shop 09:00"]
        await press(pilot, "a", "enter")
        await type_text(pilot, "First")
        await press(pilot, "enter", "x", "ctrl+s")
        assert (words.display, heads(pilot)) == (False, ["▾ ● hello", "decision First"])
        assert browse(pilot).reader.has_class("-detail")
        await press(pilot, "slash")
        await type_text(pilot, "hello")
        assert not browse(pilot).reader.has_class("-detail")
        await press(pilot, "escape", "escape")
        assert browse(pilot).reader.has_class("-detail")


def observation(name: str, **given: object) -> Observation:
    content = ObservationContent("decision", name, "Why.", **given)  # type: ignore[arg-type]
    return Observation(name, "s1", SHOP, datetime(2026, 11, 1, tzinfo=UTC), content)


def test_an_observation_is_told_whole() -> None:
    one = observation(
        "Use\x1b[31m it", subtitle="or not", facts=("f1", "f2"), concepts=("c",), files_modified=("a.py",)
    )
    assert text_of(observation_rows(one, "There", 80)) == (
        "Use it\nor not\n\nWhy.\n\nFacts\n• f1\n• f2\n\nConcepts\n• c\n\nFiles modified\n• a.py\n\n"
        "Type     decision\nWritten  2026-11-01 00:00:00 +0000\nBy       mem-save\nFrom     There\n"
        f"Session  s1\nProject  {SHOP}\nId       Use\x1b[31m it\n".replace("\x1b[31m", "")
    )


def test_a_session_is_told_whole() -> None:
    summary = SessionSummary("s1", "Asked: this\nAnswered last: that", "extract", ("No retries.",))
    made = SessionOutcome(commits=("Retry\x1b[31m it", "", ""), commit_ids=("3f2a9c1d5e", "3f2a9c2", ""))
    past = TimelineSession("s1", SHOP, "shop", None, None, (observation("Use it"),), made)
    assert text_of(session_rows(past, summary, 80)) == (
        "session s1\n\nAsked: this\nAnswered last: that\n\nKey decisions\n• No retries.\n\n"
        "Commits\n• 3f2a9c1 Retry it\n• 3f2a9c2\n• commit\n\ndecision Use it\nWhy.\n\n"
        f"Last     unknown\nSession  s1\nProject  {SHOP}\n"
    )


def test_rows_of_a_folded_session_are_not_listed() -> None:
    one, two = observation("a"), observation("b")
    past = TimelineSession("s1", SHOP, "shop", None, None, (one, two))
    day = DiaryDay(None, (past,))
    page = TimelinePage(TimelineQuery(), None, (past,), (), 1, (("decision", 2),), days=(day,))
    folds = Folds()
    assert list(entries(page, folds)) == [day, TimelineEntry(past), TimelineEntry(past, two), TimelineEntry(past, one)]
    folds.toggle(TimelineEntry(past))
    assert list(entries(page, folds)) == [day, TimelineEntry(past)]
