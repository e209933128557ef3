"""The chart of the timeline: an axis of time, lanes of projects, bars and marks; its cursor and that of the list."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.content import Content
from textual.pilot import Pilot

from memtui.views.timeline.chart.axis import Window, Zoom, ruler, title, window_at
from memtui.views.timeline.chart.cursor import ChartCursor
from memtui.views.timeline.chart.lanes import Chart
from memtui.views.timeline.chart.text import event_text, lane_spans
from memtui.views.timeline.chart.widget import TimelineChart
from memtui.views.timeline.rows import TimelineKey
from memtui.views.timeline.timeline_list import TimelineList
from memtui.views.timeline.view import TimelineView
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.timeline.model import EventKind, TimelineEvent, TimelineSession
from memtui_core.store.observation import Observation, ObservationContent
from support.indexes import update
from support.screens import app_on, is_shown, notices, settled, transcript
from support.transcripts import SESSION, START, Script

BERLIN = ZoneInfo("Europe/Berlin")
OTHER = "22222222-2222-4222-8222-222222222222"
LATE = "33333333-3333-4333-8333-333333333333"
SHOP, SITE = "/home/ana/code/shop", "/home/ana/code/site"
SIZES = [(80, 24), (140, 40)]
DAY = datetime(2026, 8, 10, tzinfo=UTC)
"""A Monday."""


def hour(hours: float) -> datetime:
    return DAY + timedelta(hours=hours)


def event(
    kind: EventKind, first: float, last: float | None = None, root: str = "/a", session: str = "s"
) -> TimelineEvent:
    row = TimelineSession(session, root, root[1:], None, None, ())
    return TimelineEvent(kind, hour(first), hour(first if last is None else last), row)


def drawn(chart: Chart) -> list[str]:
    """The rows with the labels of their lanes."""
    return [
        f"{chart.lane(row).label}|" + "".join(chart.character(row, column)[0] for column in range(chart.width))
        for row in range(len(chart.rows))
    ]


def day_chart(events: Sequence[TimelineEvent], height: int = 4, ranks: Sequence[str] = ("/a", "/b", "/c")) -> Chart:
    """A day with a column for each hour."""
    return Chart(events, window_at("day", DAY, DAY, DAY, UTC), 24, height, {root: root[1:] for root in ranks})


# -- the axis ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zoom", "zone", "first", "end", "expected"),
    [
        ("day", BERLIN, "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00", "Sun 29 Mar 2026"),
        ("week", UTC, "2026-03-23T00:00+00:00", "2026-03-30T00:00+00:00", "23 – 29 Mar 2026"),
        ("month", BERLIN, "2026-03-01T00:00+01:00", "2026-04-01T00:00+02:00", "March 2026"),
        ("year", BERLIN, "2026-01-01T00:00+01:00", "2027-01-01T00:00+01:00", "2026"),
        ("all", UTC, "2025-12-31T00:00+00:00", "2026-04-03T00:00+00:00", "31 Dec 2025 – 2 Apr 2026"),
    ],
)
def test_windows_are_whole_days_of_the_zone(zoom: Zoom, zone: tzinfo, first: str, end: str, expected: str) -> None:
    earliest, last = datetime(2025, 12, 31, 5, tzinfo=UTC), datetime(2026, 4, 2, 22, tzinfo=UTC)
    window = window_at(zoom, datetime(2026, 3, 29, 9, tzinfo=UTC), earliest, last, zone)
    assert (window.first, window.end) == (datetime.fromisoformat(first), datetime.fromisoformat(end))
    assert title(window, zone) == expected


def ruled(zoom: Zoom, width: int, zone: tzinfo = UTC) -> str:
    line = [" "] * width
    window = window_at(zoom, DAY, DAY - timedelta(400), DAY, zone)
    for column, label in ruler(window, width, zone):
        line[column : column + len(label)] = label
    return "".join(line).rstrip()


def test_the_ruler_has_as_many_labels_as_fit() -> None:
    assert ruled("day", 47) == "00:00      06:00       12:00       18:00"
    assert ruled("day", 48) == "00:00 03:00 06:00 09:00 12:00 15:00 18:00 21:00"
    assert ruled("week", 56) == "Mon 10  Tue 11  Wed 12  Thu 13  Fri 14  Sat 15  Sun 16"
    assert ruled("month", 62) == "    3 Aug         10 Aug        17 Aug        24 Aug"
    assert ruled("all", 50) == "          Oct 2025    Jan 2026   Apr 2026"
    assert ruled("all", 6) == "  2026"
    assert ruled("all", 3) == ""


@given(
    st.sampled_from(["day", "week", "month", "year", "all"]),
    st.integers(1, 300),
    st.integers(0, 3000),
    st.sampled_from([UTC, BERLIN, ZoneInfo("Asia/Kathmandu")]),
)
def test_labels_of_the_ruler_are_in_order_and_never_touch(zoom: Zoom, width: int, days: int, zone: tzinfo) -> None:
    at = DAY - timedelta(days)
    labels = ruler(window_at(zoom, at, at, DAY, zone), width, zone)
    for (column, label), (following, _) in pairwise(labels):
        assert column + len(label) < following
    assert all(column >= 0 and column + len(label) <= width for column, label in labels)


# -- lanes ---------------------------------------------------------------------------------------------------------


def test_sessions_are_bars_and_what_happened_in_them_are_marks() -> None:
    events = [
        event("session", -5, 2),
        event("session", 4, 7.5, session="t"),
        event("compaction", 6, session="t"),
        event("session", 9, 9.2, session="u"),
        event("session", 20, 30, "/b", "v"),
        event("pull request", 21, None, "/b", "v"),
        event("observation", 21.5, None, "/b", "v"),
        event("observation", 22, None, "/b", "v"),
        event("session", 25, 26, "/c", "w"),
    ]
    assert drawn(day_chart(events)) == [
        "a|▄▄▄ ▙▄⧉▄ ▙              ",
        "b|                    ▙↑◆▄",
    ]


def worked(session: str, *spans: tuple[float, float]) -> TimelineEvent:
    """A session of the project /a with the times at which it worked, in hours."""
    first, last = hour(spans[0][0]), hour(spans[-1][1])
    times = tuple((hour(one).timestamp(), hour(other).timestamp()) for one, other in spans)
    row = TimelineSession(session, "/a", "a", last, None, (), spans=times)
    return TimelineEvent("session", first, last, row)


def test_a_session_that_stays_open_is_no_work() -> None:
    mark = replace(event("compaction", 12), session=worked("s", (1, 2)).session)
    events = [worked("s", (1, 2.5), (9, 9.1), (11, 13)), mark]
    assert drawn(day_chart(events)) == ["a| ▙▄▁▁▁▁▁▁▄▁▄⧉▄" + " " * 10]
    chart = day_chart(events)
    styles = [style for text, style in lane_spans(chart, 0, 1, 6) if text == "▁"]
    assert styles == ["muted"] * 7
    # A cell of the pause is one of the session, too.
    assert chart.rows[0][5].events == [0]
    # In little room it counts who works.
    other = worked("t", (5, 9), (12.5, 13))
    assert drawn(day_chart([events[0], other, mark], 1)) == ["a| ▙▄▁▁▙▄▄▄█▁▄⧉█" + " " * 10]


def test_overlapping_sessions_are_stacked_and_thicker_where_there_is_no_room() -> None:
    events = [event("session", n, 6 - n, session=f"s{n}") for n in range(3)]
    events += [event("compaction", 4, session="s1"), event("session", 1, 3, "/b", "b")]
    events.sort(key=lambda one: one.first)
    assert drawn(day_chart(events, 4)) == [
        "a|▙▄▄▄▄▄▄" + " " * 17,
        "a| ▙▄▄⧉▄" + " " * 18,
        "a|  ▙▄▄" + " " * 19,
        "b| ▙▄▄" + " " * 20,
    ]
    assert drawn(day_chart(events, 2)) == ["a|▙███⧉█▄" + " " * 17, "b| ▙▄▄" + " " * 20]


def test_projects_without_a_lane_share_the_last_one() -> None:
    events = [event("session", 1 + n, 1 + n, f"/{name}", name) for n, name in enumerate("abcd")]
    chart = day_chart(events, 3, ["/d", "/a", "/x", "/c", "/b"])
    assert drawn(chart) == ["d|    ▙" + " " * 19, "a| ▙" + " " * 22, "other|  ▙▙" + " " * 20]
    assert drawn(day_chart(events, 1, ["/d", "/a", "/c", "/b"])) == ["other| ▙▙▙▙" + " " * 19]
    assert drawn(day_chart(events, 4, ["/d", "/a", "/c", "/b"]))[3] == "b|  ▙" + " " * 21


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["session", "compaction", "pull request", "observation"]),
            st.floats(-30, 60),
            st.floats(0, 40),
            st.sampled_from("abcde"),
            st.integers(0, 5),
        ),
        max_size=40,
    ),
    st.integers(1, 90),
    st.integers(1, 8),
)
def test_no_event_of_the_window_is_lost_and_bars_stay_in_the_width(
    made: list[tuple[EventKind, float, float, str, int]], width: int, height: int
) -> None:
    events = [
        event(kind, first, first + length if kind == "session" else None, f"/{root}", f"{root}{session}")
        for kind, first, length, root, session in sorted(made, key=lambda one: one[1])
    ]
    window = window_at("day", DAY, DAY, DAY, UTC)
    chart = Chart(events, window, width, height, {f"/{name}": name for name in "abcde"})
    visible = {n for n, one in enumerate(events) if one.first < window.end and one.last >= window.first}
    assert set(chart.spots) == visible
    assert {n for row in chart.rows for cell in row.values() for n in cell.events} == visible
    assert len(chart.rows) <= height
    assert all(0 <= column < width for row in chart.rows for column in row)
    for n in visible:
        columns = [(place, column) for place, row in enumerate(chart.rows) for column in row if n in row[column].events]
        first, last = window.column(events[n].first, width), window.column(events[n].last, width)
        assert columns == [(chart.spots[n].row, column) for column in range(first, last + 1)]
        assert n in chart.at(chart.spots[n])
        assert all(text != " " for text in (chart.character(*place)[0] for place in columns))
        assert n not in (chart.beside(n, 1), chart.beside(n, -1), chart.below(n, 1), chart.below(n, -1))


def test_the_cursor_goes_through_a_lane_and_from_lane_to_lane() -> None:
    events = [
        event("session", 1, 5),
        event("observation", 1, session="s"),
        event("session", 2, 3, "/b", "b"),
        event("compaction", 4),
        event("session", 9, 9, "/b", "c"),
    ]
    chart = day_chart(events, 2)
    assert [chart.beside(0, 1), chart.beside(3, 1), chart.beside(3, -1), chart.beside(0, -1)] == [3, None, 0, None]
    # Below a session are the marks of its first column, then the nearest event of the next lane.
    assert [chart.below(0, 1), chart.below(1, 1), chart.below(3, 1), chart.below(2, 1)] == [1, 2, 2, None]
    assert [chart.below(2, -1), chart.below(1, -1), chart.below(0, -1)] == [1, 0, None]
    assert [chart.nearest(1, 7), chart.nearest(0, 23), chart.nearest(1, 0)] == [[4], [3], [2]]


def test_the_nearest_event_beyond_a_window() -> None:
    events = [event("session", 1, 2), event("session", 30, 31, "/b"), event("session", 80, 81)]
    cursor = ChartCursor()
    cursor.take(events)
    cursor.window = Window("day", hour(24), hour(48))
    assert [cursor.beyond(1), cursor.beyond(-1), cursor.beyond(1, "/b"), cursor.beyond(-1, "/b")] == [2, 0, None, None]


def test_an_event_in_one_line() -> None:
    content = ObservationContent("decision", "Retry\x1b[31m thrice", "Why.")
    row = TimelineSession("s1", SHOP, "shop", None, None, ())
    at = datetime(2026, 8, 10, 14, 2, tzinfo=UTC)
    texts = [
        TimelineEvent("session", at, at + timedelta(minutes=89), row),
        TimelineEvent("session", at, at + timedelta(days=1), row),
        TimelineEvent("compaction", at, at, row, 3, "auto, 1,200 tokens"),
        TimelineEvent("pull request", at, at, row, 3, "#7 ana/shop"),
        TimelineEvent("observation", at, at, row, observation=Observation("id", "s1", SHOP, at, content)),
    ]
    assert [event_text(one) for one in texts] == [
        "▙ 10 Aug 2026 14:02 – 15:31 · session s1 · no transcript · shop",
        "▙ 10 Aug 2026 14:02 – 11 Aug 14:02 · session s1 · no transcript · shop",
        "⧉ 10 Aug 2026 14:02 · compaction auto, 1,200 tokens · session s1 · shop",
        "↑ 10 Aug 2026 14:02 · pull request #7 ana/shop · session s1 · shop",
        "◆ 10 Aug 2026 14:02 · decision: Retry thrice · session s1 · shop",
    ]


# -- in the app ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sessions of two projects, one of them two months before the others; a compaction, an observation."""
    folder = tmp_path_factory.mktemp("timeline")
    script = Script()
    script.user("Retry the upload")
    script.says("Done.")
    script.compacts("It retries.")
    other = Script(OTHER, SITE, "o")
    other.user("Build the site")
    late = Script(LATE, SITE, "l")
    late.count = -6 * 60 * 24 * 60
    late.user("Deploy the site")
    update(folder / "data", *(one.write(folder / "src") for one in (script, other, late)))
    book = Observations(folder / "data", now=lambda: START + timedelta(seconds=25), new_id=lambda: "id1")
    book.save(SESSION, SHOP, type="decision", title="Retry thrice", narrative="Not more.")
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the index to write to."""
    return shutil.copytree(built, tmp_path / "data")


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def chart_of(pilot: Pilot[None]) -> TimelineChart:
    return pilot.app.screen.query_one(TimelineChart)


def state(pilot: Pilot[None]) -> tuple[object, ...]:
    """The window, the event under the cursor, and the row of the list."""
    chart, event, rows = chart_of(pilot), chart_of(pilot).cursor.event, pilot.app.screen.query_one(TimelineList)
    return str(chart.border_title), event and (event.kind, event.session.name), rows.chosen


async def test_the_cursors_of_chart_and_list_go_together(data: Path) -> None:
    retried, deployed = ("session", "Retry the upload"), ("session", "Deploy the site")
    async with app_on(data).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        assert not pilot.app.screen.query(TimelineChart)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await press(pilot, "6", "g")
            assert chart_of(pilot).region.height > 0
            assert state(pilot) == ("November 2026", retried, ("session", SESSION))
            await press(pilot, "j")
            assert state(pilot)[1:] == (("observation", "Retry the upload"), ("observation", "id1"))
            await press(pilot, "G")
            assert state(pilot) == ("September 2026", deployed, ("session", LATE))
            await press(pilot, "g", "k")
            assert (pilot.app.focused, state(pilot)[0]) == (chart_of(pilot), "November 2026")
            if size[0] < 100:
                # There is the strip alone.
                await press(pilot, "j")
                assert isinstance(pilot.app.focused, TimelineList)
                continue
            await press(pilot, "N")
            assert state(pilot) == ("September 2026", deployed, ("session", LATE))
            await press(pilot, "n")
            assert state(pilot) == ("November 2026", retried, ("session", SESSION))
            await press(pilot, "j")
            assert state(pilot)[1:] == (("compaction", "Retry the upload"), ("session", SESSION))
            assert transcript(pilot).number == 2
            await press(pilot, "j")
            assert state(pilot)[1:] == (("observation", "Retry the upload"), ("observation", "id1"))
            await press(pilot, "k", "enter")
            assert (pilot.app.focused, transcript(pilot).number) == (transcript(pilot), 2)
            assert chart_of(pilot).region.height > 0
            await press(pilot, "escape")
            assert pilot.app.focused is chart_of(pilot)
            await press(pilot, "j", "j", "j")
            assert isinstance(pilot.app.focused, TimelineList)
            await press(pilot, "1")
            assert chart_of(pilot).region.height == 0


async def test_the_chosen_zoom_is_that_of_the_next_run(data: Path) -> None:
    state_file, zooms = data / "state.json", []
    for stored in ('{"zoom": "decade"}', "", None, '{"zoom": "week"}', None):
        if stored is not None:
            state_file.write_text(stored)
        async with app_on(data).run_test(size=(140, 40)) as pilot:
            await settled(pilot)
            await press(pilot, "6")
            shown = chart_of(pilot).cursor.zoom
            await press(pilot, "d")
            zooms.append((shown, chart_of(pilot).cursor.zoom))
        assert json.loads(state_file.read_text())["zoom"] == zooms[-1][1]
    assert zooms == [("month", "year"), ("month", "year"), ("year", "all"), ("week", "month"), ("month", "year")]


async def test_time_goes_on_by_keys_and_by_the_wheel(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "d")
        assert state(pilot)[0] == "2026"
        await press(pilot, "d")
        assert state(pilot)[0] == "2 Sep – 1 Nov 2026"
        await press(pilot, "d")
        assert state(pilot)[0] == "Sun 1 Nov 2026"
        # Days on which nothing happened are left out; list and transcript go there, too.
        await press(pilot, "k", "pageup")
        assert state(pilot) == ("Wed 2 Sep 2026", ("session", "Deploy the site"), ("session", LATE))
        session = transcript(pilot).session
        assert session is not None
        assert session.session_id == LATE
        await press(pilot, "pageup")
        assert state(pilot)[0] == "Wed 2 Sep 2026"
        await press(pilot, "pagedown")
        assert state(pilot) == ("Sun 1 Nov 2026", ("session", "Retry the upload"), ("session", SESSION))
        await press(pilot, "d", "d", "g")
        assert state(pilot) == ("September 2026", ("session", "Deploy the site"), ("session", LATE))
        # The next session of the same project is in another window.
        await press(pilot, "l")
        assert state(pilot) == ("November 2026", ("session", "Build the site"), ("session", OTHER))
        await press(pilot, "h")
        assert state(pilot)[0] == "September 2026"
        chart = chart_of(pilot)
        chart.post_message(wheel(chart, events.MouseScrollDown))
        await settled(pilot)
        assert state(pilot) == ("November 2026", ("session", "Retry the upload"), ("session", SESSION))
        await press(pilot, "N")
        assert state(pilot)[0] == "September 2026"
        await press(pilot, "N")
        assert notices(pilot) == ["Nothing happened earlier."]
        chart.post_message(wheel(chart, events.MouseScrollUp))
        await settled(pilot)
        assert state(pilot)[0] == "September 2026"


def shown_together(pilot: Pilot[None]) -> None:
    """The row of the list is in the range of the chart, and what is read is its session."""
    chart, entry = chart_of(pilot), pilot.app.screen.query_one(TimelineList).entry
    window, shown = chart.cursor.window, transcript(pilot).session
    assert window is not None
    assert entry is not None
    row = entry.timeline_session
    assert row is not None
    assert row.at is not None
    assert window.first <= row.at < window.end
    if is_shown(transcript(pilot)):
        assert shown is not None
        assert shown.session_id == row.session_id
    assert chart.cursor.event is not None
    assert chart.cursor.event.session.session_id == row.session_id


@pytest.mark.parametrize("size", SIZES)
async def test_list_chart_and_transcript_never_drift_apart(tmp_path: Path, size: tuple[int, int]) -> None:
    script, others = Script(), [Script(nth_session(n)[1], SITE, f"o{n}-") for n in range(2)]
    for days in (0, 1, 9):
        script.count = days * 6 * 60 * 24
        script.user(f"Go on after {days} days")
        script.says("Done.")
    for n, other in enumerate(others):
        other.count = n * 20 * 6 * 60 * 24 + 6 * 60
        other.user(f"Task {n}")
        other.says("Done.")
    update(tmp_path / "data", *(one.write(tmp_path / "src") for one in (script, *others)))
    (tmp_path / "data" / "state.json").write_text('{"zoom": "day"}')
    async with app_on(tmp_path / "data").run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        windows = []
        ways = "k pageup pageup h h d pagedown pagedown pageup d N d n d h d l j j j d d k t k k pageup g pagedown G"
        for key in ways.split():
            await press(pilot, key)
            shown_together(pilot)
            windows.append(str(chart_of(pilot).border_title))
        assert len(set(windows)) > 8
        # From the second day of a session on, its work of that day is read.
        pilot.app.screen.query_one(TimelineList).focus()
        await press(pilot, "t", "j", "enter")
        assert (is_shown(transcript(pilot)), transcript(pilot).number) == (True, 3)
        shown_together(pilot)
        await press(pilot, "escape")
        chart = chart_of(pilot)
        for kind in (events.MouseScrollUp, events.MouseScrollUp, events.MouseScrollDown):
            chart.post_message(wheel(chart, kind))
            await settled(pilot)
            shown_together(pilot)


async def test_the_border_names_the_key_of_the_range_where_it_works(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        named = []
        for keys in ((), ("enter",), ("escape",), ("g", "k"), ("j", "j", "j", "j")):
            await press(pilot, *keys)
            before, widget = chart_of(pilot).cursor.zoom, pilot.app.focused
            has_key = "d day" in Content.from_markup(str(chart_of(pilot).border_subtitle)).plain
            await press(pilot, "d")
            assert (chart_of(pilot).cursor.zoom != before) is has_key
            named.append((type(widget).__name__, has_key))
        assert named == [
            ("TimelineList", True), ("TranscriptPane", False), ("TimelineList", True), ("TimelineChart", True),
            ("TimelineList", True)
        ]  # fmt: skip


async def test_lanes_and_rows_of_projects_of_one_name_are_told_apart(data: Path) -> None:
    other = Script("44444444-4444-4444-8444-444444444444", "/home/ben/work/shop", "n")
    other.user("Sell it")
    update(data, other.write(data.parent / "src"))
    Observations(data, now=lambda: START).save("s9", "/srv/shop", type="change", title="Sold", narrative="All.")
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        chart, rows = chart_of(pilot), pilot.app.screen.query_one(TimelineList)
        assert [drawn_line(pilot, y)[:11].rstrip() for y in range(2, 6)] == [
            "shop · code",
            "site",
            "shop · srv",
            "shop · work",
        ]
        assert drawn_line(pilot, chart.content_size.height - 1).rstrip().endswith("2 turns · shop · code")
        named = [" ".join(str(option.prompt).split("\n")[0].lstrip("▾● ").split()[:-1]) for option in rows.options]
        assert [name for name in named if " · " in name and not name.startswith(("Sun", "Wed"))] == [
            "Retry the upload · shop · code ⧉ 1", "Build the site · site", "Sell it · shop · work",
            "session s9 · shop · srv", "Deploy the site · site",
        ]  # fmt: skip
        await press(pilot, "F")
        assert str(rows.get_option_at_index(0).prompt).endswith("· shop · code")
        await press(pilot, "p")
        assert str(rows.border_title) == "timeline of shop · code · decision"


def wheel(chart: TimelineChart, kind: type[events.MouseEvent]) -> events.MouseEvent:
    return kind(chart, 20, 2, 0, 1, 0, False, False, False)


def drawn_line(pilot: Pilot[None], y: int) -> str:
    return "".join(segment.text for segment in chart_of(pilot).render_line(y))


async def test_a_click_chooses_an_event_and_a_double_click_opens_it(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        chart = chart_of(pilot)
        y = next(y for y in range(2, 6) if drawn_line(pilot, y).startswith("site"))
        x = drawn_line(pilot, y).index("▙")
        await pilot.click(chart, offset=(x + 1, y + 1))
        await settled(pilot)
        assert (pilot.app.focused, state(pilot)[1:]) == (chart, (("session", "Build the site"), ("session", OTHER)))
        assert drawn_line(pilot, chart.content_size.height - 1).rstrip().endswith("Build the site · 1 turn · site")
        await pilot.click(chart, offset=(60, y), times=2)
        await settled(pilot)
        assert transcript(pilot).has_focus
        session = transcript(pilot).session
        assert session is not None
        assert session.title == "Retry the upload"


@pytest.fixture(scope="module")
def many_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More sessions than are listed at first."""
    folder = tmp_path_factory.mktemp("many")
    scripts = []
    for n in range(70):
        script = Script(nth_session(n)[1], SHOP, f"p{n}")
        script.count = -6 * 60 * 24 * n
        script.user(f"Task {n}")
        scripts.append(script.write(folder / "src"))
    update(folder / "data", *scripts)
    return folder / "data"


@pytest.fixture
def many(many_built: Path, tmp_path: Path) -> Path:
    """A copy of the index to write to."""
    return shutil.copytree(many_built, tmp_path / "data")


def nth_session(n: int) -> TimelineKey:
    """The key of a session."""
    return "session", f"{n:08d}-2222-4222-8222-222222222222"


async def test_a_session_beyond_the_listed_ones_is_listed(many: Path) -> None:
    async with app_on(many).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "k", "g")
        assert pilot.app.screen.query_one(TimelineList).option_count == 140
        assert state(pilot)[1:] == (("session", "Task 69"), nth_session(69))


@pytest.mark.parametrize("moves_by_key", [False, True])
async def test_the_cursor_stays_where_it_went_before_the_awaited_session_was_listed(
    moves_by_key: bool, many: Path
) -> None:
    async with app_on(many).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        rows, view = pilot.app.screen.query_one(TimelineList), pilot.app.screen.query_one(TimelineView)
        assert rows.go_to(nth_session(69)) is None
        if moves_by_key:
            await press(pilot, "j")
        else:
            rows.go_to(nth_session(1))
        view.list(replace(view.timeline_query, limit=100))
        await settled(pilot)
        assert (rows.option_count, rows.chosen) == (140, nth_session(1))
