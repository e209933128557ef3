"""The numbers before the lines of a file that was read."""

from __future__ import annotations

import pytest

from memtui_core.text.line_numbers import split_number, without_numbers


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("    12→a", (12, "a")),
        ("12\ta\tb", (12, "a\tb")),
        ("     9→", (9, "")),
        ("9\t\ta", (9, "\ta")),
        ("9 a", (None, "9 a")),
        ("a→b", (None, "a→b")),
        ("1234567890\ta", (None, "1234567890\ta")),
        ("", (None, "")),
    ],
)
def test_a_number_ends_with_an_arrow_or_a_tab(line: str, expected: tuple[int | None, str]) -> None:
    assert split_number(line) == expected


def test_a_text_without_its_numbers() -> None:
    assert without_numbers("     1→one\n    10→\ttwo\n3\tthree\nfour") == "one\n\ttwo\nthree\nfour"
