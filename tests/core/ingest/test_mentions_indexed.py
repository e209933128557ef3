"""File mentions as an index of real transcripts holds them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from support.indexes import build, update
from support.transcripts import SESSION, Script

ROOT = "/home/ana/code/shop"
LATER = "22222222-2222-4222-8222-222222222222"
Mentioned = tuple[str, int, str, str, str, bool]


def rows(index: Index) -> list[Mentioned]:
    """Session, line, path, tool, kind and whether it is a folder, of every stored mention."""
    return index.snapshot.rows(
        "SELECT s.session_id, m.line, m.path, m.tool, m.kind, m.is_dir FROM file_mentions m"
        " JOIN sessions s ON s.key = m.session ORDER BY ALL"
    )


def bash(script: Script, command: str, tool_id: str = "b1") -> None:
    script.calls("Bash", {"command": command}, tool_id)
    script.result("ok", tool_id)


def read(script: Script, path: str, tool_id: str = "r1", *, error: bool = False) -> None:
    script.calls("Read", {"file_path": f"{ROOT}/{path}"}, tool_id)
    script.result("x", tool_id, error=error)


def mentions(folder: Path, script: Script) -> list[tuple[str, str, str, bool]]:
    """Path, tool, kind and whether it is a folder, of the mentions of one transcript."""
    return [row[2:] for row in rows(build(folder / "data", script.write(folder / "src")))]


@pytest.mark.spec("S0.0")
def test_a_line_is_of_the_s0_form_and_mentions_are_of_the_whole_input(tmp_path: Path) -> None:
    script = Script()
    script.user("fix it")
    script.calls("Edit", {"file_path": "ci.yml", "old_string": "a", "new_string": "b"}, "t1")
    script.result("ok", "t1")
    bash(script, "echo " + "x" * 80 + " && cat src/main.rs", "t2")
    script.says("I ran Read(src/said.rs).")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    (turn,) = index.sessions.turns(index.sessions.find(SESSION).key)
    assert turn.tool_summary == ("Edit ci.yml", "Bash: echo " + "x" * 55)
    assert [row[2:4] for row in rows(index)] == [("ci.yml", "Edit"), ("src/main.rs", "Bash")]


@pytest.mark.spec("S0.0")
def test_both_forms_of_a_line_name_its_file_in_a_question(tmp_path: Path) -> None:
    script = Script()
    script.user("fix it")
    script.calls("Edit", {"file_path": f"{ROOT}/ci.yml", "old_string": "a", "new_string": "b"})
    script.result("ok")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    prompts = [
        "Edit ci.yml",
        "what did Edit(ci.yml) do?",
        'why `Bash(cmd="cat ci.yml")`',
        'Grep(pattern="x", path="ci.yml")',
    ]
    found = {
        prompt: [(one.turn, one.files, one.distance) for one in index.recall.for_prompt(prompt)] for prompt in prompts
    }
    assert found == {prompt: [(1, ("ci.yml",), 0.4)] for prompt in prompts}


def mentions_of_each(folder: Path, calls: Sequence[tuple[str, dict[str, str]]]) -> list[list[tuple[Any, ...]]]:
    """Path, tool, kind and whether it is a folder, of the mentions of each call, in a project of its own."""
    sessions = [f"{number}{SESSION[1:]}" for number in range(len(calls))]
    for number, (session, (tool, fields)) in enumerate(zip(sessions, calls, strict=True)):
        script = Script(session, f"{ROOT}{number}", f"e{number}-")
        script.user("go")
        script.calls(tool, {name: value.replace(ROOT, script.cwd) for name, value in fields.items()})
        script.result("ok")
        script.write(folder / "src")
    found = rows(build(folder / "data", folder / "src"))
    return [[row[2:] for row in found if row[0] == session] for session in sessions]


@pytest.mark.spec("S4.8")
def test_the_files_of_a_command(tmp_path: Path) -> None:
    cases = {
        f"cargo test {ROOT}/src/main.rs": ["src/main.rs"],
        "cat src/main.rs": ["src/main.rs"],
        "cargo test": [],
        "echo " + "x" * 200 + "\ncat src/main.rs": ["src/main.rs"],
        "cat /etc/hosts.conf": ["/etc/hosts.conf"],
        "cd /tmp && cat a.rs": ["/tmp/a.rs"],
    }
    found = mentions_of_each(tmp_path, [("Bash", {"command": command}) for command in cases])
    assert dict(zip(cases, found, strict=True)) == {
        command: [(path, "Bash", "mentioned", False) for path in paths] for command, paths in cases.items()
    }


@pytest.mark.spec("S4.10")
def test_searches_and_notebooks(tmp_path: Path) -> None:
    calls = [
        ("Grep", {"pattern": "TODO", "path": "src/"}),
        ("Grep", {"pattern": "TODO", "path": "src/a.rs"}),
        ("Grep", {"pattern": "TODO"}),
        ("NotebookEdit", {"notebook_path": f"{ROOT}/n.ipynb", "cell_id": "3"}),
    ]
    assert mentions_of_each(tmp_path, calls) == [
        [("src", "Grep", "mentioned", True)],
        [("src/a.rs", "Grep", "read", False)],
        [],
        [("n.ipynb", "NotebookEdit", "edited", False)],
    ]


@pytest.mark.spec("S4.10")
def test_a_folder_is_not_listed_as_a_file(tmp_path: Path) -> None:
    script = Script()
    script.user("go")
    script.calls("Grep", {"pattern": "TODO", "path": "src/"})
    script.result("ok")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert (index.files.find().rows, index.files.touches("src").rows) == ([], [])


@pytest.mark.spec("S4.11")
@pytest.mark.parametrize("at_once", [True, False])
def test_each_mention_is_one_row_however_often_its_turn_is_read_again(at_once: bool, tmp_path: Path) -> None:
    """With one indexer, which remembers the open turn, and with a new one for each line, which reads it again."""
    script = Script()
    script.user("begin @src/z.rs")
    read(script, "src/a.rs")
    script.user("go on")
    place = Location("claude-code", tmp_path / "src" / f"{SESSION}.jsonl")
    data = tmp_path / "data"
    first = [(SESSION, 0, "src/a.rs", "Read", "read", False), (SESSION, 0, "src/z.rs", "mention", "mentioned", False)]
    edits: list[Mentioned] = []
    held = Indexer(data) if at_once else None
    for number in range(4):
        path = f"{ROOT}/src/{number % 3}.rs"
        script.calls("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, f"e{number}")
        script.result("ok", f"e{number}")
        if number < 3:
            edits.append((SESSION, 3, f"src/{number}.rs", "Edit", "edited", False))
        script.write(tmp_path / "src")
        indexer = held or Indexer(data)
        for _ in indexer.update([place]):
            pass
        if held is None:
            indexer.close()
        assert rows(Index.open(data)) == first + edits
    script.user("thanks")
    script.write(tmp_path / "src")
    if held is not None:
        held.close()
    update(data, place.path)
    assert rows(Index.open(data)) == first + edits


@pytest.mark.spec("S4.11")
def test_a_rewritten_last_turn_leaves_no_stale_mention(tmp_path: Path) -> None:
    script = Script()
    script.user("begin")
    read(script, "src/a.rs")
    script.user("go on")
    kept = len(script.lines)
    read(script, "src/gone.rs", "r2")
    path = script.write(tmp_path / "src")
    update(tmp_path / "data", path)
    del script.lines[kept:]
    script.lines[0] = script.lines[0].replace(b"begin", b"began")
    read(script, "src/b.rs", "r3")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert [row[1:4] for row in rows(index)] == [(0, "src/a.rs", "Read"), (3, "src/b.rs", "Read")]


@pytest.mark.spec("S4.9")
def test_what_is_no_path_is_not_mentioned(tmp_path: Path) -> None:
    script = Script()
    script.user("and/or @simplify ana@example.org")
    bash(script, "ls 2>/dev/null; git diff origin/main; sed s/a/b/ src; rm *.rs; curl https://a/b; npm run test")
    read(script, "test", "r1")
    assert mentions(tmp_path, script) == [("test", "Read", "read", False)]


def naming() -> Script:
    """A session that only names files of no telling name."""
    script = Script()
    script.user("what is @bin/serve and @simplify?")
    bash(script, f"cd bin && ./serve .env.local {ROOT}/VERSION && cat bin/serve missing", "b1")
    bash(script, "A=1 run --config=.env.local; cat 'docs/a plan' ./simplify simplify bin/missing", "b2")
    return script


def reading() -> Script:
    """A later session that reads and writes them, after a look at one that is not there."""
    script = Script(LATER, prefix="f")
    script.user("read them")
    read(script, "bin/missing", "r0", error=True)
    read(script, "bin/serve", "r1")
    read(script, "docs/a plan", "r2")
    for number, path in enumerate((".env.local", "VERSION", "simplify")):
        script.calls("Write", {"file_path": f"{ROOT}/{path}", "content": "x"}, f"w{number}")
        script.result("ok", f"w{number}")
    bash(script, "git add VERSION simplify", "b2")
    return script


KNOWN = [
    (SESSION, 0, ".env.local", "Bash", "mentioned", False),
    (SESSION, 0, "VERSION", "Bash", "mentioned", False),
    (SESSION, 0, "bin/serve", "Bash", "mentioned", False),
    (SESSION, 0, "bin/serve", "mention", "mentioned", False),
    (SESSION, 0, "docs/a plan", "Bash", "mentioned", False),
    (SESSION, 0, "simplify", "Bash", "mentioned", False),
    (LATER, 0, ".env.local", "Write", "edited", False),
    (LATER, 0, "VERSION", "Bash", "mentioned", False),
    (LATER, 0, "VERSION", "Write", "edited", False),
    (LATER, 0, "bin/missing", "Read", "mentioned", False),
    (LATER, 0, "bin/serve", "Read", "read", False),
    (LATER, 0, "docs/a plan", "Read", "read", False),
    (LATER, 0, "simplify", "Write", "edited", False),
]


@pytest.mark.spec("S4.9")
@pytest.mark.parametrize("order", [*permutations((0, 1)), None])
def test_a_file_that_a_tool_read_or_wrote_is_known_in_its_whole_project(
    order: tuple[int, int] | None, tmp_path: Path
) -> None:
    """In whichever order the transcripts come, or both at once."""
    paths = [made().write(tmp_path / "src") for made in (naming, reading)]
    for batch in [paths] if order is None else [[paths[place]] for place in order]:
        update(tmp_path / "data", *batch)
    index = Index.open(tmp_path / "data")
    assert rows(index) == KNOWN
    assert [(touch.session_id, touch.kind) for touch in index.files.touches("bin/serve").rows] == [
        (LATER, "read"),
        (SESSION, "mentioned"),
        (SESSION, "mentioned"),
    ]


@pytest.mark.spec("S4.9")
def test_a_file_is_known_in_its_own_project_only(tmp_path: Path) -> None:
    elsewhere = Script(LATER, "/home/ana/code/blog", "f")
    elsewhere.user("read it")
    elsewhere.calls("Read", {"file_path": "/home/ana/code/blog/bin/serve"}, "r1")
    elsewhere.result("x", "r1")
    paths = [naming().write(tmp_path / "src"), elsewhere.write(tmp_path / "src")]
    index = build(tmp_path / "data", *paths)
    assert rows(index) == [(LATER, 0, "bin/serve", "Read", "read", False)]


@pytest.mark.spec("S4.9")
def test_a_read_that_may_yet_fail_shows_no_file(tmp_path: Path) -> None:
    """Whether the result comes at once or later, to an indexer that remembers the turn: the index is the same."""
    script = Script(LATER, prefix="f")
    script.user("look")
    script.calls("Read", {"file_path": f"{ROOT}/bin/serve"}, "r1")
    folder = tmp_path / "src"
    places = [Location("claude-code", path) for path in (naming().write(folder), script.write(folder))]
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update(places):
            pass
        assert [row for row in rows(Index.open(tmp_path / "data")) if row[0] == SESSION] == []
        script.result("File does not exist.", "r1", error=True)
        script.write(folder)
        for _ in indexer.update(places):
            pass
    assert rows(Index.open(tmp_path / "data")) == [(LATER, 0, "bin/serve", "Read", "mentioned", False)]


@pytest.mark.spec("S4.9")
def test_a_growing_turn_keeps_what_was_mentioned_of_known_files(tmp_path: Path) -> None:
    named, later = naming(), reading()
    folder = tmp_path / "src"
    places = [Location("claude-code", path) for path in (named.write(folder), later.write(folder))]
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update(places[:1]):
            pass
        for _ in indexer.update(places):
            pass
        read(named, "src/a.py", "r9")
        named.write(folder)
        for _ in indexer.update(places):
            pass
    assert rows(Index.open(tmp_path / "data")) == sorted([*KNOWN, (SESSION, 0, "src/a.py", "Read", "read", False)])


class Died(Exception):
    """The indexer ends here."""


@pytest.mark.spec("S4.9")
def test_known_files_are_not_lost_when_the_indexer_dies_before_it_publishes(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "src"
    whole, other = reading(), Script("33333333-3333-4333-8333-333333333333", prefix="g")
    begun = Script(LATER, prefix="f")
    begun.lines = whole.lines[:1]
    update(data, naming().write(folder), begun.write(folder))
    os.utime(other.write(folder), (0, 0))
    whole.write(folder)
    published = read_manifest(DataDir(data))
    with Indexer(data) as indexer:

        def stopped() -> bool:
            if indexer.counts.files_read:
                raise Died
            return False

        with pytest.raises(Died):
            list(indexer.update([Location("claude-code", folder)], stopped, changed=[folder]))
    assert read_manifest(DataDir(data)) == published
    assert rows(build(data, folder)) == KNOWN


@pytest.mark.spec("S4.9")
def test_what_lies_on_the_disk_does_not_count(tmp_path: Path) -> None:
    home = tmp_path / "shop"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "serve").write_text("#!/bin/sh\n")
    script = Script(cwd=str(home))
    script.user("go")
    bash(script, "bash bin/serve && cat src/a.py")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert [row[2] for row in rows(index)] == ["src/a.py"]
