"""Unified diffs become hunks, by the numbers of lines in their headings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.readers.conversion.unified_diff import hunks_of, patch_detail
from memtui_core.tools.diffs import from_patch

DIFF = """Index: /x/a.sql
===================================================================
--- /x/a.sql
+++ /x/a.sql
@@ -1,3 +1,2 @@ CREATE TABLE
 first
--- a comment
-gone
+++ counted
@@ -9 +8,2 @@

+last
\\ No newline at end of file
"""


def test_hunks_of_a_diff() -> None:
    assert hunks_of(DIFF) == [
        {
            "oldStart": 1,
            "oldLines": 3,
            "newStart": 1,
            "newLines": 2,
            "lines": [" first", "--- a comment", "-gone", "+++ counted"],
        },
        {"oldStart": 9, "oldLines": 1, "newStart": 8, "newLines": 2, "lines": [" ", "+last"]},
    ]
    assert from_patch(hunks_of(DIFF)).startswith("@@ -1,3 +1,2 @@\n first\n--- a comment\n")


def test_lines_beyond_the_numbers_in_the_heading_are_left_out() -> None:
    (hunk,) = hunks_of("@@ -0,0 +1,1 @@\n-a\n-b\n+c\n+d\n e")
    assert hunk["lines"] == ["+c"]


def test_a_broken_heading_has_no_hunk() -> None:
    assert [hunks_of(text) for text in ("", "text", "@@ -1,2 +1,2 @@", "@@ -x +1 @@\n+a", "@@ @@")] == [[]] * 5


@given(st.text(alphabet="@-+ ,1\n", max_size=60))
def test_any_text_is_read(text: str) -> None:
    for hunk in hunks_of(text):
        assert 0 < len(hunk["lines"]) <= hunk["oldLines"] + hunk["newLines"]


@pytest.mark.parametrize("value", [None, 7, "", "no diff", "@@ broken @@\n-x", ["@@ -1 +1 @@"]])
def test_what_is_no_diff_has_no_hunks(value: Any) -> None:
    assert (hunks_of(value), patch_detail(value)) == ([], None)


def test_a_diff_of_several_files_has_no_hunks() -> None:
    diff = "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-x\n+y\n--- b.py\n+++ b.py\n@@ -9 +9 @@\n-c\n+d\n"
    assert hunks_of(diff) == []


@given(st.lists(st.sampled_from(["-x", "+y", " z"]), max_size=9))
def test_a_diff_comes_back_from_its_hunks(lines: list[str]) -> None:
    lines = ["+a", *lines]
    old, new = sum(line[0] != "+" for line in lines), sum(line[0] != "-" for line in lines)
    diff = "\n".join([f"@@ -3,{old} +4,{new} @@", *lines])
    assert from_patch(hunks_of(diff)) == diff
