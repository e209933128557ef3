"""The hunks of unified diffs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.readers.unified_diff import hunks_of, patch_detail
from memtui_core.tools.diffs import from_patch


def hunk(old: tuple[int, int], new: tuple[int, int], *lines: str) -> dict[str, Any]:
    return {"oldStart": old[0], "oldLines": old[1], "newStart": new[0], "newLines": new[1], "lines": list(lines)}


def test_headings_and_marks_of_a_missing_newline_are_left_out() -> None:
    diff = (
        "Index: a.py\n=======\n--- a.py\tCurrent\n+++ a.py\tProposed\n"
        "@@ -1 +1,2 @@ def a\n-x\n\\ No newline at end of file\n+y\n+z\n"
        "--- b.py\n+++ b.py\n@@ -9,2 +10,2 @@\n c\n--- d\n+++ e\n"
    )
    assert hunks_of(diff) == [hunk((1, 1), (1, 2), "-x", "+y", "+z"), hunk((9, 2), (10, 2), " c", "--- d", "+++ e")]


def test_a_line_without_its_space_is_context() -> None:
    assert hunks_of("@@ -1,3 +1,3 @@\n a\n\n-b\n+c") == [hunk((1, 3), (1, 3), " a", " ", "-b", "+c")]


@pytest.mark.parametrize("value", [None, 7, "", "no diff", "@@ broken @@\n-x", ["@@ -1 +1 @@"]])
def test_what_is_no_diff_has_no_hunks(value: Any) -> None:
    assert (hunks_of(value), patch_detail(value)) == ([], None)


@given(st.lists(st.sampled_from(["-x", "+y", " z"]), min_size=1, max_size=9))
def test_a_diff_comes_back_from_its_hunks(lines: list[str]) -> None:
    old, new = sum(line[0] != "+" for line in lines), sum(line[0] != "-" for line in lines)
    diff = "\n".join([f"@@ -3,{old} +4,{new} @@", *lines])
    assert from_patch(hunks_of(diff)) == diff
