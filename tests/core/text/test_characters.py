from __future__ import annotations

import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.text.characters import has_bytes, lowered, on_disk, shown_bytes, storable
from memtui_core.text.controls import label, stored

LATIN_1 = b"/home/caf\xe9/\xff.jsonl"


def test_every_letter_keeps_its_place_in_lower_case() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    assert [letter for letter in letters if len(lowered(letter)) != 1] == []
    assert lowered("İSTANBUL'DA ŉ ﬁ Σ") == "istanbul'da ŉ ﬁ σ"


@pytest.mark.skipif(sys.platform == "win32", reason="names are UTF-16 there")
@given(st.binary(min_size=1, max_size=40))
def test_a_name_of_any_bytes_comes_back(name: bytes) -> None:
    text = storable(os.fsdecode(name))
    assert text.encode().decode() == text
    assert storable(text) == text
    if not has_bytes(os.fsdecode(name)):
        assert os.fsencode(on_disk(text)) == name


@pytest.mark.skipif(sys.platform == "win32", reason="names are UTF-16 there")
def test_a_name_that_is_not_utf_8_shows_a_symbol_for_each_byte() -> None:
    text = storable(os.fsdecode(LATIN_1))
    assert (text, shown_bytes(text)) == ("/home/caf\uf7e9/\uf7ff.jsonl", "/home/caf\ufffd/\ufffd.jsonl")
    assert (label(text), stored(label(text))) == ("/home/caf\ufffd/\ufffd.jsonl", text)
    # A private character beside bytes is told from them.
    odd = os.fsdecode("\uf7e9".encode() + b"\xe9")
    assert os.fsencode(on_disk(storable(odd))) == os.fsencode(odd)
    assert storable("half \ud800") == "half \ufffd"
