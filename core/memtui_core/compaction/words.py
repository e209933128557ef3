"""Words, names and paths in texts, in the forms in which a summary is compared with a segment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from memtui_core.store.lexicon.tokens import CJK, STOP_WORDS, bigrams, forms

_WORD = re.compile(r"[^\W_]+(?:'(?:t|s|re|ll|ve|d|m)\b)?")
_SIMPLE_NAME = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]*")
_JOINED_NAME = re.compile(r"(?<![A-Za-z0-9_$@])[A-Za-z0-9_$@]++(?:(?:::|[-./:#@])[A-Za-z0-9_$]++)+")
_FILE_NAME = re.compile(r"(?<![\w@+~%-])[\w@+~%-]*+\.(?=[A-Za-z])[\w+-]++(?:\.[\w+-]++)*")
_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_MARKUP = re.compile(r"[\"'“”‘’`*_\\]")
_LONGEST_WORD = 60
_MOST_ROOTS = 65536
_SEPARATORS = re.compile(r"[\W_]+")
_FEWEST_WORDS = 2
FILLER_WORDS = STOP_WORDS | frozenset(
    """
    ok okay yes yeah yep no nope sure thanks thank hi hello go continue proceed next done good great nice fine right
    want need make makes made like let's lets don't doesn't didn't isn't it's i'm i'll i've we'll we're that's there's
    can't won't shouldn't wasn't you're you've use used using see look now one two way thing things something anything
    still really maybe actually just first last new
    """.split()  # noqa: SIM905
)
"""Words that do not distinguish one request from another."""


@lru_cache(maxsize=65536)
def root_of(word: str) -> str:
    """One form for all forms of a word: the same for `decides` and `decided`."""
    return min((word, *forms(word)))


class _Roots(dict[str, str]):
    """The root of each word that was looked up, empty for a word that is left out."""

    def __missing__(self, word: str) -> str:
        is_left_out = word in FILLER_WORDS or not 1 < len(word) <= _LONGEST_WORD
        root = "" if is_left_out else root_of(word.removesuffix("'s"))
        if len(self) >= _MOST_ROOTS:
            self.clear()
        self[word] = root
        return root


_ROOTS = _Roots()


def words(text: str) -> list[str]:
    """The words of a text in their root form, without filler words, in order; CJK runs as pairs of characters."""
    found = _WORD.findall(text.lower().replace("’", "'"))
    if not text.isascii() and CJK.search(text):
        return list(_words_and_pairs(found))
    return [root for word in found if (root := _ROOTS[word])]


def word_set(text: str) -> frozenset[str]:
    """The different words of a text, see `words`."""
    if not text.isascii() and CJK.search(text):
        return frozenset(words(text))
    roots = {_ROOTS[word] for word in set(_WORD.findall(text.lower().replace("’", "'")))}
    roots.discard("")
    return frozenset(roots)


def _words_and_pairs(found: Iterable[str]) -> Iterator[str]:
    for word in found:
        if not word.isascii() and CJK.search(word):
            for run in CJK.findall(word):
                yield from (pair for pair in bigrams(run) if len(pair) > 1)
        elif root := _ROOTS[word]:
            yield root


def says_little(text: str) -> bool:
    """Whether a text has fewer than two words that distinguish it from others: `OK.`, `Good.`, `Option 1.`."""
    return len(word_set(text)) < _FEWEST_WORDS


def names(text: str) -> set[str]:
    """The names of a text: runs of letters, digits and underscores, and those joined by separators (`ana/shop#14`)."""
    return {*_SIMPLE_NAME.findall(text), *_JOINED_NAME.findall(text)}


def file_names(text: str) -> set[str]:
    """The strings of a text that look like a file's name with an extension, without folders."""
    return set(_FILE_NAME.findall(text))


def without_code(text: str) -> str:
    """The text with its fenced code blocks replaced by blanks; the other characters keep their offsets."""
    if "```" not in text and "~~~" not in text:
        return text
    return _FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def has_bounded(text: str, part: str) -> bool:
    """Whether a text contains a part that is not next to a letter, digit or underscore."""
    at = text.find(part)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(part) : at + len(part) + 1]
        if not _joins(before, part[:1]) and not _joins(after, part[-1:]):
            return True
        at = text.find(part, at + 1)
    return False


def has_name(text: str, name: str) -> bool:
    """Whether a text contains a name that is neither in a word nor the end of a file's name: `go` is not in `a.go`."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None


def normalized_name(name: str) -> str:
    """A name without case and separators: the same for `HooksController`, `hooks_controller`, `hooks.controller`."""
    lowered = name.lower()
    return lowered if lowered.isalnum() else _SEPARATORS.sub("", lowered)


def normalized_text(text: str) -> str:
    """A text in lower case without quotes and the characters of Markdown, with single spaces."""
    return " ".join(_MARKUP.sub("", text).lower().split())


def _joins(character: str, edge: str) -> bool:
    return bool(character) and (character.isalnum() or character == "_") and (edge.isalnum() or edge == "_")


@lru_cache(maxsize=65536)
def is_compound(name: str) -> bool:
    """Whether a name is an identifier and not a plain word: it has a digit, a separator or an inner capital."""
    return not name.isalpha() or (not name.isupper() and not name[1:].islower() and len(name) > 1)
