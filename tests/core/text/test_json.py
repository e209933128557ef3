"""JSON that is safe to display."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui_core.text.controls import Label
from memtui_core.text.json_text import json_text


def test_times_are_in_utc_labels_are_raw_and_unsafe_characters_are_escaped() -> None:
    at = datetime(2026, 11, 20, 9, 30, 1, 20, tzinfo=UTC)
    value = [{"a": Label("x", "x\x1b"), "b": [1, 0.25, None, True], "c": (), "d": {}, "at": at}]
    text = '[{"a":"x\\u001b","b":[1,0.25,null,true],"c":[],"d":{},"at":"2026-11-20T09:30:01.000020Z"}]\n'
    assert json_text(value, indent=False) == text
    assert json_text([{"b": "ü\x7f"}]) == '[\n  {\n    "b": "ü\\u007f"\n  }\n]\n'


def test_a_value_that_has_no_form_in_json_is_refused() -> None:
    with pytest.raises(TypeError):
        json_text([{"a"}])
