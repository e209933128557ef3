"""What is safe to show."""

from __future__ import annotations

import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.text import controls
from memtui_core.text.controls import Label, label, plain, stored, title
from memtui_core.text.json_text import json_text
from support.hostile import ATTACKS, JOINED, UNSAFE

TEXTS = st.text(st.sampled_from(sorted({*ATTACKS, *JOINED, *"aé \t\n", "\x9b", "\u200c"})), max_size=40)


@given(TEXTS)
def test_nothing_unsafe_is_left(text: str) -> None:
    for safe in (plain(text), label(text), title(text)):
        assert UNSAFE.isdisjoint(safe)
    assert not {"\t", "\n"} & {*label(text), *title(text)}


@given(TEXTS)
def test_a_label_stands_for_what_it_was_made_of(text: str) -> None:
    assert stored(label(text)) == text
    assert orjson.loads(json_text([label(text)])) == [text]


@given(TEXTS)
def test_json_holds_nothing_unsafe_and_loses_nothing(text: str) -> None:
    made = json_text({"text": text})
    assert UNSAFE.isdisjoint(made)
    assert orjson.loads(made) == {"text": text}


@pytest.mark.parametrize("text", [JOINED, "e\u0301 é", "src/a  b.py", "می\u200cخواهم", "検索"])
def test_what_is_safe_stays(text: str) -> None:
    assert (plain(text), label(text), title(text)) == (text, text, text)
    assert not isinstance(label(text), Label)


@pytest.mark.parametrize(
    ("text", "shown", "named"),
    [
        ("\x1b]0;a\x07Fix\tit", "Fix it", "Fix it"),
        ("\x9b31mred\x9b0m", "red", "red"),
        ("\x9d0;a\x9cb\x90c\x9cd", "bd", "bd"),
        ("\x1b[2J", "␛[2J", "untitled"),
        ("\x07\u202e \u2028", "␇  ", "untitled"),
        (" \n", "  ", "untitled"),
        ("\x1b]0;open", "␛]0;open", "␛]0;open"),
        ("", "", ""),
    ],
)
def test_labels_and_titles(text: str, shown: str, named: str) -> None:
    assert (label(text), title(text)) == (shown, named)


def test_a_sequence_without_an_end_hides_nothing() -> None:
    assert plain("a \x1b]0;b\nc") == "a ␛]0;b\nc"
    assert plain("\x9d" * 3) == "\ufffd" * 3
    assert re.search("[\x1b\x9d]", plain("\x1b]0;\x9d\x1bP")) is None


def test_no_printable_character_is_unsafe() -> None:
    """`plain` looks for unsafe characters only in a text that is not printable."""
    unsafe = re.compile(f"[{controls.UNSAFE}]")
    assert [code for code in range(0x110000) if chr(code).isprintable() and unsafe.match(chr(code))] == []
