"""What the turns of all sessions did to a file, and the diffs of their edits."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.queries.file_history import DiffHunk, TouchDetails, TurnTouch, line_counts, patch_text
from support.indexes import build
from support.transcripts import DAY, OTHER_SESSION, Script

ROOT = "/home/ana/code/shop"
FILE = f"{ROOT}/src/upload.py"
BODY = ("a = 1", "b = 2", "c = 3", "return path")
TEXT = "import os\n\n\nclass Store:\n    def upload(self, path):\n" + "".join(f"        {line}\n" for line in BODY)


def numbered(text: str, first: int = 1) -> str:
    """A text as Read shows it."""
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.split("\n"), first))


class Calls:
    """A script of tool calls, each with a result."""

    def __init__(self, session_id: str = "", **options: Any) -> None:
        self.script = Script(session_id, **options) if session_id else Script(**options)
        self.count = 0

    def turn(self, text: str = "go on") -> Calls:
        """Start a turn."""
        self.script.user(text)
        return self

    def does(self, tool: str, fields: dict[str, Any], result: str | None = "ok", **options: Any) -> Calls:
        """Call a tool."""
        self.count += 1
        tool_id = f"{self.script.prefix}{self.count}"
        self.script.calls(tool, fields, tool_id)
        if result is not None:
            self.script.result(result, tool_id, **options)
        return self

    def edits(self, old: str, new: str, **options: Any) -> Calls:
        """Replace a text in the file."""
        return self.does("Edit", {"file_path": FILE, "old_string": old, "new_string": new}, **options)


@pytest.fixture
def calls() -> Calls:
    return Calls().turn()


def history(folder: Path, *scripts: Calls, name: str = "upload.py") -> tuple[Index, list[TurnTouch]]:
    """The index of some transcripts, and the history of a file."""
    sources = [calls.script.write(folder / "src") for calls in scripts]
    index = build(folder / "data", *sources)
    return index, index.files.history(index.files.find(name).rows[0])


def newest(folder: Path, *scripts: Calls) -> TouchDetails:
    """What the newest turn did."""
    index, touches = history(folder, *scripts)
    return index.files.touch_details(touches[0])


def hunks(details: TouchDetails) -> list[DiffHunk]:
    """All hunks of a touch."""
    return [hunk for call in details.calls for hunk in call.hunks]


def test_a_turn_stands_once_for_each_kind_with_its_tools_and_lines(tmp_path: Path, calls: Calls) -> None:
    patch = [{"oldStart": 4, "newStart": 4, "lines": [" a", "-b", "+c", "+d"]}]
    calls.does("Read", {"file_path": FILE}, numbered(TEXT)).edits("b", "c\nd", toolUseResult={"structuredPatch": patch})
    calls.turn().does("Bash", {"command": "sed -i s/a/b/ src/upload.py"}).edits("x\ny", "x\nz").edits(
        "1", "2", error=True
    )
    calls.turn().does("Bash", {"command": "cat src/upload.py"})
    other = Calls(OTHER_SESSION, prefix="f")
    other.script.count = 2 * DAY
    other.turn("see @src/upload.py").does("Write", {"file_path": FILE, "content": "one\ntwo\n"})
    _, touches = history(tmp_path, calls, other)
    assert [
        (touch.touch.session_id[:1], touch.touch.turn, touch.kind, touch.tools, touch.counts) for touch in touches
    ] == [
        ("2", 1, "edited", ("Write",), (2, 0)),
        ("2", 1, "mentioned", ("mention",), None),
        ("1", 3, "mentioned", ("Bash",), None),
        ("1", 2, "edited", ("Bash", "Edit"), (1, 1)),
        ("1", 1, "edited", ("Edit",), (2, 1)),
        ("1", 1, "read", ("Read",), None),
    ]


def test_a_patch_gives_the_numbers_and_what_was_read_the_function(tmp_path: Path, calls: Calls) -> None:
    patch = [{"oldStart": 7, "newStart": 7, "lines": ["         b = 2", "-        c = 3", "+        c = 4"]}]
    calls.does("Read", {"file_path": FILE}, numbered(TEXT))
    calls.turn().edits("c = 3", "c = 4", toolUseResult={"structuredPatch": patch})
    lines = ((" ", "        b = 2"), ("-", "        c = 3"), ("+", "        c = 4"))
    hunk = DiffHunk(7, 7, lines, "def upload(self, path):")
    assert hunks(newest(tmp_path, calls)) == [hunk]
    assert (hunk.first_change, line_counts([hunk])) == (8, (1, 1))


def test_a_function_that_ended_above_is_not_named(tmp_path: Path, calls: Calls) -> None:
    calls.does(
        "Read", {"file_path": FILE}, numbered("class Store:\n    def get(self):\n        pass\n\n    size = 1\n")
    )
    calls.turn().edits("size = 1", "size = 2")
    changed = (("-", "    size = 1"), ("+", "    size = 2"))
    assert hunks(newest(tmp_path, calls)) == [DiffHunk(5, 5, changed, "class Store:")]


def test_without_a_patch_the_place_is_looked_up_in_what_the_session_knew(tmp_path: Path, calls: Calls) -> None:
    calls.does("Read", {"file_path": FILE}, numbered(TEXT))
    calls.turn().edits("1\n        b", "5\n        x")
    changed = (("-", "        a = 1"), ("-", "        b = 2"), ("+", "        a = 5"), ("+", "        x = 2"))
    assert hunks(newest(tmp_path, calls)) == [DiffHunk(6, 6, changed, "def upload(self, path):")]


def test_a_place_that_is_not_known_has_no_numbers(tmp_path: Path, calls: Calls) -> None:
    same, part = f"{ROOT}/src/same.py", f"{ROOT}/src/part.py"
    # Two lines end so; or all places are replaced, in a file of which some lines are not known.
    calls.does("Read", {"file_path": same}, numbered("same\nsame\nother"))
    calls.does("Read", {"file_path": part}, numbered("same\nsame\nother", 5)).turn()
    calls.does("Edit", {"file_path": same, "old_string": "same", "new_string": "new", "replace_all": False})
    calls.does("Edit", {"file_path": part, "old_string": "other", "new_string": "new", "replace_all": True})
    index, touches = history(tmp_path, calls, name="same.py")
    assert hunks(index.files.touch_details(touches[0])) == [DiffHunk(None, None, (("-", "same"), ("+", "new")))]
    touches = index.files.history(index.files.find("part.py").rows[0])
    assert hunks(index.files.touch_details(touches[0])) == [DiffHunk(None, None, (("-", "other"), ("+", "new")))]


PLACES = [
    ("".join(f"{'x' if number in (1, 4, 20, 29) else number}\n" for number in range(30)), "x", "y\nz"),
    ("a x x\n\tx\n", "x", "xx"),
    ("x\n1\nx\n2\n3\n4\n5\n6\n7\n8\n9\nx\n", "x", ""),
    ("x\n1\n" * 20, "x\n1\n", "2\n"),
    ("".join(f"{number}\n" * 9 + "x\ny\n" for number in range(3)) + "x\n", "x\ny", "w"),
    ("aaa\naaaa\n", "aa", "b"),
    ("a.b\naxb\n", "a.b", "c"),
]
"""A text, and what is replaced by what in all of it."""


@pytest.fixture(scope="module")
def known_files(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index of a session for each of `PLACES`, which writes a file of its own and then edits it."""
    folder = tmp_path_factory.mktemp("known_files")
    for number, (text, old, new) in enumerate(PLACES):
        path = f"{ROOT}/src/known{number}.py"
        fields = {"file_path": path, "old_string": old, "new_string": new, "replace_all": True}
        calls = Calls(f"{number}{OTHER_SESSION[1:]}", prefix=f"p{number}-").turn()
        calls.does("Write", {"file_path": path, "content": text}).turn().does("Edit", fields).script.write(folder)
    return build(folder / "data", *folder.iterdir())


@pytest.mark.parametrize("number", range(len(PLACES)))
def test_all_places_of_a_known_file_have_numbers(number: int, known_files: Index, tmp_path: Path) -> None:
    text, old, new = PLACES[number]
    (row,) = known_files.files.find(f"known{number}.py").rows
    found = hunks(known_files.files.touch_details(known_files.files.history(row)[0]))
    file = tmp_path / "work" / "src" / "upload.py"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    patch = patch_text("src/upload.py", found).encode()
    # Without a tolerance: every hunk stands exactly where its numbers say.
    subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=tmp_path / "work", input=patch, check=True)
    removed = old + "\n" if not new and old + "\n" in text else old
    assert file.read_text() == text.replace(removed, new)
    before, after = text.split("\n"), text.replace(removed, new).split("\n")
    for hunk in found:
        assert hunk.old is not None
        assert hunk.new is not None
        sides = ([line for sign, line in hunk.lines if sign != other] for other in "+-")
        for first, lines, content in zip((hunk.old, hunk.new), sides, (before, after), strict=True):
            assert content[first - 1 : first - 1 + len(lines)] == lines


def test_a_written_file_is_compared_with_what_the_session_knew_before(tmp_path: Path, calls: Calls) -> None:
    calls.does("Write", {"file_path": FILE, "content": "one\ntwo\nthree\n"})
    calls.does("Write", {"file_path": FILE, "content": "one\n2\nthree\n"})
    new, changed = hunks(newest(tmp_path, calls))
    assert new == DiffHunk(1, 1, (("+", "one"), ("+", "two"), ("+", "three")))
    assert changed == DiffHunk(1, 1, ((" ", "one"), ("-", "two"), ("+", "2"), (" ", "three")))


def test_the_newline_at_the_end_of_a_written_file_is_no_line(tmp_path: Path, calls: Calls) -> None:
    cases: list[tuple[str, str, list[str]]] = [
        ("a\n", "a", []),
        ("a", "a\nb\n", [" a", "+b"]),
        ("a\n", "a\n\n", [" a", "+"]),
        ("a\n", "\n", ["-a", "+"]),
        ("\n", "a\n", ["-", "+a"]),
        ("a\n", "", ["-a"]),
    ]
    for number, (before, after, _) in enumerate(cases):
        for content in ("x\n", before, after):
            calls.does("Write", {"file_path": f"{ROOT}/src/written{number}.py", "content": content})
    index = build(tmp_path / "data", calls.script.write(tmp_path))
    found = {}
    for number, (before, after, _) in enumerate(cases):
        (row,) = index.files.find(f"written{number}.py").rows
        found[before, after] = hunks(index.files.touch_details(index.files.history(row)[0]))[2:]
    assert found == {
        (before, after): [DiffHunk(1, 1, tuple((line[0], line[1:]) for line in changes))] if changes else []
        for before, after, changes in cases
    }


def test_of_a_patch_for_several_files_only_the_own_part_counts(tmp_path: Path, calls: Calls) -> None:
    other, own = "*** Update File: src/other.py\n@@\n-a\n+b\n", "*** Update File: src/upload.py\n@@\n x\n-c\n+d\n"
    text = f"*** Begin Patch\n{other}{own}*** End Patch"
    calls.does("apply_patch", {"input": text})
    index, touches = history(tmp_path, calls)
    assert hunks(index.files.touch_details(touches[0])) == [DiffHunk(None, None, ((" ", "x"), ("-", "c"), ("+", "d")))]
    assert touches[0].counts == (1, 1)


def test_only_the_calls_that_touched_the_file_in_this_way_are_listed(tmp_path: Path, calls: Calls) -> None:
    calls.does("Read", {"file_path": FILE}, numbered(TEXT)).does("Read", {"file_path": f"{ROOT}/src/other.py"})
    calls.edits("a = 1", "a = 2").edits("nowhere", "else", error=True)
    calls.does("Bash", {"command": "cat src/upload.py"}).does("Bash", {"command": "make"})
    calls.does("Bash", {"command": "echo > src/upload.py"})
    calls.turn("why @src/upload.py?").edits("a = 2", "a = 3")
    index, touches = history(tmp_path, calls)
    listed = {
        (touch.touch.turn, touch.kind): (
            [call.call.command or call.call.fields.get("old_string") or call.call.name for call in details.calls],
            details.prompt,
        )
        for touch in touches
        for details in [index.files.touch_details(touch)]
    }
    assert listed == {
        (2, "edited"): (["a = 2"], ""),
        (2, "mentioned"): ([], "why @src/upload.py?"),
        (1, "edited"): (["a = 1", "echo > src/upload.py"], ""),
        (1, "read"): (["Read"], ""),
    }


def test_sections_of_a_document_are_named_and_comments_are_not(tmp_path: Path) -> None:
    text = "# Title\n\n## Use\n\nfirst\nsecond\nthird\nfourth\nfifth\n"
    calls, expected = Calls(), {"notes.md": ["## Use"], "notes.py": [""]}
    for name in expected:
        calls.turn().does("Read", {"file_path": f"{ROOT}/{name}"}, numbered(text))
        patch = [{"oldStart": 6, "newStart": 6, "lines": [" second", "-third", "+3"]}]
        fields = {"file_path": f"{ROOT}/{name}", "old_string": "third", "new_string": "3"}
        calls.turn().does("Edit", fields, toolUseResult={"structuredPatch": patch})
    index = build(tmp_path / "data", calls.script.write(tmp_path))
    found = {}
    for name in expected:
        touches = index.files.history(index.files.find(name).rows[0])
        found[name] = [hunk.heading for hunk in hunks(index.files.touch_details(touches[0]))]
    assert found == expected


def test_git_applies_the_patches_of_a_turn_one_after_another(tmp_path: Path, calls: Calls) -> None:
    calls.does("Write", {"file_path": FILE, "content": TEXT}).edits("a = 1", "a = 5").edits("b = 2\n", "").edits(
        "os", "io"
    )
    details = newest(tmp_path, calls)
    patches = [patch_text("src/upload.py", call.hunks) for call in details.calls]
    head = "--- a/src/upload.py\n+++ b/src/upload.py\n@@ -6,1 +6,1 @@ def upload(self, path):\n"
    assert patches[1] == f"{head}-        a = 1\n+        a = 5\n"
    folder = tmp_path / "work"
    folder.mkdir()
    for patch in patches:
        subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=folder, input=patch.encode(), check=True)
    changed = TEXT.replace("a = 1", "a = 5").replace("        b = 2\n", "        ", 1).replace("os", "io")
    assert (folder / "src" / "upload.py").read_text() == changed
    assert patch_text("a", ()) == ""


def test_a_very_long_change_is_not_compared_line_by_line(tmp_path: Path, calls: Calls) -> None:
    old, new = ("\n".join(f"{word} {number}" for number in range(1000)) + "\nsame" for word in ("old", "new"))
    calls.edits(old, new)
    (hunk,) = hunks(newest(tmp_path, calls))
    assert line_counts([hunk]) == (1001, 1001)
