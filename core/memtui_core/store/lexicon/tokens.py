"""Tokens of the lexicon, the same for documents, queries and matches.

A word is a run of letters and digits, without case and accents. Scripts that are written without spaces are indexed as
pairs of adjacent characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eae\u0eb0-\u0ecd\u1000-\u103f\u1100-\u11ff\u1780-\u17d3\u2e80-\u2fdf"
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u309f\u30a1-\u30fa\u30fc-\u312f\u3131-\u318e\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U000323af"
)
"""Thai, Lao, Myanmar, Hangul, Khmer, kana and Han."""
CJK_CHARACTER = f"[{_UNSPACED}]"
CJK = re.compile(f"{CJK_CHARACTER}+")
_MAX_WORD = 100
"""Bytes of the longest word; anything longer is data, such as a key or an image."""


def words_analyzer() -> TextAnalyzer:
    """The tokenizer of the text fields; it runs in native code."""
    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.ascii_fold()).filter(Filter.lowercase())
    # A few letters lose their accents only in lower case.
    builder = builder.filter(Filter.ascii_fold()).filter(Filter.lowercase())
    return builder.filter(Filter.remove_long(_MAX_WORD)).build()


def spaced_analyzer() -> TextAnalyzer:
    """The tokenizer of the fields that contain tokens separated by spaces."""
    return TextAnalyzerBuilder(Tokenizer.whitespace()).build()


_WORDS = words_analyzer()
_ASCII = bytes(range(0x80))
_ENCLOSED = re.compile("[\u2474-\u249b]")
_ENCLOSED_LETTERS = frozenset(map(chr, range(0x2474, 0x249C)))
"""`⑴` to `⒛`: the analyzer makes words with brackets or a dot of these, but plain numbers of the circled ones."""
_CIRCLED_ONE = 0x2460
_LETTERS = ("\u00c0", "\u024f"), ("\u1e00", "\u1eff"), ("\uff10", "\uff5a")
"""The first and last of the letters with accents or of full width."""


def clean(text: str) -> str:
    """The text as valid UTF-8, with each accented letter as one character."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode(errors="replace").decode()
    if not _ENCLOSED_LETTERS.isdisjoint(other_letters(text)):
        text = _ENCLOSED.sub(_circled, text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def other_letters(text: str) -> set[str]:
    """The different characters of a text that are not ASCII; a search for each of them in the text takes longer."""
    return set(text.encode(errors="ignore").translate(None, _ASCII).decode())


def _circled(match: re.Match[str]) -> str:
    return chr(_CIRCLED_ONE + (ord(match[0]) - 0x2474) % 20)


def words(text: str) -> list[str]:
    """The words of a text in order, as the lexicon contains them."""
    return _WORDS.analyze(clean(text))


def bigrams(run: str) -> list[str]:
    """The pairs of adjacent characters of a run, then its last character, so that each character starts a token."""
    return [*(run[start : start + 2] for start in range(len(run) - 1)), run[-1]]


@lru_cache(4096)
def _plain_letter(letter: str) -> str | None:
    """A letter as the lexicon stores it, without accents or width, in lower case; None if that is the letter itself."""
    if not any(first <= letter <= last for first, last in _LETTERS):
        return None
    plain = _WORDS.analyze(letter)
    return plain[0] if len(plain) == 1 and len(plain[0]) == 1 and plain[0] != letter.lower() else None


def fold(text: str) -> str:
    """The text without case and accents; every character keeps its position."""
    lowered = text.lower()
    if len(lowered) != len(text):
        # The dotted capital I is the only letter that becomes longer.
        lowered = text.replace("\u0130", "i").lower()
    if text.isascii():
        return lowered
    # A text has few different ones: replacing each of them is far faster than str.translate.
    for letter in other_letters(lowered):
        if plain := _plain_letter(letter):
            lowered = lowered.replace(letter, plain)
    return lowered
