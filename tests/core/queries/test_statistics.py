"""Counts over an index that the real indexer made of a few days of work in two projects."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memtui_core.queries.statistics.counts import (
    CALENDAR_DAYS,
    MOST_DAYS,
    AgentUse,
    DayCount,
    FileUse,
    ModelUse,
    ProjectUse,
    Statistics,
    ToolUse,
    Totals,
    statistics,
)
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from support.indexes import update
from support.transcripts import SESSION, START, Script

SHOP, BLOG = "/home/ana/code/shop", "/home/ana/code/blog"
NOW = datetime(2026, 11, 6, 12, tzinfo=UTC)
BOTH = ModelUse("claude-opus-4-5 + claude-haiku-4-5", 1, 11, 7, 300, 40)
"""What two models answered in the turn of the blog."""


class Dated(Script):
    """A transcript whose next entries have the time `at`."""

    at = START

    def entry(self, kind: str, **fields: Any) -> dict[str, Any]:
        return super().entry(kind, **{"timestamp": self.at.isoformat().replace("+00:00", "Z"), **fields})


def shop(folder: Path) -> None:
    """Two turns on the 1st, an edit that failed; one late on the 3rd, with a subagent; and a hidden session."""
    script = Dated()
    script.user("Retry the upload")
    script.calls("Read", {"file_path": f"{SHOP}/src/upload.py"}, "t1")
    script.result("1→a", "t1")
    script.calls("Edit", {"file_path": f"{SHOP}/src/upload.py", "old_string": "a", "new_string": "b"}, "t2")
    script.result("String not found", "t2", error=True)
    script.user("And log it")
    script.calls("Read", {"file_path": f"{SHOP}/src/upload.py"}, "t3")
    script.result("1→a", "t3")
    script.at = START + timedelta(days=2, hours=14, minutes=30)
    script.user("Where are retries?")
    script.calls("Task", {"subagent_type": "Explore", "description": "Find retries", "prompt": "Look."}, "t7")
    script.result("in upload.py", "t7", toolUseResult={"agentId": "a1", "status": "completed"})
    script.write(folder)
    child = Dated(prefix="c")
    child.at = script.at
    child.user("Look.", isSidechain=True, agentId="a1")
    child.assistant(
        [{"type": "tool_use", "id": "t8", "name": "Read", "input": {"file_path": f"{SHOP}/src/retry.py"}}],
        isSidechain=True,
        agentId="a1",
    )
    child.write(folder, f"{SESSION}/subagents/agent-a1.jsonl")
    hidden = Dated(prefix="h")
    hidden.user("Summarise", isSidechain=True, agentId="acompact-1")
    hidden.assistant([{"type": "text", "text": "Done."}], isSidechain=True, agentId="acompact-1")
    hidden.write(folder, f"{SESSION}/subagents/agent-acompact-1.jsonl")


def blog(folder: Path) -> None:
    """One turn on the 3rd that two models answer."""
    script = Dated("2" + SESSION[1:], BLOG, "f")
    script.at = START + timedelta(days=2)
    script.user("Write about it")
    script.says("Once")
    message = {"role": "assistant", "model": "claude-haiku-4-5", "id": "x", "content": [{"type": "text", "text": "…"}]}
    usage = {
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_read_input_tokens": 300,
        "cache_creation_input_tokens": 40,
    }
    script.entry("assistant", message={**message, "usage": usage})
    script.write(folder)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("statistics")
    shop(folder / "src" / "shop")
    blog(folder / "src" / "blog")
    update(folder / "data", folder / "src")
    return Snapshot(DataDir(folder / "data"))


def test_all_of_it(snapshot: Snapshot) -> None:
    found = statistics(snapshot, now=NOW)
    assert found == Statistics(
        root=None,
        days=None,
        totals=Totals(
            sessions=2,
            subagents=1,
            turns=5,
            tool_calls=5,
            errors=1,
            files=2,
            input_tokens=61,
            output_tokens=32,
            cache_read_tokens=300,
            cache_write_tokens=40,
            first=START,
            last=START + timedelta(days=2, hours=14, minutes=30),
        ),
        series=(
            DayCount(date(2026, 11, 1), 1, 2),
            DayCount(date(2026, 11, 2), 0, 0),
            DayCount(date(2026, 11, 3), 2, 3),
            DayCount(date(2026, 11, 4), 0, 0),
            DayCount(date(2026, 11, 5), 0, 0),
            DayCount(date(2026, 11, 6), 0, 0),
        ),
        tools=(ToolUse("Read", 3, 0), ToolUse("Edit", 1, 1), ToolUse("Task", 1, 0)),
        files=(
            FileUse("src/upload.py", "shop", SHOP, 2, 0, 2, 1),
            FileUse("src/retry.py", "shop", SHOP, 1, 0, 1, 0),
        ),
        models=(
            ModelUse("claude-opus-4-5", 4, 50, 25, 0, 0),
            BOTH,
        ),
        projects=(
            ProjectUse("shop", SHOP, 1, 4, (ModelUse("claude-opus-4-5", 4, 50, 25, 0, 0),)),
            ProjectUse("blog", BLOG, 1, 1, (BOTH,)),
        ),
        calendar=found.series,
        agents=(
            AgentUse(
                "claude-code", 2, 5, START + timedelta(days=2, hours=14, minutes=30), (
                    ModelUse("claude-opus-4-5", 4, 50, 25, 0, 0), BOTH
                ),
            ),
        ),
    )  # fmt: skip


def test_turns_whose_tokens_no_entry_tells_are_counted(tmp_path: Path) -> None:
    script = Script()
    script.user("Retry the upload")
    script.says("Done.")
    for _ in range(2):
        script.user("Again")
        message = {"role": "assistant", "model": script.model, "content": [{"type": "text", "text": "Done again."}]}
        script.entry("assistant", message=message)
    update(tmp_path / "data", script.write(tmp_path / "src"))
    snapshot = Snapshot(DataDir(tmp_path / "data"))
    assert statistics(snapshot, now=NOW).models == (ModelUse("claude-opus-4-5", 3, 10, 5, 0, 0, 2),)


def test_one_project(snapshot: Snapshot) -> None:
    found = statistics(snapshot, BLOG, now=NOW)
    assert (found.root, found.totals.sessions, found.totals.subagents, found.totals.turns) == (BLOG, 1, 0, 1)
    assert found.series[0] == DayCount(date(2026, 11, 3), 1, 1)
    assert (found.tools, found.files, [model.turns for model in found.models]) == ((), (), [1])
    assert (found.projects, found.calendar) == ((ProjectUse("blog", BLOG, 1, 1, (BOTH,)),), found.series)


def test_the_last_days_end_today(snapshot: Snapshot) -> None:
    found = statistics(snapshot, days=4, now=NOW)
    assert [(day.day.day, day.sessions, day.turns) for day in found.series] == [
        (3, 2, 3),
        (4, 0, 0),
        (5, 0, 0),
        (6, 0, 0),
    ]
    assert (found.days, found.totals.turns, found.totals.errors) == (4, 3, 0)
    assert found.tools == (ToolUse("Read", 1, 0), ToolUse("Task", 1, 0))
    assert [file.path for file in found.files] == ["src/retry.py"]
    opus = ModelUse("claude-opus-4-5", 2, 20, 10, 0, 0)
    assert found.projects == (ProjectUse("shop", SHOP, 1, 2, (opus,)), ProjectUse("blog", BLOG, 1, 1, (BOTH,)))


def test_the_calendar_begins_with_the_first_turn_whatever_the_days(snapshot: Snapshot) -> None:
    all_days = statistics(snapshot, now=NOW).series
    assert statistics(snapshot, days=2, now=NOW).calendar == all_days
    late = START + timedelta(days=CALENDAR_DAYS)
    found = statistics(snapshot, days=2, now=late).calendar
    # The two turns of the 1st are too long ago.
    assert (found[0], found[-1].day, len(found)) == (DayCount(date(2026, 11, 3), 2, 3), late.date(), CALENDAR_DAYS - 1)


def test_days_without_work_are_noughts(snapshot: Snapshot) -> None:
    found = statistics(snapshot, days=2, now=NOW)
    assert found == Statistics(
        None, 2, Totals(), (DayCount(date(2026, 11, 5), 0, 0), DayCount(date(2026, 11, 6), 0, 0)), (), (), (),
        calendar=found.calendar,
    )  # fmt: skip


def test_what_is_to_come_is_on_no_day(snapshot: Snapshot) -> None:
    before = START + timedelta(hours=12)
    assert statistics(snapshot, now=before).series == (DayCount(date(2026, 11, 1), 1, 2),)
    found = statistics(snapshot, days=1, now=before)
    assert (found.series, found.totals.turns) == ((DayCount(date(2026, 11, 1), 1, 2),), 2)


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        ("UTC", [(1, 2), (3, 3)]),
        ("Asia/Tokyo", [(1, 2), (3, 1), (4, 2)]),
        ("Asia/Kathmandu", [(1, 2), (3, 1), (4, 2)]),
        ("Pacific/Honolulu", [(31, 2), (2, 1), (3, 2)]),
    ],
)
def test_days_are_those_of_the_zone(snapshot: Snapshot, zone: str, days: list[tuple[int, int]]) -> None:
    found = statistics(snapshot, now=NOW, zone=ZoneInfo(zone))
    assert [(day.day.day, day.turns) for day in found.series if day.turns] == days


def test_the_clock_of_this_machine_is_that_of_no_zone(snapshot: Snapshot) -> None:
    assert statistics(snapshot, now=NOW) == statistics(snapshot, now=NOW, zone=ZoneInfo("UTC"))


def test_a_day_may_have_23_or_25_hours(tmp_path: Path) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    script = Dated()
    for at in ("2026-03-28T22:59", "2026-03-28T23:00", "2026-03-29T21:59", "2026-03-29T22:00", "2026-10-25T22:59"):
        script.at = datetime.fromisoformat(f"{at}:00+00:00")
        script.user(f"At {at}")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    found = statistics(Snapshot(DataDir(tmp_path / "data")), now=datetime(2026, 10, 26, 0, tzinfo=berlin), zone=berlin)
    assert [(str(day.day), day.turns) for day in found.series if day.turns] == [
        ("2026-03-28", 1),
        ("2026-03-29", 2),
        ("2026-03-30", 1),
        ("2026-10-25", 1),
    ]


def test_a_clock_that_stood_still_long_ago_makes_no_endless_series(tmp_path: Path) -> None:
    script = Dated()
    script.at = datetime(1972, 1, 1, tzinfo=UTC)
    script.user("Once")
    script.at = NOW
    script.user("Now")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    found = statistics(Snapshot(DataDir(tmp_path / "data")), now=NOW)
    assert (len(found.series), found.series[-1].turns, sum(day.turns for day in found.series)) == (MOST_DAYS, 1, 1)
    assert found.totals.turns == 2


def test_an_empty_index(tmp_path: Path) -> None:
    update(tmp_path / "data", tmp_path / "nothing")
    assert statistics(Snapshot(DataDir(tmp_path / "data")), now=NOW) == Statistics(None, None, Totals(), (), (), (), ())
