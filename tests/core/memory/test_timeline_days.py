"""What came out of sessions, and sessions by day."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.timeline.days import DiaryDay, OutcomeSum, SimilarSessions, diary_days, sum_of
from memtui_core.memory.timeline.model import SessionOutcome, TimelinePage, TimelineQuery, TimelineSession
from memtui_core.memory.timeline.outcomes import read_outcomes, turns_by_slot
from memtui_core.memory.timeline.pages import Timeline
from memtui_core.memory.timeline.worked_days import worked_days
from memtui_core.model import Session, SessionEnd
from memtui_core.queries.activity.working_time import read_times
from memtui_core.store.snapshot.reader import Snapshot
from support.indexes import update
from support.transcripts import DAY, SESSION, START, Script

OTHER = "22222222-2222-4222-8222-222222222222"
SHOP, SITE = "/home/ana/code/shop", "/home/ana/code/site"


def opened(data: Path) -> Snapshot:
    return Index.open(data).snapshot


def keys(snapshot: Snapshot) -> dict[str, int]:
    return dict(snapshot.rows("SELECT session_id, key FROM sessions"))


def edits(script: Script, name: str, old: str, new: str, *, error: bool = False) -> None:
    tool_id = f"t{script.count}"
    script.calls("Edit", {"file_path": f"{SHOP}/{name}", "old_string": old, "new_string": new}, tool_id)
    script.result("done", tool_id, error=error)


def runs(script: Script, command: str, output: str, *, error: bool = False) -> None:
    tool_id = f"t{script.count}"
    script.calls("Bash", {"command": command}, tool_id)
    script.result(output, tool_id, error=error)


def test_what_came_out_of_a_session(tmp_path: Path) -> None:
    script = Script()
    script.user("Make the **upload**\nsafe")
    edits(script, "src/upload.py", "a\nb\n", "a\nc\nd\n")
    script.user("And here")
    edits(script, "src/upload.py", "d\n", "e\n")
    edits(script, "src/broken.py", "d\n", "e\n", error=True)
    edits(script, "src/backoff.py", "x\n", "x\ny\n")
    runs(script, "git commit -am 'Retry'", "hook failed", error=True)
    runs(script, "git commit -am 'Retry'", "[main 1a2b3c4] Retry\n 2 files changed")
    runs(script, "git commit --amend -m 'Retry with a key'", "[main 1a2b3c5] Retry with a key\n 2 files changed")
    link = {"type": "pr-link", "prNumber": 41, "prUrl": "https://example.org/pull/41", "prRepository": "ana/shop"}
    script.raw({**link, "sessionId": SESSION, "timestamp": START.isoformat()})
    # A pause in which nobody worked.
    script.count += 200
    script.user("[Request interrupted by user]")
    other = Script(OTHER, SHOP, "o")
    other.user("Only asked")
    other.says("Answered.")
    update(tmp_path / "data", script.write(tmp_path / "src"), other.write(tmp_path / "src"))
    snapshot = opened(tmp_path / "data")
    known = keys(snapshot)
    day = (START.date(),)
    assert read_outcomes(snapshot, dict.fromkeys(known.values(), day)) == {
        known[SESSION]: (
            SessionOutcome(
                asked="Make the upload safe",
                prompt="Make the **upload**\nsafe",
                files=("src/upload.py", "src/backoff.py"),
                added=4,
                removed=2,
                commits=("Retry with a key",),
                commit_ids=("1a2b3c5",),
                pull_requests=(41,),
                active=timedelta(seconds=140),
                end=SessionEnd(known[SESSION], "interrupted", 2, 17, START + timedelta(minutes=36), "And here"),
                turns=2,
                first_turn=1,
            ),
        ),
        known[OTHER]: (
            SessionOutcome(
                "Only asked",
                "Only asked",
                active=timedelta(seconds=10),
                end=SessionEnd(known[OTHER], "clean", 1, 1, START + timedelta(seconds=10), ""),
                turns=1,
                first_turn=1,
            ),
        ),
    }
    assert read_outcomes(snapshot, {}) == {}


NIGHT = date(2026, 11, 1), date(2026, 11, 2), date(2026, 11, 4)
"""Days of the session of three days: it works over midnight, and has a day off."""


def three_days() -> tuple[Script, Script]:
    """The session and its subagent, in which all is done on all days."""
    script, sub = Script(), Script(SESSION, SHOP, "s")
    script.count = 14 * 360 + 6 * 55
    script.user("Make the upload safe")
    edits(script, "src/upload.py", "a\n", "b\n")
    script.says("Done.")
    script.user("Go on over night")
    script.count = DAY * 15 // 24 - 3
    script.calls("Task", {"description": "d", "prompt": "Do it"}, "call")
    edits(script, "src/night.py", "a\n", "b\nc\n")
    runs(script, "git commit -am 'Night'", "[main 1a2b3c4] Night\n 1 file changed")
    script.result("Done.", "call", toolUseResult={"agentId": "a1"})
    script.compacts("It is safe.", tokens=1200)
    link = {"type": "pr-link", "prNumber": 41, "prUrl": "https://example.org/pull/41", "prRepository": "ana/shop"}
    script.raw({**link, "sessionId": SESSION, "timestamp": (START + timedelta(hours=16)).isoformat()})
    script.count = DAY
    script.user("In the morning")
    edits(script, "src/upload.py", "b\n", "c\n")
    # Claude Code says what was done, when the user has been away. That is no work on another day.
    script.count = 2 * DAY
    script.entry("system", subtype="away_summary", content="You made the upload safe.")
    script.count = 3 * DAY
    script.user("At last")
    runs(script, "git commit --amend -m 'Safe'", "[main 1a2b3c5] Safe\n 1 file changed")
    script.says("It is.")
    sub.count = 3 * DAY + 1
    sub.user("Do it", isSidechain=True, agentId="a1")
    edits(sub, "src/sub.py", "a\n", "b\n")
    return script, sub


def test_a_session_of_several_days_has_a_row_on_each_of_them_with_its_share(tmp_path: Path) -> None:
    script, sub = three_days()
    paths = script.write(tmp_path / "src"), sub.write(tmp_path / "src" / SESSION / "subagents", "agent-a1.jsonl")
    update(tmp_path / "data", *paths)
    notes = Observations(tmp_path / "data", now=lambda: START + timedelta(days=1, hours=20), new_id=lambda: "id1")
    notes.save(SESSION, SHOP, type="decision", title="Once", narrative="Not twice.")
    *_, page = Timeline(Observations(tmp_path / "data"), "/").pages(
        opened(tmp_path / "data"), TimelineQuery(None), lambda: False
    )
    assert (page.total, page.session_count) == (3, 1)
    assert [(day.on, [one.row_id for one in day.sessions]) for day in page.days] == [
        (NIGHT[2], [f"{SESSION} 2026-11-04"]), (NIGHT[1], [f"{SESSION} 2026-11-02"]), (NIGHT[0], [SESSION])
    ]  # fmt: skip
    shares = []
    for row in reversed(page.sessions):
        told = row.outcome
        assert told is not None
        shares.append(
            (
                (row.since, row.goes_on, told.turns, told.first_turn, told.asked, len(row.observations)),
                (told.files, told.added, told.removed, told.commits, told.pull_requests, told.compactions),
                told.end and told.end.kind,
            )
        )
    assert shares == [
        (
            (None, NIGHT[1], 2, 1, "Make the upload safe", 0),
            (("src/night.py", "src/upload.py"), 3, 2, (), (), 0),
            None,
        ),
        (
            (NIGHT[0], NIGHT[2], 2, 3, "In the morning", 1),
            (("src/upload.py",), 1, 1, (), (41,), 1),
            None,
        ),
        ((NIGHT[0], None, 1, 5, "At last", 0), (("src/sub.py",), 1, 1, ("Safe",), (), 0), "clean"),
    ]
    total = read_times(opened(tmp_path / "data"), keys(opened(tmp_path / "data")).values())
    active = sum((row.outcome.active for row in page.sessions if row.outcome is not None), timedelta())
    # A span ends a microsecond before midnight.
    assert active == max(own for _, own in total.values() if own is not None) - timedelta.resolution


def test_what_subagents_did_belongs_to_the_session(tmp_path: Path) -> None:
    script = Script()
    script.user("Delegate")
    script.calls("Task", {"description": "d", "prompt": "Do it"}, "call")
    script.result("Done.", "call", toolUseResult={"agentId": "a1"})
    sub = Script(SESSION, SHOP, "s")
    sub.user("Do it", isSidechain=True, agentId="a1")
    edits(sub, "src/upload.py", "a\n", "b\n")
    paths = script.write(tmp_path / "src"), sub.write(tmp_path / "src" / SESSION / "subagents", "agent-a1.jsonl")
    update(tmp_path / "data", *paths)
    snapshot = opened(tmp_path / "data")
    key = keys(snapshot)[SESSION]
    [outcomes] = read_outcomes(snapshot, {key: ()}).values()
    assert [(one.files, one.added, one.removed) for one in outcomes] == [(("src/upload.py",), 1, 1)]


def test_turns_are_counted_by_the_time_at_which_they_began(tmp_path: Path) -> None:
    script, other = Script(), Script(OTHER, SITE, "o")
    script.user("one")
    script.user("two")
    script.count = 90
    script.user("a quarter of an hour later")
    other.count = DAY
    other.user("the next day")
    update(tmp_path / "data", script.write(tmp_path / "src"), other.write(tmp_path / "src"))
    snapshot = opened(tmp_path / "data")
    first = int(START.timestamp()) // 900
    assert turns_by_slot(snapshot, None) == {first: 2, first + 1: 1, first + 96: 1}
    assert turns_by_slot(snapshot, SITE) == {first + 96: 1}


def test_a_pause_or_a_recap_at_midnight_is_no_work_of_another_day(tmp_path: Path) -> None:
    midnight = 15 * 360
    recapped, worked, overnight = (Script(f"{n}{SESSION[1:]}", SHOP, f"n{n}-") for n in range(3))
    recapped.count = midnight - 18
    recapped.user("Only yesterday")
    recapped.says("Done.")
    recapped.count = midnight + 6
    recapped.entry("system", subtype="away_summary", content="You asked.")
    worked.count = midnight - 18
    worked.user("Before midnight")
    worked.says("Done.")
    worked.count = midnight + 12
    worked.user("And after it")
    worked.says("Done.")
    # From ten minutes before midnight to ten after it.
    overnight.count = midnight - 60
    overnight.user("All the time")
    for _ in range(13):
        overnight.says("Still at it.")
        overnight.count += 8
    update(tmp_path / "data", *(one.write(tmp_path / "src") for one in (recapped, worked, overnight)))
    snapshot = opened(tmp_path / "data")
    known = {session_id[0]: key for session_id, key in keys(snapshot).items()}
    before, after = date(2026, 11, 1), date(2026, 11, 2)

    def entries(name: str) -> list[tuple[date, list[float]]]:
        """The first span of each day, in entries after midnight."""
        days = worked_days(snapshot)[known[name]]
        return [(day.on, [round((at - START.timestamp()) / 10 - midnight, 3) for at in day.spans[0]]) for day in days]

    assert {name: entries(name) for name in known} == {
        "0": [(before, [-18.0, -17.0])],
        "1": [(before, [-18.0, -17.0]), (after, [12.0, 13.0])],
        "2": [(before, [-60.0, 0.0]), (after, [0.0, 49.0])],
    }
    outcomes = read_outcomes(snapshot, {known["2"]: (before, after)})[known["2"]]
    assert [(one.turns, one.first_turn) for one in outcomes] == [(1, 1), (0, 1)]


# -- days ----------------------------------------------------------------------------------------------------------

NOON = datetime(2026, 8, 20, 12, tzinfo=UTC)
CHECK = "Review the navbar of the page {} for wrong colours, missing labels and links"
"""A prompt of thirteen words, one of which differs."""


def past(name: str, prompt: str = "", hours: float = 0, root: str = SHOP, **fields: Any) -> TimelineSession:
    """A session with a title, whose last work was some hours before noon; the fields are those of its outcome."""
    at = NOON - timedelta(hours=hours)
    session = Session(
        0, f"{name} {hours}", "claude-code", None, None, "shop", root, root, None, None, (), name, at, at, 1, 0, 0, 0,
        pinned=fields.pop("pinned", False),
    )  # fmt: skip
    told = SessionOutcome(prompt or name, prompt or name, **fields)
    return TimelineSession(session.session_id, root, "shop", at, session, (), told)


def names(days: Sequence[DiaryDay]) -> list[tuple[date | None, list[str]]]:
    """The names of the entries of days, with the number of similar sessions."""
    return [
        (
            day.on,
            [
                f"{one.name} x{len(one.sessions)}" if isinstance(one, SimilarSessions) else one.name
                for one in day.entries
            ],
        )
        for day in days
    ]


def test_sessions_are_divided_by_the_local_day_of_their_last_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    try:
        # Noon in UTC is midnight there.
        days = diary_days([past("b"), past("a", hours=1), replace(past("c"), at=None)])
        assert names(days) == [(date(2026, 8, 21), ["b"]), (date(2026, 8, 20), ["a"]), (None, ["c"])]
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("sessions", "expected"),
    [
        # The same title; two are not folded.
        ([past("hello", hours=n) for n in range(3)], ["hello x3"]),
        ([past("hello", hours=n) for n in range(2)], ["hello", "hello"]),
        # Prompts of which one word of thirteen differs: titles that say only what differs stand for their prompts.
        ([past(f"… {n}", CHECK.format(n), n) for n in range(3)], ["Review the navbar of the page … x3"]),
        # The agent gave them titles, and the prompt is short enough to be the same by chance.
        ([past(title, "please go on", n) for n, title in enumerate("abc")], ["a", "b", "c"]),
        # The agent gave them titles, but nobody types so long a prompt thrice.
        (
            [past(title, " ".join(map(str, range(40))), n) for n, title in enumerate("abc")],
            ["0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 3… x3"],
        ),
        # Nor does it matter what they say of the role of the agent.
        (
            [past(f"… {n}", f'You are "Who?", a reviewer.\n{CHECK.format(n)}', n) for n in range(3)],
            ["… Review the navbar of the page … x3"],
        ),
        # Four words of five are enough, three of four are not.
        ([past(f"fix the build of {n}", hours=n) for n in range(3)], ["fix the build of … x3"]),
        ([past(f"fix the build {n}", hours=n) for n in range(3)], [f"fix the build {n}" for n in range(3)]),
        # Another project, and one that the user has pinned.
        (
            [past("x", hours=0), past("x", hours=1, root=SITE), past("x", hours=2, pinned=True), past("x", hours=3)],
            ["x", "x", "x", "x"],
        ),
        # They stand where the newest of them would.
        (
            [past("a"), past("x", hours=1), past("b", hours=2), past("x", hours=3), past("x", hours=4)],
            ["a", "x x3", "b"],
        ),
    ],
)
def test_similar_sessions_of_a_day_are_one_entry(sessions: list[TimelineSession], expected: list[str]) -> None:
    [day] = diary_days(sessions)
    assert names([day])[0][1] == expected
    assert sorted(one.session_id for one in day.sessions) == sorted(one.session_id for one in sessions)


def test_similar_sessions_of_two_days_are_two_entries() -> None:
    days = diary_days([past("x", hours=n) for n in (0, 1, 2, 20, 21, 22)])
    assert names(days) == [(date(2026, 8, 20), ["x x3"]), (date(2026, 8, 19), ["x x3"])]


def test_the_sum_of_sessions() -> None:
    one = past(
        "a",
        files=("u.py", "v.py"),
        added=3,
        removed=1,
        commits=("c", ""),
        pull_requests=(4,),
        active=timedelta(seconds=60),
    )
    other = past(
        "b", hours=1, files=("u.py",), added=2, pull_requests=(4, 7), active=timedelta(seconds=1), compactions=2
    )
    elsewhere = past("c", hours=2, root=SITE, files=("u.py",))
    unread = replace(past("d", hours=3), outcome=None)
    assert sum_of([one, other, elsewhere, unread]) == OutcomeSum(4, 61.0, 5, 1, 3, 2, (4, 7), 2)


# -- pages ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of three sessions a day on four days."""
    folder = tmp_path_factory.mktemp("busy")
    scripts = []
    for n in range(12):
        script = Script(f"{n:08d}{SESSION[8:]}", SHOP, f"p{n}-")
        script.count = -(n // 3) * DAY - n % 3
        script.user(f"Task number {n}")
        scripts.append(script.write(folder / "src"))
    update(folder / "data", *scripts)
    return folder / "data"


def listed(page: TimelinePage) -> list[int]:
    return [int(session.session_id[:8]) for session in page.sessions]


def test_a_page_has_whole_days_and_the_outcomes_of_its_sessions_alone(busy: Path) -> None:
    snapshot, past_sessions = opened(busy), Timeline(Observations(busy), "/")
    read = []
    for first, limit, expected, start in (
        (0, 4, range(6), 0),
        (0, 3, range(3), 0),
        (4, 1, range(3, 6), 3),
        (7, 3, range(6, 12), 6),
        (20, 5, range(0), 12),
    ):
        *_, page = past_sessions.pages(snapshot, TimelineQuery(None, "", limit, first), lambda: False)
        assert (listed(page), page.first, page.total) == (list(expected), start, 12)
        assert all(session.outcome is not None for session in page.sessions)
        assert len(page.events) == 12
        read.append(len(past_sessions._outcomes))
    assert read == [6, 6, 6, 12, 12]


def test_a_page_has_only_the_rows_of_a_range_of_time(busy: Path) -> None:
    snapshot, past_sessions = opened(busy), Timeline(Observations(busy), "/")
    found = []
    for since, before in ((1, None), (None, 2), (2.5, 1.5), (0, None)):
        first, end = (None if days is None else START - timedelta(days) for days in (since, before))
        query = TimelineQuery(None, since=first, before=end)
        *_, page = past_sessions.pages(snapshot, query, lambda: False)
        found.append((listed(page), page.total, page.session_count, len(page.events)))
    assert found == [
        ([0, 1, 2, 3], 4, 4, 4),
        ([7, 8, 9, 10, 11], 5, 5, 5),
        ([6, 7, 8], 3, 3, 3),
        ([0], 1, 1, 1),
    ]


def test_an_outcome_is_read_again_when_its_session_has_grown(tmp_path: Path) -> None:
    script = Script()
    script.user("Retry")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    past_sessions = Timeline(Observations(tmp_path / "data"), "/")

    def files() -> tuple[str, ...]:
        *_, page = past_sessions.pages(opened(tmp_path / "data"), TimelineQuery(None), lambda: False)
        [session] = page.sessions
        assert session.outcome is not None
        return session.outcome.files

    assert files() == ()
    edits(script, "src/upload.py", "a\n", "b\n")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    assert files() == ("src/upload.py",)
