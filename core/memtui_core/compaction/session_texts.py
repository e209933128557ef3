"""What reviews make of the texts of a session. It is kept, because all compactions of the session compare the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from memtui_core.compaction.coverage import SummaryText
from memtui_core.compaction.model import FactKind
from memtui_core.compaction.words import word_set
from memtui_core.tools.call import ToolCall

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class RatedSentence:
    """A list entry or a sentence of a text; `importance` is how much it matters by its words and its heading."""

    kind: FactKind
    text: str
    importance: float
    words: frozenset[str]


class SessionTexts:
    """Keeps the words, the sentences and the parsed tool calls of a session until its reviews are made."""

    def __init__(self) -> None:
        self._words: dict[str, frozenset[str]] = {}
        self._summaries: dict[str, SummaryText] = {}
        self._rated_sentences: dict[tuple[str, bool, str], list[RatedSentence]] = {}
        self._calls: dict[tuple[int, int], ToolCall] = {}
        self._results: dict[tuple[object, int], Any] = {}

    def words(self, text: str) -> frozenset[str]:
        """The different words of a text."""
        if (known := self._words.get(text)) is None:
            known = self._words[text] = word_set(text)
        return known

    def summary(self, text: str) -> SummaryText:
        """A summary in the form in which it is compared."""
        if (known := self._summaries.get(text)) is None:
            known = self._summaries[text] = SummaryText(text)
        return known

    def rated_sentences(
        self, origin: str, is_whole: bool, text: str, make_sentences: Callable[[], Iterable[RatedSentence]]
    ) -> list[RatedSentence]:
        """The sentences of a text, which depend on its origin too; the first time `make_sentences` makes them."""
        key = (origin, is_whole, text)
        if (known := self._rated_sentences.get(key)) is None:
            known = self._rated_sentences[key] = list(make_sentences())
        return known

    def call(self, call: ToolCall) -> ToolCall:
        """The tool call as it was first passed, so that its input is parsed once; the number of its turn may differ."""
        return self._calls.setdefault((id(call.block), id(call.result)), call)

    def result_of(self, make: Callable[[ToolCall], _Made], call: ToolCall) -> _Made:
        """The result of a function of a tool call that `call` has returned; the function is called once."""
        key = (make, id(call))
        if key not in self._results:
            self._results[key] = make(call)
        result: _Made = self._results[key]
        return result
