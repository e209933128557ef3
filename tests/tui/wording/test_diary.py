"""The diary in words, in any width."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.wording.diary import Line, day_line, day_name, entry_lines, more_line
from memtui_core.memory.timeline.days import DiaryDay, SimilarSessions
from memtui_core.memory.timeline.model import SessionOutcome, TimelineSession
from memtui_core.model import Session, SessionEnd
from memtui_core.store.observation import Observation, ObservationContent

NOW = datetime(2026, 8, 21, 9, tzinfo=UTC)
AT = datetime(2026, 8, 20, 14, 2, tzinfo=UTC)
NOTE = Observation("o", "s", "/a/shop", AT, ObservationContent("decision", "Once", "Why."))


def session(title: str = "Fix flaky uploads", began: datetime | None = AT, **fields: Any) -> Session:
    return Session(
        0, "1a2b3c4d-0000", "claude-code", None, None, "shop", "/a/shop", "/a/shop", None, None, (), title, began,
        began, 1, 0, 0, 0, **fields,
    )  # fmt: skip


def past(indexed: Session | None = None, at: datetime | None = AT, **outcome: Any) -> TimelineSession:
    indexed = indexed or session()
    return TimelineSession(indexed.session_id, "/a/shop", "shop", at, indexed, (), SessionOutcome(**outcome))


FULL = past(
    session(),
    compactions=2,
    asked="The upload still fails on slow networks",
    files=("src/upload.py", "src/backoff.py", "b/c.py", "d.py", "other/upload.py"),
    commits=("Add a key", "Retry uploads with a key"),
    commit_ids=("", "3f2a9c1d5e"),
    pull_requests=(41,),
    end=SessionEnd(0, "error", 1, 9, AT, "API Error: 529"),
)


def told(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


def test_a_session_with_what_came_out_of_it_in_a_stream_and_in_a_terminal() -> None:
    first = "● Fix flaky uploads · shop  ↑ #41  ✎ 5  ⧉ 2  14:02  1a2b3c4d"
    outcome = (
        "upload.py, backoff.py, c.py +2 · 2 commits, last 3f2a9c1 “Retry uploads with a key” · ✗ ended with an error"
    )
    asked = "asked: The upload still fails on slow networks"
    assert told(entry_lines(FULL, None, NOW, everywhere=True, with_id=True)) == [first, f"   {outcome}", f"   {asked}"]
    assert told(entry_lines(FULL, 60, NOW, everywhere=True)) == [
        "● Fix flaky uploads · shop                 ↑ #41  ⧉ 2  14:02",
        "   upload.py, backoff.py, c.py +2 · 2 commits, last 3f2a9c1…",
        f"   {asked}",
    ]
    assert told(entry_lines(FULL, 100, NOW, everywhere=False))[0] == (
        f"● Fix flaky uploads{' ' * 59}↑ #41  ✎ 5  ⧉ 2  14:02"
    )


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        # Nothing useless is said.
        (past(asked="Fix flaky uploads"), ["● Fix flaky uploads  14:02"]),
        (past(session("Fix flaky up…"), asked="Fix flaky uploads"), ["● Fix flaky up…  14:02"]),
        (past(session("Fix **flaky** up…"), asked="Fix flaky uploads"), ["● Fix **flaky** up…  14:02"]),
        (past(), ["● Fix flaky uploads  14:02"]),
        (past(asked="Why?"), ["● Fix flaky uploads  14:02", "   asked: Why?"]),
        (past(session(only_prompts=True)), ["○ Fix flaky uploads  14:02"]),
        (
            past(session(end=SessionEnd(0, "stopped", 1, 9, NOW - timedelta(minutes=4), "pytest")), NOW),
            ["◉ Fix flaky uploads  09:00"],
        ),
        (past(session(began=None), None), ["● Fix flaky uploads"]),
        (past(end=SessionEnd(0, "interrupted", 1, 9, AT, "Fix")), ["● Fix flaky uploads  14:02", "   interrupted"]),
        (past(commits=("",), commit_ids=("",)), ["● Fix flaky uploads  14:02", "   commit"]),
        (past(commits=("Fix",), commit_ids=("3f2a9c1",)), ["● Fix flaky uploads  14:02", "   commit 3f2a9c1 “Fix”"]),
        (past(commits=("",), commit_ids=("3f2a9c1",)), ["● Fix flaky uploads  14:02", "   commit 3f2a9c1"]),
        (past(commits=("", ""), commit_ids=("", "")), ["● Fix flaky uploads  14:02", "   2 commits"]),
        (
            past(commits=("a", "b"), commit_ids=("3f2a9c1", "")),
            ["● Fix flaky uploads  14:02", "   2 commits, last “b”"],
        ),
        (past(pull_requests=(4, 7)), ["● Fix flaky uploads  ↑ #4 #7  14:02"]),
        (past(pull_requests=(4, 7, 9)), ["● Fix flaky uploads  ↑ 3  14:02"]),
        (past(files=("a/x.py",)), ["● Fix flaky uploads  ✎ 1  14:02", "   x.py"]),
        (replace(past(), observations=(NOTE,)), ["● Fix flaky uploads  ◆ 1  14:02"]),
        (replace(past(), session=None), ["● session 1a2b3c4d  14:02", "   no transcript"]),
        (replace(past(), outcome=None), ["● Fix flaky uploads  14:02"]),
    ],
)
def test_only_what_there_is_is_said(one: TimelineSession, expected: list[str]) -> None:
    assert told(entry_lines(one, None, NOW, everywhere=False)) == expected


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (AT, ["continues 22 Aug · 4 of 1,200 turns · x.py"]),
        (AT + timedelta(2), ["since 20 Aug · continues 3 Jan 2027 · 4 of 1,200 turns · x.py"]),
        (datetime(2027, 1, 3, 9, tzinfo=UTC), ["since 20 Aug 2026 · 4 of 1,200 turns · x.py · interrupted"]),
    ],
)
def test_a_session_of_several_days_says_since_when_it_was_and_when_it_goes_on(
    at: datetime, expected: list[str]
) -> None:
    days = date(2026, 8, 20), date(2026, 8, 22), date(2027, 1, 3)
    is_last = at.year == 2027
    end = SessionEnd(0, "interrupted", 1, 9, at, "Fix") if is_last else None
    indexed = session(end=SessionEnd(0, "stopped", 1, 9, NOW, "pytest"))
    one = past(replace(indexed, turns=1200), at, files=("x.py",), turns=4, end=end)
    mark, *lines = told(entry_lines(replace(one, days=days), None, NOW, everywhere=False))
    # Only on the last day it is at something.
    assert mark == f"{'◉' if is_last else '●'} Fix flaky uploads  ✎ 1  {at:%H:%M}"
    assert lines == [f"   {line}" for line in expected]
    # Of a day on which no turn began there is no number.
    unbegun = replace(one, days=days, outcome=SessionOutcome(files=("x.py",)))
    assert "turns" not in told(entry_lines(unbegun, None, NOW, everywhere=False))[1]


def test_observations_are_not_counted_where_they_are_listed() -> None:
    one = replace(past(), observations=(NOTE,))
    assert told(entry_lines(one, None, NOW, everywhere=False, lists_observations=True)) == [
        "● Fix flaky uploads  14:02"
    ]


def test_similar_sessions() -> None:
    sessions = tuple(past(session("Check"), AT - timedelta(hours=n)) for n in range(3))
    assert told(entry_lines(SimilarSessions(sessions), None, NOW, everywhere=True)) == [
        "● Check ×3 · shop  12:02–14:02",
        "   3 similar sessions · no file changed",
    ]
    assert told(entry_lines(SimilarSessions(sessions), None, NOW, everywhere=False, with_id=True))[0] == (
        "● Check ×3  12:02–14:02  1a2b3c4d +2"
    )
    changed = (
        *sessions[:2],
        past(session("Check"), AT - timedelta(hours=1), files=("a.py", "b.py"), added=3, removed=1, commits=("c",)),
    )
    assert told(entry_lines(SimilarSessions(changed), 40, NOW, everywhere=False)) == [
        "● Check ×3                   13:02–14:02",
        "   3 similar sessions · 2 files · +3 −1…",
    ]
    # Of sessions of which only the prompts are known, nobody knows.
    unknown = SimilarSessions((*sessions[:2], past(session("Check", only_prompts=True))))
    assert told(entry_lines(unknown, None, NOW, everywhere=False))[1] == "   3 similar sessions"
    unread = SimilarSessions((*sessions[:2], replace(sessions[2], outcome=None)))
    assert told(entry_lines(unread, None, NOW, everywhere=False))[1] == "   3 similar sessions"


def test_the_heading_of_a_day_says_as_much_as_there_is_room_for() -> None:
    day = DiaryDay(date(2026, 8, 20), (FULL, past(active=timedelta(seconds=11_425), added=1340, removed=80)))
    assert "".join(text for text, _ in day_line(day, None, date(2026, 8, 21))) == (
        "Thu 20 Aug · yesterday  2 sessions · 3 h 10 m · +1,340 −80 · 2 commits"
    )
    unread = DiaryDay(day.on, (FULL, replace(day.sessions[1], outcome=None)))
    assert told([day_line(unread, 40, date(2026, 9, 1))]) == ["Thu 20 Aug ────────────────── 2 sessions"]
    assert [told([day_line(day, width, date(2026, 9, 1))])[0] for width in (72, 56, 38, 30, 24)] == [
        "Thu 20 Aug ────────────── 2 sessions · 3 h 10 m · +1,340 −80 · 2 commits",
        "Thu 20 Aug ─────────── 2 sessions · 3 h 10 m · 2 commits",
        "Thu 20 Aug ───── 2 sessions · 3 h 10 m",
        "Thu 20 Aug ──────── 2 sessions",
        "Thu 20 Aug ── 2 sessions",
    ]


def test_days_have_names() -> None:
    today = date(2026, 1, 1)
    days = today, date(2025, 12, 31), date(2025, 12, 30), date(2026, 3, 2), None
    assert [day_name(day, today) for day in days] == [
        "Thu 1 Jan · today", "Wed 31 Dec 2025 · yesterday", "Tue 30 Dec 2025", "Mon 2 Mar", "No time"
    ]  # fmt: skip
    assert told([more_line(1), more_line(1200)]) == ["  … 1 more session", "  … 1,200 more sessions"]


@given(st.integers(24, 200), st.text(max_size=60), st.text(max_size=60), st.booleans(), st.integers(0, 12))
def test_no_line_is_wider_than_the_list_and_the_time_stands_at_its_end(
    width: int, title: str, subject: str, everywhere: bool, files: int
) -> None:
    one = replace(FULL, session=session(title), project="a long name of a project")
    made = replace(FULL.outcome or SessionOutcome(), commits=(subject,), commit_ids=(subject,))
    outcome = replace(made, files=("x.py",) * files, compactions=files)
    one = replace(one, outcome=outcome)
    for entry in (one, SimilarSessions((one, one, one))):
        lines = told(entry_lines(entry, width, NOW, everywhere=everywhere))
        assert max(map(cell_len, lines)) <= width
        assert lines[0].endswith("14:02")
        assert cell_len(lines[0]) == width
