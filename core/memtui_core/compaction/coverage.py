"""How much of a statement a summary says: by its words, and by its meaning."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from memtui_core.compaction.outline import sentences, summary_body
from memtui_core.compaction.words import normalized_text, words

if TYPE_CHECKING:
    from memtui_core.embed import Embedder

SAID: Final = 1.0
"""The sum of the share of a statement's words and of its cosine, see `Coverage.said`, from which on a summary says it.

Measured with the default model on 149 statements of five compactions that were judged by hand (bench/review): the sum
separates what summaries say in other words from what they dropped with an area under the curve of 0.84, the cosine
alone with 0.77, the words alone with 0.83. A logistic fit gives both the same probability at 1.04; a little less is
taken, because a statement that is called lost and is not does more harm than one that is left out.
"""
PARTLY_SAID: Final = 0.6
"""The sum below which a summary hardly ever says a statement."""
_WINDOW: Final = 2
_QUOTED: Final = 40
"""Characters at both ends of a text that, if the summary contains them, show that it quotes the text."""
_SHORTEST: Final = 12
"""Characters of a sentence that has a meaning of its own."""
_LONGEST: Final = 800


class Meanings:
    """The vectors of texts, each made once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Any] = {}

    def matrix(self, texts: Sequence[str]) -> Any:
        """The vectors of texts, one row each."""
        import numpy as np

        cut = [text[:_LONGEST] for text in texts]
        missing = list(dict.fromkeys(text for text in cut if text not in self._vectors))
        self._vectors.update(zip(missing, self._embedder.embed(missing), strict=True))
        return np.array([self._vectors[text] for text in cut])


class Coverage:
    """Compares statements with one summary; `rarity` is the weight of each word."""

    def __init__(self, summary: str, rarity: Mapping[str, float], meanings: Meanings | None = None) -> None:
        body = summary_body(summary)
        self.text = body
        self.sentences = [body[span.start : span.end] for span in sentences(body)]
        self._lower = body.lower()
        self._normalized = normalized_text(body)
        self._rarity = rarity
        self._meanings = meanings
        self._windows: dict[str, list[int]] = defaultdict(list)
        by_sentence = [set(words(sentence)) for sentence in self.sentences]
        for at in range(len(by_sentence)):
            for word in set().union(*by_sentence[at : at + _WINDOW]):
                self._windows[word].append(at)
        self._vectors: Any = None

    def names(self, name: str) -> bool:
        """Whether the summary contains a name, in any letter case."""
        return name.lower() in self._lower

    def share(self, text: str) -> float:
        """The share of a text's words, by weight, that two consecutive sentences have, 0 to 1; 1 for a quotation."""
        quote = normalized_text(text)
        if len(quote) >= _SHORTEST and quote[:_QUOTED] in self._normalized and quote[-_QUOTED:] in self._normalized:
            return 1.0
        own = set(words(text))
        total = sum(self._weight(word) for word in own)
        sums: dict[int, float] = defaultdict(float)
        for word in own:
            for window in self._windows.get(word, ()):
                sums[window] += self._weight(word)
        return max(sums.values(), default=0.0) / total if total else 0.0

    def said(self, texts: Sequence[str], shares: Sequence[float] | None = None) -> list[float]:
        """How much of each text the summary says: the share of its words plus its cosine, 0 to 2.

        Without a model the share counts twice. `shares` are the results of `share`, if they are known.
        """
        shares = [self.share(text) for text in texts] if shares is None else shares
        if self._meanings is None:
            return [2 * share for share in shares]
        return [share + likeness for share, likeness in zip(shares, self._likeness(texts), strict=True)]

    def keeps(self, text: str) -> bool:
        """Whether the summary says a text, in its words or in others."""
        return self.said([text])[0] >= SAID

    def _likeness(self, texts: Sequence[str]) -> list[float]:
        """The highest cosine of each text with a sentence of the summary."""
        compared = [sentence for sentence in self.sentences if len(sentence) >= _SHORTEST]
        if self._meanings is None or not texts or not compared:
            return [0.0] * len(texts)
        if self._vectors is None:
            self._vectors = self._meanings.matrix(compared)
        return [float(value) for value in (self._meanings.matrix(texts) @ self._vectors.T).max(axis=1)]

    def _weight(self, word: str) -> float:
        return self._rarity.get(word, 1.0)


def rarity(texts: Iterable[str]) -> dict[str, float]:
    """How rare each word of some texts is among them: ln (1 + texts / texts with the word)."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        total += 1
        counts.update(set(words(text)))
    return {word: math.log(1 + total / count) for word, count in counts.items()}
