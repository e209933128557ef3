"""The user's prompts: as Markdown where they are Markdown, and otherwise as they were typed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.render.clean import lines_of
from memtui.render.prompts import prompt_blocks, prompt_rows
from memtui.render.rows import wrap

MARKDOWN = """\
## Retry the upload
It has to be **idempotent**, see `src/upload.py`.
Keep the old name.

- one key for each upload
  - also after a **restart**
- the docs, see [the guide](https://e.example/guide)
1. first
2. second

> as Ben said

```py
def f():
    return __init__
```

| file | lines |
|---|--:|
| a.py | 12 |"""


def drawn(prompt: str, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in wrap(prompt_rows(prompt, width, 0), width)]


def test_a_prompt_that_is_markdown_is_shown_as_markdown() -> None:
    assert drawn(MARKDOWN) == [
        "Retry the upload",
        "It has to be idempotent, see src/upload.py.",
        "Keep the old name.",
        "",
        "• one key for each upload",
        "  • also after a restart",
        "• the docs, see the guide (https://e.example/guide)",
        "1. first",
        "2. second",
        "",
        "▎ as Ben said",
        "",
        "│ def f():",
        "│     return __init__",
        "",
        "file  lines",
        "────  ─────",
        "a.py     12",
    ]
    styles = {text: style for row in prompt_rows(MARKDOWN, 60, 0) for text, style in row.spans}
    assert (styles["Retry the upload"], styles["idempotent"], styles["src/upload.py"]) == ("heading", "strong", "code")


@pytest.mark.parametrize(
    "prompt",
    [
        "why is __init__ empty in __main__.py?",
        "delete src/**/*.tmp and tests/**/*.tmp, not *.py or *.pyi",
        "2**3**4 and a*b*c and **kwargs, **options",
        "does <section> or <b>this</b> close &amp; stay &lt;here&gt;?",
        r"C:\*temp\*new and \_under\_ \# hash",
        "12:01 start\n    12:02 retry 1\n        12:03 retry 2\n12:04 end",
        'Traceback:\n  File "a.py", line 1\n    raise E',
        "# install first\npip install memtui",
        "    indented code\n    stays",
        "- old line\n+ new line",
        "+ added\n+ too",
        "1. one\n3. three",
        "2) two\n3) three",
        "Title\n=====\nText\n-----",
        "a\n\n---\n\nb",
        ">>> print(1)\n>>> exit()",
        "```\nnever closed",
        "| a | b |\n|---|---|\n| 1 | 2 | eaten |",
        "see [1] and [x]: http://e.example",
        "see [the guide](docs/guide.md)",
        "- one\n  1. two\n  1. three",
        "| a |\n|---|\n| \\_b\\_ |",
        "[x]: http://e.example\n\nsee [x]",
        "![shot](a.png) and <https://e.example>",
        "/**\n * of a comment\n */",
        "~~/notes~~ and ~/.config",
        "one\ntwo\n\n\nthree",
    ],
)
def test_nothing_that_was_typed_disappears(prompt: str) -> None:
    assert drawn(prompt, 200) == prompt.split("\n")


def test_a_prompt_is_decided_block_by_block() -> None:
    prompt = "**Note**: *all* of these\n\n    12:01 log\n\n- **fix** it\n\nin src/**/*.py and a/**/*.py"
    assert [(block.lines, block.tokens is not None) for block in prompt_blocks(prompt)] == [
        (["**Note**: *all* of these"], True),
        (["", "    12:01 log", ""], False),
        (["- **fix** it"], True),
        (["", "in src/**/*.py and a/**/*.py"], False),
    ]
    assert drawn(prompt)[0] == "Note: *all* of these"


_MARKS = st.sampled_from([*"ab*_`#-+>|[)<\\&;!:\n", "**", "__", "```", "##", "1.", "|-", "~~", "](", "\n\n"])


@given(st.lists(_MARKS, max_size=40))
def test_no_word_is_lost_and_no_line_added(pieces: list[str]) -> None:
    prompt = "".join(f"{piece} " if index % 3 else piece + f"w{index}" for index, piece in enumerate(pieces))
    rows = prompt_rows(prompt, 60, 0)
    typed, shown = "\n".join(lines_of(prompt)), "\n".join(row.text for row in rows)
    # The language of a fence is shown by its colours.
    typed = re.sub(r"```[^\n`]*", "", typed)
    assert [word for word in re.findall(r"w\d+", typed) if word not in shown] == []
