"""The files that an agent knew before a compaction and of which the summary says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.memory.compaction_brief import MOST_FILES, names_file, unnamed, unnamed_files
from support.indexes import update
from support.shop_and_blog import ROOT, edit
from support.transcripts import OTHER_SESSION, SESSION, Script


@pytest.mark.parametrize(
    ("text", "path", "is_named"),
    [
        ("We changed src/a.py.", "src/a.py", True),
        ("See a.py: it is done", "src/a.py", True),
        ("See data.py and a.pyc, b-a.py", "src/a.py", False),
        ("", "src/a.py", False),
    ],
)
def test_a_file_is_named_by_its_path_or_its_name(text: str, path: str, is_named: bool) -> None:
    assert names_file(text, path) is is_named


def test_whole_lines_within_the_room() -> None:
    paths = [f"src/{number}.py" for number in range(30)]
    assert unnamed("See 0.py", paths, 27) == "- src/1.py\n- src/2.py"
    assert unnamed("", paths, 2000).count("\n") + 1 == MOST_FILES
    assert unnamed("", paths, 0) == unnamed("0.py", paths[:1], 99) == ""


def test_the_last_compaction_counts_and_what_was_edited_comes_first(tmp_path: Path) -> None:
    script = Script()
    script.user("before")
    edit(script, "src/a.py", 1)
    script.compacts("a.py is done")
    script.user("go on")
    edit(script, "src/b.py", 2)
    script.calls("Read", {"file_path": f"{ROOT}/src/c.py"}, "t3")
    script.result("c", "t3")
    script.user("and then")
    edit(script, "src/d.py", 4)
    script.compacts("Done.")
    edit(script, "src/later.py", 5)
    update(tmp_path / "data", script.write(tmp_path / "src"))
    snapshot = Index.open(tmp_path / "data").snapshot
    expected = "- src/d.py\n- src/b.py\n- src/a.py\n- src/c.py"
    assert unnamed_files(snapshot, SESSION, 0, 2000) == expected
    assert unnamed_files(snapshot, SESSION, 999, 2000) == unnamed_files(snapshot, OTHER_SESSION, 0, 2000) == ""
