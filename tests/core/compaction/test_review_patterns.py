"""The patterns of the reviews take no time that grows with the square of a text."""

from __future__ import annotations

import pytest

from memtui_core.compaction.comparison import compare
from support.histories import History

LONG = 40_000


@pytest.mark.spec("S5.6")
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
        "---\n" + "\n---" * LONG,
        "---\n\n---" + " " * LONG + "x",
        "The rules are:\n" + " " * LONG + "x",
        "The rules must be:" + "*" * LONG,
        "\n" * LONG + "A",
        "A)" + " " * LONG,
        "\n".join(["x" * 2000] * 20),
        "x\n" * 20 + "y" * LONG,
        "`" + "a " * LONG,
    ],
)
def test_texts_that_are_made_to_be_slow_are_compared(text: str) -> None:
    history = History()
    history.asks(text)
    history.runs("make lint", text, error=True)
    history.calls("Read", text, file_path=f"/home/ana/code/shop/{text}.md")
    history.calls("WebFetch", text, url=f"https://{text}")
    history.calls("AskUserQuestion", text, questions=[{"question": text}])
    history.calls("Write", "ok", file_path="/home/ana/code/shop/notes.md", content=text)
    history.runs("git push", text)
    history.says(text)
    history.says("I have not verified that the till rounds prices half to even.")
    lost = [item.text for item in compare(history.turns, f"The shop is open. {text}", 1).lost]
    assert "I have not verified that the till rounds prices half to even." in lost
