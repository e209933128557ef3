"""The patterns of the reviews take no time that grows with the square of a text."""

from __future__ import annotations

import pytest

from memtui_core.compaction.comparison import compare
from support.histories import History

LONG = 40_000


@pytest.mark.parametrize(
    "text",
    [
        "failed" + " " * LONG + "x",
        "error" + "!" * LONG + "x",
        "error command failed" + " " * LONG + ":x",
        "a." * LONG,
        "https://a" + "-" * LONG + "a b",
        "(" + " " * LONG + "x",
        '\\"' * LONG,
        "plan-" * LONG,
        "specs/" * LONG,
        "github.com/" + "/blob/" * LONG,
        "linear.app/" * LONG,
        "\n".join(["**" + "a" * 300] * 300),
    ],
)
def test_s5_06_texts_that_are_made_to_be_slow_are_compared(text: str) -> None:
    history = History()
    history.asks(text)
    history.runs("make lint", text, error=True)
    history.calls("Read", text, file_path=f"/home/ana/code/shop/{text}.md")
    history.calls("WebFetch", text, url=f"https://{text}")
    history.calls("AskUserQuestion", text, questions=[{"question": text}])
    history.says(text)
    history.says("The prices must never be rounded up by the till.")
    lost = [item.text for item in compare(history.turns, f"The shop is open. {text}", 1).lost]
    assert "The prices must never be rounded up by the till." in lost
