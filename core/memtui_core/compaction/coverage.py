"""How much of a statement a summary says: by its words, and by its meaning."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final

from memtui_core.compaction.outline import outline, sentences, summary_body
from memtui_core.compaction.words import normalized_text, word_set
from memtui_core.model import Span

if TYPE_CHECKING:
    from memtui_core.search.embed import Embedder

LOST_BELOW: Final = 1.0
"""A statement is lost if its score is below this. The score is that of `Coverage.scores`: the share of the statement's
words that the summary has, plus its cosine.

Of 883 statements that were judged by reading (bench/review), the summary said in other words 5 % of those with a score
below 0.7, 28 % of those from 0.8 to 1.0, and most of those above.
"""
KEPT_FROM: Final = 1.25
"""A statement is kept if its score is at least this. The summary did not say 2 % of these, of those from 1.2 on 3 %."""
ABSENT_BELOW: Final = 0.6
"""A summary hardly ever says a statement with a score below this, so its weight is not reduced."""
_COSINE_OF_NONE, _COSINE_OF_ALL = 0.40, 0.38
"""The average cosine of a statement with the nearest sentence of a summary: if the summary has none of its words, and
what is added if it has all of them. Without a model they stand for the cosine (`expected_score`)."""
_WINDOW_SENTENCES: Final = 2
"""Consecutive sentences of a summary that together may say a statement."""
_QUOTED_END: Final = 40
"""Characters at both ends of a text: a summary that contains both ends quotes the text."""
_SHORTEST_SENTENCE: Final = 12
"""Characters from which on a sentence is compared by its meaning."""
_LONGEST_EMBEDDED: Final = 800
"""Characters of a text that are embedded."""


class TextVectors:
    """The vectors of texts, each made once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Any] = {}

    def matrix(self, texts: Sequence[str]) -> Any:
        """The vectors of texts, one row each."""
        import numpy as np

        cut = [text[:_LONGEST_EMBEDDED] for text in texts]
        missing = list(dict.fromkeys(text for text in cut if text not in self._vectors))
        self._vectors.update(zip(missing, self._embedder.embed(missing), strict=True))
        return np.array([self._vectors[text] for text in cut])


class SummaryText:
    """A summary in the form in which statements are compared with it: its sentences, and an index of its words."""

    def __init__(self, summary: str) -> None:
        body = summary_body(summary)
        self.body = body
        spans = sentences(body)
        self.sentences = [body[span.start : span.end] for span in spans]
        self.headings = _headings(body, spans)
        """The headings above each sentence, the outermost first, joined by ` / `; empty for a sentence without one."""
        self.lower = body.lower()
        self.normalized = normalized_text(body)
        self.windows: dict[str, list[int]] = {}
        """For each word the windows of consecutive sentences that have it, by the number of their first sentence."""
        by_sentence = list(map(word_set, self.sentences))
        for at in range(len(by_sentence)):
            for word in frozenset().union(*by_sentence[at : at + _WINDOW_SENTENCES]):
                self.windows.setdefault(word, []).append(at)


def _headings(body: str, spans: Sequence[Span]) -> list[str]:
    sections = outline(body)
    return [
        " / ".join(section.title for section in sections if section.span.start <= span.start < section.span.end)
        for span in spans
    ]


class Coverage:
    """Tells how much of a statement one summary says; `rarity` is the weight of each word, 1 for others."""

    def __init__(
        self, summary: str | SummaryText, rarity: Mapping[str, float], text_vectors: TextVectors | None = None
    ) -> None:
        self._summary = SummaryText(summary) if isinstance(summary, str) else summary
        self.text = self._summary.body
        self.headings = self._summary.headings
        self.sentences = self._summary.sentences
        self._rarity = rarity
        self._text_vectors = text_vectors
        self._vectors: Any = None

    def contains(self, name: str) -> bool:
        """Whether the summary contains a name, in any letter case."""
        return name.lower() in self._summary.lower

    def share(self, text: str, own: AbstractSet[str] | None = None) -> float:
        """The share of a text's words that two consecutive sentences of the summary have, 0 to 1; 1 for a quotation.

        Rare words weigh more. `own` are the words of the text (`word_set`), if they are known.
        """
        quote, normalized = normalized_text(text), self._summary.normalized
        if (
            len(quote) >= _SHORTEST_SENTENCE
            and quote[:_QUOTED_END] in normalized
            and quote[-_QUOTED_END:] in normalized
        ):
            return 1.0
        total = 0.0
        sums = [0.0] * len(self.sentences)
        for word in word_set(text) if own is None else own:
            weight = self._rarity.get(word, 1.0)
            total += weight
            for window in self._summary.windows.get(word, ()):
                sums[window] += weight
        return max(sums, default=0.0) / total if total else 0.0

    def scores(self, texts: Sequence[str], shares: Sequence[float] | None = None) -> list[float]:
        """The score of each text, 0 to 2: the share of its words that the summary has, plus its highest cosine.

        `shares` are the results of `share`, if they are known.
        """
        if not self.sentences:
            return [0.0] * len(texts)
        shares = [self.share(text) for text in texts] if shares is None else shares
        if self._text_vectors is None:
            return list(map(expected_score, shares))
        return [share + cosine for share, cosine in zip(shares, self._cosines(texts), strict=True)]

    def keeps(self, text: str) -> bool:
        """Whether the summary says a text, in its words or in others."""
        return self.scores([text])[0] >= LOST_BELOW

    def _cosines(self, texts: Sequence[str]) -> list[float]:
        """The highest cosine of each text with a sentence of the summary."""
        compared = [sentence for sentence in self.sentences if len(sentence) >= _SHORTEST_SENTENCE]
        if self._text_vectors is None or not texts or not compared:
            return [0.0] * len(texts)
        if self._vectors is None:
            self._vectors = self._text_vectors.matrix(compared)
        return [float(value) for value in (self._text_vectors.matrix(texts) @ self._vectors.T).max(axis=1)]


def expected_score(share: float) -> float:
    """The average score of statements of which the summary has this share of the words."""
    return share + _COSINE_OF_NONE + _COSINE_OF_ALL * share


def rarity(texts: Iterable[AbstractSet[str]]) -> dict[str, float]:
    """How rare each word is among texts, which are given as sets of words: ln (1 + texts / texts with the word)."""
    counts: Counter[str] = Counter()
    total = 0
    for words in texts:
        total += 1
        counts.update(words)
    return {word: math.log(1 + total / count) for word, count in counts.items()}
