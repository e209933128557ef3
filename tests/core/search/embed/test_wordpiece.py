"""The tokenizer of the default model gives the tokens that the package `tokenizers` gives."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from memtui_core.search.embed.minilm_files import TOKENIZER, load_tokenizer

OWN = load_tokenizer()
THEIRS = Tokenizer.from_file(str(TOKENIZER))
THEIRS.no_truncation()
THEIRS.no_padding()

# Tables of characters differ by their version of Unicode in what was added later.
OLD = st.characters(exclude_categories=["Cs", "Co"]).filter(
    lambda character: unicodedata.ucd_3_2_0.category(character) == unicodedata.category(character)
)
SIGNS = st.sampled_from("äéÅßñŁčİıΣς’“”…–—→✓🎉全文검색あд\u200b\u200d\ufeff\u0301\xad\xa0\u2028")
WRITTEN = st.text(st.one_of(st.characters(codec="ascii"), SIGNS), max_size=60)
SPECIAL = st.sampled_from(["[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]", "[mask]", "[CLS", "##ing", " ", "\n", "a"])


def both(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """The numbers of the tokens of a text, and their places, as the package has them."""
    return THEIRS.encode(text).ids, THEIRS.encode(text, add_special_tokens=False).offsets


@given(st.one_of(WRITTEN, st.text(OLD, max_size=40), st.lists(SPECIAL, max_size=8).map("".join)))
@example("Größe der Datei, 全文検索")
@example("a\tb\x00g\x1bh\x7fi\x0b\x85 " + "q" * 101)
@example("don't e\u0301te\u0301 ﬁ ½ 가각 \u0345 x\u200dy")
@example("")
def test_tokens_are_those_of_the_package(text: str) -> None:
    assert (OWN.ids(text), OWN.spans(text)) == both(text)


@pytest.mark.parametrize("length", [99, 100, 101])
def test_a_word_of_more_than_100_characters_is_one_unknown_token(length: int) -> None:
    word = "ab" * length
    assert (OWN.ids(word[:length]), OWN.spans(word[:length])) == both(word[:length])
    assert (OWN.spans(word[:length]) == [(0, length)]) is (length > 100)
