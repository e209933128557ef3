"""How text becomes the words that the lexicon knows, the same for documents, queries and marks.

A word is a run of letters and digits, without case and accents. Scripts that are written without spaces are kept as
pairs of neighbouring characters.
"""

from __future__ import annotations

import re
import unicodedata

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eae\u0eb0-\u0ecd\u1000-\u103f\u1100-\u11ff\u1780-\u17d3\u2e80-\u2fdf"
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u309f\u30a1-\u30fa\u30fc-\u312f\u3131-\u318e\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U000323af"
)
"""Thai, Lao, Myanmar, Hangul, Khmer, kana and Han."""
CJK = re.compile(f"[{_UNSPACED}]+")
_LONGEST = 100
"""Bytes of the longest word: what is longer is data, such as a key or an image."""


def words_analyzer() -> TextAnalyzer:
    """The tokenizer of the text fields; it runs outside of Python."""
    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.ascii_fold()).filter(Filter.lowercase())
    # A few capitals are plain letters only when they are small.
    builder = builder.filter(Filter.ascii_fold()).filter(Filter.lowercase())
    return builder.filter(Filter.remove_long(_LONGEST)).build()


def spaced_analyzer() -> TextAnalyzer:
    """The tokenizer of the fields that hold ready tokens with spaces between them."""
    return TextAnalyzerBuilder(Tokenizer.whitespace()).build()


_WORDS = words_analyzer()
_ENCLOSED = re.compile("[\u2474-\u249b]")
"""`⑴` to `⒛`: the analyzer would make a word with brackets or a dot of them, and of the circled ones plain numbers."""
_CIRCLED_ONE = 0x2460


def clean(text: str) -> str:
    """A text that can be written as UTF-8, each accented letter one character."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode(errors="replace").decode()
    if _ENCLOSED.search(text):
        text = _ENCLOSED.sub(_circled, text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _circled(found: re.Match[str]) -> str:
    return chr(_CIRCLED_ONE + (ord(found[0]) - 0x2474) % 20)


def words(text: str) -> list[str]:
    """The words of a text in order, as the index holds them."""
    return _WORDS.analyze(clean(text))


def bigrams(run: str) -> list[str]:
    """The neighbouring pairs of a run without spaces, then its last character, so that each begins a token."""
    return [*(run[place : place + 2] for place in range(len(run) - 1)), run[-1]]


def _plain_letters() -> dict[str, str]:
    """Letters that the index holds without their accents or width, in lower case."""
    found: dict[str, str] = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00), *range(0xFF10, 0xFF5B)):
        plain = _WORDS.analyze(chr(code))
        if len(plain) == 1 and len(plain[0]) == 1 and plain[0] != chr(code).lower():
            found[chr(code)] = plain[0]
    return found


_PLAIN = _plain_letters()
_ASCII = bytes(range(0x80))


def fold(text: str) -> str:
    """A text without case and accents in which every character keeps its place."""
    lowered = text.lower()
    if len(lowered) != len(text):
        # Of all letters only the dotted capital I becomes longer.
        lowered = text.replace("\u0130", "i").lower()
    if text.isascii():
        return lowered
    # A text has few different ones: finding them among the bytes and replacing each is far faster than str.translate.
    rare = lowered.encode(errors="ignore").translate(None, _ASCII).decode()
    for letter in _PLAIN.keys() & set(rare):
        lowered = lowered.replace(letter, _PLAIN[letter])
    return lowered
