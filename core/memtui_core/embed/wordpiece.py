"""The tokens of a short text for the default model, without the package tokenizers, whose start takes longer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from memtui_core.embed.minilm_files import TOKENIZER
from memtui_core.text.patterns import lazy_pattern

_FIRST, _LAST, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_SPECIAL: Final = lazy_pattern(r"\[(?:PAD|UNK|CLS|SEP|MASK)\]")
"""Tokens that have a meaning for the model when a text contains them."""
_CONTROL: Final = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_WORD: Final = lazy_pattern(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
"""A word, or a single punctuation mark."""
_MAX_WORD: Final = 100
"""Characters of the longest word that is taken apart; a longer one is unknown."""
_VOCABULARY: Final = b'"vocab":{'
"""Where the vocabulary begins, a JSON object of ids by tokens without spaces, the frequent words first."""
_DIGITS: Final = 8
"""Bytes in which an id ends."""
_MAX_LOOKUPS: Final = 64
"""Looking for a token takes a tenth of a millisecond, reading the vocabulary ten."""


def token_ids(text: str) -> list[int]:
    """The ids of the tokens of a text, with those at its ends."""
    if not text.isascii() or _SPECIAL.search(text):
        return _ids_by_library(text)
    vocabulary = _Vocabulary(TOKENIZER.read_bytes())
    words = _WORD.findall(_CONTROL.sub("", text).lower())
    return [
        vocabulary.ids_of(_FIRST)[0],
        *(number for word in words for number in vocabulary.ids_of(word)),
        vocabulary.ids_of(_LAST)[0],
    ]


class _Vocabulary:
    """The vocabulary in the tokenizer's file: read as a whole only after some lookups, which takes as long as these."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._start = data.index(_VOCABULARY)
        self._lookups = 0
        self._whole: Mapping[str, int] = {}

    def ids_of(self, word: str) -> list[int]:
        """The longest known beginning of a word, then the longest known continuation of it, and so on."""
        if (whole := self._find(word)) is not None:
            return [whole]
        pieces: list[int] = []
        start = 0
        while start < len(word) <= _MAX_WORD:
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                if (number := self._find(f"{mark}{word[start:end]}")) is not None:
                    pieces.append(number)
                    start = end
                    break
            else:
                break
        return pieces if start == len(word) else self.ids_of(_UNKNOWN)

    def _find(self, token: str) -> int | None:
        self._lookups += 1
        if self._whole or self._lookups > _MAX_LOOKUPS:
            self._whole = self._whole or json.loads(self._data)["model"]["vocab"]
            return self._whole.get(token)
        key = f"{json.dumps(token)}:".encode()
        place = self._data.find(key, self._start)
        if place < 0:
            return None
        first = place + len(key)
        return int(self._data[first : first + _DIGITS].partition(b",")[0].rstrip(b"}"))


def _ids_by_library(text: str) -> list[int]:
    """The same for any text: other scripts have more rules."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return list(tokenizer.encode(text).ids)
