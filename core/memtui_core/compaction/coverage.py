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
    from memtui_core.embed import Embedder

SAID: Final = 1.0
"""The sum of the share of a statement's words and of its cosine, see `Coverage.said`, from which on it is not lost.

Of 883 statements that were judged by reading (bench/review), 5 % of those below 0.7 were said in other
words, 28 % of those from 0.8 to 1.0, and most of those above.
"""
KEPT: Final = 1.25
"""The sum from which on a summary surely says a statement: 2 % of these were absent, of those from 1.2 on 3 %."""
PARTLY_SAID: Final = 0.6
"""The sum below which a summary hardly ever says a statement."""
_COSINE_OF_NONE, _COSINE_OF_ALL = 0.40, 0.38
"""The cosine that statements have on average with the sentences of a summary: of those none of whose words the summary
has, and what is added for those all of whose words it has. It stands for the cosine while there is no model."""
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
        spans = sentences(body)
        self.sentences = [body[span.start : span.end] for span in spans]
        self.headings = _headings(body, spans)
        """The headings above each sentence, the outermost first; empty without one."""
        self.lower = body.lower()
        self.normalized = normalized_text(body)
        self.windows: dict[str, list[int]] = {}
        """The numbers of the sentences that have a word, or whose next one has it."""
        by_sentence = list(map(word_set, self.sentences))
        for at in range(len(by_sentence)):
            for word in frozenset().union(*by_sentence[at : at + _WINDOW]):
                self.windows.setdefault(word, []).append(at)


def _headings(body: str, spans: Sequence[Span]) -> list[str]:
    sections = outline(body)
    return [
        " / ".join(section.title for section in sections if section.span.start <= span.start < section.span.end)
        for span in spans
    ]


class Coverage:
    """Compares statements with one summary; `rarity` is the weight of each word."""

    def __init__(
        self, summary: str | SummaryText, rarity: Mapping[str, float], meanings: Meanings | None = None
    ) -> None:
        self._summary = SummaryText(summary) if isinstance(summary, str) else summary
        self.text = self._summary.body
        self.headings = self._summary.headings
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

        `shares` are the results of `share`, if they are known.
        """
        if not self.sentences:
            return [0.0] * len(texts)
        shares = [self.share(text) for text in texts] if shares is None else shares
        if self._meanings is None:
            return list(map(expected_said, shares))
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


def expected_said(share: float) -> float:
    """What `Coverage.said` is on average for statements of whose words the summary has a share."""
    return share + _COSINE_OF_NONE + _COSINE_OF_ALL * share


def rarity(texts: Iterable[AbstractSet[str]]) -> dict[str, float]:
    """How rare each word of some texts, given by their words, is among them: ln (1 + texts / texts with the word)."""
    counts: Counter[str] = Counter()
    total = 0
    for words in texts:
        total += 1
        counts.update(words)
    return {word: math.log(1 + total / count) for word, count in counts.items()}
