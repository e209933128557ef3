"""The lines at which two texts differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.tools.diffs import changed_lines

LINES = st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=8)


def shown(old: str, new: str) -> list[str]:
    """The headings and the lines of a unified diff."""
    return [
        line
        for place in changed_lines(old, new)
        for line in (place.header(), *(sign + text for sign, text in place.lines))
    ]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a", "a", []),
        ("a", "b", ["@@ -1,1 +1,1 @@", "-a", "+b"]),
        ("a\n", "b\n", ["@@ -1,1 +1,1 @@", "-a", "+b"]),
        # Three lines less would be wrong: the newline at the end belongs to the second one.
        ("a\nb\n", "", ["@@ -1,2 +0,0 @@", "-a", "-b"]),
        ("", "a\nb\n", ["@@ -0,0 +1,2 @@", "+a", "+b"]),
        # Each text is followed by the newline of its line in the file, so this one adds a blank line.
        ("a", "a\n", ["@@ -1,1 +1,2 @@", " a", "+"]),
        ("a\n", "a", ["@@ -1,2 +1,1 @@", " a", "-"]),
        ("", "\n", ["@@ -0,0 +1,1 @@", "+"]),
    ],
)
def test_the_lines_at_which_two_texts_differ(old: str, new: str, lines: list[str]) -> None:
    assert shown(old, new) == lines


def test_places_that_are_far_apart_are_told_apart() -> None:
    old = [str(number) for number in range(20)]
    new = ["zero", *old[1:19], "nineteen"]
    assert shown("\n".join(old), "\n".join(new)) == [
        "@@ -1,4 +1,4 @@", "-0", "+zero", " 1", " 2", " 3",
        "@@ -17,4 +17,4 @@", " 16", " 17", " 18", "-19", "+nineteen",
    ]  # fmt: skip


def test_very_long_texts_are_not_compared() -> None:
    old, new = "\n".join(map(str, range(800))), "\n".join(map(str, range(1000, 1799)))
    lines = shown(old, new)
    assert (lines[0], len(lines), {line[0] for line in lines[1:]}) == ("@@ -1,800 +1,799 @@", 1600, {"-", "+"})


def test_a_small_change_in_a_very_long_text_is_found() -> None:
    old = [str(number) for number in range(3000)]
    assert shown("\n".join(old), "\n".join([*old[:10], "between", *old[12:]])) == [
        "@@ -8,8 +8,7 @@", " 7", " 8", " 9", "-10", "-11", "+between", " 12", " 13", " 14",
    ]  # fmt: skip
    assert shown("\n".join(old), "\n".join(old)) == []


@given(LINES, LINES)
def test_the_places_turn_the_old_text_into_the_new_one(old: list[str], new: list[str]) -> None:
    lines = [*old, "end"], [*new, "end"]
    result, position = list[str](), 0
    for place in changed_lines(*map("\n".join, lines)):
        result += lines[0][position : place.old]
        assert len(result) == place.new
        result += [text for sign, text in place.lines if sign != "-"]
        kept = [text for sign, text in place.lines if sign != "+"]
        position = place.old + len(kept)
        assert kept == lines[0][place.old : position]
    assert [*result, *lines[0][position:]] == lines[1]
