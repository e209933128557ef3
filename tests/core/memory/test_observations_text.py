"""What agents read and the sessions behind it: every format as a whole, over real transcripts."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from memtui_core.errors import SessionUnknown
from memtui_core.index.index import Index
from memtui_core.memory import formats
from memtui_core.memory import summaries as summaries_module
from memtui_core.memory.memory_search import MemorySearchResult, TurnSearch, search_memory
from memtui_core.memory.observations.search import ObservationSearch
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.summaries import Summaries, summary_of
from memtui_core.memory.timeline.last_sessions import SessionOverview, session_detail, timeline
from memtui_core.queries.current_project import project_root
from memtui_core.store.data_folder import DataDir
from memtui_core.store.observation import Observation
from memtui_core.store.snapshot.reader import Snapshot
from support.indexes import build, update
from support.transcripts import SESSION, START, Script

OTHER = "22222222-2222-4222-8222-222222222222"
BLOG = "33333333-3333-4333-8333-333333333333"
ROOT = "/home/ana/code/shop"
DUCKDB: dict[str, Any] = {"type": "decision", "title": "Use DuckDB", "narrative": "One file, analytics in SQL."}
NOW = START + timedelta(days=2)


def opened(folder: Path) -> Observations:
    seconds, numbers = count(), count(1)
    return Observations(
        folder,
        now=lambda: NOW + timedelta(seconds=next(seconds)),
        new_id=lambda: f"id{next(numbers)}",
    )


def turns_of(index: Index, folder: str = "") -> TurnSearch:
    return lambda text, limit, passages: index.search(text, limit, current_folder=folder, passages=passages)


@dataclass(frozen=True)
class Asker:
    """Somebody who works on the shop, and reads what is found."""

    finder: ObservationSearch
    snapshot: Snapshot | None = None
    ask: TurnSearch | None = None

    @property
    def observations(self) -> Observations:
        return self.finder.observations

    def save(self, **given: Any) -> Observation:
        return self.observations.save(SESSION, ROOT, **{**DUCKDB, **given})

    def recall(self, query: str, limit: int = 10, kind: str | None = None) -> MemorySearchResult:
        return search_memory(
            self.finder, query, limit, type=kind, current_root=ROOT, snapshot=self.snapshot, search_turns=self.ask
        )

    def read(self, query: str, limit: int = 10, kind: str | None = None) -> str:
        return formats.memory_search_text(self.recall(query, limit, kind))

    def past(self, root: str | None = ROOT, limit: int = 5) -> list[SessionOverview]:
        return timeline(self.snapshot, self.observations, root, limit, now=NOW)


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
def asker(data: Path, tmp_path: Path) -> Asker:
    """With the index of the sessions; observations in a folder of their own."""
    index = Index.open(data)
    return Asker(ObservationSearch(opened(tmp_path)), index.snapshot, turns_of(index, ROOT))


def test_filters_alone_find_the_newest_turns(asker: Asker) -> None:
    found = asker.recall("file:src/upload.py has:edit")
    assert (found.source, [(hit.session_id, hit.turn) for hit in found.turns]) == ("transcripts", [(SESSION, 1)])
    assert [asker.recall(query).source for query in ("", "has:image")] == ["nothing", "nothing"]


@pytest.mark.spec("S3.1")
def test_limits(asker: Asker) -> None:
    for _ in range(12):
        asker.save()
    for limit, number in ((10, 10), (1, 1), (50, 12)):
        assert asker.read("duckdb", limit).startswith(f"Found {number} observation(s):\n")


@pytest.mark.spec("S3.3")
def test_observations_that_were_found(asker: Asker) -> None:
    asker.observations.save(
        "s1", ROOT, **DUCKDB, subtitle="Not SQLite", facts=["a", "b"], concepts=["storage", "sql"],
        files_modified=["src/db.py", "a.py"], files_read=["b.py"],
    )  # fmt: skip
    asker.observations.save("s1", ROOT, **{**DUCKDB, "title": "Keep DuckDB", "type": "change"})
    assert asker.read("duckdb") == (
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


@pytest.mark.spec("S3.4")
def test_else_the_agents_own_summary(asker: Asker) -> None:
    assert asker.read("parrots") == (
        f"Found 1 session summary(ies):\n\n## Session: {OTHER}\n"
        "1. Primary Request:\n   Invoices as PDF, with parrots.\n---"
    )


@pytest.mark.spec("S3.4")
def test_else_what_the_session_tells_with_its_decisions(asker: Asker) -> None:
    asker.save(title="Timeouts are long")
    assert asker.read("uploads pictures") == (
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


@pytest.mark.spec("S3.4")
def test_else_the_transcripts(asker: Asker) -> None:
    found = asker.recall("zanzibar")
    assert (found.source, [(hit.session_id, hit.turn) for hit in found.turns]) == ("transcripts", [(SESSION, 2)])
    assert asker.read("zanzibar") == (
        f"Found 1 turn(s) in transcripts:\n\n## Turn: {SESSION}:2\nWhy do uploads of pictures fail?\n"
        f"{found.turns[0].snippet}\n\n*2026-11-01T09:00:40Z*\n---"
    )


@pytest.mark.spec("S3.4")
def test_a_summary_that_holds_but_some_of_the_words_leaves_the_answer_to_the_turns(asker: Asker) -> None:
    assert asker.read("parrots invoices").startswith(f"Found 1 session summary(ies):\n\n## Session: {OTHER}\n")
    found = asker.recall("uploads of parrots")
    assert (found.source, found.summaries) == ("transcripts", ())
    assert {(hit.session_id, hit.turn) for hit in found.turns} >= {(SESSION, 1), (OTHER, 2)}


@pytest.mark.spec("S3.4")
def test_a_summary_with_most_of_the_words_follows_the_turns_and_one_with_all_answers(tmp_path: Path) -> None:
    drawn, summed_up, third = Script(), Script(OTHER, prefix="f"), Script(BLOG, prefix="g")
    drawn.user("Draw herons and parrots on a lake")
    summed_up.user("Go on")
    summed_up.compacts("Summary:\nHerons and parrots are drawn.")
    third.user("Herons stand")
    index = build(tmp_path / "data", *(script.write(tmp_path / "src") for script in (drawn, summed_up, third)))
    asker = Asker(ObservationSearch(opened(tmp_path / "own")), index.snapshot, turns_of(index))

    def found(query: str) -> tuple[str, bool, list[str]]:
        result = asker.recall(query)
        return result.source, bool(result.turns), [summary.session_id for summary in result.summaries]

    assert found("herons parrots lake") == ("summaries", False, [SESSION, OTHER])
    # Of two that lack a word, the agent's own summary comes first.
    assert found("herons parrots teapot") == ("transcripts", True, [OTHER, SESSION])
    assert found("herons teapot") == ("transcripts", True, [])
    assert found("herons parrots teapot kettle") == ("transcripts", True, [])
    text = asker.read("herons parrots teapot")
    assert re.findall("^Found.*", text, re.MULTILINE) == [
        "Found 3 turn(s) in transcripts:",
        "Found 2 session summary(ies):",
    ]


def test_a_summary_is_kept_until_its_session_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, data = tmp_path / "src", tmp_path / "data"
    scripts = [Script(SESSION), Script(OTHER, prefix="f")]
    for script in scripts:
        script.user("Draw herons")
        script.write(source)
    update(data, source)
    index, read = Index.open(data), []
    summaries, original = Summaries(), summaries_module._read

    def counted(snapshot: Snapshot, key: int) -> Any:
        read.append(key)
        return original(snapshot, key)

    monkeypatch.setattr(summaries_module, "_read", counted)

    def texts(saved: Mapping[str, Sequence[str]]) -> list[tuple[str, tuple[str, ...]]]:
        sessions = {one.key: one.session_id for one in sorted(index.sessions.all(), key=lambda one: one.session_id)}
        return [(one.text, one.key_decisions) for one in summaries.of(index.snapshot, sessions, saved)]

    assert texts({}) == texts({}) == [("Asked: Draw herons", ())] * 2
    assert len(read) == 2
    scripts[1].user("And parrots")
    scripts[1].write(source)
    update(data, source)
    assert index.refresh()
    grown = "Asked: Draw herons\nAsked last, of 2 times: And parrots"
    assert texts({SESSION: ["Use ink"]}) == [("Asked: Draw herons", ("Use ink",)), (grown, ())]
    assert len(read) == 3


@pytest.mark.spec("S3.5")
@pytest.mark.parametrize("query", ["xylophone", "", "*", '"'])
def test_nothing(asker: Asker, query: str) -> None:
    assert asker.read(query) == "No matching observations or session summaries found."
    assert asker.recall(query).source == "nothing"


@pytest.mark.spec("S3.7")
@pytest.mark.parametrize(
    "query", ["src/pricing.ts", "C++", "what did we decide?", "it's", "open-mem", "AND", '"', "*", "", "a:b", "-x"]
)
def test_hostile_queries(asker: Asker, query: str) -> None:
    for _ in range(2):
        assert asker.read(query).startswith(("Found ", "No matching "))
        asker.save()


@pytest.mark.spec("S3.8")
def test_saved(asker: Asker) -> None:
    saved = asker.save()
    assert formats.saved_text(saved) == 'Saved observation: [decision] "Use DuckDB" (ID: id1)'
    assert (saved.session_id, saved.root) == (SESSION, ROOT)
    asker.observations.save("s9", ROOT, **DUCKDB)
    assert Counter(one.session_id for one in Observations(asker.observations.folder).select()) == {SESSION: 1, "s9": 1}


@pytest.mark.spec("S3.16")
def test_forget_asks_first(asker: Asker) -> None:
    named = '[decision] "Use DuckDB" (ID: id1)'
    assert formats.confirm_text(asker.save()) == (
        f"This would forget: {named}. To do it, call mem-forget again with confirm set to true."
    )
    assert asker.read("duckdb").startswith("Found 1 observation(s)")
    assert formats.forgotten_text(asker.observations.forget("id1")) == (
        f"Forgot observation: {named}. With restore set to true mem-forget brings it back."
    )
    assert asker.recall("duckdb").observations == ()
    assert formats.restored_text(asker.observations.restore("id1")) == f"Restored observation: {named}"
    asker.observations.edit("id1", title="Use SQLite")
    assert [one.observation.content.title for one in asker.recall("sqlite").observations] == ["Use SQLite"]


@pytest.mark.spec("S3.18")
def test_what_answered_although_a_type_was_asked_for(asker: Asker) -> None:
    assert asker.read("parrots", kind="bugfix").splitlines()[-2:] == [
        "---",
        "Note: No observation of the type bugfix matches; these are session summaries, which have no type.",
    ]
    assert asker.read("zanzibar", kind="bugfix").splitlines()[-1] == (
        "Note: No observation of the type bugfix matches; these are turns of transcripts, which have no type."
    )


@pytest.mark.spec("S3.12")
def test_the_timeline(asker: Asker) -> None:
    asker.save(concepts=["storage", "sql"])
    asker.observations.save("s7", ROOT, **DUCKDB)
    asker.observations.save("s8", "/other", **DUCKDB)
    past = asker.past()
    assert [(one.session_id, one.status, len(one.observations)) for one in past] == [
        ("s7", "active", 1),
        (SESSION, "completed", 1),
        (OTHER, "idle", 0),
    ]
    assert formats.timeline_text(asker.past(limit=2)).splitlines()[:4] == [
        "# Session Timeline (2 sessions)",
        "",
        "## Session: s7",
        "- **Started**: 2026-11-03T09:00:01Z",
    ]
    assert [one.session_id for one in asker.past(None, 9)] == [
        "s8", "s7", SESSION, OTHER, BLOG,
    ]  # fmt: skip


@pytest.mark.spec("S3.12")
def test_the_timeline_as_text(asker: Asker) -> None:
    asker.save(concepts=["storage", "sql"])
    past = asker.past()
    assert formats.timeline_text(past) == (
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


@pytest.mark.spec("S3.13")
def test_no_sessions(asker: Asker) -> None:
    for found in (asker.past("/nowhere"), timeline(None, asker.observations, ROOT)):
        assert formats.timeline_text(found) == "No past sessions found for this project."


@pytest.mark.spec("S3.14")
def test_one_session(asker: Asker) -> None:
    asker.save(concepts=["storage", "sql"])
    asker.observations.save(SESSION, ROOT, type="bugfix", title="Wait longer", narrative="Ten\nseconds.")
    past = session_detail(asker.snapshot, asker.observations, "1111", now=NOW)
    assert formats.detail_text(past) == (
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


@pytest.mark.spec("S3.14")
def test_a_session_that_goes_on_and_one_that_is_unknown(asker: Asker) -> None:
    asker.observations.save("s7", ROOT, **DUCKDB)
    assert formats.detail_text(session_detail(None, asker.observations, "s", now=NOW)) == (
        "# Session Detail: s7\n\n- **Started**: 2026-11-03T09:00:00Z\n- **Ended**: Active\n- **Status**: active\n"
        "- **Observations**: 1\n\n## Observations\n\n### [DECISION] Use DuckDB\nOne file, analytics in SQL."
    )
    with pytest.raises(SessionUnknown, match=r"^Session x not found\.$"):
        session_detail(None, asker.observations, "x")
    asker.observations.save("s8", ROOT, **DUCKDB)
    with pytest.raises(SessionUnknown, match="2 sessions begin with s"):
        session_detail(None, asker.observations, "s")


@pytest.mark.spec("S3.17")
def test_the_status_by_when_the_transcript_was_last_written(tmp_path: Path) -> None:
    script = Script()
    script.user("Hello")
    path = script.write(tmp_path / "src")
    build(tmp_path / "data", path).close()
    written = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
    os.utime(path, (written.timestamp(),) * 2)
    snapshot, observations = Snapshot(DataDir(tmp_path / "data")), Observations(tmp_path / "data")
    expected = {0: "active", 4: "active", 5: "idle", 59: "idle", 60: "completed"}

    def statuses(since: datetime) -> dict[int, tuple[str, bool]]:
        """The status so many minutes later, and whether the session has an end."""
        found: dict[int, tuple[str, bool]] = {}
        for minutes in expected:
            [past] = timeline(snapshot, observations, None, now=since + timedelta(minutes=minutes))
            found[minutes] = past.status, past.ended_at is not None
        return found

    ends = {minutes: (status, status == "completed") for minutes, status in expected.items()}
    assert statuses(written) == ends
    path.unlink()
    assert statuses(START) == ends


def test_a_long_summary_is_cut(tmp_path: Path) -> None:
    script = Script()
    script.user("Hello")
    script.compacts("Summary:\n" + "Herons stand. " * 500)
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    snapshot = Snapshot(DataDir(tmp_path / "data"))
    summary = summary_of(snapshot, index.sessions.all()[0].key, SESSION)
    assert summary is not None
    assert (summary.kind, summary.text[:14], summary.text[-2:]) == ("compaction", "Herons stand. ", " …")
    assert len(summary.text) <= 2000


def test_the_root_of_a_folder(data: Path) -> None:
    snapshot = Snapshot(DataDir(data))
    assert (project_root(snapshot, f"{ROOT}/src"), project_root(None, f"{ROOT}/.worktrees/w/src")) == (ROOT, ROOT)
    assert project_root(snapshot, "/elsewhere") == "/elsewhere"
