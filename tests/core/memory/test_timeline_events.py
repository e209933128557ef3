"""What the timeline shows on its axis of time."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memtui_core.index.index import Index
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.timeline.model import TimelineEvent, TimelineQuery
from memtui_core.memory.timeline.pages import Timeline
from support.indexes import update
from support.transcripts import DAY, SESSION, START, Script

OTHER = "22222222-2222-4222-8222-222222222222"
SHOP, SITE = "/home/ana/code/shop", "/home/ana/code/site"


def events(data: Path, query: TimelineQuery) -> tuple[TimelineEvent, ...]:
    pages = list(Timeline(Observations(data), "/").pages(Index.open(data).snapshot, query, lambda: False))
    assert all(page.events == pages[0].events for page in pages)
    return pages[0].events


def told(found: tuple[TimelineEvent, ...]) -> list[tuple[Any, ...]]:
    def seconds(at: datetime) -> float:
        return (at - START).total_seconds()

    return [
        (one.kind, seconds(one.first), seconds(one.last), one.session.session_id, one.root, one.turn, one.label)
        for one in found
    ]


def test_sessions_compactions_pull_requests_and_observations_in_order_of_time(tmp_path: Path) -> None:
    script = Script()
    script.user("Retry the upload")
    script.says("Done.")
    script.compacts("It retries.", tokens=1200)
    link = {
        "type": "pr-link",
        "prNumber": 7,
        "prUrl": "https://example.org/ana/shop/pull/7",
        "prRepository": "ana/shop",
    }
    at = (START + timedelta(seconds=35)).isoformat()
    script.raw(link | {"sessionId": SESSION, "timestamp": at})
    other = Script(OTHER, SITE, "o")
    other.user("Build the site")
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"), other.write(tmp_path / "src"))
    book = Observations(data, now=lambda: START + timedelta(days=2), new_id=lambda: "id1")
    book.save(SESSION, SHOP, type="decision", title="Retry thrice", narrative="Not more.")
    book = Observations(data, now=lambda: START + timedelta(days=3), new_id=lambda: "id2")
    book.save("gone", SITE, type="bugfix", title="Elsewhere", narrative="Long ago.")
    found = events(data, TimelineQuery(None))
    two_days, three_days = 2 * 86_400.0, 3 * 86_400.0
    assert told(found) == [
        ("session", 0.0, 30.0, SESSION, SHOP, None, ""),
        ("session", 0.0, 0.0, OTHER, SITE, None, ""),
        ("compaction", 20.0, 20.0, SESSION, SHOP, 2, "auto, 1,200 tokens"),
        ("pull request", 35.0, 35.0, SESSION, SHOP, 2, "#7 ana/shop"),
        ("observation", two_days, two_days, SESSION, SHOP, None, ""),
        ("observation", three_days, three_days, "gone", SITE, None, ""),
        ("session", three_days, three_days, "gone", SITE, None, ""),
    ]
    assert [one.observation and one.observation.id for one in found] == [None, None, None, None, "id1", "id2", None]
    # The project and the type of observations limit the events as they limit the list.
    assert [told((one,))[0][::3] for one in events(data, TimelineQuery(SITE))] == [
        ("session", OTHER, ""),
        ("observation", "gone", ""),
        ("session", "gone", ""),
    ]
    kinds = [(one.kind, one.session.session_id) for one in events(data, TimelineQuery(None, "bugfix"))]
    assert kinds == [("observation", "gone"), ("session", "gone")]
    book.forget("id1")
    kinds = [(one.kind, one.session.session_id) for one in events(data, TimelineQuery(None, "forgotten"))]
    assert kinds == [("session", SESSION), ("observation", SESSION)]
    assert events(data, TimelineQuery("/nowhere")) == ()


def test_a_session_is_an_event_on_each_day_with_the_times_at_which_it_worked(tmp_path: Path) -> None:
    script, sub = Script(), Script(SESSION, SHOP, "s")
    script.user("Build it")
    script.says("It is built.")
    # Nobody is there for two hours; then Claude Code says what was done.
    script.count = 720
    script.entry("system", subtype="away_summary", content="You built it.")
    script.count = 1000
    script.user("Test it")
    script.compacts("It is built.", tokens=1200)
    script.count = DAY
    script.user("Ship it")
    # A subagent goes on for a while.
    sub.count = DAY + 30
    sub.user("Ship it", isSidechain=True, agentId="a1")
    sub.says("Shipped.")
    paths = script.write(tmp_path / "src"), sub.write(tmp_path / "src" / SESSION / "subagents", "agent-a1.jsonl")
    update(tmp_path / "data", *paths)
    found = events(tmp_path / "data", TimelineQuery(None))

    def entries(at: float) -> float:
        return (at - START.timestamp()) / 10

    told_spans = [
        (one.kind, one.session.row_id, [(entries(first), entries(last)) for first, last in one.session.spans])
        for one in found
    ]
    first_day = [(0.0, 1.0), (1000.0, 1002.0)]
    assert told_spans == [
        ("session", SESSION, first_day),
        ("compaction", SESSION, first_day),
        ("session", f"{SESSION} 2026-11-02", [(DAY, DAY + 31.0)]),
    ]
    assert [(entries(one.first.timestamp()), entries(one.last.timestamp())) for one in found] == [
        (0.0, 1002.0), (1001.0, 1001.0), (DAY, DAY + 31.0)
    ]  # fmt: skip
