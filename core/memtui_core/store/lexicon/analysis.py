"""The terms of a turn that its text fields do not have: parts of names, and pairs of characters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtui_core.store.lexicon.identifiers import beside_cjk, part_tokens
from memtui_core.store.lexicon.tokens import CJK, bigrams, other_letters


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
