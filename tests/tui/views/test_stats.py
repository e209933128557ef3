from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from textual import on
from textual.app import App, ComposeResult
from textual.content import Content
from textual.pilot import Pilot
from textual.selection import Selection
from textual.widget import Widget

from memtui.browse.search.hit_list import HitList
from memtui.cli import cli
from memtui.cli.reading.stats import stats
from memtui.render.rows import wrap
from memtui.views.base import View
from memtui.views.stats.bars import bar, sparkline
from memtui.views.stats.blocks import SearchLink, StatsBlock, marked
from memtui.views.stats.filters import Filters
from memtui.views.stats.heat_map import heat_map
from memtui.views.stats.report import report, rows_of
from memtui.views.stats.stats_pane import StatsPane
from memtui.widgets.requests.target import SearchedProject, TurnSearch
from memtui.widgets.search.bar import SearchBar
from memtui.wording.numbers import dollars, percent
from memtui_core.queries.statistics.counts import (
    AgentUse,
    DayCount,
    FileUse,
    ModelUse,
    ProjectUse,
    Statistics,
    ToolUse,
    Totals,
)
from memtui_core.queries.statistics.prices import Price, Prices
from memtui_core.text.names import ProjectName
from support.indexes import update
from support.screens import NOW, app_on, browse, is_shown, notices, scope, settled, tree, type_text
from support.transcripts import OTHER_SESSION, SESSION, START, Script

TODAY = date(2026, 11, 21)


def series(turns: Sequence[int], sessions: Sequence[int] | None = None) -> tuple[DayCount, ...]:
    """Days up to today."""
    first = TODAY - timedelta(days=len(turns) - 1)
    counts = zip(sessions or [min(count, 2) for count in turns], turns, strict=True)
    return tuple(DayCount(first + timedelta(days=link), *both) for link, both in enumerate(counts))


PRICES = Prices({"claude-opus-4-5": Price(5, 25, 6.25, 0.5, date(2026, 2, 15), "https://example.org/prices")})
OPUS, NEW = ModelUse("claude-opus-4-5", 30, 12_000, 340_000, 5_600_000, 78_000), ModelUse("new", 10, 5, 5, 0, 0)
WEEK = Statistics(
    None,
    7,
    Totals(4, 2, 1234, 5678, 9, 3, 12_000, 340_000, 5_600_000, 78_000),
    series([0, 10, 40, 0, 1, 80, 20], [0, 1, 4, 0, 1, 2, 2]),
    (ToolUse("Bash", 400, 9), ToolUse("Read", 100, 0), ToolUse("Skill", 1, 0)),
    (FileUse("src/upload.py", "shop", "/shop", 5, 4, 3, 0), FileUse("docs/a.md", "blog", "/blog", 1, 0, 0, 1)),
    (OPUS, NEW),
    (ProjectUse("shop", "/shop", 3, 1000, (OPUS, NEW)), ProjectUse("my blog", "/blog", 1, 234, (NEW,))),
    series([0, 10, 40, 0, 1, 80, 20], [0, 1, 4, 0, 1, 2, 2])[1:],
)
NOTHING = Statistics(None, None, Totals(), (), (), (), ())


def block(found: Statistics, width: int, prices: Prices = PRICES) -> StatsBlock:
    return report(found, prices, "all projects", TODAY, width)


def lines(found: Statistics, width: int, prices: Prices = PRICES) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in block(found, width, prices).lines]


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


@pytest.mark.parametrize(
    ("part", "whole", "text"), [(0, 0, "0 %"), (0, 9, "0 %"), (1, 1000, "<1 %"), (1, 3, "33 %"), (3, 3, "100 %")]
)
def test_a_share_is_a_whole_percentage(part: int, whole: int, text: str) -> None:
    assert percent(part, whole) == text


@pytest.mark.parametrize(
    ("amount", "text"), [(0.0, "$0.00"), (0.004, "under $0.01"), (12.3, "$12.30"), (1234.5, "$1,234.50")]
)
def test_money_has_cents(amount: float, text: str) -> None:
    assert dollars(amount) == text


# -- the calendar ----------------------------------------------------------------------------------------------


def test_the_calendar_of_a_year_has_weeks_as_columns_and_days_as_rows() -> None:
    # 21 Nov 2026 is a Saturday.
    # One busy day leaves the other shades to the other days.
    days = series([100, 0, 1, 0, 2, 0, 0, 0, 3])
    drawn = heat_map(days, TODAY, Filters(NOTHING, ""), 60)
    assert ["".join(text for text, _ in line).rstrip() for line in drawn.lines] == [
        "turns per day  on 4 days of the last 53 weeks",
        "      Dec Jan Feb Mar  Apr May  Jun Jul Aug  Sep Oct Nov",
        f"Mon {'·' * 53}",
        f"    {'·' * 52}▒",
        f"Wed {'·' * 53}",
        f"    {'·' * 53}",
        f"Fri {'·' * 51}█·",
        f"    {'·' * 52}▓",
        f"    {'·' * 51}░",
        "    less ·░▒▓█ more                               today ▴",
    ]
    friday = next(link for link in drawn.links if link.key == ("day", "2026-11-13"))
    search = TurnSearch("after:2026-11-13 before:2026-11-14")
    assert friday == SearchLink(6, 55, 1, 1, "Fri 13 Nov 2026 · 100 turns in 2 sessions", search, friday.key, "◆")
    assert drawn.lines[7][-2] == ("▓", "heat today")
    empty = next(link for link in drawn.links if link.key == ("day", "2026-11-14"))
    assert (empty.text, empty.search) == ("Sat 14 Nov 2026 · no turns", None)


@pytest.mark.parametrize(
    ("width", "count", "weeks", "cells"),
    [
        (30, 9, 26, 1),
        (60, 9, 53, 1),
        (78, 600, 74, 1),
        (110, 9, 53, 2),
        (138, 600, 86, 1),
        (178, 600, 86, 2),
        (180, 9, 53, 3),
    ],
)
def test_the_calendar_shows_as_many_weeks_as_fit(width: int, count: int, weeks: int, cells: int) -> None:
    drawn = heat_map(series([1] * count), TODAY, Filters(NOTHING, ""), width)
    columns = sorted({link.column for link in drawn.links})
    assert (len(columns), columns[1] - columns[0], columns[0]) == (weeks, cells, 4)


# -- the report ------------------------------------------------------------------------------------------------


def test_the_whole_report() -> None:
    found = lines(WEEK, 80)
    assert [*found[:7], *found[16:]] == [
        "all projects · last 7 days · 15 Nov – 21 Nov 2026",
        "",
        "4 sessions  2 subagents  1,234 turns  5,678 tool calls  9 errors  3 files",
        "90k tokens in  340k out  5.6M read from cache",
        "about $11.85 for 75 % of the turns · no price for new · prices of 15 Feb 2026",
        "",
        "turns per day  on 5 days of the last 53 weeks",
        "",
        "projects                                 share             cost  turns  sessions",
        "shop     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━   81 %  $11.85 for 75 %  1,000         3",
        "my blog  ━━━━━━━                          19 %          unknown    234         1",
        "",
        "models                     share     cost  turns   in   out  cache read  written",
        "claude-opus-4-5 ━━━━━━━━━   75 %   $11.85     30  90k  340k        5.6M      78k",
        "new             ━━━         25 %  unknown     10    5     5           0        0",
        "",
        "tools                                                       share  calls  errors",
        "Bash  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━   80 %    400       9",
        "Read  ━━━━━━━━━━━━━                                          20 %    100       0",
        "Skill ╸                                                      <1 %      1       0",
        "",
        "files                                                    edited  read  mentioned",
        "shop  src/upload.py                                           4     3          0",
        "blog  docs/a.md                                               0     0          1",
        "… 1 more file",
    ]


def test_several_agents_have_a_table_with_what_each_did() -> None:
    agents = (
        AgentUse("claude-code", 3, 1000, NOW - timedelta(days=3), (OPUS, NEW)),
        AgentUse("codex", 1, 234, None, (NEW,)),
    )
    found = replace(WEEK, agents=agents)
    assert lines(replace(WEEK, agents=agents[:1]), 80) == lines(WEEK, 80)
    drawn = lines(found, 80)
    start = next(index for index, line in enumerate(drawn) if line.startswith("agents"))
    assert [re.split(" {2,}", re.sub("━+╸?|╸", "", line)) for line in drawn[start : start + 4]] == [
        ["agents", "share", "cost", "turns", "sessions", "tokens", "last"],
        ["Claude Code", "81 %", "$11.85 for 75 %", "1,000", "3", "430k", "3 d"],
        ["Codex", "19 %", "unknown", "234", "1", "10"],
        [""],
    ]
    link = next(link for link in block(found, 80).links if link.key == ("agent", "Codex"))
    assert link.text == "Codex · 234 turns in 1 session · cost unknown · no price for new"
    assert link.search is not None
    assert link.search.query == "agent:=codex after:2026-11-15"


def test_where_there_is_little_room_the_most_telling_columns_of_models_stay() -> None:
    heads = [next(line for line in lines(WEEK, width) if line.startswith("models")) for width in range(80, 29, -1)]
    assert list(dict.fromkeys(tuple(re.split(" {2,}", line)[1:]) for line in heads)) == [
        ("share", "cost", "turns", "in", "out", "cache read", "written"),
        ("share", "cost", "turns", "in", "out", "cache read"),
        ("share", "cost", "turns", "in", "out"),
        ("share", "cost", "turns", "out"),
        ("cost", "turns", "out"),
        ("cost", "turns"),
        ("cost",),
    ]


def test_names_and_projects_take_the_room_that_bars_and_paths_leave() -> None:
    models = (ModelUse("claude-opus-4-6 + claude-haiku-4-5-20251001", 1, 1, 1, 1, 1),)
    files = (FileUse("mise.toml", "flutter-docker-image", "/flutter", 3, 3, 0, 0),)
    found = replace(WEEK, models=models, files=files)
    rows = {width: [line for line in lines(found, width) if "━━  100" in line or "mise" in line] for width in (80, 96)}
    assert rows == {
        80: [
            "claude-opus-4-6 + claude-haiku-4-5… ━━━━━━━━━━━━  100 %  unknown      1   2    1",
            "flutter-docker-image  mise.toml                               3     0          0",
        ],
        96: [
            "claude-opus-4-6 + claude-haiku-4-5-202… ━━━━━━━━━━━━  100 %  unknown      1   2    1           1",
            "flutter-docker-image  mise.toml                                               3     0          0",
        ],
    }


def test_bars_stand_side_by_side_where_there_is_room() -> None:
    heads = next(line.split() for line in lines(WEEK, 120) if line.startswith("projects"))
    assert heads == ["projects", "share", "cost", "turns", "sessions", "tools", "share", "calls", "errors"]
    columns = {link.key[0]: link.column for link in block(WEEK, 120).links if link.key[0] != "day"}
    assert columns == {"project": 0, "model": 0, "tool": 62, "file": 62}


@pytest.mark.parametrize("width", [1, 10, 20, 30, 44, 60, 79, 109, 110, 300])
@pytest.mark.parametrize("days", [7, 400])
def test_nothing_is_wider_than_the_pane(width: int, days: int) -> None:
    found = replace(
        WEEK,
        series=series([12_345] * days),
        calendar=series([12_345] * days),
        tools=(ToolUse("mcp__browser__take_a_picture_of_the_page", 123_456, 1234), *WEEK.tools),
    )
    drawn = [line.text for line in wrap(rows_of(block(found, width).lines), width)]
    assert drawn
    assert max(map(len, drawn)) <= max(width, 8)


def test_of_one_project_files_need_no_name_of_it() -> None:
    assert "src/upload.py                                                 4     3          0" in lines(
        replace(WEEK, root="/shop"), 80
    )


@pytest.mark.parametrize(
    ("models", "text"),
    [
        ((), ""),
        ((ModelUse("new", 1, 5, 5, 0, 0),), "cost unknown · no price for new"),
        ((ModelUse("claude-opus-4-5", 1, 10, 5, 0, 0),), "under $0.01 · prices of 15 Feb 2026"),
        ((ModelUse("claude-opus-4-5", 1, 0, 0, 0, 0, 1),), "cost unknown · no tokens for 1 turn"),
        (
            (ModelUse("claude-opus-4-5", 300, 10**6, 5, 0, 0, 1),),
            "about $5.00 for >99 % of the turns · no tokens for 1 turn · prices of 15 Feb 2026",
        ),
    ],
)
def test_the_cost_is_said_with_its_date_and_what_it_leaves_out(models: tuple[ModelUse, ...], text: str) -> None:
    assert lines(replace(WEEK, models=models), 100)[4] == text


def test_the_cursor_says_what_a_project_and_a_model_cost() -> None:
    texts = [link.text for link in block(WEEK, 80).links if link.key[0] in ("project", "model")]
    assert texts == [
        "shop · 1,000 turns in 3 sessions · about $11.85 for 75 % of the turns · no price for new",
        "my blog · 234 turns in 1 session · cost unknown · no price for new",
        "claude-opus-4-5 · 30 turns · about $11.85 · price of 15 Feb 2026 from https://example.org/prices",
        "new · 10 turns · cost unknown · no price for new",
    ]


def test_without_prices_the_report_says_why_and_has_no_costs() -> None:
    prices = Prices({}, "/p/prices.toml: models.a has no output.")
    found = lines(WEEK, 80, prices)
    assert found[4] == "no cost · /p/prices.toml: models.a has no output."
    assert [line.split() for line in found if line.startswith(("projects", "models", "new"))] == [
        ["projects", "share", "turns", "sessions"],
        ["models", "share", "turns", "in", "out", "cache", "read", "written"],
        ["new", "━━━━━━", "25", "%", "10", "5", "5", "0", "0"],
    ]
    assert all("price" not in link.text for link in block(WEEK, 80, prices).links)


def test_every_place_opens_its_turns_within_the_days_and_the_project() -> None:
    def searches(found: Statistics) -> dict[tuple[str, ...], TurnSearch]:
        return {link.key: link.search for link in block(found, 80).links if link.search is not None}

    shop, blog = SearchedProject("/shop", "shop"), SearchedProject("/blog", "my blog")
    assert {key: search.project for key, search in searches(WEEK).items() if search.project is not None} == {
        ("project", "shop"): shop,
        ("project", "my blog"): blog,
        ("file", "src/upload.py", "/shop", "shop"): shop,
        ("file", "docs/a.md", "/blog", "blog"): SearchedProject("/blog", "blog"),
    }
    assert {key: search.query for key, search in searches(WEEK).items()} == {
        ("day", "2026-11-16"): "after:2026-11-16 before:2026-11-17",
        ("day", "2026-11-17"): "after:2026-11-17 before:2026-11-18",
        ("day", "2026-11-19"): "after:2026-11-19 before:2026-11-20",
        ("day", "2026-11-20"): "after:2026-11-20 before:2026-11-21",
        ("day", "2026-11-21"): "after:2026-11-21 before:2026-11-22",
        ("project", "shop"): "after:2026-11-15",
        ("project", "my blog"): "after:2026-11-15",
        ("model", "claude-opus-4-5"): "model:=claude-opus-4-5 after:2026-11-15",
        ("model", "new"): "model:=new after:2026-11-15",
        ("tool", "Bash"): "tool:=Bash after:2026-11-15",
        ("tool", "Read"): "tool:=Read after:2026-11-15",
        ("tool", "Skill"): "tool:=Skill after:2026-11-15",
        ("file", "src/upload.py", "/shop", "shop"): "file:src/upload.py after:2026-11-15",
        ("file", "docs/a.md", "/blog", "blog"): "file:docs/a.md after:2026-11-15",
    }
    mixed = ModelUse("one + two", 1, 1, 1, 0, 0)
    twins = tuple(ProjectUse(ProjectName("shop", folder), f"/{folder}/shop", 1, 1) for folder in "ab")
    found = searches(replace(WEEK, root="/shop", days=None, models=(mixed,), projects=twins))
    twin_keys = ("project", "shop · a"), ("project", "shop · b")
    chosen = SearchedProject("/shop", "all projects")
    file = ("file", "src/upload.py", "/shop", "shop")
    assert {
        key: found[key] for key in [("day", "2026-11-20"), ("model", "one + two"), ("tool", "Bash"), file, *twin_keys]
    } == {
        ("day", "2026-11-20"): TurnSearch("after:2026-11-20 before:2026-11-21", chosen),
        ("model", "one + two"): TurnSearch('model:"=one + two"', chosen),
        ("tool", "Bash"): TurnSearch("tool:=Bash", chosen),
        file: TurnSearch("file:src/upload.py", chosen),
        ("project", "shop · a"): TurnSearch("", SearchedProject("/a/shop", "shop · a")),
        ("project", "shop · b"): TurnSearch("", SearchedProject("/b/shop", "shop · b")),
    }


def test_the_cursor_marks_cells_of_any_width() -> None:
    line = (("日本", "a"), ("xyz", "b"))
    link = SearchLink(0, 2, 4, 4, "", None)
    assert marked([(), line], replace(link, line=1))[1] == (
        ("日", "a"),
        ("本", "a current"),
        ("xy", "b current"),
        ("z", "b"),
    )
    assert marked([line], replace(link, cursor="◆◆◆◆"))[0] == (("日", "a"), ("◆◆◆◆", "a current"), ("z", "b"))


# -- the widget ------------------------------------------------------------------------------------------------


class Host(App[None]):
    def __init__(self, found: Statistics | None = WEEK) -> None:
        super().__init__()
        self.found = found
        self.wanted: list[int | None] = []
        self.opened: list[str] = []

    def compose(self) -> ComposeResult:
        yield StatsPane(lambda: None)

    def on_mount(self) -> None:
        self.watch(self.view, "days", self._want, init=False)
        self.view.focus()
        if self.found is not None:
            self.view.show(self.found, PRICES, "all projects")

    @property
    def view(self) -> StatsPane:
        return self.query_one(StatsPane)

    def _want(self, days: int | None) -> None:
        self.wanted.append(days)

    @on(View.SearchRequested)
    def _opened(self, message: View.SearchRequested) -> None:
        assert message.search is not None
        self.opened.append(message.search.query)

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
        expected = lines(WEEK, width - 2)[:height]
        while not expected[-1]:
            expected.pop()
        # The cursor is on the day of today, a Saturday.
        assert expected[13][-1] in "░▒▓█"
        expected[13] = expected[13][:-1] + "◆"
        assert app.lines() == expected


async def test_d_goes_through_the_spans() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("d", "d", "d", "d")
        assert app.wanted == [30, 90, None, 7]
        app.view.show(replace(WEEK, days=14), PRICES, "all projects")
        await pilot.press("d")
        assert app.wanted[-1] == 7


async def test_where_nothing_was_done_lately_all_time_is_wanted_once() -> None:
    app = Host(None)
    nothing = replace(WEEK, days=30, totals=replace(WEEK.totals, turns=0))
    async with app.run_test() as pilot:
        app.view.show(nothing, PRICES, "all projects")
        await pilot.pause()
        assert app.wanted == [None]
        app.view.show(replace(nothing, days=None), PRICES, "all projects")
        await pilot.press("d")
        app.view.show(Statistics(None, 7, Totals(), series([0] * 7), (), (), ()), PRICES, "all projects")
        await pilot.pause()
        assert app.wanted == [None, 7]
        assert app.lines()[:5] == [
            "all projects · last 7 days · 15 Nov – 21 Nov 2026",
            "",
            "No turn in this time. d changes the days.",
            "",
            "turns per day  on 0 days of the last 53 weeks",
        ]


async def test_keys_go_from_day_to_day_and_from_bar_to_bar() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)

        def cursor() -> str:
            assert app.view.link is not None
            return app.view.link.key[1]

        links = [cursor()]
        for key in ("k", "h", "l", "down", "j", "j", "up", "k", "j", "j", "j"):
            await pilot.press(key)
            links.append(cursor())
        assert links == [
            "2026-11-21",
            "2026-11-20",
            "2026-11-13",
            "2026-11-20",
            "2026-11-21",
            "shop",
            "my blog",
            "shop",
            "2026-11-15",
            "shop",
            "my blog",
            "claude-opus-4-5",
        ]


def a_file(path: str, project: str, root: str = "") -> FileUse:
    return FileUse(path, project, root, 1, 1, 0, 0)


async def test_the_cursor_goes_through_files_of_one_path_and_opens_each_in_its_project() -> None:
    name = "README.md"
    files = (a_file(name, "shop", "/a"), a_file(name, "shop", "/b"), a_file(name, "x"), a_file(name, "y"))
    app, searches = Host(replace(WEEK, files=files, days=None)), []
    async with app.run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        await pilot.press("end")
        for _ in files:
            assert app.view.link is not None
            searches.append(app.view.link.search)
            await pilot.press("k")
            await settled(pilot)
    projects = [SearchedProject(*names) for names in (("y", "y"), ("x", "x"), ("/b", "shop"), ("/a", "shop"))]
    assert searches == [TurnSearch("file:README.md", project) for project in projects]


@pytest.mark.parametrize("path", ["app/[id]/page.tsx", "[/x]"])
async def test_the_border_shows_brackets_as_they_are(path: str) -> None:
    app = Host(replace(WEEK, files=(a_file(path, "shop", "/shop"),)))
    async with app.run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        await pilot.press("end")
        await settled(pilot)
        assert Content.from_markup(str(app.view.border_subtitle)).plain == f"{path} · 1 turn · enter"


async def test_in_two_columns_keys_stay_in_a_column_or_go_beside_it() -> None:
    app = Host()
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("j")
        names = []
        for key in ("j", "h", "j", "right", "left"):
            await pilot.press(key)
            assert app.view.link is not None
            names.append(app.view.link.key[1])
        assert names == ["Read", "my blog", "claude-opus-4-5", "src/upload.py", "new"]


async def test_at_an_edge_of_the_calendar_or_of_a_table_nothing_moves() -> None:
    app = Host()
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        seen = []
        for keys in ("right", "k right", "j j left right right", "N", "N", "n", "n"):
            await pilot.press(*keys.split())
            assert app.view.link is not None
            seen.append(app.view.link.key[1])
        assert seen == ["2026-11-21", "2026-11-20", "Bash", "2026-11-21", "2026-11-20", "2026-11-21", "2026-11-21"]
        assert [note.message for note in app._notifications] == ["There is no later day with turns."]
        await pilot.press("up", "up", "up", "up", "up", *["left"] * 60)
        link = app.view.link
        assert link is not None
        assert (link.key[1], link.column) == ("2025-11-17", 4)


async def test_enter_and_a_click_open_the_turns_of_a_place() -> None:
    app = Host()
    async with app.run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        await pilot.press("enter", "j", "enter")
        line = next(index for index, line in enumerate(lines(WEEK, 78)) if line.startswith("Read"))
        await pilot.click(StatsPane, offset=(20, line))
        await pilot.click(StatsPane, offset=(20, line + 2))
        assert app.opened == [
            "after:2026-11-21 before:2026-11-22",
            "after:2026-11-15",
            "tool:=Read after:2026-11-15",
        ]
        assert app.view.border_subtitle == "Read · 100 calls, 0 errors · enter"


async def test_a_day_without_turns_says_so() -> None:
    app = Host(replace(WEEK, calendar=series([3, 0])))
    async with app.run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        assert (app.opened, [note.message for note in app._notifications]) == ([], ["There are no turns on this day."])


async def test_keys_scroll() -> None:
    app = Host()
    async with app.run_test(size=(80, 12)) as pilot:
        await settled(pilot)
        tops = []
        for key in ("pagedown", "G", "pageup", "g", "j", "j", "j"):
            await pilot.press(key)
            await settled(pilot)
            assert app.view.link is not None
            tops.append((round(app.view.scroll_y), app.view.link.key[1]))
        assert tops == [
            (11, "2026-11-21"),
            (22, "docs/a.md"),
            (11, "docs/a.md"),
            (0, "2026-11-21"),
            (7, "shop"),
            (8, "my blog"),
            (11, "claude-opus-4-5"),
        ]


async def test_newer_numbers_keep_the_place_and_others_begin_at_the_top() -> None:
    app = Host()
    async with app.run_test(size=(80, 12)) as pilot:
        await settled(pilot)
        await pilot.press("j", "j", "j")
        top = app.view.scroll_y
        app.view.show(replace(WEEK, totals=replace(WEEK.totals, turns=1235)), PRICES, "all projects")
        await settled(pilot)
        assert app.view.link is not None
        assert (app.view.scroll_y, app.view.link.key) == (top, ("model", "claude-opus-4-5"))
        app.view.show(WEEK, PRICES, "shop")
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
        styles = [app.view.painter.style(name).color for name in ("heat", "share")]
        assert None not in styles
        assert len(set(styles)) == len(styles)


async def test_the_text_can_be_selected() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.screen.selections = {app.view: Selection(None, None)}
        assert (app.screen.get_selected_text() or "").splitlines()[:1] == [lines(WEEK, 78)[0]]


def opened(pilot: Pilot[None]) -> tuple[str, str, int, type[Widget] | None]:
    """The text and the scope of the search line, the rows of hits, and what has the focus."""
    here = pilot.app.screen
    focused = type(here.focused) if here.focused is not None else None
    return here.query_one(SearchBar).value, scope(here), here.query_one(HitList).option_count, focused


async def test_a_bar_opens_the_search_with_its_filters(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("5")
        await settled(pilot)
        pane = pilot.app.screen.query_one(StatsPane)
        while pane.link is None or pane.link.key != ("tool", "Read"):
            await pilot.press("j")
        await pilot.press("enter")
        await settled(pilot)
        assert opened(pilot) == ("tool:=Read", "all projects", 1, HitList)
        await pilot.press("escape")
        await settled(pilot)
        assert (opened(pilot)[:2], pilot.app.focused, is_shown(pane)) == (("", "all projects"), pane, True)
        await pilot.press("enter")
        await settled(pilot)
        # The next keys are those of the hits and of the screen.
        await pilot.press("1")
        await settled(pilot)
        assert (pilot.app.focused, opened(pilot)[:2]) == (tree(pilot), ("", "all projects"))


async def test_a_click_in_the_app_opens_the_bar_under_it(data: Path) -> None:
    async with app_on(data).run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        await pilot.press("5")
        await settled(pilot)
        pane = pilot.app.screen.query_one(StatsPane)
        link = next(link for link in pane._block.links if link.key == ("project", "blog"))
        # The pane has a frame in the app.
        await pilot.click(StatsPane, offset=(link.column + 1, link.line + 1))
        await settled(pilot)
        assert opened(pilot) == ("", "blog", 1, HitList)
        await pilot.press("slash")
        await settled(pilot)
        assert opened(pilot) == ("", "blog", 1, SearchBar)
        await type_text(pilot, "nothing")
        assert opened(pilot) == ("nothing", "blog", 0, SearchBar)
        await pilot.press(*["backspace"] * len("nothing"))
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert (opened(pilot)[:2], pilot.app.focused) == (("", "all projects"), pane)


async def test_esc_leaves_the_turns_of_a_project_from_the_hits_and_from_the_line(data: Path) -> None:
    async with app_on(data).run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        await pilot.press("5")
        await settled(pilot)
        pane, seen = pilot.app.screen.query_one(StatsPane), []
        pane._choose(next(link for link in pane._block.links if link.key == ("project", "shop")))
        for keys in ("enter escape", "enter slash escape"):
            for key in keys.split():
                await pilot.press(key)
                await settled(pilot)
                seen.append((key, *opened(pilot)))
    hits, left = ("", "shop", 1, HitList), ("", "all projects", 1, StatsPane)
    line = ("", "shop", 1, SearchBar)
    assert seen == [("enter", *hits), ("escape", *left), ("enter", *hits), ("slash", *line), ("escape", *left)]


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_keys_for_a_session_do_nothing_where_none_is_visible(data: Path, size: tuple[int, int]) -> None:
    async with app_on(data).run_test(size=size) as pilot:
        await settled(pilot)
        sizes = browse(pilot).services.state.pane_sizes

        def seen() -> tuple[object, ...]:
            focused, turn = type(pilot.app.focused).__name__, browse(pilot).reader.transcript.number
            return len(pilot.app.screen_stack), focused, turn, notices(pilot), sizes("stats-wide")

        await pilot.press("5")
        await settled(pilot)
        before = seen()
        after = []
        for key in ("i", "e", "E", "H", "r", "Y", "J"):
            await pilot.press(key)
            await settled(pilot)
            after.append(seen())
        assert after == [before] * 7
        assert before == (2, "StatsPane", 1, [], {})
        # The hits have a transcript beside them, or in their place.
        await pilot.press("slash")
        await type_text(pilot, "retry")
        await pilot.press("enter", "i")
        await settled(pilot)
        assert is_shown(browse(pilot).reader.inspector)


async def test_the_prices_are_those_of_a_file_beside_the_settings(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "prices.toml").write_text(
        "date = 2026-11-01\n[models]\nclaude-opus-4-5 = { input = 1000000, output = 0 }\n"
    )
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("5")
        await settled(pilot)
        view = pilot.app.screen.query_one(StatsPane)
        assert view.render_line(4).text.rstrip() == "about $10.00 · prices of 1 Nov 2026"
    assert "about $10.00 · prices of 1 Nov 2026" in run(data).stdout.splitlines()


async def test_a_broken_file_of_prices_is_said_and_the_figures_are_shown(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    own = tmp_path / "prices.toml"
    own.write_text("date = 2026-11-01\n[models]\na = { input = 1, output = -1 }\n")
    problem = f"{own}: models.a.output must be a number from 0 on, not -1."
    async with app_on(data).run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        await pilot.press("5")
        await settled(pilot)
        drawn = [pilot.app.screen.query_one(StatsPane).render_line(y).text.rstrip() for y in (2, 4)]
        assert drawn == ["2 sessions  3 turns  1 tool call  1 error  1 file", f"no cost · {problem}"]
        assert list(pilot.app._notifications) == []
    assert f"no cost · {problem}" in run(data).stdout.splitlines()
    as_json = run(data, "--json")
    assert (as_json.exit_code, as_json.stderr, json.loads(as_json.stdout)[0]["cost"]) == (0, f"{problem}\n", None)
    told = CliRunner().invoke(cli, ["doctor", "--data-dir", str(data)]).stdout.splitlines()
    assert told[0] == "3 files: 2 read, 1 not readable"
    assert told[told.index("needs attention") + 1 :][:2] == [
        "         memtui: 1 file could not be read",
        f"           {problem}",
    ]


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
        "models": [{**model, "cache_read_tokens": 0, "cache_write_tokens": 0, "turns_without_tokens": 0}],
        "projects": [{"project": "shop", "root": root, "sessions": 1, "turns": 2, "models": found["models"]}],
        "agents": [{"agent": "claude-code", "sessions": 1, "turns": 2, "last": last, "models": found["models"]}],
        "cost": {
            "dollars": 0.000175,
            "turns": 1,
            "priced_turns": 1,
            "unpriced": [],
            "prices_as_of": "2026-02-15",
        },
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
        "10 tokens in, 5 out, 0 read from cache",
        "under $0.01 · prices of 15 Feb 2026",
        "",
        "turns     ·█" + " " * (len(f"{yesterday.day} {yesterday:%b} – {today.day} {today:%b %Y}") - 2) + "  most 3",
        "sessions  ·█" + " " * (len(f"{yesterday.day} {yesterday:%b} – {today.day} {today:%b %Y}") - 2) + "  most 2",
        f"          {yesterday.day} {yesterday:%b} – {today.day} {today:%b %Y}",
        "",
        "project  share  turns  sessions         cost",
        "shop      67 %      2         1  under $0.01",
        "blog      33 %      1         1      unknown",
        "",
        "tool  share  calls  errors",
        "Read  100 %      1       1",
        "",
        "file           edited  read  mentioned  project",
        "src/upload.py       0     0          1  shop",
        "",
        "model            turns  in  out  cache read  cache written         cost",
        "claude-opus-4-5      1  10    5           0              0  under $0.01",
    ]


def test_days_are_shown_up_to_the_last_one_with_work(tmp_path: Path) -> None:
    script = Script()
    for count in (-365 * 8640, -363 * 8640):
        script.count = count
        script.user("Retry the upload")
    update(tmp_path / "data", script.write(tmp_path / "source"))
    shown = run(tmp_path / "data").stdout.splitlines()
    assert shown[0] == "all projects · all time · 1 Nov – 3 Nov 2025"
    assert [line for line in shown if line.startswith(("turns ", "sessions ", "        "))] == [
        "turns     █·█                 most 1",
        "sessions  █·█                 most 1",
        "          1 Nov – 3 Nov 2025",
    ]


def test_a_project_goes_by_its_name_its_beginning_or_its_folder(data: Path) -> None:
    names, found = ("blog", "BLOG", "bl", "/home/ana/code/blog", "/home/ana/code/blog/"), {}
    for name in names:
        [one] = json.loads(run(data, "--json", "--project", name).stdout)
        found[name] = one["project"], one["root"], one["totals"]["turns"]
    assert found == dict.fromkeys(names, ("blog", "/home/ana/code/blog", 1))


def test_a_project_that_is_not_one(data: Path) -> None:
    reasons = {"zebra": "There is no project 'zebra'; there are:", "": "There are several projects ''. Name one: "}
    results = {name: run(data, "--project", name) for name in reasons}
    told = {name: (one.exit_code, one.stdout, reasons[name] in one.stderr) for name, one in results.items()}
    assert told == dict.fromkeys(reasons, (2, "", True))


def test_nothing_to_count(tmp_path: Path) -> None:
    assert run(tmp_path / "none").exit_code == 1
    update(tmp_path / "data", tmp_path / "nothing")
    result = run(tmp_path / "data")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Nothing to count.\n")
    [found] = json.loads(run(tmp_path / "data", "--json").stdout)
    assert (found["totals"]["turns"], found["series"], found["tools"]) == (0, [], [])


async def test_saved_sessions_stand_below_the_totals(tmp_path: Path) -> None:
    paths = []
    for session_id in (SESSION, OTHER_SESSION):
        script = Script(session_id, prefix=session_id[0])
        script.user("Retry the upload")
        script.says("Done.")
        paths.append(script.write(tmp_path / "projects"))
    update(tmp_path / "data", tmp_path / "projects")
    shown = []
    for _ in range(3):
        async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
            await settled(pilot)
            await pilot.press("5")
            await settled(pilot)
            pane = pilot.app.screen.query_one(StatsPane)
            text = "\n".join("".join(part for part, _ in row.spans) for row in pane.rows(120, 40))
            shown.append([line for line in text.splitlines() if "saved" in line])
        if paths:
            paths.pop().unlink()
            update(tmp_path / "data", tmp_path / "projects")
    assert shown == [
        [],
        ["saved 1 session whose transcripts are gone"],
        ["saved 2 sessions whose transcripts are gone"],
    ]
