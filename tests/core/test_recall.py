"""What an agent is reminded of, over real transcripts with the real model."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.embed import Vector, open_model
from memtui_core.index import Index
from memtui_core.recall import Asker, as_context, recent_file_mentions, search_context
from support.indexes import build, embed, update
from support.transcripts import SESSION, Script

OTHER = "22222222-2222-4222-8222-222222222222"
ROOT = "/home/ana/code/shop"


def edit(script: Script, path: str, number: int) -> None:
    """An edit of a file of the shop."""
    script.calls("Edit", {"file_path": f"{ROOT}/{path}", "old_string": "a", "new_string": "b"}, f"t{number}")
    script.result("done", f"t{number}")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Two sessions of a shop and one of a blog, with vectors."""
    folder = tmp_path_factory.mktemp("recall")
    one, two, blog = Script(), Script(OTHER, prefix="f"), Script("3" + OTHER[1:], "/home/ana/code/blog", "g")
    one.user("Why does the upload of pictures fail on slow networks?")
    one.says("The client gives up after ten seconds; the upload needs a longer time limit.")
    one.user("Paint the buttons green")
    edit(one, "src/theme.py", 1)
    edit(one, "src/upload.py", 2)
    two.user("Write an invoice for March")
    edit(two, "src/theme.py", 3)
    two.user("ok")
    blog.user("The upload of pictures fails on slow networks, why?")
    blog.says("The time limit is too short.")
    paths = [script.write(folder / "src" / str(place)) for place, script in enumerate((one, two, blog))]
    update(folder / "data", *paths)
    embed(folder / "data")
    opened = Index.open(folder / "data")
    assert opened.load_model()
    return opened


def places(index: Index, prompt: str, asker: Asker | None = None, limit: int = 5) -> list[tuple[str, int]]:
    """First digit of the session and turn of every memory."""
    return [(memory.session_id[0], memory.turn) for memory in index.recall(prompt, limit, asker or Asker())]


def test_s4_13_what_the_asker_has_before_it_is_no_memory(index: Index) -> None:
    prompt = "why does the upload of pictures fail on slow networks"
    assert places(index, prompt) == [("3", 1), ("1", 1)]
    assert places(index, prompt, Asker(SESSION)) == [("3", 1)]
    line = index.recall(prompt, 5, Asker("3" + OTHER[1:]))[0].line
    assert sorted(places(index, prompt, Asker(SESSION, boundary=line))) == [("1", 1), ("3", 1)]
    assert places(index, "src/theme.py", Asker(SESSION, boundary=line)) == [("2", 1)]


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


@pytest.mark.parametrize(
    ("distance", "prompt", "expected"),
    [
        (0.20, "about", 0.20),
        (0.20, "about src/a.py", 0.20),
        (0.43, "about src/a.py", 0.40),
        (0.46, "about src/a.py", 0.40),
        (0.449, "about", 0.449),
        (0.46, "about", None),
    ],
)
def test_s4_17_a_file_match_is_never_farther_than_its_distance(
    tmp_path: Path, distance: float, prompt: str, expected: float | None
) -> None:
    script = Script()
    script.user("the only turn")
    edit(script, "src/a.py", 1)
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"))
    embed(data)
    index = Index.open(data)
    [memory] = index.recall_file("src/a.py")
    vector = open_model().embed([memory.text])[0]
    found = search_context(index._snapshot, prompt, 5, Asker(), lambda _: at_distance(vector, distance))
    assert [pytest.approx(one.distance, abs=1e-4) for one in found] == ([] if expected is None else [expected])


def test_s4_18_a_turn_is_one_memory_with_its_whole_text(tmp_path: Path) -> None:
    script = Script()
    script.user("upload " * 400)
    script.says("upload " * 400)
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"))
    embed(data)
    index = Index.open(data)
    assert index.load_model()
    [memory] = index.recall("upload upload upload")
    assert memory.text == "[User] " + "upload " * 400 + "\n\n[Assistant] " + "upload " * 400


def test_s4_19_more_files_stand_first_then_the_newer(tmp_path: Path) -> None:
    script = Script()
    for number, paths in enumerate([["a"], ["b"], ["a", "b"], ["a"]], 1):
        script.user(f"turn {number}")
        for path in paths:
            edit(script, f"src/{path}.py", number)
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert [memory.turn for memory in index.recall("see src/a.py and b.py")] == [3, 4, 2, 1]
    assert [memory.turn for memory in index.recall("see src/a.py and b.py", 2)] == [3, 4]


def test_s4_20_the_filter_holds_before_the_limit(tmp_path: Path) -> None:
    near, far = Script(), Script(OTHER, prefix="f")
    for number in range(50):
        near.user(f"the upload of pictures fails {number}")
    far.user("the upload of pictures fails sometimes")
    data = tmp_path / "data"
    update(data, near.write(tmp_path / "src/a"), far.write(tmp_path / "src/b"))
    embed(data)
    index = Index.open(data)
    assert index.load_model()
    memories = index.recall("the upload of pictures fails", 3, Asker(SESSION))
    assert [(memory.session_id, memory.turn) for memory in memories] == [(OTHER, 1)]


def test_s4_21_without_hints_no_file_is_looked_for_and_nothing_is_an_empty_text(index: Index) -> None:
    assert places(index, "qwertz") == []
    assert as_context([]) == ""
    [memory] = index.recall("what about src/upload.py?")
    assert as_context([memory]) == (
        "## Relevant past context\n\n### Memory 1 (distance: 0.4000)\n"
        f"[{SESSION}:2 · 2026-11-01 · Why does the upload of pictures fail on slow networks?]\n"
        f"[User] Paint the buttons green\n\n[Tools] Edit {ROOT}/src/theme.py | Edit {ROOT}/src/upload.py\n\n"
    )


def test_s4_22_a_file_calls_to_mind_who_touched_it_without_a_model(index: Index) -> None:
    here = index.project_at(f"{ROOT}/src")
    assert here is not None
    assert (here.root, here.relative(f"{ROOT}/src/theme.py")) == (ROOT, "src/theme.py")
    asker = Asker(here=here)
    # An index without a loaded model could not embed anything.
    plain = Index(index._data)
    memories = plain.recall_file(f"{ROOT}/src/theme.py", 5, asker)
    assert [(memory.session_id[0], memory.turn, memory.distance) for memory in memories] == [
        ("1", 2, None),
        ("2", 1, None),
    ]
    text = as_context(memories, "Past context for src/theme.py")
    assert text.startswith("## Past context for src/theme.py\n\n### Memory 1\n[")
    assert "distance" not in text
    assert plain.recall_file("/etc/hosts", 5, asker) == []


def test_s4_23_the_files_of_a_session_are_listed_from_the_last_one(tmp_path: Path) -> None:
    script = Script()
    script.user("first")
    edit(script, "src/a.py", 1)
    edit(script, "src/b.py", 2)
    script.user("second")
    edit(script, "src/a.py", 3)
    script.user("third")
    edit(script, "src/c.py", 4)
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert recent_file_mentions(index._snapshot, SESSION) == ["src/c.py", "src/a.py", "src/b.py"]
    assert index.recent_files(SESSION, 2) == ["src/c.py", "src/a.py"]
    assert index.recent_files("unknown") == []


def test_s4_26_without_a_model_files_and_words_still_work(tmp_path: Path) -> None:
    script = Script()
    script.user("about the upload")
    edit(script, "src/a.py", 1)
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert not index.load_model()
    assert [memory.turn for memory in index.recall("what is in src/a.py?")] == [1]
    assert [hit.turn for hit in index.search("upload").hits] == [1]


def test_only_the_own_project_is_recalled(index: Index) -> None:
    prompt = "why does the upload of pictures fail on slow networks"
    for folder, session in [(ROOT, "1"), ("/home/ana/code/blog/posts", "3")]:
        here = index.project_at(folder)
        assert places(index, prompt, Asker(here=here)) == [(session, 1)]
    assert index.project_at("/home/ana/other") is None
    assert index.project_at("") is None


def test_a_repository_is_a_project_of_its_own_whatever_was_done_above_it(tmp_path: Path) -> None:
    (tmp_path / "work" / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "work" / "shop" / "src").mkdir()
    script = Script(cwd=str(tmp_path / "work"))
    script.user("hello")
    index = build(tmp_path / "data", script.write(tmp_path / "transcripts"))
    assert index.project_at(str(tmp_path / "work" / "shop" / "src")) is None
    above = index.project_at(str(tmp_path / "work"))
    assert above is not None
    assert above.root == str(tmp_path / "work")
