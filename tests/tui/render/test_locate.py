"""Where a passage of a transcript stands among the rows that are drawn of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.render.locate import RowPosition, locate
from memtui.render.markdown.blocks import markdown_rows
from memtui.render.rows import Row

MARKDOWN = """\
# Why it failed

The **upload** was retried with the [same key](https://example.org/keys), so the `shop` paid twice.

| part | state |
|------|-------|
| queue | works |
| upload | retries for ever |

```python
def retry_upload(limit):
    raise NotImplementedError
```
"""


def texts(rows: list[Row], passage: str) -> list[str]:
    """The rows in which a passage was found."""
    spots = locate(rows, passage)
    assert spots is not None
    return [row.text for row in rows[spots[0].row : spots[1].row + 1]]


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("# Why it failed", ["Why it failed"]),
        (
            "The **upload** was retried with the [same key](https://example.org/keys), so the `shop` paid twice.",
            ["The upload was retried with the same key (https://example.org/keys), so the shop paid twice."],
        ),
        ("def retry_upload(limit):\n    raise", ["def retry_upload(limit):", "    raise NotImplementedError"]),
    ],
)
def test_a_passage_is_found_in_what_markdown_makes_of_it(passage: str, expected: list[str]) -> None:
    assert texts(markdown_rows(MARKDOWN, 100, 0), passage) == expected


def test_a_passage_is_found_in_the_cells_of_a_table() -> None:
    [shown] = texts(markdown_rows(MARKDOWN, 100, 0), "| upload | retries for ever |")
    assert "retries for ever" in shown


def test_the_place_is_told_to_the_character() -> None:
    rows = [Row((("nothing here", ""),)), Row((("first this. Then ", ""), ("the answer", "strong"), (" and more", "")))]
    assert locate(rows, "the answer") == (RowPosition(1, 17), RowPosition(1, 27))


def test_of_two_places_that_are_as_good_the_nearer_one_is_taken() -> None:
    rows = [Row(((text, ""),)) for text in ("the same line", "other words here", "the same line")]
    assert locate(rows, "the same line", 0.0) == (RowPosition(0, 0), RowPosition(0, 13))
    assert locate(rows, "the same line", 1.0) == (RowPosition(2, 0), RowPosition(2, 13))


def test_what_is_not_there_is_not_found() -> None:
    rows = [Row((("one two three four", ""),))]
    assert locate(rows, "five six seven eight") is None
    assert locate(rows, "one five six seven eight") is None
    assert locate(rows, "— … —") is None
    assert locate([], "one") is None


WORDS = st.lists(st.sampled_from(["alpha", "beta", "Gamma", "retry_upload", "検索", "é", "7"]), min_size=1, max_size=8)


@given(st.lists(WORDS, max_size=8), WORDS, st.lists(WORDS, max_size=8))
def test_a_line_is_found_wherever_its_words_stand_as_close(
    before: list[list[str]], line: list[str], after: list[list[str]]
) -> None:
    rows = [Row(((" ".join(words), ""),)) for words in (*before, line, *after)]
    spots = locate(rows, " ".join(line), len(before) / len(rows))
    assert spots is not None
    first, last = spots
    held = " ".join(row.text for row in rows[first.row : last.row + 1]).split()
    assert sorted(set(line)) == sorted(set(line) & set(held))
