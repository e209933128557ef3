from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from textual import on
from textual.app import App, ComposeResult

from memtui.cli.stats import stats
from memtui.render.rows import wrap
from memtui.views.stats.plots import bar, buckets, chart, sparkline
from memtui.views.stats.report import report
from memtui.views.stats.stats_pane import StatsPane
from memtui_core.queries.statistics import DayCount, FileUse, ModelUse, Statistics, ToolUse, Totals
from support.indexes import update
from support.screens import settled
from support.transcripts import SESSION, START, Script

TODAY = date(2026, 11, 21)


def series(turns: Sequence[int], sessions: Sequence[int] | None = None) -> tuple[DayCount, ...]:
    """Days up to today."""
    first = TODAY - timedelta(days=len(turns) - 1)
    counts = zip(sessions or [min(count, 2) for count in turns], turns, strict=True)
    return tuple(DayCount(first + timedelta(days=place), *both) for place, both in enumerate(counts))


WEEK = Statistics(
    None,
    7,
    Totals(4, 2, 1234, 5678, 9, 3, 12_000, 340_000, 5_600_000, 78_000),
    series([0, 10, 40, 0, 1, 80, 20], [0, 1, 4, 0, 1, 2, 2]),
    (ToolUse("Bash", 400, 9), ToolUse("Read", 100, 0), ToolUse("Skill", 1, 0)),
    (FileUse("src/upload.py", "shop", "/shop", 5, 4, 3, 0), FileUse("docs/a.md", "blog", "/blog", 1, 0, 0, 1)),
    (ModelUse("claude-opus-4-5", 30, 12_000, 340_000, 5_600_000, 78_000),),
)
NOTHING = Statistics(None, None, Totals(), (), (), (), ())


def lines(found: Statistics, width: int, height: int = 20) -> list[str]:
    return [line.text.rstrip() for line in wrap(report(found, "all projects", width, height), width)]


# -- bars ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "most", "text"),
    [(0, 8, ""), (1, 1000, "╸"), (4, 8, "━━"), (3, 8, "━╸"), (8, 8, "━━━━"), (9, 8, "━━━━"), (0, 0, "")],
)
def test_a_bar_shows_what_is_not_nothing(value: int, most: int, text: str) -> None:
    assert bar(value, most, 4) == text


def test_a_line_of_bars() -> None:
    assert sparkline([0, 1, 4, 8, 0, 1000]) == "·▁▁▁·█"
    assert sparkline([0, 4, 8]) == "·▄█"
    assert sparkline([]) == ""


def test_columns_stand_on_an_axis() -> None:
    drawn = [
        "".join(text for text, _ in line) for line in chart([0, 1, 8, 16], 30, 2, "turns", 3, ["a", "b", "c", "d"])
    ]
    assert drawn == [
        " 16 ┤                  █████",
        "    │      ▁▁▁▁▁ █████ █████",
        "  0 └────────────────────────",
        "     a     b     c     d",
    ]


@pytest.mark.parametrize(
    ("days", "most", "unit", "count"),
    [(7, 73, "day", 7), (73, 73, "day", 73), (90, 73, "week", 13), (600, 73, "month", 20), (3660, 73, "year", 11)],
)
def test_days_go_in_the_smallest_unit_that_fits(days: int, most: int, unit: str, count: int) -> None:
    found = buckets(series([1] * days), most)
    assert (found[0], len(found[1])) == (unit, count)
    assert sum(bucket.turns for bucket in found[1]) == days


def test_weeks_end_today_and_tell_the_most_sessions_of_a_day() -> None:
    unit, found = buckets(series([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1, 1, 0, 3, 1, 1, 1, 5, 1, 1]), 5)
    assert unit == "week"
    assert [(bucket.first.day, bucket.turns, bucket.sessions) for bucket in found] == [(12, 6, 1), (15, 49, 5)]


# -- the report ------------------------------------------------------------------------------------------------


def test_the_whole_report() -> None:
    assert lines(WEEK, 80) == [
        "all projects · last 7 days · 15 Nov – 21 Nov 2026",
        "",
        "4 sessions   2 subagents   1,234 turns   5,678 tool calls   9 errors   3 files",
        "12k tokens in   340k out   5.6M read from cache   78k written to it",
        "",
        "turns per day · on 5 of 7 days",
        "80 ┤                                             ████████",
        "   │                                             ████████",
        "   │                  ████████                   ████████",
        "   │         ▄▄▄▄▄▄▄▄ ████████          ▁▁▁▁▁▁▁▁ ████████ ████████",
        " 0 └───────────────────────────────────────────────────────────────",
        "    Sun 15   Mon 16   Tue 17   Wed 18   Thu 19   Fri 20   Sat 21",
        "",
        "sessions per day",
        " 4 ┤                  ████████",
        "   │         ▄▄▄▄▄▄▄▄ ████████          ▄▄▄▄▄▄▄▄ ████████ ████████",
        " 0 └───────────────────────────────────────────────────────────────",
        "",
        "tools                                                              calls  errors",
        "Bash  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━      400       9",
        "Read  ━━━━━━━━━━━━━━                                                 100       0",
        "Skill ╸                                                                1       0",
        "",
        "files                                                    edited  read  mentioned",
        "shop  src/upload.py                                           4     3          0",
        "blog  docs/a.md                                               0     0          1",
        "… 1 more file",
        "",
        "tokens by model                         turns     in    out  cache read  written",
        "claude-opus-4-5                            30    12k   340k        5.6M      78k",
    ]


def test_tables_stand_side_by_side_where_there_is_room() -> None:
    drawn = lines(WEEK, 120, 38)
    heads = [line for line in drawn if line.startswith("tools")]
    assert [line.split() for line in heads] == [["tools", "calls", "errors", "files", "edited", "read", "mentioned"]]
    assert next(line for line in drawn if line.startswith("Bash")).endswith("4     3          0")


@pytest.mark.parametrize("width", [1, 10, 20, 30, 44, 60, 79, 109, 110, 300])
@pytest.mark.parametrize("days", [7, 400])
def test_nothing_is_wider_than_the_pane(width: int, days: int) -> None:
    found = replace(
        WEEK,
        series=series([12_345] * days),
        tools=(ToolUse("mcp__browser__take_a_picture_of_the_page", 123_456, 1234), *WEEK.tools),
    )
    drawn = lines(found, width)
    assert drawn
    assert max(map(len, drawn)) <= max(width, 8)


def test_of_one_project_files_need_no_name_of_it() -> None:
    assert "src/upload.py                                                 4     3          0" in lines(
        replace(WEEK, root="/shop"), 80
    )


# -- the widget ------------------------------------------------------------------------------------------------


class Host(App[None]):
    def __init__(self, found: Statistics | None = WEEK) -> None:
        super().__init__()
        self.found = found
        self.wanted: list[int | None] = []

    def compose(self) -> ComposeResult:
        yield StatsPane()

    def on_mount(self) -> None:
        self.view.focus()
        if self.found is not None:
            self.view.show(self.found, "all projects")

    @property
    def view(self) -> StatsPane:
        return self.query_one(StatsPane)

    @on(StatsPane.RangeRequested)
    def _wanted(self, message: StatsPane.RangeRequested) -> None:
        self.wanted.append(message.days)

    def lines(self) -> list[str]:
        """What stands on the screen, without blank lines at its end."""
        drawn = [self.view.render_line(y).text.rstrip() for y in range(self.view.size.height)]
        while drawn and not drawn[-1]:
            drawn.pop()
        return drawn


@pytest.mark.parametrize(("width", "height"), [(80, 24), (140, 40)])
async def test_it_shows_what_it_is_given(width: int, height: int) -> None:
    app = Host()
    async with app.run_test(size=(width, height)) as pilot:
        await settled(pilot)
        # The scroll bar and a blank before it.
        expected = lines(WEEK, width - 2, height)[:height]
        while not expected[-1]:
            expected.pop()
        assert app.lines() == expected


async def test_d_goes_through_the_spans() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("d", "d", "d", "d")
        assert app.wanted == [30, 90, None, 7]
        app.view.show(replace(WEEK, days=14), "all projects")
        await pilot.press("d")
        assert app.wanted[-1] == 7


async def test_where_nothing_was_done_lately_all_time_is_wanted_once() -> None:
    app = Host(None)
    nothing = replace(WEEK, days=30, totals=replace(WEEK.totals, turns=0))
    async with app.run_test() as pilot:
        app.view.show(nothing, "all projects")
        await pilot.pause()
        assert app.wanted == [None]
        app.view.show(replace(nothing, days=None), "all projects")
        await pilot.press("d")
        app.view.show(Statistics(None, 7, Totals(), series([0] * 7), (), (), ()), "all projects")
        await pilot.pause()
        assert app.wanted == [None, 7]
        assert app.lines() == [
            "all projects · last 7 days · 15 Nov – 21 Nov 2026",
            "",
            "No turn in this time. d changes the days.",
        ]


async def test_keys_scroll() -> None:
    app = Host()
    async with app.run_test(size=(80, 12)) as pilot:
        await settled(pilot)
        tops = []
        for key in ("j", "j", "k", "pagedown", "G", "k", "pageup", "g"):
            await pilot.press(key)
            await settled(pilot)
            tops.append(round(app.view.scroll_y))
        assert tops == [1, 2, 1, 12, 17, 16, 5, 0]


async def test_newer_numbers_keep_the_place_and_others_begin_at_the_top() -> None:
    app = Host()
    async with app.run_test(size=(80, 12)) as pilot:
        await settled(pilot)
        await pilot.press("j", "j", "j")
        app.view.show(replace(WEEK, totals=replace(WEEK.totals, turns=1235)), "all projects")
        await settled(pilot)
        assert app.view.scroll_y == 3
        app.view.show(WEEK, "shop")
        await settled(pilot)
        assert (app.view.scroll_y, app.lines()[0]) == (0, "shop · last 7 days · 15 Nov – 21 Nov 2026")


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (None, ["Counting …"]),
        (NOTHING, ["There are no statistics yet.", "", "They appear with the first session that is indexed."]),
    ],
)
async def test_nothing_has_its_own_words(found: Statistics | None, text: list[str]) -> None:
    app = Host(found)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert app.lines() == text


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark"])
async def test_bars_have_the_colours_of_the_theme(theme: str) -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.theme = theme
        await settled(pilot)
        styles = [app.view.painter.style(name).color for name in ("turns", "sessions", "calls")]
        assert None not in styles
        assert len(set(styles)) == len(styles)


async def test_the_text_can_be_selected() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.view.text_select_all()
        assert (app.screen.get_selected_text() or "").splitlines()[:1] == [lines(WEEK, 78, 24)[0]]


# -- the command line ------------------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An index of two projects, worked on today."""
    shift = datetime.now(START.tzinfo).replace(hour=9, minute=0, second=0, microsecond=0) - START

    class Today(Script):
        def entry(self, kind: str, **fields: Any) -> dict[str, Any]:
            at = (START + shift + timedelta(seconds=self.count)).isoformat().replace("+00:00", "Z")
            return super().entry(kind, **{"timestamp": at, **fields})

    script, blog = Today(), Today("2" + SESSION[1:], "/home/ana/code/blog", "f")
    script.user("Please retry the upload")
    script.calls("Read", {"file_path": "/home/ana/code/shop/src/upload.py"})
    script.result("no such file", error=True)
    script.user("Again")
    blog.user("Write about it")
    update(tmp_path / "data", script.write(tmp_path / "src"), blog.write(tmp_path / "src"))
    return tmp_path / "data"


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(stats, [*arguments, "--data-dir", str(data)])


def test_stats_as_json(data: Path) -> None:
    [found] = json.loads(run(data, "--json", "--project", "shop", "--days", "2").stdout)
    today = datetime.now().astimezone().date()
    totals = found.pop("totals")
    first, last = totals.pop("first"), totals.pop("last")
    assert (first, last) == (f"{today}T09:00:00Z", f"{today}T09:00:03Z")
    assert totals == {
        "sessions": 1,
        "subagents": 0,
        "turns": 2,
        "tool_calls": 1,
        "errors": 1,
        "files": 1,
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_tokens": 0,
        "cache_write_tokens": 0,
    }
    root = "/home/ana/code/shop"
    file = {"path": "src/upload.py", "project": "shop", "root": root, "turns": 1}
    model = {"model": "claude-opus-4-5", "turns": 1, "input_tokens": 10, "output_tokens": 5}
    assert found == {
        "project": "shop",
        "root": root,
        "days": 2,
        "series": [
            {"day": str(today - timedelta(days=1)), "sessions": 0, "turns": 0},
            {"day": str(today), "sessions": 1, "turns": 2},
        ],
        "tools": [{"tool": "Read", "calls": 1, "errors": 1}],
        "files": [{**file, "edited": 0, "read": 0, "mentioned": 1}],
        "models": [{**model, "cache_read_tokens": 0, "cache_write_tokens": 0}],
    }


def test_stats_for_people(data: Path) -> None:
    today = datetime.now().astimezone().date()
    result = run(data, "--days", "2")
    yesterday = today - timedelta(days=1)
    start = f"{yesterday.day} {yesterday:%b}" if yesterday.year == today.year else f"{yesterday.day} {yesterday:%b %Y}"
    assert result.stdout.splitlines() == [
        f"all projects · last 2 days · {start} – {today.day} {today:%b %Y}",
        "",
        "2 sessions, 3 turns, 1 tool call, 1 error, 1 file",
        "10 tokens in, 5 out, 0 read from cache, 0 written to it",
        "",
        "turns     ·█" + " " * (len(f"{yesterday.day} {yesterday:%b} – {today.day} {today:%b %Y}") - 2) + "  most 3",
        "sessions  ·█" + " " * (len(f"{yesterday.day} {yesterday:%b} – {today.day} {today:%b %Y}") - 2) + "  most 2",
        f"          {yesterday.day} {yesterday:%b} – {today.day} {today:%b %Y}",
        "",
        "tool  calls  errors",
        "Read      1       1",
        "",
        "file           edited  read  mentioned  project",
        "src/upload.py       0     0          1  shop",
        "",
        "model            turns  in  out  cache read  cache written",
        "claude-opus-4-5      1  10    5           0              0",
    ]


@pytest.mark.parametrize("name", ["blog", "BLOG", "bl", "/home/ana/code/blog", "/home/ana/code/blog/"])
def test_a_project_goes_by_its_name_its_beginning_or_its_folder(data: Path, name: str) -> None:
    [found] = json.loads(run(data, "--json", "--project", name).stdout)
    assert (found["project"], found["root"], found["totals"]["turns"]) == ("blog", "/home/ana/code/blog", 1)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("zebra", "There is no project 'zebra'; there are:"), ("", "'' is one of: /home/ana/code/")],
)
def test_a_project_that_is_not_one(data: Path, name: str, reason: str) -> None:
    result = run(data, "--project", name)
    assert (result.exit_code, result.stdout, reason in result.stderr) == (2, "", True)


def test_nothing_to_count(tmp_path: Path) -> None:
    assert run(tmp_path / "none").exit_code == 1
    update(tmp_path / "data", tmp_path / "nothing")
    result = run(tmp_path / "data")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Nothing to count.\n")
    [found] = json.loads(run(tmp_path / "data", "--json").stdout)
    assert (found["totals"]["turns"], found["series"], found["tools"]) == (0, [], [])
