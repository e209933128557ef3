"""The bench of recall: which moments it finds, what each way says at them, and how it counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bench.quality.questions import half_of
from bench.recall.__main__ import each, run, summary, table
from bench.recall.measure import Outcome, Row, rows
from bench.recall.moments import Moment, chosen, moments
from bench.recall.ways import Told, asking, cited, ways
from memtui.agents.mcp.token_limit import ToolAnswer
from memtui.agents.mcp.toolbox import Toolbox
from support.indexes import update
from support.transcripts import START, Script

SHOP, BLOG = "/home/ana/code/shop", "/home/ana/code/blog"
PRICES, INVOICES, WRONG, LATER, PAGES = (f"{number}0000000-0000-4000-8000-000000000000" for number in range(1, 6))
WAYS = ["mem-search", "mem-search, words only", "mem-search, all projects", "hook of the file", "hook of the prompt"]


class Day(Script):
    """A session that begins so many days after the first one."""

    def __init__(self, session_id: str, day: int, cwd: str = SHOP) -> None:
        super().__init__(session_id, cwd, f"{session_id[0]}-")
        self.count = day * 8640
        self._calls = 0

    def touch(self, tool: str, path: str) -> None:
        """Open a file with a tool."""
        self._calls += 1
        self.calls(tool, {"file_path": f"{self.cwd}/{path}", "old_string": "a", "new_string": "b"}, f"t{self._calls}")
        self.result("done", f"t{self._calls}")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sessions of a shop that work on the same files, one that comes later, and one of a blog."""
    folder = tmp_path_factory.mktemp("recall")
    prices, invoices, wrong, later = (Day(name, day) for day, name in enumerate((PRICES, INVOICES, WRONG, LATER)))
    pages = Day(PAGES, 1, BLOG)
    prices.user("Round the prices to five cents")
    prices.touch("Edit", "src/pricing.py")
    prices.says("Prices are rounded half up.")
    invoices.user("Write an invoice as PDF")
    invoices.touch("Write", "src/invoice.py")
    invoices.touch("Read", "docs/terms.md")
    invoices.says("It has one page.")
    pages.user("Round the corners of the pages")
    pages.touch("Edit", "src/pricing.py")
    wrong.user("Good morning")
    wrong.says("Good morning!")
    wrong.user("An invoice rounds the prices the wrong way")
    wrong.touch("Read", "src/pricing.py")
    wrong.touch("Edit", "src/invoice.py")
    wrong.touch("Edit", "docs/terms.md")
    wrong.user("Once more")
    wrong.touch("Edit", "src/pricing.py")
    later.user("Round the prices of an invoice to ten cents, in src/pricing.py")
    later.touch("Edit", "src/pricing.py")
    for script in (prices, invoices, wrong, later, pages):
        script.write(folder / "source" / script.cwd.replace("/", "-"))
    update(folder / "data", folder / "source")
    return folder / "data"


def at(day: int) -> datetime:
    return START + timedelta(days=day)


FIRST = Moment(
    session=WRONG, turn=2, at=at(2), root=SHOP, request="An invoice rounds the prices the wrong way",
    path="src/invoice.py", files=2, answers=frozenset({INVOICES}), others=2,
)  # fmt: skip
SECOND = Moment(
    session=LATER, turn=1, at=at(3), root=SHOP,
    request="Round the prices of an invoice to ten cents, in src/pricing.py",
    path="src/pricing.py", files=1, answers=frozenset({PRICES, WRONG}), others=3,
)  # fmt: skip


def test_a_moment_is_the_first_touch_of_a_file_that_an_earlier_session_of_the_project_edited(data: Path) -> None:
    assert moments(data) == [FIRST, SECOND]


def test_what_a_subagent_does_is_done_at_the_request_of_its_session(tmp_path: Path) -> None:
    before, parent, child = Day(PRICES, 0), Day(WRONG, 1), Day(WRONG, 1)
    before.user("Round the prices")
    before.touch("Edit", "src/pricing.py")
    parent.user("Prices are wrong")
    parent.calls("Task", {"prompt": "Look.", "description": "look", "subagent_type": "Explore"}, "t9")
    child.prefix, child.count = "c", parent.count
    child.user("Look.", isSidechain=True, agentId="a1")
    edit = {"file_path": f"{SHOP}/src/own.py", "old_string": "a", "new_string": "b"}
    read = {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": f"{SHOP}/src/pricing.py"}}
    calls = [{"type": "tool_use", "id": "t1", "name": "Edit", "input": edit}, read]
    child.assistant(calls, isSidechain=True, agentId="a1")
    parent.count = child.count
    parent.result("in pricing.py", "t9", toolUseResult={"agentId": "a1", "status": "completed"})
    parent.count += 60
    parent.user("Go on")
    parent.touch("Read", "src/own.py")
    folder = tmp_path / "source"
    before.write(folder)
    parent.write(folder)
    child.write(folder, f"{WRONG}/subagents/agent-a1.jsonl")
    update(tmp_path / "data", folder)
    assert moments(tmp_path / "data") == [
        Moment(WRONG, 1, at(1), SHOP, "Prices are wrong", "src/pricing.py", 1, frozenset({PRICES}), 1)
    ]


@pytest.mark.parametrize(
    ("request_", "query"),
    [
        ("Fix\n\n  the prices ", "Fix the prices"),
        ("word " * 100, ("word " * 60).strip()),
        (f"{'a' * 299} b", "a" * 299),
        (f"{'a' * 300} b", "a" * 300),
        ("a" * 301, "a" * 300),
    ],
)
def test_a_query_is_the_request_on_one_line_cut_after_a_word(request_: str, query: str) -> None:
    assert replace(FIRST, request=request_).query == query


def test_moments_are_chosen_of_each_project_in_turn_and_there_of_each_session() -> None:
    def made(root: str, session: str, turn: int) -> Moment:
        return replace(FIRST, root=root, session=session, turn=turn)

    found = [made("/a", "s1", turn) for turn in range(1, 5)] + [made("/a", "s2", 1), made("/b", "s3", 1)]
    picked = chosen(found, 3)
    assert sorted(one.root for one in picked[:2]) == ["/a", "/b"]
    assert {one.session for one in picked} == {"s1", "s2", "s3"}
    assert chosen(found[::-1], 3) == picked
    assert sorted(chosen(found, 9), key=found.index) == found


def test_the_question_leaves_out_the_future_and_the_own_session() -> None:
    query = "before:2026-11-03T09:00 An invoice rounds the prices the wrong way"
    assert asking(FIRST) == {"query": query, "project": SHOP, "my_session": WRONG}
    assert asking(FIRST, "all")["project"] == "all"


def test_every_way_is_asked_at_every_moment_and_none_sees_the_future(data: Path) -> None:
    found, asked = run(data)
    assert found == [FIRST, SECOND]
    outcomes = {way: {one.moment.session: (one.rank, one.results) for one in asked if one.way == way} for way in WAYS}
    assert outcomes == {
        "mem-search": {WRONG: (2, 2), LATER: (1, 5)},
        "mem-search, words only": {WRONG: (2, 2), LATER: (1, 5)},
        "mem-search, all projects": {WRONG: (2, 3), LATER: (1, 6)},
        "hook of the file": {WRONG: (1, 1), LATER: (1, 3)},
        "hook of the prompt": {WRONG: (None, 0), LATER: (1, 3)},
    }
    assert [one.tokens > 0 for one in asked] == [one.results > 0 for one in asked]
    assert [replace(row, tokens=0.0, tokens_p95=0) for row in rows(asked)] == [
        Row("mem-search", 2, 1.0, 0.75, 0.0, 0.0, 0),
        Row("mem-search, words only", 2, 1.0, 0.75, 0.0, 0.0, 0),
        Row("mem-search, all projects", 2, 1.0, 0.75, 0.0, 0.0, 0),
        Row("hook of the file", 2, 1.0, 1.0, 0.0, 0.0, 0),
        Row("hook of the prompt", 2, 0.5, 0.5, 0.5, 0.0, 0),
    ]


def test_without_its_time_a_question_would_be_answered_by_what_came_later(data: Path) -> None:
    given = asking(FIRST)
    timeless = {**given, "query": given["query"].partition(" ")[2]}
    toolbox = Toolbox(data)
    assert LATER in cited(toolbox.call("mem-search", timeless)).sessions
    assert cited(toolbox.call("mem-search", given)).sessions == (PRICES, INVOICES)


def test_the_halves_share_the_moments_out(data: Path) -> None:
    halves = {half: [one.moment for one in run(data, half)[1] if one.way == WAYS[0]] for half in ("tune", "report")}
    assert halves == {half: [one for one in (FIRST, SECOND) if half_of(one.session) == half] for half in halves}


def test_the_sessions_of_an_answer_are_those_of_its_headings() -> None:
    text = "Found 2 turn(s) in transcripts:\n\n## Turn: s1:12\na title\n> ## Turn: s9:1\n---\n## Turn: s2:3\n---"
    assert cited(ToolAnswer(text, ("mem-show reads a turn.",))) == Told(("s1", "s2"), -(-(len(text) + 22) // 4))
    assert cited(ToolAnswer("Found 1 session summary(ies):\n\n## Session: s3\nAsked: x\n---")).sessions == ("s3",)
    assert cited(ToolAnswer("## [DECISION] A\n\nb\n\n*Session: s4 | 2026-11-01T09:00:00Z*\n---")).sessions == ("s4",)
    assert cited(ToolAnswer("No matching observations or session summaries found.")) == Told((), 0)
    with pytest.raises(ValueError, match="Search error: x"):
        cited(ToolAnswer("Search error: x", failed=True))


def test_figures_are_shares_means_and_the_nearest_rank() -> None:
    def made(rank: int | None, results: int, tokens: int) -> Outcome:
        return Outcome("mem-search", FIRST, rank, results, tokens)

    found = [made(1, 5, 100), made(6, 8, 300), made(None, 2, 200), made(None, 0, 0)]
    assert rows(found) == [Row("mem-search", 4, 0.25, (1 + 1 / 6) / 4, 0.25, 150.0, 300)]
    assert rows([]) == []


def test_the_table_has_a_line_a_way() -> None:
    found = [Row("mem-search", 6, 0.5, 0.3333, 0.0, 540.0, 1553), Row("hook of the prompt", 6, 0.0, 0.0, 1.0, 0.0, 0)]
    assert table(found).splitlines() == [
        "way                        asked   hit@5     MRR  silent  tokens    p95",
        "mem-search                     6    0.50   0.333    0.00     540   1553",
        "hook of the prompt             6    0.00   0.000    1.00       0      0",
    ]


def test_the_summary_says_how_many_moments_there_are_and_how_easy_they_are() -> None:
    assert summary([FIRST, SECOND], [SECOND]).splitlines() == [
        "2 moments (3 files) in the index; asked: 1, of 1 sessions of 1 projects.",
        "Earlier sessions of the project at a moment: 3 to 3, median 3.",
    ]
    assert summary([], []) == "0 moments (0 files) in the index; asked: 0, of 0 sessions of 0 projects."


def test_each_moment_has_a_line_of_ranks() -> None:
    found = [
        Outcome(way, FIRST, rank, results, 1) for way, rank, results in (("a", 2, 3), ("b", None, 3), ("c", None, 0))
    ]
    assert each(found) == f"   2   -   .  {WRONG}:2  src/invoice.py"


def test_an_index_without_moments_has_no_table(tmp_path: Path) -> None:
    script = Day(PRICES, 0)
    script.user("Round the prices")
    script.touch("Edit", "src/pricing.py")
    update(tmp_path / "data", script.write(tmp_path))
    assert run(tmp_path / "data") == ([], [])
    assert list(ways(tmp_path / "data")) == WAYS
