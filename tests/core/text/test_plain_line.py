"""Markdown as one line of plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.text.controls import one_line
from memtui_core.text.markdown.plain import plain_line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**retry**ing with `backoff`", "retrying with backoff"),
        ("**Fix** the `**kwargs` of `f`", "Fix the **kwargs of f"),
        ("***both***, *one* and ~~none~~.", "both, one and none."),
        ("**`code`**: x", "code: x"),
        ("``a ` b``", "a ` b"),
        ("see [the `docs`](https://x.y/z_(a) \"Title\") and <https://q.r>", "see the docs and https://q.r"),
        ("![a graph](a.png)", "a graph"),
        ("## Head\ntext\n### Sub\nmore", "Head · text · Sub · more"),
        ("Steps:\n- a\n* b\n  goes on\n\nThen this", "Steps: a · b goes on · Then this"),
        ("- [ ] open\n- [x] done", "open · done"),
        ("1. one\n2. two", "1. one 2. two"),
        ("> quoted **text**\n> > twice", "quoted text twice"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a · b · 1 · 2"),
        ("| a | b | c |\n| d | e | and so", "a · b · c · d · e · and so"),
        ("1. **.gitignore** - added", "1. .gitignore - added"),
        ("src\n├── a.py\n│   └── b.py", "src · a.py · b.py"),
        ("┌───┬───┐\n│ a │ b │\n└───┴───┘", "a · b"),
        ("a\n---\nb\n=====\nc", "a b c"),
        ("```python\n# no heading\nx = a ** b\n```\n`end`", "# no heading x = a ** b end"),
        ("x = `a`\n```\nafter `the` end", "x = `a` after the end"),
    ],
)  # fmt: skip
def test_what_a_reader_sees_is_left(text: str, expected: str) -> None:
    assert plain_line(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("or **two, which", "or two, which"),
        ("of it** and `half", "of it and half"),
        ("**Only** the **end", "Only the end"),
    ],
)
def test_half_a_mark_is_removed_from_prose_only(text: str, expected: str) -> None:
    assert plain_line(text) == expected
    assert "*" in plain_line(text, is_prose=False)


@pytest.mark.parametrize(
    "code",
    [
        "ls **/*.py src/**/*.js", "def f(*args, **kwargs): return a ** b", "f(**one, **two)", "a*b*c + 2**3",
        "x = *p + *q", "__init__ and _private_", "handlers[i](x)", "a < b and c > d", "a || b | c", "fetch(`https://${host}/x`)",
        "--all -v", "a - b - c", "# a comment",
    ],
)  # fmt: skip
def test_code_is_no_markup(code: str) -> None:
    assert plain_line(code, is_prose=False) == code


def test_the_lines_of_a_diff_are_no_items() -> None:
    diff = "- old\n+ new\n- gone"
    assert [plain_line(diff), plain_line(diff, is_prose=False)] == ["- old + new - gone"] * 2
    assert plain_line("## Plan\n- one\n- two", is_prose=False) == "Plan · one · two"


def test_a_long_text_is_cut_after_its_markup_is_gone() -> None:
    assert plain_line("**" + "word " * 20 + "end**", 12) == "word word w…"


@given(st.text(st.sampled_from("ab *`[]()|~#->\n─├\\x1b1.")), st.booleans())
def test_no_text_raises_and_words_stay(text: str, is_prose: bool) -> None:
    shown = plain_line(text, is_prose=is_prose)
    assert shown == one_line(shown)
    assert set("".join(shown.split())) <= set(text) | {"·"}
