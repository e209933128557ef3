"""What the bench of what agents look up again counts."""

from __future__ import annotations

from pathlib import Path

from bench.told.measure import Row, newest_files, rows
from support.indexes import update
from support.shop_and_blog import ROOT, edit
from support.transcripts import OTHER_SESSION, SESSION, Script


def test_what_is_opened_again_is_looked_for_in_each_text(tmp_path: Path) -> None:
    first, second = Script(), Script(OTHER_SESSION, prefix="f")
    first.user("Never round the prices of the shop in any of the tills")
    edit(first, "src/price.py", 1)
    edit(first, "src/till.py", 2)
    first.compacts("till.py is done.")
    first.user("Never round the prices of the shop in any of the tills!")
    for number, name in enumerate(("price", "till", "new"), 3):
        first.calls("Read", {"file_path": f"{ROOT}/src/{name}.py"}, f"t{number}")
        first.result("x", f"t{number}")
    second.count = 1000
    second.user("Look at the prices")
    edit(second, "src/price.py", 1)
    edit(second, "src/other.py", 2)
    update(tmp_path / "data", first.write(tmp_path / "src"), second.write(tmp_path / "src"))
    found = {(row.when, row.way): row for row in rows(tmp_path / "data")}
    brief = f"- the user said: Never round the prices of the shop in any of the tills [{SESSION}:1]"
    after, start = "after a compaction", "at a start"
    assert found == {
        (after, "nothing"): Row(after, "nothing", 1, 1, 2, 0, 1, 0, 0),
        (after, "the newest files"): Row(after, "the newest files", 1, 0, 2, 2, 1, 0, 29),
        (after, "the summary itself"): Row(after, "the summary itself", 1, 0, 2, 1, 1, 0, 102),
        (after, "what it lacks"): Row(after, "what it lacks", 1, 0, 2, 0, 1, 1, len(brief)),
        (after, "and files it lacks"): Row(after, "and files it lacks", 1, 0, 2, 1, 1, 1, len(brief) + 15),
        (start, "nothing"): Row(start, "nothing", 1, 1, 1, 0, 1, 0, 0),
        (start, "the newest files"): Row(start, "the newest files", 1, 0, 1, 1, 1, 0, 42),
        (start, "the digest"): found[start, "the digest"],
    }
    digest = found[start, "the digest"]
    assert (digest.files_named, digest.turns_cited, 200 < digest.bytes <= 1536) == (1, 1, True)


def test_the_newest_files_fill_the_room_with_whole_lines() -> None:
    assert newest_files(["a.py", "b.py", "a.py", "c.py"], 14) == "- a.py\n- b.py\n"
