"""What agents read and the sessions behind it: every format as a whole, over real transcripts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from memtui_core.errors import SessionUnknown
from memtui_core.index import Index
from memtui_core.observations import (
    Finder,
    Observations,
    Tools,
    recalled,
    root_of,
    session_detail,
    summary_of,
    timeline,
)
from memtui_core.store.files import DataDir
from memtui_core.store.reader import Snapshot
from support.indexes import build
from support.transcripts import SESSION, START, Script

OTHER = "22222222-2222-4222-8222-222222222222"
BLOG = "33333333-3333-4333-8333-333333333333"
ROOT = "/home/ana/code/shop"
DUCKDB: dict[str, Any] = {"type": "decision", "title": "Use DuckDB", "narrative": "One file, analytics in SQL."}
SAVE = {**DUCKDB, "concepts": ["storage", "sql"], "files": ["src/db.py"]}
NOW = START + timedelta(days=2)


def opened(folder: Path) -> Observations:
    seconds, numbers = count(), count(1)
    return Observations(
        folder,
        now=lambda: NOW + timedelta(seconds=next(seconds)),
        new_id=lambda: f"id{next(numbers)}",
    )


def plain_tools(folder: Path, session: str = "s1") -> Tools:
    """Without an index."""
    return Tools(Finder(opened(folder)), session, ROOT)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of two sessions of a shop, one with a compaction, and one of a blog."""
    folder = tmp_path_factory.mktemp("sessions")
    one, two = Script(), Script(OTHER, prefix="f")
    blog = Script(BLOG, "/home/ana/code/blog", "g")
    one.user("Why do uploads of pictures fail?")
    one.calls("Edit", {"file_path": f"{ROOT}/src/upload.py", "old_string": "a", "new_string": "b"})
    one.result("done")
    one.says("We decided to wait for sixty seconds before the client gives up.")
    one.user("Add a test")
    one.calls("Bash", {"command": "grep zanzibar notes.txt"}, "t2")
    one.result("a zanzibar", "t2")
    one.says("It passes.")
    two.user("Write invoices")
    two.compacts("Analysis:\nLooked at it.\n\nSummary:\n1. Primary Request:\n   Invoices as PDF, with parrots.")
    two.user("Go on")
    blog.user("Publish pages")
    paths = [script.write(folder / "src" / str(place)) for place, script in enumerate((one, two, blog))]
    for place, path in enumerate(paths):
        os.utime(path, ((NOW - timedelta(minutes=[90, 30, 1][place])).timestamp(),) * 2)
    build(folder / "data", *paths).close()
    return folder / "data"


@pytest.fixture
def tools(data: Path, tmp_path: Path) -> Tools:
    """With the index of the sessions; observations in a folder of their own."""
    index, snapshot = Index.open(data), Snapshot(DataDir(data))
    return Tools(Finder(opened(tmp_path)), SESSION, ROOT, lambda: snapshot, partial(index.search, here=ROOT))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": "x", "limit": 0}, "The argument limit must be a whole number from 1 to 50, not 0."),
        ({"query": "x", "limit": 51}, "The argument limit must be a whole number from 1 to 50, not 51."),
        ({"query": "x", "limit": "x"}, "The argument limit must be a whole number from 1 to 50, not 'x'."),
        ({"query": "x", "limit": True}, "The argument limit must be a whole number from 1 to 50, not True."),
        (
            {"query": "x", "type": "idea"},
            "The type is 'idea'; it must be one of decision, bugfix, feature, refactor, discovery, change.",
        ),
        ({}, "The argument query is missing."),
        ({"query": 3}, "The argument query must be a text."),
    ],
)
def test_s3_01_wrong_arguments_are_told_as_text(tmp_path: Path, arguments: Mapping[str, Any], said: str) -> None:
    assert plain_tools(tmp_path).search(arguments) == f"Search error: {said}"


def test_s3_01_limits(tmp_path: Path) -> None:
    tools = plain_tools(tmp_path)
    for _ in range(12):
        tools.save(DUCKDB)
    for arguments, number in (({}, 10), ({"limit": None}, 10), ({"limit": 1}, 1), ({"limit": 50}, 12)):
        assert tools.search({"query": "duckdb", **arguments}).startswith(f"Found {number} observation(s):\n")


def test_s3_03_observations_that_were_found(tmp_path: Path) -> None:
    tools = plain_tools(tmp_path)
    tools.finder.observations.save(
        "s1", ROOT, **DUCKDB, subtitle="Not SQLite", facts=["a", "b"], concepts=["storage", "sql"],
        files_modified=["src/db.py", "a.py"], files_read=["b.py"],
    )  # fmt: skip
    tools.save({**DUCKDB, "title": "Keep DuckDB", "type": "change"})
    assert tools.search({"query": "duckdb"}) == (
        "Found 2 observation(s):\n"
        "\n"
        "## [CHANGE] Keep DuckDB\n"
        "\n"
        "One file, analytics in SQL.\n"
        "\n"
        "*Session: s1 | 2026-11-03T09:00:01Z*\n"
        "---\n"
        "## [DECISION] Use DuckDB\n"
        "*Not SQLite*\n"
        "\n"
        "One file, analytics in SQL.\n"
        "\n"
        "**Facts:**\n"
        "- a\n"
        "- b\n"
        "\n"
        "**Concepts:** storage, sql\n"
        "**Files modified:** src/db.py, a.py\n"
        "**Files read:** b.py\n"
        "\n"
        "*Session: s1 | 2026-11-03T09:00:00Z*\n"
        "---"
    )


def test_s3_04_else_the_agents_own_summary(tools: Tools) -> None:
    assert tools.search({"query": "parrots"}) == (
        f"Found 1 session summary(ies):\n\n## Session: {OTHER}\n"
        "1. Primary Request:\n   Invoices as PDF, with parrots.\n---"
    )


def test_s3_04_else_what_the_session_tells_with_its_decisions(tools: Tools) -> None:
    tools.save({**DUCKDB, "title": "Timeouts are long"})
    assert tools.search({"query": "uploads pictures"}) == (
        f"Found 1 session summary(ies):\n\n## Session: {SESSION}\n"
        "Asked: Why do uploads of pictures fail?\n"
        "Asked last, of 2 times: Add a test\n"
        "Answered last: It passes.\n"
        "Edited: src/upload.py\n"
        "\n"
        "**Key decisions:**\n"
        "- Timeouts are long\n"
        "- We decided to wait for sixty seconds before the client gives up.\n"
        "---"
    )


def test_s3_04_else_the_transcripts(tools: Tools) -> None:
    found = recalled(tools.finder, "zanzibar", snapshot=tools.snapshot(), ask=tools.ask)
    assert (found.source, [(hit.session_id, hit.turn) for hit in found.turns]) == ("transcripts", [(SESSION, 2)])
    assert tools.search({"query": "zanzibar"}) == (
        f"Found 1 turn(s) in transcripts:\n\n## Turn: {SESSION}:2\nWhy do uploads of pictures fail?\n"
        f"{found.turns[0].snippet}\n\n*2026-11-01T09:00:40Z*\n---"
    )


@pytest.mark.parametrize("query", ["xylophone", "", "*", '"'])
def test_s3_05_nothing(tools: Tools, query: str) -> None:
    assert tools.search({"query": query}) == "No matching observations or session summaries found."
    assert recalled(tools.finder, query, snapshot=tools.snapshot(), ask=tools.ask).source == "nothing"


def test_s3_06_errors_are_text(tools: Tools, tmp_path: Path) -> None:
    snapshot = tools.snapshot()
    assert snapshot is not None
    snapshot.close()
    said = tools.search({"query": "parrots"})
    assert said.startswith("Search error: ")
    (tmp_path / "observations.jsonl").mkdir()
    assert plain_tools(tmp_path).search({"query": "x"}) == (
        f"Search error: {tmp_path}/observations.jsonl cannot be read: Is a directory."
    )


@pytest.mark.parametrize(
    "query", ["src/pricing.ts", "C++", "what did we decide?", "it's", "open-mem", "AND", '"', "*", "", "a:b", "-x"]
)
def test_s3_07_hostile_queries(tools: Tools, query: str) -> None:
    for _ in range(2):
        assert tools.search({"query": query}).startswith(("Found ", "No matching "))
        tools.save(SAVE)


def test_s3_08_saved(tmp_path: Path) -> None:
    tools = plain_tools(tmp_path)
    assert tools.save(SAVE) == 'Saved observation: [decision] "Use DuckDB" (ID: id1)'
    saved = tools.finder.observations.get("id1")
    assert (saved.session_id, saved.root, saved.content.files_modified) == ("s1", ROOT, ("src/db.py",))
    assert plain_tools(tmp_path, "").save({**SAVE, "session_id": "s9"}).startswith("Saved observation")
    assert Observations(tmp_path).counts() == {"s1": 1, "s9": 1}


def test_s3_15_every_tool_returns_text(tmp_path: Path) -> None:
    tools = plain_tools(tmp_path)
    assert tools.save({**SAVE, "title": "x" * 81}) == ("Save error: The title has 81 characters; at most 80 fit.")
    assert tools.save({**SAVE, "colour": 1}) == "Save error: There is no argument 'colour'."
    assert tools.timeline({"limit": 21}) == (
        "Timeline error: The argument limit must be a whole number from 1 to 20, not 21."
    )
    assert tools.edit({"title": "x"}) == "Edit error: The argument id is missing."
    assert tools.restore({"id": "z"}) == "Restore error: There is no observation with the id 'z'."
    assert tools.forget({}) == "Forget error: The argument id is missing."
    assert list(tmp_path.glob("*.jsonl")) == []


def test_s3_16_forget_asks_first(tmp_path: Path) -> None:
    tools = plain_tools(tmp_path)
    tools.save(SAVE)
    named = '[decision] "Use DuckDB" (ID: id1)'
    assert tools.forget({"id": "id1"}) == (
        f"This would forget: {named}. To do it, call mem-forget again with confirm set to true."
    )
    assert tools.search({"query": "duckdb"}).startswith("Found 1 ")
    assert tools.forget({"id": "id1", "confirm": True}) == f"Forgot observation: {named}. It can be restored."
    assert tools.search({"query": "duckdb"}) == "No matching observations or session summaries found."
    assert tools.restore({"id": "id1"}) == f"Restored observation: {named}"
    assert tools.edit({"id": "id1", "title": "Use SQLite"}) == (
        'Edited observation: [decision] "Use SQLite" (ID: id1) (revision 2)'
    )
    assert tools.search({"query": "sqlite"}).startswith("Found 1 ")


def test_s3_18_what_answered_although_a_type_was_asked_for(tools: Tools) -> None:
    assert tools.search({"query": "parrots", "type": "bugfix"}).splitlines()[-2:] == [
        "---",
        "Note: No observation of the type bugfix matches; these are session summaries, which have no type.",
    ]
    assert tools.search({"query": "zanzibar", "type": "bugfix"}).splitlines()[-1] == (
        "Note: No observation of the type bugfix matches; these are turns of transcripts, which have no type."
    )


def test_s3_12_the_timeline(tools: Tools) -> None:
    tools.save(SAVE)
    tools.finder.observations.save("s7", ROOT, **DUCKDB)
    tools.finder.observations.save("s8", "/other", **DUCKDB)
    past = timeline(tools.snapshot(), tools.finder.observations, ROOT, now=NOW)
    assert [(one.session_id, one.status, len(one.observations)) for one in past] == [
        ("s7", "active", 1),
        (SESSION, "completed", 1),
        (OTHER, "idle", 0),
    ]
    assert tools.timeline({"limit": 2}).splitlines()[:4] == [
        "# Session Timeline (2 sessions)",
        "",
        "## Session: s7",
        "- **Started**: 2026-11-03T09:00:01Z",
    ]
    assert [one.session_id for one in timeline(tools.snapshot(), tools.finder.observations, None, 9, now=NOW)] == [
        "s8", "s7", SESSION, OTHER, BLOG,
    ]  # fmt: skip


def test_s3_12_the_timeline_as_text(tools: Tools) -> None:
    tools.save(SAVE)
    from memtui_core.observations.text import timeline_text

    past = timeline(tools.snapshot(), tools.finder.observations, ROOT, now=NOW)
    assert timeline_text(past) == (
        "# Session Timeline (2 sessions)\n"
        "\n"
        f"## Session: {SESSION}\n"
        "- **Started**: 2026-11-01T09:00:00Z\n"
        "- **Status**: completed\n"
        "- **Observations**: 1\n"
        "- **Summary**: Asked: Why do uploads of pictures fail? Asked last, of 2 times: Add a test"
        " Answered last: It passes. Edited: src/upload.py\n"
        "- **Key decisions**: Use DuckDB; We decided to wait for sixty seconds before the client gives up.\n"
        "\n"
        f"## Session: {OTHER}\n"
        "- **Started**: 2026-11-01T09:00:00Z\n"
        "- **Status**: idle\n"
        "- **Observations**: 0\n"
        "- **Summary**: 1. Primary Request: Invoices as PDF, with parrots.\n"
    )


def test_s3_13_no_sessions(tmp_path: Path, data: Path) -> None:
    assert plain_tools(tmp_path).timeline({}) == "No past sessions found for this project."
    snapshot = Snapshot(DataDir(data))
    elsewhere = Tools(Finder(opened(tmp_path)), "s1", "/nowhere", lambda: snapshot)
    assert elsewhere.timeline({}) == "No past sessions found for this project."


def test_s3_14_one_session(tools: Tools) -> None:
    tools.save(SAVE)
    tools.finder.observations.save(SESSION, ROOT, type="bugfix", title="Wait longer", narrative="Ten\nseconds.")
    from memtui_core.observations.text import detail_text

    past = session_detail(tools.snapshot(), tools.finder.observations, "1111", now=NOW)
    assert detail_text(past) == (
        f"# Session Detail: {SESSION}\n"
        "\n"
        "- **Started**: 2026-11-01T09:00:00Z\n"
        "- **Ended**: 2026-11-01T09:01:10Z\n"
        "- **Status**: completed\n"
        "- **Observations**: 2\n"
        "\n"
        "## Summary\n"
        "Asked: Why do uploads of pictures fail?\n"
        "Asked last, of 2 times: Add a test\n"
        "Answered last: It passes.\n"
        "Edited: src/upload.py\n"
        "\n"
        "**Key decisions:**\n"
        "- Use DuckDB\n"
        "- We decided to wait for sixty seconds before the client gives up.\n"
        "\n"
        "## Observations\n"
        "\n"
        "### [DECISION] Use DuckDB\n"
        "One file, analytics in SQL.\n"
        "*Concepts: storage, sql*\n"
        "\n"
        "### [BUGFIX] Wait longer\n"
        "Ten\n"
        "seconds."
    )


def test_s3_14_a_session_that_goes_on_and_one_that_is_unknown(tools: Tools) -> None:
    tools.finder.observations.save("s7", ROOT, **DUCKDB)
    from memtui_core.observations.text import detail_text

    assert detail_text(session_detail(None, tools.finder.observations, "s", now=NOW)) == (
        "# Session Detail: s7\n\n- **Started**: 2026-11-03T09:00:00Z\n- **Ended**: Active\n- **Status**: active\n"
        "- **Observations**: 1\n\n## Observations\n\n### [DECISION] Use DuckDB\nOne file, analytics in SQL."
    )
    assert tools.timeline({"session_id": "x"}) == "Session x not found."
    tools.finder.observations.save("s8", ROOT, **DUCKDB)
    with pytest.raises(SessionUnknown, match="2 sessions begin with s"):
        session_detail(None, tools.finder.observations, "s")


@pytest.mark.parametrize(
    ("minutes", "status"), [(0, "active"), (4, "active"), (5, "idle"), (59, "idle"), (60, "completed")]
)
def test_s3_17_the_status_by_when_the_transcript_was_last_written(tmp_path: Path, minutes: int, status: str) -> None:
    script = Script()
    script.user("Hello")
    path = script.write(tmp_path / "src")
    build(tmp_path / "data", path).close()
    written = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
    os.utime(path, (written.timestamp(),) * 2)
    snapshot, observations = Snapshot(DataDir(tmp_path / "data")), Observations(tmp_path / "data")
    [past] = timeline(snapshot, observations, None, now=written + timedelta(minutes=minutes))
    assert (past.status, past.ended_at is None) == (status, status != "completed")
    path.unlink()
    [past] = timeline(snapshot, observations, None, now=START + timedelta(minutes=minutes))
    assert past.status == status


def test_a_long_summary_is_cut(tmp_path: Path) -> None:
    script = Script()
    script.user("Hello")
    script.compacts("Summary:\n" + "Herons stand. " * 500)
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    snapshot = Snapshot(DataDir(tmp_path / "data"))
    summary = summary_of(snapshot, index.sessions()[0].key, SESSION)
    assert summary is not None
    assert (summary.kind, summary.text[:14], summary.text[-2:]) == ("compaction", "Herons stand. ", " …")
    assert len(summary.text) <= 2000


def test_the_root_of_a_folder(data: Path) -> None:
    snapshot = Snapshot(DataDir(data))
    assert (root_of(snapshot, f"{ROOT}/src"), root_of(None, f"{ROOT}/.worktrees/w/src")) == (ROOT, ROOT)
    assert root_of(snapshot, "/elsewhere") == "/elsewhere"
