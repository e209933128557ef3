"""JSON without orjson is the same as with it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.text import json_text, json_values
from memtui_core.text.controls import Label

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=True)
    | st.floats(-2, 2).map(lambda number: round(number, 6))
    | TEXTS
    | TEXTS.map(lambda text: Label(f"shown {text}", text))
    | st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=2))]))
    | st.datetimes()
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=12)


@given(VALUES, st.booleans())
def test_what_is_written_without_orjson_is_what_it_writes(value: Any, indent: bool) -> None:
    try:
        text = json_text._by_json(value, indent=indent)
    except json_text._NotPlain:
        return
    assert text == json_text._by_orjson(value, indent=indent)


def test_plain_values_need_no_orjson() -> None:
    at = datetime(2026, 11, 20, 9, 30, 1, 20, tzinfo=UTC)
    value = [{"a": Label("x", "x\x1b"), "b": [1, 0.25, None, True], "c": (), "d": {}, "at": at}]
    assert json_text._by_json(value, indent=False) == (
        '[{"a":"x\\u001b","b":[1,0.25,null,true],"c":[],"d":{},"at":"2026-11-20T09:30:01.000020Z"}]\n'
    )
    assert json_text._by_json(value, indent=True) == json_text._by_orjson(value, indent=True)


@pytest.mark.parametrize("value", [1e-6, 1e16, float("nan"), 2**53, {1: 2}, "\ud800", datetime(2026, 1, 1), {"a"}])
def test_what_the_two_write_in_different_ways_is_left_to_orjson(value: object) -> None:
    with pytest.raises(json_text._NotPlain):
        json_text._by_json(value, indent=True)


def outcome(read: Any, text: str) -> object:
    """The value and the types in it, or that there is none."""
    try:
        return repr(read(text))
    except ValueError:
        return "not JSON"


JSON = VALUES.filter(lambda value: "datetime" not in repr(value)).map(
    lambda value: json.dumps(value, default=str, ensure_ascii=False)
)


@given(JSON | JSON.map(lambda text: text[:-1]) | st.text('[]{}",:0123456789.eE+-\\u truefalsn', max_size=10))
def test_what_is_read_without_orjson_is_what_it_reads(text: str) -> None:
    if not json_values._DIFFERENT.search(text):
        assert outcome(json_values._by_json, text) == outcome(json_values._by_orjson, text)


@pytest.mark.parametrize(
    "text",
    ['{"a": [1, -2.5, "b\\n", null, true]}', "", " 1 ", "NaN", "-Infinity", '"\t"', "[1,]", "01", "[" * 900 + "]" * 900,
     "[" * 2000 + "]" * 2000, '{"a":1,"a":2}', "123456789012345"],
)  # fmt: skip
def test_odd_texts_are_read_alike(text: str) -> None:
    assert not json_values._DIFFERENT.search(text)
    assert outcome(json_values._by_json, text) == outcome(json_values._by_orjson, text)


@pytest.mark.parametrize("text", ['"\\ud800"', "-0", "12345678901234567", "1e5", "1E400", "\ufeff1"])
def test_what_the_two_read_in_different_ways_is_left_to_orjson(text: str) -> None:
    assert json_values._DIFFERENT.search(text)
    assert outcome(json_values.json_value, text) == outcome(json_values._by_orjson, text)
