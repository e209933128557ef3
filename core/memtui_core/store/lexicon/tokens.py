"""Tokens of the lexicon, the same for documents, queries and matches.

A word is a run of letters and digits, without case and accents. Scripts that are written without spaces are indexed as
pairs of adjacent characters. Names from code are split at capitals, underscores and digits, too, and an English word
has other forms, which a query looks for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from memtui_core.text.characters import lowered

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
    lower = lowered(text)
    if text.isascii():
        return lower
    # A text has few different ones: replacing each of them is far faster than str.translate.
    for letter in other_letters(lower):
        if plain := _plain_letter(letter):
            lower = lower.replace(letter, plain)
    return lower


STOP_WORDS = frozenset(
    """
    a about again all also am an and any are as at be because been before being but by can could d did didn do does
    doesn doing don for from get got had has have having he her here hers him his how i if in into is isn it its just
    let ll m me might more most my no nor not now of off on once only or other our out over own please re s same she
    should so some such t than that the their them then there these they this those to too us ve very was wasn we were
    what when where which while who whom why will with won would you your
    """.split()  # noqa: SIM905
)

_MIN_STEM = 3
_ENDINGS = ("ing", "ed", "es", "s", "e")


def forms(word: str) -> tuple[str, ...]:
    """The other forms of a word: decides, decided and deciding for decide, retries for retry."""
    if len(word) <= _MIN_STEM or not word.isascii() or not word.isalpha():
        return ()
    stem = _stem(word)
    variants = {stem + ending for ending in ("", "e", "s", "es", "ed", "ing")}
    if stem.endswith("y"):
        variants |= {stem[:-1] + "ies", stem[:-1] + "ied"}
    elif stem[-1] not in "aeiouwx" and stem[-2] in "aeiou" and stem[-1] != stem[-2]:
        variants |= {stem + stem[-1] + "ed", stem + stem[-1] + "ing"}
    return tuple(sorted(variants - {word}))


def _stem(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > _MIN_STEM + 2:
        return word[:-3] + "y"
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _MIN_STEM and not (ending == "s" and word.endswith("ss")):
            doubled = ending in {"ing", "ed"} and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return stem[:-1] if doubled else stem
    return word


_COMPOUND = r"(?:[A-Z]++[a-z]*+|[a-z]++)(?:[A-Z0-9_]\w*+|\+\+|#(?!\w))|[A-Z]{2,}+[a-z]\w*+|_++[A-Za-z]\w*+"
"""`retryUpload`, `api_key`, `HTTPServer`, `__init__`, `utf8`; also the languages `C++` and `C#`."""
_PLAIN = r"(?:[A-Z]?[a-z]++|[0-9]++|[A-Z]++)(?![\w+#])"
"""`upload`, `Upload`, `8080`, `HTTP`."""
_NEXT_COMPOUND = re.compile(rf"(?a)(?:\W*+{_PLAIN})*+\W*+(?:({_COMPOUND})|\w*+)")
"""The next name and everything before it, or any other word: one match for many plain words takes half the time of a
search for a name at each character."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_BESIDE_CJK = re.compile(f"(?:(?<={CJK_CHARACTER})|(?<![A-Za-z0-9])(?=[A-Za-z0-9]++{CJK_CHARACTER}))[A-Za-z0-9]++")
_MAX_LENGTH = 80
_MAX_PARTS = 12


def compounds(text: str) -> list[str]:
    """The names of more than one part in a text, in order."""
    return [name for name in _NEXT_COMPOUND.findall(text) if name]


@lru_cache(maxsize=65536)
def parts(name: str) -> tuple[str, ...]:
    """The parts of a name in lower case: parse, http, header, v and 2 for `parseHTTPHeader_v2`."""
    return tuple(part.lower() for part in _PART.findall(name))


@lru_cache(maxsize=65536)
def _tokens(name: str) -> tuple[str, ...]:
    """The tokens of a name: the name itself if the text fields split it, and its parts, which they do not split."""
    if len(name) > _MAX_LENGTH:
        return ()
    name_parts = parts(name)
    whole = (name.lower(),) if not name.isalnum() else ()
    if len(name_parts) > _MAX_PARTS:
        return whole
    return (*whole, *(part for part in name_parts if len(part) > 1 and not part.isdigit()))


def part_tokens(texts: Iterable[str]) -> str:
    """The text of the field `parts` for a turn: the tokens of all names, each once, separated by spaces."""
    names: set[str] = set()
    tokens: set[str] = set()
    for text in texts:
        names.update(_NEXT_COMPOUND.findall(text))
    names.discard("")
    for name in names:
        tokens.update(_tokens(name))
    return " ".join(sorted(tokens))


def beside_cjk(text: str) -> list[str]:
    """The words next to a script without spaces, as in `DuckDBを`, which the text fields do not split from it."""
    return [word.lower() for word in _BESIDE_CJK.findall(text)]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The values of the fields `parts` and `cjk` of a turn."""

    parts: tuple[str, ...]
    """Each is a list of terms separated by spaces."""
    pairs: str


def analyze(texts: Iterable[str]) -> Analysis:
    """The terms of the texts of a turn, see `tokens.clean`."""
    texts = list(texts)
    pairs: list[str] = []
    joined: set[str] = set()
    for text in texts:
        if not text.isascii() and CJK.search("".join(other_letters(text))):
            pairs += [pair for run in CJK.findall(text) for pair in bigrams(run)]
            joined.update(beside_cjk(text))
    parts = (part_tokens(texts), " ".join(sorted(joined)))
    return Analysis(tuple(part for part in parts if part), " ".join(pairs))
