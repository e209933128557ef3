"""The tokenizer of the default model: WordPiece, as BERT's uncased models were trained with it.

The package `tokenizers` does the same, but its installation brings a client of a hub of models with it, 45 MB in all,
and loading takes it longer than answering a question. A test compares the two.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

_FIRST, _LAST, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
"""Tokens at the ends of each text, and that of a word that the vocabulary cannot make."""
_LONGEST_WORD: Final = 100
"""Characters of a word; a longer one is unknown."""
_CONTINUES: Final = "##"
"""What the pieces of a word but the first begin with in the vocabulary."""
_PUNCTUATION: Final = r"!-/:-@\[-`{-~"
_RUN: Final = re.compile(rf"(\[(?:PAD|UNK|CLS|SEP|MASK)\])|[^\t\n\r {_PUNCTUATION}]+|[{_PUNCTUATION}]")
"""What is between white space of ASCII: a token that stands for itself, a run of other characters, or a punctuation
mark of ASCII."""
_IDEOGRAPHS: Final = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)
"""The ranges of characters of which each is a word, as BERT has them."""
_KEPT_WORDS: Final = 10_000
"""Words whose pieces are kept: few words make most of a text, and more take memory and no less time."""

Token = tuple[int, int, int]
"""The number of a token, and where it begins and ends in the text."""


class WordPiece:
    """The tokens of texts, in lower case and without accents."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        """The vocabulary: the number of each token."""
        self._vocabulary = vocabulary
        self._longest = max(map(len, vocabulary))
        self._pieces = lru_cache(_KEPT_WORDS)(self._cut)

    @classmethod
    def from_file(cls, path: Path) -> WordPiece:
        """Read the vocabulary of a `tokenizer.json`. Raises OSError, ValueError or KeyError for another file."""
        import orjson

        return cls(orjson.loads(path.read_bytes())["model"]["vocab"])

    def ids(self, text: str) -> list[int]:
        """The numbers of the tokens of a text, with the two at its ends."""
        known = self._vocabulary
        return [known[_FIRST], *(number for number, _, _ in self._tokens(text)), known[_LAST]]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The tokens of a text as ranges of characters, without the two at its ends."""
        return [(start, end) for _, start, end in self._tokens(text)]

    def _tokens(self, text: str) -> Iterator[Token]:
        for run in _RUN.finditer(text):
            characters, start = run[0], run.start()
            if run[1]:
                yield self._vocabulary[characters], start, run.end()
            elif characters.isascii() and characters.isprintable():
                for number, first, last in self._pieces(characters.lower()):
                    yield number, start + first, start + last
            else:
                for word, places in _words(characters):
                    for number, first, last in self._pieces(word):
                        yield number, start + places[first], start + places[last - 1] + 1

    def _cut(self, word: str) -> tuple[Token, ...]:
        """The longest pieces of the vocabulary that make the word, from left to right; else it is unknown."""
        unknown = ((self._vocabulary[_UNKNOWN], 0, len(word)),)
        if len(word) > _LONGEST_WORD:
            return unknown
        pieces: list[Token] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                if (number := self._vocabulary.get(prefix + word[start:end])) is not None:
                    break
            else:
                return unknown
            pieces.append((number, start, end))
            start, prefix = end, _CONTINUES
        return tuple(pieces)


def _words(characters: str) -> Iterator[tuple[str, list[int]]]:
    """The words of any characters as the model reads them, each with the place from which each character of it is."""
    word, places = "", list[int]()
    for place, character in enumerate(characters):
        plain, is_alone = _plain(character)
        if is_alone:
            if word:
                yield word, places
            word, places = "", []
            if plain:
                yield plain, [place] * len(plain)
        else:
            word += plain
            places += [place] * len(plain)
    if word:
        yield word, places


@lru_cache(4096)
def _plain(character: str) -> tuple[str, bool]:
    """A character as the model reads it, empty for what it does not, and whether words end before and after it."""
    category = unicodedata.category(character)
    if category[0] == "Z" or character in "\t\n\r":
        return "", True
    if category in ("Cc", "Cf", "Co", "Cs") or character == "\ufffd":
        return "", False
    parts = unicodedata.normalize("NFD", character)
    plain = "".join(part.lower() for part in parts if unicodedata.category(part) != "Mn")
    code = ord(character)
    is_alone = category[0] == "P" or any(first <= code <= last for first, last in _IDEOGRAPHS)
    return plain, is_alone or (plain.isascii() and bool(re.fullmatch(f"[{_PUNCTUATION}]", plain)))
