"""The diary of the timeline in the app: days, similar sessions, the strip, and what is listed of long histories."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.views.timeline.chart.axis import window_at
from memtui.views.timeline.chart.cursor import ChartCursor
from memtui.views.timeline.chart.strip import cell_at, strip_cells, strip_spans
from memtui.views.timeline.chart.widget import TimelineChart
from memtui.views.timeline.rows import TimelineKey
from memtui.views.timeline.timeline_list import TimelineList
from memtui.views.timeline.view import TimelineView
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.timeline.model import SLOT, TimelineEvent, TimelineSession
from support.indexes import update
from support.screens import app_on, settled, transcript, until
from support.transcripts import DAY, SESSION, START, Script

SHOP, SITE = "/home/ana/code/shop", "/home/ana/code/site"
CHECK = "Review the navbar of the page {} for wrong colours, missing labels and links"


def nth(n: int) -> str:
    return f"{n:08d}{SESSION[8:]}"


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def past(pilot: Pilot[None]) -> TimelineList:
    return pilot.app.screen.query_one(TimelineList)


def chart_of(pilot: Pilot[None]) -> TimelineChart:
    return pilot.app.screen.query_one(TimelineChart)


def rows(pilot: Pilot[None]) -> list[str]:
    """The rows, each on one line, without rules."""
    return [" ".join(str(option.prompt).replace("─", "").split()) for option in past(pilot).options]


def line(pilot: Pilot[None], y: int) -> str:
    return "".join(segment.text for segment in chart_of(pilot).render_line(y)).rstrip()


def key(pilot: Pilot[None]) -> TimelineKey:
    entry = past(pilot).entry
    assert entry is not None
    return entry.key


# -- the strip -----------------------------------------------------------------------------------------------------


def cursor_with(*turns: tuple[str, int]) -> ChartCursor:
    """A cursor over turns, each as its time and their number."""
    times = [(datetime.fromisoformat(at).replace(tzinfo=UTC), count) for at, count in turns]
    row = TimelineSession("s", "/a", "a", None, None, ())
    cursor = ChartCursor()
    events = [TimelineEvent("session", at, at, row) for at, _ in times]
    cursor.take(events, {int(at.timestamp()) // SLOT: count for at, count in times})
    return cursor


def test_the_strip_has_a_cell_for_each_hour_day_or_week() -> None:
    cursor = cursor_with(("2026-08-03T09:00", 1), ("2026-08-03T23:45", 2), ("2026-08-04T00:00", 4), ("2026-09-01", 8))
    at = datetime(2026, 8, 3, 12, tzinfo=UTC)
    found = {}
    for zoom, width in (
        ("day", 60),
        ("day", 10),
        ("week", 60),
        ("month", 62),
        ("month", 20),
        ("year", 60),
        ("all", 60),
    ):
        window = window_at(zoom, at, at, datetime(2026, 9, 1, tzinfo=UTC), UTC)  # type: ignore[arg-type]
        cells = strip_cells(cursor, window, width)
        assert [column for cell in cells for column in cell.columns] == list(range(width))
        busy = [(cell.text, cell.turns) for cell in cells if cell.turns]
        found[zoom, width] = len(cells), busy
    assert found == {
        ("day", 60): (24, [("Mon 3 Aug 2026 09:00 · 1 turn", 1), ("Mon 3 Aug 2026 23:00 · 2 turns", 2)]),
        ("day", 10): (8, [("Mon 3 Aug 2026 09:00 · 1 turn", 1), ("Mon 3 Aug 2026 21:00 · 2 turns", 2)]),
        ("week", 60): (
            56,
            [
                ("Mon 3 Aug 2026 09:00 · 1 turn", 1),
                ("Mon 3 Aug 2026 21:00 · 2 turns", 2),
                ("Tue 4 Aug 2026 00:00 · 4 turns", 4),
            ],
        ),
        ("month", 62): (31, [("Mon 3 Aug 2026 · 3 turns", 3), ("Tue 4 Aug 2026 · 4 turns", 4)]),
        ("month", 20): (6, [("3 Aug 2026 – 9 Aug 2026 · 7 turns", 7)]),
        ("year", 60): (
            53,
            [("3 Aug 2026 – 9 Aug 2026 · 7 turns", 7), ("31 Aug 2026 – 6 Sep 2026 · 8 turns", 8)],
        ),
        ("all", 60): (
            30,
            [("Mon 3 Aug 2026 · 3 turns", 3), ("Tue 4 Aug 2026 · 4 turns", 4), ("Tue 1 Sep 2026 · 8 turns", 8)],
        ),
    }


def test_a_cell_is_the_fuller_the_more_was_done_and_the_one_under_the_cursor_is_marked() -> None:
    cursor = cursor_with(*((f"2026-08-0{day}T10:00", day) for day in (1, 2, 3, 4)))
    at = datetime(2026, 8, 1, tzinfo=UTC)
    cells = strip_cells(cursor, window_at("week", datetime(2026, 8, 1, tzinfo=UTC), at, at, UTC), 7)
    assert [cell.turns for cell in cells] == [0, 0, 0, 0, 0, 1, 2]
    cells = strip_cells(cursor, window_at("month", at, at, at, UTC), 31)
    spans = strip_spans(cells, 2, 6)
    assert spans[0] == ("turns ", "muted")
    assert [span for span in spans[1:] if span[0]][:6] == [
        ("░", "heat"), ("▒", "heat"), ("▓", "cursor"), ("█", "heat"), ("·", "grid"), ("·", "grid")
    ]  # fmt: skip
    assert [cell_at(cells, datetime(2026, 8, day, 23, tzinfo=UTC)) for day in (1, 31)] == [0, 30]
    assert cell_at(cells, datetime(2025, 1, 1, tzinfo=UTC)) == 0


def test_the_nearest_time_with_turns() -> None:
    cursor = cursor_with(("2026-08-03T09:00", 1), ("2026-08-05T09:00", 2))
    first, last = (datetime(2026, 8, day, 9, tzinfo=UTC) for day in (3, 5))
    assert [cursor.activity_beyond(first, 1), cursor.activity_beyond(first, -1)] == [first, None]
    later = first + timedelta(hours=1)
    assert [cursor.activity_beyond(later, 1), cursor.activity_beyond(later, -1)] == [last, first]
    assert cursor.activity_beyond(last + timedelta(hours=1), 1) is None


# -- in the app ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of four similar sessions and one with a commit on one day, and of one session three days before."""
    folder = tmp_path_factory.mktemp("diary")
    scripts = []
    for n in range(4):
        script = Script(nth(n), SHOP, f"p{n}-")
        script.count = -2 * n
        script.user(CHECK.format(n))
        script.says("It is fine.")
        scripts.append(script)
    made = Script(nth(7), SITE, "m")
    made.count = 200
    made.user("Make the upload safe")
    made.calls("Edit", {"file_path": f"{SITE}/src/upload.py", "old_string": "a\n", "new_string": "b\nc\n"})
    made.result("done")
    made.calls("Bash", {"command": "git commit -am 'Retry'"}, "t2")
    made.result("[main 1a2b3c4] Retry\n 1 file changed", "t2")
    made.raw({"type": "ai-title", "aiTitle": "Safe uploads", "sessionId": nth(7)})
    old = Script(nth(8), SHOP, "o")
    old.count = -3 * DAY
    old.user("Long ago")
    update(folder / "data", *(one.write(folder / "src") for one in (*scripts, made, old)))
    return folder / "data"


GROUP = "● Review the navbar of the page … ×4 · shop"
GROUP_LINES = "09:00 4 similar sessions · no file changed"
MADE = "● Safe uploads · site ✎ 1 09:34 upload.py · commit 1a2b3c4 “Retry” asked: Make the upload safe"


async def test_days_have_their_sessions_with_what_came_out_of_them(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        assert rows(pilot) == [
            "Sun 1 Nov 5 sessions · 1 min · +2 −1 · 1 commit",
            MADE,
            f"▸ {GROUP} 08:59–{GROUP_LINES}",
            "Thu 29 Oct 1 session",
            "● Long ago · shop 09:00",
        ]
        assert key(pilot) == ("session", nth(7))


async def test_similar_sessions_are_unfolded_and_folded(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "j")
        assert key(pilot) == ("similar", nth(3))
        session = transcript(pilot).session
        assert session is not None
        assert session.session_id == nth(0)
        # Each shows what the others do not say.
        unfolded = [f"● Review … {n} for wrong colours, missing labels…" for n in range(4)]
        for unfold, fold in (("space", ("space",)), ("l", ("h",)), ("right", ("j", "j", "left", "left"))):
            await press(pilot, unfold)
            assert [row.rpartition(" ")[0] for row in rows(pilot)[3:7]] == unfolded
            await press(pilot, *fold)
            assert (len(rows(pilot)), key(pilot)) == (5, ("similar", nth(3)))
        # The cursor of the chart is at one of them: it stays folded.
        await press(pilot, "k", "k", "k")
        assert (len(rows(pilot)), key(pilot)) == (5, ("similar", nth(3)))


async def test_the_cursor_stays_with_a_session_to_which_similar_ones_come(tmp_path: Path) -> None:
    scripts = []
    for n in range(4):
        script = Script(nth(n), SHOP, f"p{n}-")
        script.count = n
        script.user(CHECK.format(n))
        scripts.append(script.write(tmp_path / "src"))
    update(tmp_path / "data", *scripts[:2])
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "j")
        assert (key(pilot), len(rows(pilot))) == (("session", nth(0)), 3)
        update(tmp_path / "data", *scripts)
        await press(pilot, "R")
        await until(pilot, lambda: len(rows(pilot)) == 2)
        assert key(pilot) == ("similar", nth(0))


async def test_the_cursor_goes_past_headings_which_stay_visible(data: Path) -> None:
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "j", "j")
        assert (past(pilot).highlighted, key(pilot)) == (4, ("session", nth(8)))
        await press(pilot, "k")
        assert past(pilot).highlighted == 2
        await press(pilot, "G", "K", "g")
        assert (past(pilot).highlighted, past(pilot).scroll_offset.y) == (1, 0)
        await pilot.click(past(pilot), offset=(5, 1))
        await settled(pilot)
        assert past(pilot).highlighted == 1
        await press(pilot, "G", "t")
        assert key(pilot) == ("session", nth(7))
        await press(pilot, "k")
        assert chart_of(pilot).has_focus


async def test_the_chart_has_a_row_for_each_lane_and_a_small_screen_the_strip_alone(data: Path) -> None:
    shown = {}
    for size in ((80, 24), (100, 30), (140, 40), (200, 60)):
        async with app_on(data).run_test(size=size) as pilot:
            await settled(pilot)
            await press(pilot, "6")
            height = chart_of(pilot).region.height
            assert height <= size[1] // 3
            shown[size] = height, past(pilot).scrollable_content_region.height
            assert line(pilot, 0).startswith("turns") is (size[1] >= 30)
            await press(pilot, "G")
            assert chart_of(pilot).region.height - height == (-1 if size[1] >= 30 else 0)
    assert {size: height for size, (height, _) in shown.items()} == {
        (80, 24): 5, (100, 30): 7, (140, 40): 7, (200, 60): 7
    }  # fmt: skip
    assert shown[80, 24][1] >= 12


async def to_strip(pilot: Pilot[None]) -> str:
    """Go up to the strip, and return what is said of its cell."""
    await press(pilot, "g")
    while not (said := line(pilot, chart_of(pilot).content_size.height - 1)).startswith(("Sun", "Thu")):
        await press(pilot, "k")
    while not chart_of(pilot).has_focus:
        await press(pilot, "k")
    return said


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_the_strip_leads_to_a_day(data: Path, size: tuple[int, int]) -> None:
    (data / "state.json").unlink(missing_ok=True)
    async with app_on(data).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        assert await to_strip(pilot) == "Sun 1 Nov 2026 · 5 turns"
        await press(pilot, "h")
        assert str(chart_of(pilot).border_title) == "October 2026"
        assert line(pilot, chart_of(pilot).content_size.height - 1) == "Thu 29 Oct 2026 · 1 turn"
        # The list and the transcript are there, too; enter goes to the list.
        assert (chart_of(pilot).has_focus, key(pilot)) == (True, ("session", nth(8)))
        session = transcript(pilot).session
        assert session is not None
        assert session.session_id == nth(8)
        await press(pilot, "enter")
        assert past(pilot).has_focus
        assert key(pilot) == ("session", nth(8))
        await to_strip(pilot)
        await press(pilot, "h", "l", "l", "enter")
        assert past(pilot).has_focus
        assert key(pilot) == ("session", nth(7))
        # A click goes there, too; from the other day, whose window is shown now.
        await press(pilot, "G")
        await to_strip(pilot)
        await press(pilot, "h")
        column = next(x for x, text in enumerate(line(pilot, 0)) if text in "░▒▓█")
        await pilot.click(chart_of(pilot), offset=(column + 1, 1))
        await settled(pilot)
        assert key(pilot) == ("session", nth(8))


async def test_the_range_that_is_shown_is_named(data: Path) -> None:
    (data / "state.json").write_text(json.dumps({"zoom": "week"}))
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        seen = []
        for _ in range(5):
            subtitle = chart_of(pilot).border_subtitle
            seen.append((str(chart_of(pilot).border_title), str(subtitle).rpartition(" · ")[2]))
            await press(pilot, "d")
        # A click on the name of a range shows it.
        chart = chart_of(pilot)
        await pilot.click(
            chart, offset=(chart.region.width - len(" year all ─╯") - len("month") // 2, chart.region.height - 1)
        )
        await settled(pilot)
        assert (str(chart.border_title), chart.cursor.zoom) == ("November 2026", "month")
    assert [title for title, _ in seen] == [
        "26 Oct – 1 Nov 2026", "November 2026", "2026", "29 Oct – 1 Nov 2026", "Sun 1 Nov 2026"
    ]  # fmt: skip


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of 150 sessions, one a day."""
    folder = tmp_path_factory.mktemp("long")
    scripts = []
    for n in range(150):
        script = Script(nth(n), SHOP, f"l{n}-")
        script.count = -n * DAY
        script.user(f"Task {n}")
        scripts.append(script.write(folder / "src"))
    update(folder / "data", *scripts)
    return folder / "data"


def save_one(data: Path) -> None:
    """Write an observation."""
    Observations(data).save(nth(0), SHOP, type="decision", title="Once", narrative="Not twice.")


def listed(pilot: Pilot[None]) -> tuple[int, int]:
    """The numbers of the newest and of the oldest session in the list."""
    page = past(pilot).page
    assert page is not None
    return int(page.sessions[0].session_id[:8]), int(page.sessions[-1].session_id[:8])


async def test_far_away_only_what_is_around_the_cursor_is_listed(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.views.timeline.chart.link._FAR", 30)
    async with app_on(long).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        assert listed(pilot) == (0, 59)
        await press(pilot, "k", "g")
        assert (listed(pilot), key(pilot)) == ((130, 149), ("session", nth(149)))
        # Towards the newer ones, these are listed, and the row under the cursor stays where it is.
        await press(pilot, "j")
        rows_before = past(pilot)
        await press(pilot, *["k"] * 15)
        assert (listed(pilot), key(pilot)) == ((70, 149), ("session", nth(134)))
        held = rows_before._line_of_cursor() - rows_before.scroll_offset.y
        assert 0 <= held < rows_before.scrollable_content_region.height
        await press(pilot, "t")
        assert (listed(pilot), key(pilot)) == ((0, 59), ("session", nth(0)))
        view = pilot.app.screen.query_one(TimelineView)
        for days, around in ((100, (81, 140)), (3, (0, 59)), (149, (130, 149)), (200, (130, 149)), (-5, (0, 59))):
            view.go_to_day((START - timedelta(days)).date())
            await settled(pilot)
            assert (listed(pilot), key(pilot)) == (around, ("session", nth(max(0, min(149, days)))))
        # From the observations of a kind it goes to the sessions.
        save_one(long)
        view.reload()
        await settled(pilot)
        await press(pilot, "F")
        await until(pilot, lambda: past(pilot).option_count == 1)
        view.go_to_day((START - timedelta(100)).date())
        await settled(pilot)
        assert key(pilot) == ("session", nth(100))
