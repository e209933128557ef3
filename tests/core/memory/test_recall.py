"""What an agent is reminded of, over real transcripts with the real model."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from memtui_core.errors import ModelUnavailable
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.memory.recall.file_reminders import SnapshotConnection, recent_files, turns_of_file
from memtui_core.memory.recall.similar_turns import FILE_DISTANCE, RecallScope, as_context, citation, search_context
from memtui_core.queries.current_project import CurrentProject, project_at
from memtui_core.search.embed import open_model, split
from memtui_core.system.startup.numeric import Vector
from support.indexes import build
from support.publishing import bring_up_to_date
from support.shop_and_blog import BLOG_SESSION, ROOT, edit, shop_and_blog
from support.transcripts import OTHER_SESSION, SESSION, Script


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Two sessions of a shop and one of a blog, with vectors."""
    folder = tmp_path_factory.mktemp("recall")
    return with_vectors(folder / "data", *shop_and_blog(folder / "src"))


def with_vectors(data: Path, *sources: Path) -> Index:
    """The index of some files or folders, read one after another, with the model loaded."""
    with Indexer(data) as indexer:
        for source in sources[:-1]:
            bring_up_to_date(indexer, source)
        bring_up_to_date(indexer, sources[-1], open_model())
    opened = Index.open(data)
    assert opened.vectors.load_model()
    return opened


def places(index: Index, prompt: str, asker: RecallScope | None = None, limit: int = 5) -> list[tuple[str, int]]:
    """First digit of the session and turn of every memory."""
    return [
        (memory.session_id[0], memory.turn) for memory in index.recall.for_prompt(prompt, limit, asker or RecallScope())
    ]


@pytest.mark.spec("S4.13")
def test_what_the_asker_has_before_it_is_no_memory(index: Index) -> None:
    prompt = "why does the upload of pictures fail on slow networks"
    assert places(index, prompt) == [("3", 1), ("1", 1)]
    assert places(index, prompt, RecallScope(SESSION)) == [("3", 1)]
    line = index.recall.for_prompt(prompt, 5, RecallScope(BLOG_SESSION))[0].line
    assert sorted(places(index, prompt, RecallScope(SESSION, boundary=line))) == [("1", 1), ("3", 1)]
    assert places(index, "src/theme.py", RecallScope(SESSION, boundary=line)) == [("2", 1)]


def at_distance(vector: Vector, distance: float) -> Vector:
    """A vector of length 1 at a cosine distance from another."""
    import numpy as np

    aside = np.zeros_like(vector)
    aside[int(np.argmin(np.abs(vector)))] = 1.0
    aside -= vector * float(aside @ vector)
    aside /= float(np.linalg.norm(aside))
    cosine = 1.0 - distance
    turned: Vector = (vector * cosine + aside * float(np.sqrt(1 - cosine**2))).astype(np.float32)
    return turned


@pytest.fixture(scope="module")
def only_turn(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A session of one turn, which edits a file."""
    folder, script = tmp_path_factory.mktemp("only"), Script()
    script.user("the only turn")
    edit(script, "src/a.py", 1)
    return with_vectors(folder / "data", script.write(folder / "src"))


@pytest.mark.spec("S4.17")
@pytest.mark.parametrize(
    ("distance", "prompt", "expected"),
    [
        (0.20, "about", 0.20),
        (0.20, "about src/a.py", 0.20),
        (0.43, "about src/a.py", 0.40),
        (0.46, "about src/a.py", 0.40),
        (0.45, "about", 0.45),
        (0.4501, "about", None),
        (0.46, "about", None),
    ],
)
def test_a_file_match_is_never_farther_than_its_distance(
    only_turn: Index, distance: float, prompt: str, expected: float | None
) -> None:
    [memory] = only_turn.recall.for_file("src/a.py")
    vector = open_model().embed([memory.text])[0]
    found = search_context(only_turn.snapshot, prompt, 5, RecallScope(), lambda _: at_distance(vector, distance))
    assert [pytest.approx(one.distance, abs=1e-4) for one in found] == ([] if expected is None else [expected])


@pytest.mark.spec("S4.18")
def test_a_turn_is_one_memory_with_its_whole_text_and_the_distance_of_its_best_chunk(tmp_path: Path) -> None:
    topics = ("The invoice for March is late. ", "The upload of pictures fails. ", "Paint the buttons green. ")
    one, two = Script(), Script(OTHER_SESSION, prefix="f")
    one.user(topics[0] * 60)
    one.says(topics[1] * 60 + "\n\n" + topics[2] * 60)
    two.user("The upload of pictures fails.")
    index = with_vectors(tmp_path / "data", one.write(tmp_path / "a"), two.write(tmp_path / "b"))
    model, prompt = open_model(), topics[1] * 30
    first, other = index.recall.for_prompt(prompt)
    assert first.text == f"[User] {topics[0] * 60}\n\n[Assistant] {topics[1] * 60}\n\n{topics[2] * 60}"
    assert (other.session_id, other.text) == (OTHER_SESSION, "[User] The upload of pictures fails.")
    asked = model.embed([prompt])[0]
    distances = [1 - float(asked @ model.embed([chunk])[0]) for chunk in split(first.text, model.tokens(first.text))]
    assert min(distances) < min(distances[0], distances[-1]) - 0.1
    assert first.distance == pytest.approx(min(distances), abs=1e-4)


@pytest.mark.spec("S4.18")
def test_turns_of_many_chunks_leave_room_for_others(tmp_path: Path) -> None:
    script = Script()
    for number in range(2):
        script.user(f"The upload of pictures fails {number}. " * 2500)
    script.user("The upload of pictures fails.")
    index = with_vectors(tmp_path / "data", script.write(tmp_path / "src"))
    assert [memory.turn for memory in index.recall.for_prompt("The upload of pictures fails 1.", 3)] == [3, 2, 1]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Sessions without vectors, each with files of its own: of turns that edit some, and of edits before a read."""
    folder, script = tmp_path_factory.mktemp("plain"), Script()
    for number, paths in enumerate([["a"], ["b"], ["a", "b"], ["a"]], 1):
        script.user(f"turn {number}")
        for path in paths:
            edit(script, f"src/{path}.py", number)
    script.write(folder / "src")
    for turns in (4, 5):
        script = Script(f"{turns}{OTHER_SESSION[1:]}", prefix=f"t{turns}-")
        for number in range(1, turns):
            script.user(f"turn {number}")
            edit(script, f"src/read{turns}.py", number)
        script.user("the last turn")
        script.calls("Read", {"file_path": f"{ROOT}/src/read{turns}.py"}, "read")
        script.write(folder / "src")
    script = Script(f"6{OTHER_SESSION[1:]}", prefix="day-")
    content = "Paint @src/theme.py green"
    script.entry("user", message={"role": "user", "content": content}, timestamp=None)
    script.write(folder / "src")
    script = Script(f"7{OTHER_SESSION[1:]}", prefix="upload-")
    script.user("about the upload")
    edit(script, "src/upload.py", 1)
    script.write(folder / "src")
    return build(folder / "data", folder / "src")


@pytest.mark.spec("S4.19")
def test_more_files_stand_first_then_the_newer(plain: Index) -> None:
    assert [memory.turn for memory in plain.recall.for_prompt("see src/a.py and b.py")] == [3, 4, 2, 1]
    assert [memory.turn for memory in plain.recall.for_prompt("see src/a.py and b.py", 2)] == [3, 4]


SAME = {
    "equal": "Why does the upload of pictures fail on slow networks?",
    "three newer": "Write an invoice for all orders of March",
    "four newer": "Paint the buttons of the dashboard green",
}
"""Prompts that several sessions have, far from each other."""


@pytest.fixture(scope="module")
def same_prompts(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Sessions with the same prompts.

    Of the equal ones, these are indexed one after another: two of one time, then one that is older. Of the others, the
    oldest touched the file too, behind the part of the command that is shown.
    """
    folder, paths = tmp_path_factory.mktemp("same"), []
    for place, at in enumerate((9, 9, 0)):
        script = Script(f"{place}{OTHER_SESSION[1:]}", prefix=f"p{place}-")
        script.count = at
        script.user(SAME["equal"])
        edit(script, "src/a.py", 1)
        paths.append(script.write(folder / "equal"))
    for newer, name in ((3, "three newer"), (4, "four newer")):
        for number in range(newer + 1):
            script = Script(f"{number}{newer}{OTHER_SESSION[2:]}", prefix=f"n{newer}{number}-")
            script.count = 10 * number
            script.user(SAME[name])
            looks = "" if number else f"; cat {ROOT}/src/looked{newer}.py"
            script.calls("Bash", {"command": f"echo {SAME[name]} {SAME[name]}{looks}"})
            script.write(folder / "newer")
    return with_vectors(folder / "data", *paths, folder / "newer")


@pytest.mark.spec("S4.19")
def test_of_equal_ones_the_newer_stands_first_then_the_one_that_was_indexed_first(same_prompts: Index) -> None:
    prompt = SAME["equal"]
    for asked in ("src/a.py", prompt, f"{prompt} See src/a.py."):
        assert [memory.session_id[0] for memory in same_prompts.recall.for_prompt(asked)] == ["0", "1", "2"]
        assert [memory.session_id[0] for memory in same_prompts.recall.for_prompt(asked, 1)] == ["0"]


@pytest.mark.spec("S4.19")
def test_four_times_as_many_files_are_looked_at_as_are_wanted(plain: Index) -> None:
    """An edit is looked at before a later read, and the later of both is the memory."""
    found = {
        turns: [[memory.turn for memory in plain.recall.for_prompt(f"src/read{turns}.py", limit)] for limit in (1, 2)]
        for turns in (4, 5)
    }
    assert found == {4: [[4], [4, 3]], 5: [[4], [5, 4]]}


@pytest.mark.spec("S4.19")
@pytest.mark.parametrize(("newer", "name", "first"), [(3, "three newer", "0"), (4, "four newer", "4")])
def test_four_times_as_many_texts_are_looked_at_as_are_wanted(
    same_prompts: Index, newer: int, name: str, first: str
) -> None:
    [memory] = same_prompts.recall.for_prompt(f"{SAME[name]}, see src/looked{newer}.py", 1)
    assert memory.distance is not None
    assert memory.distance < FILE_DISTANCE
    assert memory.session_id[:2] == f"{first}{newer}"


@pytest.mark.spec("S4.20")
def test_the_filter_holds_before_the_limit(tmp_path: Path) -> None:
    near, far = Script(), Script(OTHER_SESSION, prefix="f")
    for number in range(50):
        near.user(f"the upload of pictures fails {number}")
    far.user("the upload of pictures fails sometimes")
    index = with_vectors(tmp_path / "data", near.write(tmp_path / "src/a"), far.write(tmp_path / "src/b"))
    memories = index.recall.for_prompt("the upload of pictures fails", 3, RecallScope(SESSION))
    assert [(memory.session_id, memory.turn) for memory in memories] == [(OTHER_SESSION, 1)]


@pytest.mark.spec("S4.21")
def test_files_are_looked_for_only_where_the_prompt_names_one(index: Index) -> None:
    broken = Index.open(index.snapshot.data.path)
    assert broken.vectors.load_model()
    # Whoever looks into it now fails.
    broken.snapshot.rows("DROP TABLE IF EXISTS memory.main.file_mentions")
    broken.snapshot.rows("CREATE VIEW memory.main.file_mentions AS SELECT 1 AS nothing")
    assert places(broken, "why does the upload of pictures fail on slow networks") == [("3", 1), ("1", 1)]
    with pytest.raises(duckdb.BinderException):
        places(broken, "why does src/upload.py fail on slow networks")


@pytest.mark.spec("S4.21")
def test_memories_are_counted_and_nothing_is_an_empty_text(index: Index) -> None:
    assert index.recall.for_prompt("qwertz") == []
    assert as_context([]) == ""
    prompt = "Paint the buttons green, as in src/theme.py"
    text = (
        "## Relevant past context\n\n### Memory 1 (distance: {0:.4f})\n"
        f"[{SESSION}:2 · 2026-11-01 · Why does the upload of pictures fail on slow networks?]\n"
        "[User] Paint the buttons green\n\n[Assistant] They are green.\n\n## Painted\n\n"
        f"[Tools] Edit {ROOT}/src/theme.py | Edit {ROOT}/src/upload.py\n\n"
        "### Memory 2 (distance: 0.4000)\n"
        f"[{OTHER_SESSION}:1 · 2026-11-01 · Write an invoice for March]\n"
        f"[User] Write an invoice for March\n\n[Tools] Edit {ROOT}/src/theme.py\n\n[User] ok\n\n"
    )
    memories = index.recall.for_prompt(prompt)
    assert memories[0].distance is not None
    assert memories[0].distance < FILE_DISTANCE
    assert as_context(memories) == text.format(memories[0].distance)
    [memory] = index.recall.for_prompt("what about src/upload.py?")
    assert as_context([memory]) == text.format(0.4).partition("### Memory 2")[0]


@pytest.mark.spec("S4.22")
def test_a_file_calls_to_mind_who_touched_it_without_a_model(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    here = index.sessions.project_at(f"{ROOT}/src")
    assert here == CurrentProject(f"{ROOT}/src", ROOT)
    asker = RecallScope(project=here)

    def fails(_model: object, _texts: object) -> None:
        raise ModelUnavailable("it was asked")

    monkeypatch.setattr(type(open_model()), "embed", fails)
    assert index.vectors.has_model
    with pytest.raises(ModelUnavailable):
        index.recall.for_prompt("what was never asked before", 5, asker)
    memories = index.recall.for_file(f"{ROOT}/src/theme.py", 5, asker)
    assert [(memory.session_id[0], memory.turn, memory.distance) for memory in memories] == [
        ("1", 2, None),
        ("2", 1, None),
    ]
    assert as_context(memories[1:], "Earlier work on this file") == (
        "## Earlier work on this file\n\n### Memory 1\n"
        f"[{OTHER_SESSION}:1 · 2026-11-01 · Write an invoice for March]\n"
        f"[User] Write an invoice for March\n\n[Tools] Edit {ROOT}/src/theme.py\n\n[User] ok\n\n"
    )
    # It is the same path however it is written, from the folder of the asker or of the project.
    for path in (f"{ROOT}//src/./theme.py", "theme.py", "./theme.py", "src/theme.py"):
        assert (path, index.recall.for_file(path, 5, asker)) == (path, memories)
    assert index.recall.for_file("src/theme.py", 1, asker) == memories[:1]
    for outside in ("/etc/hosts", "/home/ana/code/shop2/src/theme.py", "../../blog/theme.py", ROOT, ""):
        assert (outside, index.recall.for_file(outside, 5, asker)) == (outside, [])


def test_a_memory_of_an_unknown_day_is_cited_without_one(plain: Index) -> None:
    [memory] = plain.recall.for_file("src/theme.py")
    assert citation(memory) == f"[6{OTHER_SESSION[1:]}:1 · Paint @src/theme.py green]"


@pytest.mark.spec("S4.22")
def test_a_worktree_of_the_project_has_its_files(tmp_path: Path) -> None:
    (tmp_path / "shop" / ".git" / "worktrees" / "green").mkdir(parents=True)
    (tmp_path / "shop-green").mkdir()
    (tmp_path / "shop-green" / ".git").write_text(f"gitdir: {tmp_path}/shop/.git/worktrees/green\n")
    script = Script(cwd=str(tmp_path / "shop"))
    script.user("Paint the buttons green")
    script.calls("Edit", {"file_path": f"{tmp_path}/shop/src/theme.py", "old_string": "a", "new_string": "b"})
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    here = index.sessions.project_at(str(tmp_path / "shop-green"))
    [memory] = index.recall.for_file(f"{tmp_path}/shop-green/src/theme.py", 5, RecallScope(project=here))
    assert (memory.turn, memory.files) == (1, ("src/theme.py",))


@pytest.mark.spec("S4.23")
def test_the_files_of_a_session_are_listed_from_the_last_one(tmp_path: Path) -> None:
    script, other = Script(), Script(OTHER_SESSION, prefix="f")
    for number, name in enumerate(("a", "z", "b", "a")):
        script.user(f"turn {number}")
        edit(script, f"src/{name}.py", number)
    script.calls("Read", {"file_path": f"{ROOT}/src/a.py"}, "again")
    script.calls("Grep", {"pattern": "x", "path": f"{ROOT}/docs/"}, "folder")
    other.user("elsewhere")
    edit(other, "src/other.py", 9)
    data = tmp_path / "data"
    build(data, script.write(tmp_path / "src"), other.write(tmp_path / "src"))
    snapshot = SnapshotConnection(data)
    assert recent_files(snapshot, SESSION) == ["src/a.py", "src/b.py", "src/z.py"]
    assert recent_files(snapshot, SESSION, 2) == ["src/a.py", "src/b.py"]
    assert recent_files(snapshot, "unknown") == []
    script.user("many")
    for number in range(12):
        edit(script, f"many/{number:02}.py", 100 + number)
    build(data, script.write(tmp_path / "src"))
    assert recent_files(SnapshotConnection(data), SESSION) == [f"many/{number:02}.py" for number in range(10)]


@pytest.mark.spec("S4.26")
def test_without_a_model_files_and_words_still_work(plain: Index) -> None:
    assert not plain.vectors.load_model()
    assert [memory.turn for memory in plain.recall.for_prompt("what is in src/upload.py?")] == [1]
    assert [hit.turn for hit in plain.search("about").hits] == [1]


def test_only_the_own_project_is_recalled(index: Index) -> None:
    prompt = "why does the upload of pictures fail on slow networks"
    for folder, session in [(ROOT, "1"), ("/home/ana/code/blog/posts", "3")]:
        here = index.sessions.project_at(folder)
        assert places(index, prompt, RecallScope(project=here)) == [(session, 1)]
    assert index.sessions.project_at("/home/ana/other") is None
    assert index.sessions.project_at("") is None


def test_a_repository_is_a_project_of_its_own_whatever_was_done_above_it(tmp_path: Path) -> None:
    (tmp_path / "work" / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "work" / "shop" / "src").mkdir()
    file = str(tmp_path / "work" / "shop" / "src" / "a.py")
    script = Script(cwd=str(tmp_path / "work"))
    script.user("hello")
    script.calls("Edit", {"file_path": file, "old_string": "a", "new_string": "b"})
    script.result("done")
    index = build(tmp_path / "data", script.write(tmp_path / "transcripts"))
    assert index.sessions.project_at(str(tmp_path / "work" / "shop" / "src")) is None
    snapshot = SnapshotConnection(tmp_path / "data")
    assert turns_of_file(snapshot, file, project_at(snapshot, str(tmp_path / "work" / "shop" / "src")), "", 3) == (
        "",
        [],
    )
    path, [turn] = turns_of_file(snapshot, file, project_at(snapshot, str(tmp_path / "work")), "", 3)
    assert (path, turn.turn) == ("shop/src/a.py", 1)
    above = index.sessions.project_at(str(tmp_path / "work"))
    assert above is not None
    assert above.root == str(tmp_path / "work")
