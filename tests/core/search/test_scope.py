"""Filters over real transcripts: what each leaves, alone and beside words."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.index.vectors import uses_vectors
from memtui_core.model import ENGINES
from memtui_core.search.filters.filter import FilterContext
from memtui_core.search.filters.registry import filters_by_name
from memtui_core.search.query_parser import parse, resolve_scope
from support.indexes import build, embed, update
from support.transcripts import DAY, Script

OTHER = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"
PR = {"type": "pr-link", "prNumber": 14, "prUrl": "https://example.org/ana/shop/pull/14", "prRepository": "ana/shop"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Turns 1 to 5 of a shop, the last one a day later, and one turn of a blog.

    Opus answered turns 1 to 3, Haiku the last one, and both of them the second; nobody answered the compaction and the
    blog.
    """
    folder = tmp_path_factory.mktemp("scope")
    shop, blog = Script(), Script(OTHER, "/home/ana/code/blog", "f")
    shop.user("the first retry")
    shop.thinks("a retry needs a key")
    shop.says("Done.")
    shop.raw({**PR, "sessionId": shop.session_id, "timestamp": "2026-11-01T09:00:30Z"})
    shop.user("edit it")
    shop.calls("Edit", {"file_path": "/home/ana/code/shop/src/upload.py", "old_string": "a", "new_string": "b"}, "t1")
    shop.result("done", "t1")
    shop.model = "Claude-Haiku-4-5"
    shop.calls("Bash", {"command": "make"}, "t3")
    shop.result("the retry failed", "t3", error=True)
    shop.model = "claude-opus-4-5"
    shop.user("search the tickets")
    shop.calls("mcp__tickets__find", {"about": "retry"}, "t2")
    shop.result("none", "t2")
    shop.compacts("They retry with a key.")
    shop.count += 8640
    shop.user("one more retry")
    shop.model = "Claude-Haiku-4-5"
    shop.says("Fine.")
    blog.user("a post on retry")
    return build(folder / "data", shop.write(folder / "src/a"), blog.write(folder / "src/b"))


def found(index: Index, query: str) -> list[tuple[str, int]]:
    """Session and turn of every hit."""
    return sorted((hit.session_id[:1], hit.turn) for hit in index.search(query).hits)


SHOP = [("1", turn) for turn in range(1, 6)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("project:shop", SHOP),
        ("-project:shop", [("2", 1)]),
        ("project:/home/ana/code/Shop/", SHOP),
        ("project:/home/ana/code/sho", []),
        ("project:/shop", []),
        ("project:shop project:blog", [*SHOP, ("2", 1)]),
        ("session:2222", [("2", 1)]),
        ("agent:claude project:blog", [("2", 1)]),
        ("branch:ai branch:no", [*SHOP, ("2", 1)]),
        ("pr:14", SHOP),
        ("pr:#14 retry in:user", [("1", 1), ("1", 5)]),
        ("pr:15", []),
        ("model:opus", [("1", 1), ("1", 2), ("1", 3)]),
        ("model:HAIKU", [("1", 2), ("1", 5)]),
        ("model:opus model:haiku", [("1", 1), ("1", 2), ("1", 3), ("1", 5)]),
        ("retry in:user model:haiku", [("1", 5)]),
        ("-model:haiku", [("1", 1), ("1", 3), ("1", 4), ("2", 1)]),
        ("model:opus -model:haiku", [("1", 1), ("1", 3)]),
        ("model:sonnet", []),
        ("-model:sonnet project:shop", SHOP),
        ("model:claude_opus", []),
        ("model:5claude", []),
        ("model:=claude-opus-4-5", [("1", 1), ("1", 3)]),
        ('model:"=claude-opus-4-5 + claude-haiku-4-5"', [("1", 2)]),
        ("model:=claude-haiku-4-5 model:=opus", [("1", 5)]),
        ("-model:=claude-opus-4-5 project:shop", [("1", 2), ("1", 4), ("1", 5)]),
        ("tool:=EDIT", [("1", 2)]),
        ("tool:=ed", []),
        ("tool:=find", []),
        ("branch:=main", [*SHOP, ("2", 1)]),
        ("branch:=ai", []),
        ("agent:=claude-code project:blog", [("2", 1)]),
        ("agent:=claude", []),
        ("tool:edit", [("1", 2)]),
        ("tool:find", [("1", 3)]),
        ("tool:mcp__tickets", [("1", 3)]),
        ("-tool:edit -tool:find project:shop", [("1", 1), ("1", 4), ("1", 5)]),
        ("retry in:user", [("1", 1), ("1", 5), ("2", 1)]),
        ("retry in:thinking", [("1", 1)]),
        ("retry in:tool", [("1", 2), ("1", 3)]),
        ("retry in:thinking in:tool", [("1", 1), ("1", 2), ("1", 3)]),
        ("in:thinking", [("1", 1)]),
        ("in:tool", [("1", 2), ("1", 3)]),
        ("role:compaction_summary", [("1", 4)]),
        ("is:compaction", [("1", 4)]),
        ("is:comp", [("1", 4)]),
        ("-is:compaction key", [("1", 1)]),
        ("role:turn project:shop", [("1", 1), ("1", 2), ("1", 3), ("1", 5)]),
        ("is:subagent", []),
        ("is:main is:fork", []),
        ("is:main is:compaction", [("1", 4)]),
        ("has:error", [("1", 2)]),
        ("has:tool", [("1", 2), ("1", 3)]),
        ("has:tool has:error", [("1", 2)]),
        ("has:err has:ed", [("1", 2)]),
        ("has:error has:thinking", []),
        ("has:tool has:nothing", [("1", 2), ("1", 3)]),
        ("-has:error -has:thinking project:shop", [("1", 3), ("1", 4), ("1", 5)]),
        ("role:compaction_summary role:human project:shop", SHOP),
        ("tool:edit tool:find", [("1", 2), ("1", 3)]),
        ("has:edit", [("1", 2)]),
        ("has:thinking", [("1", 1)]),
        ("has:pr", SHOP),
        ("has:image", []),
        ("after:2026-11-02", [("1", 5)]),
        ("before:2026-11-02 project:shop", SHOP[:4]),
        ("after:2026-11-01 before:2026-11-02 retry in:user", [("1", 1), ("2", 1)]),
        ("after:2030", []),
        ("file:upload.py", [("1", 2)]),
        ("file:uplaod.py", [("1", 2)]),
        ("file:src/", [("1", 2)]),
        ("file:*.py", [("1", 2)]),
        ("file:*.rs", []),
        ("-file:upload.py project:shop", [("1", 1), ("1", 3), ("1", 4), ("1", 5)]),
        ("-file:uplaod.py project:shop", SHOP),
        ("file:upload.py first", []),
        ("file:upload.py failed", [("1", 2)]),
        ("project:shop -retry", []),
        ("-retry", []),
        ("project:shop -first", [("1", 2), ("1", 3), ("1", 4), ("1", 5)]),
    ],
)
def test_each_filter_leaves_what_it_says(index: Index, query: str, expected: list[tuple[str, int]]) -> None:
    assert found(index, query) == expected


@pytest.mark.spec("S0.22")
def test_thinking_is_found_as_thinking_and_what_was_said_as_said(index: Index) -> None:
    queries = ("needs", "needs in:thinking", "needs in:assistant", "fine", "fine in:assistant", "fine in:thinking")
    thought, said = [("1", 1)], [("1", 5)]
    assert [found(index, query) for query in queries] == [thought, thought, [], said, said, []]


@pytest.mark.spec("S2.14")
def test_a_pull_request_finds_its_sessions_and_turns(index: Index) -> None:
    assert found(index, "pr:14") == SHOP
    assert [(link.session_id[:1], link.url) for link in index.pull_requests.links(14)] == [("1", PR["prUrl"])]


@pytest.mark.spec("S2.10")
def test_a_hit_says_its_role(index: Index) -> None:
    roles = {(hit.session_id[:1], hit.turn): hit.role for hit in index.search("retry key").hits}
    assert roles == {
        ("1", 1): "turn",
        ("1", 4): "compaction_summary",
        ("1", 5): "turn",
        ("1", 2): "turn",
        ("1", 3): "turn",
        ("2", 1): "turn",
    }


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """One text as the summary of a compaction, a day later as what a person typed, and a day later as a summary."""
    folder = tmp_path_factory.mktemp("twins")
    summary, typed, newer = Script(), Script(OTHER, prefix="f"), Script(THIRD, prefix="g")
    typed.count, newer.count = DAY, 2 * DAY
    for script in (summary, typed, newer):
        script.user("begin")
        script.says("Begun.")
    for script in (summary, newer):
        script.compacts("The ledger was drained by retry_upload before midnight.")
    # With a space before it, the same text is a person's.
    typed.user(" " + orjson.loads(summary.lines[-1])["message"]["content"])
    for script in (summary, typed, newer):
        script.says("I will go on.")
    data = folder / "data"
    update(data, *(script.write(folder / "src" / script.prefix) for script in (summary, typed, newer)))
    embed(data)
    index = Index.open(data)
    assert index.vectors.load_model()
    return index


@pytest.mark.spec("S2.11")
@pytest.mark.parametrize(
    ("engines", "query"),
    [
        (("lexicon",), "drained ledger"),
        (("lexicon",), '"ledger was drained"'),
        (("lexicon",), "retryUpload"),
        (("lexicon",), "ledg"),
        (("meaning",), "the ledger was empty by midnight"),
        (ENGINES, "which ledger was empty by midnight"),
    ],
)
def test_the_same_text_scores_the_same_with_either_role_and_the_newer_comes_first(
    twins: Index, engines: tuple[str, ...], query: str
) -> None:
    hits = [hit for hit in twins.search(query, live=True, engines=engines).hits if hit.turn == 2]
    assert [(hit.session_id[:1], hit.role) for hit in hits] == [
        ("3", "compaction_summary"),
        ("2", "turn"),
        ("1", "compaction_summary"),
    ]
    assert {hit.score for hit in hits} == {hits[0].score}
    assert hits[0].score > 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("drained in:user", [("2", 2)]),
        ("drain in:user", [("2", 2)]),
        ("upload in:user", [("2", 2)]),
        ("drained role:compaction_summary", [("1", 2), ("3", 2)]),
        ("in:user", [("1", 1), ("2", 1), ("2", 2), ("3", 1)]),
        ("-in:user", [("1", 2), ("3", 2)]),
        ("go in:assistant", [("1", 2), ("2", 2), ("3", 2)]),
    ],
)
def test_a_summary_is_not_what_a_person_said(twins: Index, query: str, expected: list[tuple[str, int]]) -> None:
    assert found(twins, query) == expected


def test_filters_alone_list_the_newest_turns_first(index: Index) -> None:
    hits = index.search("project:shop").hits
    assert [hit.turn for hit in hits] == [5, 4, 3, 2, 1]
    assert (hits[0].snippet, hits[0].why) == ("one more retry", ())


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("retry", ""),
        ("projct:shop", "projct: is not a filter, searched as text"),
        ("std::vector http://x a:b make:12 main.rs:3", ""),
        (
            "is:nothing",
            "is:nothing is not one of compaction, subagent, main, fork, command, live, running, waiting, failed,"
            " pinned, decision, archived",
        ),
        ("in:nothing", "in:nothing is not one of user, assistant, thinking, tool, note, title"),
        ("retry -in:nothing", "in:nothing is not one of user, assistant, thinking, tool, note, title"),
        ("pr:x -pr:x pr:y", "pr:x is not a number; pr:y is not a number"),
        ("after:soon", "after:soon is not a valid time, such as 3d, yesterday or 2026-11-20"),
        ("pr:x", "pr:x is not a number"),
        ("file:uplaod.py", "No session touched uplaod.py; shown: src/upload.py"),
        ("file:nothing.like.it", ""),
    ],
)
def test_what_is_not_applied_is_said(index: Index, query: str, note: str) -> None:
    assert index.search(query).note == note


def test_what_is_not_applied_leaves_the_rest(index: Index) -> None:
    assert found(index, "retry after:soon in:user") == found(index, "retry in:user")


@pytest.mark.spec("S3.7")
@given(
    st.sampled_from(list(filters_by_name())),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12),
    st.booleans(),
)
def test_no_value_of_a_filter_raises(index: Index, name: str, value: str, words: bool) -> None:
    result = index.search(f"{name}:{value}{' retry' if words else ''}")
    assert len(result.hits) <= 6


def test_a_filter_is_on_the_session_alone_if_its_conditions_name_no_column_of_a_turn() -> None:
    """Such a condition is also asked of sessions without their turns, where a column of `t` would be an error."""
    context = FilterContext(datetime(2026, 11, 20, tzinfo=UTC))
    filters = filters_by_name().values()
    conditions = {
        one.name: " ".join([one.whole_value, *(one.turn_condition(value, context).sql for value in one.examples)])
        for one in filters
    }
    without_turns = {name for name, sql in conditions.items() if not re.search(r"\bt\.", sql)}
    assert without_turns == {one.name for one in filters if one.on_session}
    assert without_turns == {"project", "agent", "machine", "session", "branch", "pr"}


def test_a_value_of_in_that_is_ignored_leaves_the_search_by_meaning() -> None:
    queries = ("why retry", "why retry in:user", "why retry in:nothing", '"retry"')
    assert [uses_vectors(query) for query in queries] == [True, False, True, False]


def test_a_day_begins_where_the_person_is() -> None:
    now = datetime.fromisoformat("2026-11-21T10:00:00+09:00")
    scope = resolve_scope(parse("after:today"), FilterContext(now))
    assert scope.where == "t.started_at >= ?"
    assert scope.parameters == (datetime(2026, 11, 20, 15, 0),)


def test_words_of_titles_are_not_marked_in_what_was_said(index: Index) -> None:
    assert index.search("in:title upload").words == ()
    assert index.search("in:user upload").words == ("upload",)
