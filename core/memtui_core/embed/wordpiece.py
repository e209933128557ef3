"""The tokens of a short text for the default model, without the package tokenizers, whose start takes longer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from memtui_core.embed.minilm_files import TOKENIZER

_FIRST, _LAST, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_SPECIAL: Final = re.compile(r"\[(?:PAD|UNK|CLS|SEP|MASK)\]")
"""Tokens that have a meaning for the model when a text contains them."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_WORD: Final = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
"""A word, or a single punctuation mark."""
_MAX_WORD: Final = 100
"""Characters from which on a word is unknown."""


def token_ids(text: str) -> list[int]:
    """The ids of the tokens of a text, with those at its ends."""
    if not text.isascii() or _SPECIAL.search(text):
        return _ids_by_library(text)
    vocabulary = _vocabulary()
    tokens = [token for word in _WORD.findall(_CONTROL.sub("", text).lower()) for token in _pieces(word, vocabulary)]
    return [vocabulary[token] for token in (_FIRST, *tokens, _LAST)]


def _pieces(word: str, vocabulary: Mapping[str, int]) -> Iterator[str]:
    """A word as the longest known beginning, then the longest known continuation of it, and so on."""
    pieces: list[str] = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if f"{mark}{word[start:end]}" in vocabulary), None)
        if end is None or len(word) > _MAX_WORD:
            yield _UNKNOWN
            return
        pieces.append(f"{mark}{word[start:end]}")
        start = end
    yield from pieces


@lru_cache(1)
def _vocabulary() -> Mapping[str, int]:
    vocabulary: dict[str, int] = json.loads(TOKENIZER.read_bytes())["model"]["vocab"]
    return vocabulary


def _ids_by_library(text: str) -> list[int]:
    """The same for any text: other scripts have more rules."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return list(tokenizer.encode(text).ids)
