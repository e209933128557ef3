"""What reviews make of the texts of one session, each once: all its compactions compare the same texts."""

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
class Part:
    """A list entry or a sentence of a text, with how much its words and its heading say that it matters."""

    kind: FactKind
    text: str
    importance: float
    words: frozenset[str]


class SessionTexts:
    """The words, the parts and the parsed tool calls of a session, which are kept until its reviews are made."""

    def __init__(self) -> None:
        self._words: dict[str, frozenset[str]] = {}
        self._summaries: dict[str, SummaryText] = {}
        self._parts: dict[tuple[str, bool, str], list[Part]] = {}
        self._calls: dict[tuple[int, int], ToolCall] = {}
        self._made: dict[tuple[object, int], Any] = {}

    def words(self, text: str) -> frozenset[str]:
        """The different words of a text."""
        if (known := self._words.get(text)) is None:
            known = self._words[text] = word_set(text)
        return known

    def summary(self, text: str) -> SummaryText:
        """A summary, ready to be compared."""
        if (known := self._summaries.get(text)) is None:
            known = self._summaries[text] = SummaryText(text)
        return known

    def parts(self, origin: str, is_whole: bool, text: str, taken_apart: Callable[[], Iterable[Part]]) -> list[Part]:
        """The parts of a text, which depend on its origin too; `taken_apart` makes them the first time."""
        key = (origin, is_whole, text)
        if (known := self._parts.get(key)) is None:
            known = self._parts[key] = list(taken_apart())
        return known

    def call(self, call: ToolCall) -> ToolCall:
        """A tool call whose input was perhaps parsed before; its `turn` may be another one."""
        return self._calls.setdefault((id(call.block), id(call.result)), call)

    def once(self, make: Callable[[ToolCall], _Made], call: ToolCall) -> _Made:
        """What a function makes of a tool call that `call` returned."""
        key = (make, id(call))
        if key not in self._made:
            self._made[key] = make(call)
        made: _Made = self._made[key]
        return made
