"""Lines and texts that would not fit into memory when they are decoded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.readers.conversion.content import placeholder
from memtui_core.readers.formats import long_lines
from memtui_core.readers.formats.jsonl import decode
from memtui_core.readers.formats.long_lines import LONG_LINE, LONGEST_TEXT, shortened, shortened_text, whole_length
from support.indexes import build
from support.transcripts import SESSION, Script

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(['a"b', "\\", "é", "😀\n", "[{", '"]},', "x" * 99]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["a", 'b"', "c\\", "ü"]), inner),
)


@given(VALUES, st.booleans(), st.integers(1, 30), st.integers(20, 200))
def test_whatever_is_left_out_the_rest_is_json(value: Any, ascii_only: bool, tokens: int, longest: int) -> None:
    raw = json.dumps([value], ensure_ascii=ascii_only).encode()
    assert json.loads(shortened(raw)) == [value]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_lines, "_MOST_TOKENS", tokens)
        patch.setattr(long_lines, "LONGEST_TEXT", longest)
        patch.setattr(long_lines, "LONG_LINE", 100)
        patch.setattr(long_lines, "_SHORT", 30)
        # No half of a character is left, which orjson refuses.
        orjson.loads(shortened(raw))


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    text = "begin " + "é\n😀" * LONG_LINE + " end"
    entry, reason = decode(json.dumps({"text": text, "uuid": "u"}).encode())
    assert (reason, entry[0]["uuid"]) == (None, "u")
    kept = entry[0]["text"]
    assert (kept[:6], kept[-4:], len(kept) <= LONGEST_TEXT) == ("begin ", " end", True)
    assert shortened_text(text)[:6] == "begin "
    assert len(shortened_text(text)) < LONGEST_TEXT + 50
    assert whole_length(shortened_text(text)) == len(text)
    # The size of an image is that of the whole.
    data = "A" * (2 * LONG_LINE)
    assert placeholder("image/png", shortened_text(data)) == placeholder("image/png", data) == "[image/png 12000 kB]"


@pytest.mark.parametrize(
    "many", [[{"x": 1, "y": [2]}] * 700_000, list(range(2_000_000)), ["a"] * 2_500_000, [[1, [2, [3]]]] * 800_000]
)
def test_an_endless_list_keeps_its_first_values_and_its_entry_the_rest(many: list[Any]) -> None:
    raw = orjson.dumps({"type": "user", "message": {"content": many, "role": "user"}, "uuid": "u", "n": [1]})
    assert len(raw) > LONG_LINE
    [entry], reason = decode(raw)
    content = entry["message"]["content"]
    assert (reason, entry["uuid"], entry["n"]) == (None, "u", [1])
    assert 0 < len(content) < len(many)
    assert content[0] == many[0]


def test_the_turns_beside_a_line_of_many_megabytes_are_read(tmp_path: Path) -> None:
    """Such a prompt once ended the indexer, which had not enough memory to store it."""
    script = Script()
    script.user("First " + "word and word " * 1_200_000)
    script.calls("Write", {"file_path": "a.txt", "content": "line\n" * 2_000_000, "list": [[1, {"a": 2}]] * 500_000})
    script.result("result " * 1_500_000)
    script.says("The end")
    index: Index = build(tmp_path / "data", script.write(tmp_path / "src"))
    session = index.sessions.find(SESSION)
    blocks = index.sessions.blocks(session.key, 1, 1)[1]
    assert [block.kind for block in blocks] == ["user", "tool_call", "tool_result", "text"]
    assert [len(block.text) < LONGEST_TEXT + 400_000 for block in blocks] == [True] * 4
    fields = json.loads(blocks[1].text)
    assert (fields["file_path"], fields["content"][:10], fields["list"][0]) == ("a.txt", "line\nline\n", [1, {"a": 2}])
    assert blocks[3].text == "The end"
    assert [hit.turn for hit in index.search("result").hits] == [1]
