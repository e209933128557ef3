"""The user's prompts: every character as it was typed, with colours for code and for diffs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.render.rows import wrap
from memtui.render.turns.prompts import prompt_rows

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
    return [line.text.rstrip() for line in wrap(prompt_rows(prompt, 0), width)]


def coloured(prompt: str) -> list[tuple[str, str]]:
    """Each line with the style of its beginning, without the one that all prompts have."""
    rows = prompt_rows(prompt, 0)
    return [(row.text, row.spans[0][1].replace("prompted", "").strip() if row.spans else "") for row in rows]


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
        "-  Bars3Icon as MenuIcon,",
        "* a star\n* another",
        MARKDOWN,
    ],
)
def test_a_prompt_is_shown_as_it_was_typed(prompt: str) -> None:
    assert drawn(prompt, 200) == prompt.split("\n")


def test_lines_that_are_too_long_continue_below_their_text() -> None:
    assert drawn("\n \n  - a list of words\n\n\n    indented\n\n", 14) == [
        "  - a list of",
        "    words",
        "",
        "",
        "    indented",
    ]


DIFF = """\
diff --git a/menu.tsx b/menu.tsx
--- a/menu.tsx
+++ b/menu.tsx
@@ -1,4 +1,3 @@
 import {
-  Bars3Icon as MenuIcon,
   HomeIcon,

 }"""
DIFF_COLOURS = ["strong", "strong", "strong", "muted", "", "removed", "", "", ""]


@pytest.mark.parametrize(
    ("prompt", "styles"),
    [
        (f"- Apply\n{DIFF}\n\n- and test", ["", *DIFF_COLOURS, "", ""]),
        (f"Apply\n```\n{DIFF}\n```\n- now", ["", "muted", *DIFF_COLOURS, "muted", ""]),
        ("```diff\n-  a\n+  b\n```", ["muted", "removed", "added", "muted"]),
        ("Apply\n   x,\n-  Bars3Icon as MenuIcon,\n+  Bars3Icon,\n@@\n-y\nnow", ["", "", *"-+", "", "-", ""]),
        ("- one\n- two\n\n+ three", ["", "", "", ""]),
        ("~~~py\nclass A:\n    pass\n~~~\n# no code", ["muted", "keyword", "", "muted", ""]),
        ("```\nnever closed\n- one", ["muted", "", ""]),
    ],
)
def test_code_and_diffs_have_their_colours(prompt: str, styles: list[str]) -> None:
    names = {"-": "removed", "+": "added"}
    expected = [names.get(style, style) for style in styles]
    assert coloured(prompt) == list(zip(prompt.split("\n"), expected, strict=True))


_SIGNS = st.sampled_from(
    [*"ab*_`#-+>|[)<\\&;!:\n\t", "```", "~~~py", "1.", "](", "\n\n", "@@ -1,3 +1,3 @@", "--- a\n+++ b"]
)


@given(st.lists(_SIGNS, max_size=40))
def test_each_line_of_any_prompt_is_a_row(pieces: list[str]) -> None:
    prompt = "".join(f"{piece} " if index % 3 else piece + f"w{index}" for index, piece in enumerate(pieces))
    expected = [line.rstrip() for line in prompt.expandtabs(4).split("\n")]
    while expected and not expected[0]:
        del expected[0]
    while expected and not expected[-1]:
        del expected[-1]
    assert [row.text for row in prompt_rows(prompt, 0)] == (expected or [""])
