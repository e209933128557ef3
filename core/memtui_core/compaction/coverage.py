"""How much of a statement a summary says: by its words, and by its meaning."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final

from memtui_core.compaction.outline import sentences, summary_body
from memtui_core.compaction.words import normalized_text, word_set

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


class SummaryText:
    """A summary as statements are compared with it: its sentences, and where each word is."""

    def __init__(self, summary: str) -> None:
        body = summary_body(summary)
        self.body = body
        self.sentences = [body[span.start : span.end] for span in sentences(body)]
        self.lower = body.lower()
        self.normalized = normalized_text(body)
        self.windows: dict[str, list[int]] = {}
        """The numbers of the sentences that have a word, or whose next one has it."""
        by_sentence = list(map(word_set, self.sentences))
        for at in range(len(by_sentence)):
            for word in frozenset().union(*by_sentence[at : at + _WINDOW]):
                self.windows.setdefault(word, []).append(at)


class Coverage:
    """Compares statements with one summary; `rarity` is the weight of each word."""

    def __init__(
        self, summary: str | SummaryText, rarity: Mapping[str, float], meanings: Meanings | None = None
    ) -> None:
        self._summary = SummaryText(summary) if isinstance(summary, str) else summary
        self.text = self._summary.body
        self.sentences = self._summary.sentences
        self._rarity = rarity
        self._meanings = meanings
        self._vectors: Any = None

    def names(self, name: str) -> bool:
        """Whether the summary contains a name, in any letter case."""
        return name.lower() in self._summary.lower

    def share(self, text: str, own: AbstractSet[str] | None = None) -> float:
        """The share of a text's words, by weight, that two consecutive sentences have, 0 to 1; 1 for a quotation.

        `own` are the different words of the text, if they are known.
        """
        quote, normalized = normalized_text(text), self._summary.normalized
        if len(quote) >= _SHORTEST and quote[:_QUOTED] in normalized and quote[-_QUOTED:] in normalized:
            return 1.0
        total = 0.0
        sums = [0.0] * len(self.sentences)
        for word in word_set(text) if own is None else own:
            weight = self._rarity.get(word, 1.0)
            total += weight
            for window in self._summary.windows.get(word, ()):
                sums[window] += weight
        return max(sums, default=0.0) / total if total else 0.0

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


def rarity(texts: Iterable[AbstractSet[str]]) -> dict[str, float]:
    """How rare each word of some texts, given by their words, is among them: ln (1 + texts / texts with the word)."""
    counts: Counter[str] = Counter()
    total = 0
    for words in texts:
        total += 1
        counts.update(words)
    return {word: math.log(1 + total / count) for word, count in counts.items()}
