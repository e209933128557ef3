"""A project at a glance, of an index that the real indexer made."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memtui_core.index.files import FileRow
from memtui_core.index.index import Index
from memtui_core.index.pull_requests import PrRow, PrStory, PullRequest
from memtui_core.index.statistics import DayCount, ModelUse
from memtui_core.memory import project_overview as overviews
from memtui_core.memory.project_overview import FirstRows, OpenEnd, ProjectOverview, project_overview, shown_days
from memtui_core.model import Project, SessionEnd
from support.indexes import build
from support.shop_project import LIMITS, NOTES, PRICES, ROOT, UPLOAD, URL, index_shop
from support.transcripts import DAY, START, Script

NOW = START + timedelta(days=2)
HOUR = timedelta(hours=1)
STEP = timedelta(seconds=10)
"""Between two entries."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of the shop; read only."""
    data = tmp_path_factory.mktemp("shop") / "data"
    index_shop(data)
    return Index.open(data)


def project(index: Index, name: str = "shop") -> Project:
    return next(one for one in index.sessions.projects() if one.name == name)


@pytest.mark.spec("S5.12")
def test_a_project_is_described_by_everything_that_its_sessions_did(index: Index) -> None:
    keys = {name: index.sessions.find(name).key for name in (PRICES, UPLOAD, LIMITS, NOTES)}
    prices, upload, limits, notes = (index.sessions.get(key) for key in keys.values())
    ends = {
        NOTES: SessionEnd(notes.key, "unanswered", 1, 0, START + 3 * HOUR, "Write the release notes"),
        LIMITS: SessionEnd(limits.key, "stopped", 1, 1, START + 2 * HOUR + STEP, "Bash: pytest -q"),
        UPLOAD: SessionEnd(upload.key, "question", 1, 3, START + HOUR + 3 * STEP, "Shall I also retry webhooks?"),
    }
    sessions = {NOTES: notes, LIMITS: limits, UPLOAD: upload}
    overview = index.sessions.overview(project(index), 10, NOW)
    days = overview.activity
    assert (days[0].day, days[-1].day, len(days)) == (date(2026, 5, 6), date(2026, 11, 3), 26 * 7)
    assert [day for day in days if day.turns] == [DayCount(date(2026, 11, 1), 4, 6)]
    assert overview == ProjectOverview(
        project=Project("shop", ROOT, 4, START + 3 * HOUR, notes.key),
        agents=(("claude-code", 4),),
        sessions=4,
        subagents=0,
        archived=0,
        turns=6,
        first=START,
        last=START + 3 * HOUR,
        models=(ModelUse("claude-opus-4-5", 4, 60, 30, 0, 0), ModelUse("unlisted", 1, 20, 10, 0, 0)),
        active=overview.active,
        activity=days,
        ends_of=4,
        open_ends=FirstRows(tuple(OpenEnd(sessions[name], end) for name, end in ends.items()), 3),
        recent=FirstRows((notes, limits, upload, prices), 4),
        decisions=FirstRows((), 0),
        usage=index.statistics.of_sessions(keys.values()),
        files=FirstRows(
            (
                FileRow("src/prices.py", "shop", ROOT, 3, 0, 0, 2, START, START + 4 * HOUR),
                FileRow("src/taxes.py", "shop", ROOT, 1, 0, 0, 1, START + 4 * STEP, START + 4 * STEP),
            ),
            2,
        ),
        pull_requests=FirstRows(
            (
                PullRequest(
                    14,
                    URL,
                    "ana/shop",
                    PrStory(),
                    (
                        PrRow(
                            14,
                            URL,
                            "ana/shop",
                            prices.key,
                            3,
                            prices.title,
                            "shop",
                            START + timedelta(minutes=2),
                            "main",
                        ),
                    ),
                ),
            ),
            1,
        ),
        compactions=FirstRows(tuple(index.compactions.all()), 1),
    )
    assert overview.active == sum((use.active or timedelta() for use in overview.usage.values()), timedelta())


def test_lists_are_cut_and_counted(index: Index) -> None:
    overview = index.sessions.overview(project(index), 1, NOW)
    lists = (overview.open_ends, overview.recent, overview.files, overview.pull_requests, overview.compactions)
    assert [(len(one.rows), one.total) for one in lists] == [(1, 3), (1, 4), (1, 2), (1, 1), (1, 1)]
    assert [*overview.usage] == [overview.recent.rows[0].key]
    assert overview.turns == 6


def test_a_project_without_anything_but_a_session_has_empty_lists(index: Index) -> None:
    overview = index.sessions.overview(project(index, "blog"), 10, NOW)
    assert [one.title for one in overview.recent.rows] == ["Quote the shop"]
    empty: FirstRows[object] = FirstRows()
    assert (overview.open_ends, overview.files, overview.pull_requests, overview.compactions) == (empty,) * 4


def test_what_runs_is_no_open_end_and_what_is_old_is_not_looked_at(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = START + 3 * HOUR + timedelta(minutes=4)
    ends = [one.session.session_id for one in index.sessions.overview(project(index), 10, soon).open_ends.rows]
    assert ends == [LIMITS, UPLOAD]
    monkeypatch.setattr(overviews, "ENDS_OF", 2)
    overview = index.sessions.overview(project(index), 10, NOW)
    assert ([one.session.session_id for one in overview.open_ends.rows], overview.ends_of) == ([NOTES, LIMITS], 2)


def test_what_another_session_continues_is_no_open_end(tmp_path: Path) -> None:
    first = Script()
    first.user("Add rate limits")
    first.says("I look first.")
    first.user("Go on")
    first.calls("Bash", {"command": "pytest -q"})
    fork = Script(LIMITS, prefix="f")
    fork.lines, fork.count = first.lines[:2], first.count
    fork.user("Go on here")
    fork.says("Done.")
    paths = [first.write(tmp_path / "src"), fork.write(tmp_path / "src")]
    index = build(tmp_path / "alone", paths[0])
    assert [end.end.kind for end in index.sessions.overview(project(index), 10, NOW).open_ends.rows] == ["stopped"]
    index = build(tmp_path / "data", *paths)
    assert index.sessions.find(LIMITS).forked_from == first.session_id
    assert index.sessions.overview(project(index), 10, NOW).open_ends == FirstRows()


def test_archived_sessions_count_but_are_not_listed(tmp_path: Path) -> None:
    index_shop(tmp_path / "data")
    index = Index.open(tmp_path / "data")
    index.annotations.archive(index.sessions.find(NOTES).key)
    overview = index.sessions.overview(project(index), 10, NOW)
    assert (overview.sessions, overview.archived, overview.turns, overview.recent.total) == (4, 1, 6, 3)
    assert [one.session.session_id for one in overview.open_ends.rows] == [LIMITS, UPLOAD]


def test_a_project_of_one_agent_is_what_that_agent_did(index: Index) -> None:
    [one] = [one for one in index.sessions.projects("agent") if one.name == "shop"]
    assert index.sessions.overview(one, 10, NOW).turns == 6
    nobody = Project("shop", ROOT, 0, None, agent="codex")
    overview = index.sessions.overview(nobody, 10, NOW)
    assert (overview.turns, overview.recent.total, overview.files.total, overview.models) == (0, 0, 0, ())
    assert (overview.pull_requests.total, overview.compactions.total, overview.active) == (0, 0, None)


def test_files_that_were_edited_lately_come_before_those_that_were_edited_most(tmp_path: Path) -> None:
    old, new = Script(PRICES), Script(UPLOAD, prefix="n")
    old.count = -12 * 7 * DAY
    for number in range(3):
        old.user(f"Change {number}")
        old.calls(
            "Edit", {"file_path": "/home/ana/code/shop/old.py", "old_string": "a", "new_string": "b"}, f"o{number}"
        )
        old.result("done", f"o{number}")
    new.count = 40
    new.user("Once more")
    new.calls("Edit", {"file_path": "/home/ana/code/shop/new.py", "old_string": "a", "new_string": "b"}, "n1")
    index = build(tmp_path / "data", old.write(tmp_path / "src"), new.write(tmp_path / "src"))
    files = index.sessions.overview(project(index), 10, NOW).files
    assert [(file.path, file.edited) for file in files.rows] == [("new.py", 1), ("old.py", 3)]


@pytest.mark.parametrize(
    ("last", "end"),
    [
        (None, date(2026, 11, 3)),
        (NOW - timedelta(days=84), date(2026, 8, 11)),
        (NOW - timedelta(days=83), date(2026, 11, 3)),
        (NOW + timedelta(days=1), date(2026, 11, 3)),
    ],
)
def test_the_days_end_today_or_with_the_last_turn_of_a_project_that_rests(last: datetime | None, end: date) -> None:
    assert shown_days(last, NOW, UTC) == (end - timedelta(days=26 * 7 - 1), end)


def test_days_are_those_of_the_time_zone(index: Index) -> None:
    overview = project_overview(index.snapshot, project(index), 1, NOW, ZoneInfo("Pacific/Auckland"))
    assert [day.day for day in overview.activity if day.turns] == [date(2026, 11, 1), date(2026, 11, 2)]
