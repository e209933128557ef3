"""Queries to hits, over real transcripts, the real store and the real keyword index."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.model import Hit, Passage, Span
from memtui_core.queries.current_project import CurrentProject
from memtui_core.search.fusion import path_weight
from memtui_core.search.hits import group_hits
from memtui_core.search.query_parser import parse
from support.indexes import build, update
from support.transcripts import SESSION, START, Script

OTHER = "22222222-2222-4222-8222-222222222222"


def edits(script: Script, *paths: str) -> None:
    """A prompt after which files are edited."""
    script.user(f"change {len(paths)}")
    for number, path in enumerate(paths):
        script.calls("Edit", {"file_path": f"{script.cwd}/{path}", "old_string": "a", "new_string": "b"}, f"t{number}")
        script.result("done", f"t{number}")


def found(index: Index, query: str, limit: int = 10) -> list[tuple[str, int]]:
    """Session and turn of every hit."""
    return [(hit.session_id[:2], hit.turn) for hit in index.search(query, limit).hits]


@pytest.fixture(scope="module")
def two_projects(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A shop whose retries are edited and talked about, and a blog that mentions them."""
    shop, blog = Script(), Script(OTHER, "/home/ana/code/blog", "f")
    shop.user("Why does the upload retry forever?")
    shop.says("The backoff has no limit.")
    edits(shop, "src/upload.py")
    blog.user("Write a post about retry loops in @src/upload.py")
    blog.says("Here is a draft.")
    tmp_path = tmp_path_factory.mktemp("projects")
    return build(tmp_path / "data", shop.write(tmp_path / "src/a"), blog.write(tmp_path / "src/b"))


def test_a_hit_says_everything_that_a_list_of_hits_shows(two_projects: Index) -> None:
    result = two_projects.search("backoff")
    [hit] = result.hits
    assert hit == Hit(
        turn_id=hit.turn_id, session=hit.session, session_id=SESSION, agent="claude-code", project="shop",
        title="Why does the upload retry forever?", turn=1, line=0, role="turn", started_at=START,
        snippet="The backoff has no limit.", spans=(Span(4, 11),), why=("words: backoff",), score=hit.score, path=None,
        group=hit.session, passages=(Passage(1, 0, 25, "assistant", "The backoff has no limit."),),
    )  # fmt: skip
    assert (result.more, result.note, result.words, result.prefix) == (False, "", ("backoff",), False)


@pytest.mark.parametrize(
    ("query", "live", "words", "prefix"),
    [
        ("why does the upload", False, ("upload",), False),
        ("why does the uplo", True, ("uplo",), True),
        ("why does the uplo ", True, ("uplo",), False),
        ("upload to", True, ("upload",), False),
        ('uplo "the draft" -post', True, ("the draft", "uplo"), False),
        ("to be", False, ("to", "be"), False),
        ("retry in:title", False, (), False),
        ("retr in:title", True, (), False),
        ("project:shop", True, (), False),
    ],
)
def test_the_words_to_mark_are_those_that_say_something(
    two_projects: Index, query: str, live: bool, words: tuple[str, ...], prefix: bool
) -> None:
    result = two_projects.search(query, live=live)
    assert (result.words, result.prefix) == (words, prefix)


def test_a_beginning_that_is_typed_is_marked_in_the_snippet(two_projects: Index) -> None:
    [hit] = two_projects.search("the backo", live=True).hits
    assert [hit.snippet[span.start : span.end] for span in hit.spans] == ["backoff"]
    assert hit.why == ("words: backo",)


def test_a_turn_that_edited_the_file_stands_before_one_that_names_it(two_projects: Index) -> None:
    hits = two_projects.search("src/upload.py").hits
    assert [(hit.session_id[:2], hit.turn, hit.why[0], hit.path) for hit in hits] == [
        ("11", 2, "edited src/upload.py", "src/upload.py"),
        ("22", 1, "mentioned src/upload.py", "src/upload.py"),
    ]
    # The call says the file's name too, which is no news beside the path; the words of the name stand there as well.
    assert hits[0].passages[0].source == "tool call"
    assert hits[0].snippet == "Edit /home/ana/code/shop/src/upload.py a b"
    assert (hits[1].passages[0].source, hits[1].snippet) == ("user", "Write a post about retry loops in @src/upload.py")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("retry", [("22", 1), ("11", 1)]),
        ("retry project:shop", [("11", 1)]),
        ("retry session:2222", [("22", 1)]),
        ("retry agent:codex", []),
        ("retry agent:claude-code project:blog", [("22", 1)]),
        ("file:upload.py", [("11", 2), ("22", 1)]),
        ("file:upload.py project:blog", [("22", 1)]),
        ("project:shop", [("11", 1), ("11", 2)]),
        ("nothing of the kind here", []),
    ],
)
def test_filters_narrow_the_hits(two_projects: Index, query: str, expected: list[tuple[str, int]]) -> None:
    assert sorted(found(two_projects, query)) == sorted(expected)


def test_what_was_done_in_the_own_folder_stands_before_what_is_as_good(tmp_path: Path) -> None:
    shop, blog = Script(), Script(OTHER, "/home/ana/code/blog", "f")
    for script in (shop, blog):
        script.user("why does the upload fail?")
    index = build(tmp_path / "data", shop.write(tmp_path / "src/a"), blog.write(tmp_path / "src/b"))
    for here, first in [("/home/ana/code/shop", "11"), ("/home/ana/code/blog/src", "22")]:
        assert index.search("upload", current_folder=here).hits[0].session_id[:2] == first
    assert len({hit.score for hit in index.search("upload", current_folder="/home/ana/code/shop2").hits}) == 1


def test_sessions_that_began_with_the_same_long_prompt_are_one_group(tmp_path: Path) -> None:
    ids = [f"{number}{OTHER[1:]}" for number in range(3, 7)]
    prompts = ["Review the upload of each file. " * 8] * 2 + ["Review the upload."] * 2
    paths = []
    for number, (session_id, prompt) in enumerate(zip(ids, prompts, strict=True)):
        script = Script(session_id, prefix=f"p{number}-")
        script.user(prompt)
        script.user("upload it")
        paths.append(script.write(tmp_path / "src"))
    hits = build(tmp_path / "data", *paths).search("upload").hits
    groups = group_hits(hits)
    assert sorted(len({hit.session for hit in (group.best, *group.others)}) for group in groups) == [1, 1, 2]
    assert sorted([hit for group in groups for hit in (group.best, *group.others)], key=hits.index) == list(hits)
    assert [group.best for group in groups] == sorted((group.best for group in groups), key=hits.index)


def test_a_limit_of_groups_leaves_the_best_groups_with_all_their_hits(tmp_path: Path) -> None:
    paths = []
    for number in range(4):
        script = Script(f"{number}{OTHER[1:]}", prefix=f"p{number}-")
        for turn in range(9):
            script.user(f"upload {turn}" + " it" * number)
        paths.append(script.write(tmp_path / "src"))
    index = build(tmp_path / "data", *paths)
    whole = index.search("upload", 100)
    best = group_hits(whole.hits)[:3]
    result = index.search("upload", 3, grouped=True)
    assert [(group.best, len(group.others)) for group in group_hits(result.hits)] == [
        (group.best, len(group.others)) for group in best
    ]
    assert [hit for hit in result.hits if hit.snippet] == [group.best for group in best]
    assert (result.more, index.search("upload", 4, grouped=True).more) == (True, False)
    first = index.search("upload", 10, passages=4).hits
    assert [hit.turn for hit in first] == [hit.turn for hit in whole.hits[:10]]
    assert [bool(hit.snippet) for hit in first] == [True] * 4 + [False] * 6


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Turns that edit files, and one that does not."""
    tmp_path, script = tmp_path_factory.mktemp("edited"), Script()
    edits(script, "tui/memtui/app.py")
    script.user("something else")
    edits(script, "src/a.py")
    edits(script, "src/b.py")
    edits(script, "src/a.py", "src/b.py")
    edits(script, ".github/workflows/ci.yml")
    return build(tmp_path / "data", script.write(tmp_path / "src"))


@pytest.mark.spec("S4.12")
def test_more_of_the_files_asked_for_stand_first(edited: Index) -> None:
    assert found(edited, "src/a.py src/b.py")[0] == ("11", 5)
    assert sorted(found(edited, "src/a.py src/b.py")) == [("11", 3), ("11", 4), ("11", 5)]
    assert sorted(found(edited, "file:a.py")) == [("11", 3), ("11", 5)]
    assert found(edited, "file:z.py") == []


@pytest.mark.spec("S0.20")
def test_a_path_finds_the_turn_that_edited_it(edited: Index) -> None:
    for query in ("ci.yml", "workflows/ci.yml", "file:ci.yml"):
        assert found(edited, query) == [("11", 6)]


@pytest.mark.parametrize("query", ["tuiapp", "file:tuiapp", "memtui/ap.py", "file:tui/memtoi/app.py", "app.py"])
def test_half_a_path_and_a_mistyped_one_find_the_file(edited: Index, query: str) -> None:
    hits = edited.search(query).hits
    assert [(hit.turn, hit.why[0]) for hit in hits] == [(1, "edited tui/memtui/app.py")]


@pytest.fixture(scope="module")
def two_ends(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A turn that edits two files, of which the name of one is the end of the name of the other."""
    tmp_path, script = tmp_path_factory.mktemp("ends"), Script()
    edits(script, "crates/lib/src/ingest.rs", "crates/lib/src/myingest.rs")
    return build(tmp_path / "data", script.write(tmp_path / "src"))


@pytest.mark.spec("S4.16")
@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("ingest.rs", 1),
        ("src/ingest.rs", 1),
        ("lib/src/ingest.rs", 1),
        ("/home/ana/code/shop/crates/lib/src/ingest.rs", 1),
        ("INGEST.rs", 1),
        ("file:est.rs", 0),
    ],
)
def test_a_path_matches_at_the_boundary_of_a_component(two_ends: Index, query: str, hits: int) -> None:
    result = two_ends.search(query)
    assert [hit.path for hit in result.hits] == ["crates/lib/src/ingest.rs"] * hits
    assert result.note == ""


@pytest.mark.spec("S4.16")
@pytest.mark.parametrize("path", ["b/src/ingest.rs", "/home/ana/code/other/crates/lib/src/ingest.rs"])
def test_half_a_component_and_another_project_are_not_that_path(two_ends: Index, path: str) -> None:
    assert two_ends.search(f"file:{path}").note == f"No session touched {path}; shown: crates/lib/src/ingest.rs"
    assert found(two_ends, f"-file:{path} project:shop") == [("11", 1)]


@pytest.mark.spec("S4.20")
def test_a_filter_comes_before_the_limit(tmp_path: Path) -> None:
    near, far = Script(), Script(OTHER, "/home/ana/code/blog", "f")
    for _ in range(50):
        near.user("upload upload upload in src/upload.py")
        near.says("upload")
    far.user("one word about an upload, and much about other things, in src/upload.py")
    index = build(tmp_path / "data", near.write(tmp_path / "src/a"), far.write(tmp_path / "src/b"))
    assert found(index, "upload project:blog", 3) == [("22", 1)]
    assert found(index, "src/upload.py session:22", 3) == [("22", 1)]
    result = index.search("upload", 3)
    assert (len(result.hits), result.more) == (3, True)


def test_a_turn_that_the_snapshot_does_not_know_is_no_hit(tmp_path: Path) -> None:
    """The keyword index is committed before the snapshot is published."""
    script = Script()
    script.user("an old upload")
    path = script.write(tmp_path / "src")
    index = build(tmp_path / "data", path)
    script.user("a new upload")
    script.write(tmp_path / "src")
    update(tmp_path / "data", path)
    index.snapshot.forget_cached()
    assert found(index, "upload") == [("11", 1)]
    assert index.refresh()
    assert sorted(found(index, "upload")) == [("11", 1), ("11", 2)]


def test_the_files_of_an_older_snapshot_are_closed_without_the_garbage_collector(tmp_path: Path) -> None:
    """A reader that stays open gets a snapshot a second while sessions grow."""
    script = Script()
    script.user("an old upload")
    path = script.write(tmp_path / "src")
    index = build(tmp_path / "data", path)
    assert found(index, "upload") == [("11", 1)]
    assert [session.title for session in index.sessions.all()] == ["an old upload"]
    older = weakref.ref(index.snapshot)
    script.user("a new upload")
    script.write(tmp_path / "src")
    update(tmp_path / "data", path)
    gc.disable()
    try:
        assert index.refresh()
        assert older() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("src/a.py", 1.0),
        ("src/a.py slow", 1.0),
        ("why is src/a.py slow", 2 / 4),
        ('"slow start" in src/a.py here', 2 / 4),
    ],
)
def test_a_path_counts_less_the_more_is_said_beside_it(text: str, share: float) -> None:
    assert path_weight(parse(text)) == share


def test_the_current_project_is_the_innermost_one_of_a_folder(tmp_path: Path) -> None:
    for number, folder in enumerate(("/home/ana/work", "/home/ana/work/shop", "/home/ana/work/shop/web"), 1):
        script = Script(f"{number}1111111-1111-4111-8111-111111111111", cwd=folder, prefix=str(number))
        script.user("Start")
        script.write(tmp_path / "src")
    index = build(tmp_path / "data", tmp_path / "src")
    roots = {
        folder: index.sessions.project_at(f"/home/ana/work/{folder}")
        for folder in ("notes", "shop/src", "shop/web/css")
    }
    assert roots == {
        "notes": CurrentProject("/home/ana/work/notes", "/home/ana/work"),
        "shop/src": CurrentProject("/home/ana/work/shop/src", "/home/ana/work/shop"),
        "shop/web/css": CurrentProject("/home/ana/work/shop/web/css", "/home/ana/work/shop/web"),
    }
