"""Diffs in the output of commands: which commands print one, and what each line of it is."""

from __future__ import annotations

import pytest

from memtui_core.tools.shell.diff_output import diff_lines, diff_ranges, prints_diff, written_diff_lines

SIGNS = {"": ".", " ": " ", "+": "+", "-": "-", "@": "@", "file": "f"}


def signs(text: str, is_diff: bool = False) -> str:
    """One sign for each line: `.` for nothing of a diff."""
    return "".join(SIGNS[kind] for kind in diff_lines(text.split("\n"), is_diff))


@pytest.mark.parametrize(
    "command",
    [
        "git diff",
        "git --no-pager diff HEAD~1 -- src/a.py | head -50",
        "cd /home/ana/shop && git show abc123",
        "git -C /x log -p -2",
        "git stash show -p",
        "diff -u a b",
        "diff -ruN a b | grep '^[-+]'",
        "gh pr diff 12",
        "git diff; git diff --cached",
        "git show --format='%h: %s' :/fix",
        "git show HEAD -- ':(exclude)uv.lock'",
    ],
)
def test_commands_that_print_a_diff(command: str) -> None:
    assert prints_diff(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "git diff --stat",
        "git diff --name-only",
        "git log --oneline",
        "git stash",
        "git diff && ls -la",
        "ls -la; git diff",
        "diff a b",
        "git diff | wc -l",
        "gh pr diff 12 --name-only",
        "echo git diff",
        "git show HEAD:README.md",
        "git show -s --format=%B",
        "git show --no-patch",
    ],
)
def test_commands_that_print_something_else(command: str) -> None:
    assert not prints_diff(command)


GIT_SHOW = """\
commit 0123456789abcdef
Author: Ana <ana@e.example>

    - a list in the message

diff --git a/a.py b/a.py
index 111..222 100644
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@ def f():
 one

--- two
+++ 2
- after the hunk
diff --git a/b.png b/b.png
Binary files a/b.png and b/b.png differ
done"""


def test_the_head_of_a_hunk_says_how_many_lines_belong_to_it() -> None:
    assert signs(GIT_SHOW) == "f....ffff@  -+.ff."


def test_lines_that_only_look_like_it_are_no_diff() -> None:
    assert signs("- one\n+ two\n--- three\n-rw-r--r-- a") == "...."
    assert signs("@@ twitter\n- one") == ".."


def test_the_output_of_a_diff_may_begin_and_be_cut_in_the_middle_of_a_hunk() -> None:
    part = " one\n-two\n+2\n@@ -9,3 +9,3 @@\n nine\n... [4 lines truncated] ...\n-ten\ndiff --git a/b b/b\n-no"
    assert signs(part, is_diff=True) == ".-+@ .-f."
    assert signs(part) == "...@ ..f."


def test_a_hunk_without_counts_a_missing_line_end_and_a_merge() -> None:
    assert signs("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n+c") == "@- + ."
    assert signs("@@@ -1,2 -1,2 +1,3 @@@\n  a\n +b\n- c\n++d\nend\n++e") == "@ +-+.."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see\ndiff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n\nbye", [(1, 8)]),
        ("--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n a\n-b\n\nbye", [(0, 5)]),
        ("@@ -1,1 +1,1 @@\n-a\n-b\n+c\n- d\nbye\n- e", [(0, 5)]),
        ("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\ndiff --git a/b b/b\n@@ -1 +1 @@\n-a", [(0, 7)]),
        ("@@ -1 +1 @@\n-a\n+b\nand\n@@ -1 +1 @@\n-a\n+b", [(0, 3), (4, 7)]),
        ("commit 0123456789\n- a\n--- a\n+++ b\ndiff --git a/a b/a\nindex of @@ -1 +1 @@", []),
        ("- one\n- two\n+ three", []),
        ("", []),
    ],
)
def test_the_diffs_within_a_text_begin_with_a_head_and_end_with_their_lines(
    text: str, expected: list[tuple[int, int]]
) -> None:
    assert list(diff_ranges(text.split("\n"))) == expected


def test_a_diff_that_was_not_written_by_a_program_may_have_more_lines_than_its_head_says() -> None:
    lines = ["commit 0123456789", "- a", "@@ -1 +1 @@", "-a", "+b", "+c", "-d", "bye", "-e"]
    assert "".join(SIGNS[kind] for kind in written_diff_lines(lines, is_diff=False)) == "f.@-++-.."
