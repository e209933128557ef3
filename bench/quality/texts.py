"""What the turns of an index say, read from its store: the material of the questions."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import Any, TypeVar

from bench.quality.questions import Place, Question, hashed, spread
from memtui_core.model import Block
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired_turns

RARE = 3
"""Turns that hold an identifier which is worth asking for."""
_BATCH = 200
"""Turns whose texts are in memory at a time."""
_WORD = re.compile(r"\w{2,}")
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9]{2,}(?:-[a-z0-9]+)*")
_NAME = re.compile(
    r"(?<![\w/\\-])(?:[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)(?![\w/\\-]|\.\w)"
)
_HUMP = re.compile(r"[a-z0-9][A-Z]|_")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Head:
    """A turn without what the agent did in it."""

    id: int
    place: Place
    number: int
    kind: str
    segment: int
    text: str
    """The person's text."""
    forked_from: str | None


@dataclass(slots=True)
class Words:
    """The words of all turns, without case."""

    turns: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    """How many turns hold a word."""
    holders: dict[str, list[int]] = field(default_factory=dict)
    """The first turns, one more than RARE, that hold an identifier."""
    called: dict[str, str] = field(default_factory=dict)
    """Identifiers of tool calls, as they are written there."""

    def weight(self, word: str) -> float:
        """How much a word tells: 0 when every turn holds it."""
        return log(max(self.turns, 1) / max(self.counts[word], 1))


class Texts:
    """Reads the newest snapshot of a data folder; sessions in the order of their ids, whatever order they came in."""

    def __init__(self, data_dir: Path) -> None:
        self._snapshot = Snapshot(DataDir(data_dir))
        rows = self._snapshot.rows(
            "SELECT t.id, s.session_id, t.line, t.number, t.kind, t.segment, t.user_text, s.forked_from"
            " FROM turns t JOIN sessions s ON s.key = t.session WHERE NOT s.hidden ORDER BY s.session_id, t.number"
        )
        self.heads = [Head(turn, (session, line), *rest) for turn, session, line, *rest in rows]
        self.sessions: dict[str, list[Head]] = {}
        """The turns of each session by its id, in order."""
        for head in self.heads:
            self.sessions.setdefault(head.place[0], []).append(head)
        self.places = {head.id: head.place for head in self.heads}
        self.agents: dict[str, str] = dict(self._snapshot.rows("SELECT session_id, agent FROM sessions ORDER BY ALL"))
        """The agent of each session by its id."""
        self._order: dict[str, tuple[int, str]] = {}
        seen = Counter[str]()
        for session in sorted(self.agents, key=hashed):
            agent = self.agents[session]
            self._order[session] = (seen[agent], agent)
            seen[agent] += 1

    def spread(
        self, items: Iterable[_T], session: Callable[[_T], str], name: Callable[[_T], str], most: int
    ) -> list[_T]:
        """At most `most` of the items, see `spread`; those of the agents in turn, so that each is asked about."""
        return spread(items, session, name, most, self._order.__getitem__)

    def blocks(self, turns: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
        """Kind and text of every block of some turns."""
        found: dict[int, list[tuple[str, str]]] = {turn: [] for turn in turns}
        rows = self._snapshot.rows(
            f"SELECT turn, kind, text FROM blocks WHERE {key_condition('turn', turns)} ORDER BY turn, seq"
        )
        for turn, kind, text in rows:
            found[turn].append((kind, text))
        return found

    def choose(self, questions: Iterable[Question], most: int) -> list[Question]:
        """At most `most` questions, of all agents and sessions."""
        return self.spread(questions, lambda question: question.session, lambda question: question.text, most)

    def calls(self) -> Iterator[tuple[Place, ToolCall]]:
        """The tool calls of all sessions with the turns that they are in."""
        for heads in self.sessions.values():
            blocks: dict[int, list[Block]] = {head.id: [] for head in heads}
            rows = self._snapshot.rows(
                "SELECT turn, seq, line, kind, text, tool, tool_id, is_error, detail FROM blocks"
                f" WHERE {key_condition('turn', blocks)} AND kind IN ('tool_call', 'tool_result') ORDER BY turn, seq"
            )
            for turn, seq, line, kind, text, tool, tool_id, is_error, detail in rows:
                blocks[turn].append(Block(seq, line, kind, text, tool, tool_id, is_error, detail=detail))
            for call in paired_turns(blocks.items()):
                yield self.places[call.turn], call

    def holding(self, wanted: Collection[str]) -> dict[str, set[Place]]:
        """The turns in which each of some texts stands."""
        found: dict[str, set[Place]] = {text: set() for text in wanted}
        for head, blocks in self._with_blocks():
            held = [head.text, *(text for _, text in blocks)]
            for text, places in found.items():
                if any(text in one for one in held):
                    places.add(head.place)
        return found

    def touches(self) -> list[tuple[str, str, str, int]]:
        """(path, `edited` or `read`, session id, line of the turn) of every file."""
        rows = self._snapshot.rows(
            "SELECT DISTINCT m.path, m.kind, s.session_id, t.line FROM file_mentions m"
            " JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
            " WHERE NOT m.is_dir AND NOT s.hidden AND m.kind IN ('edited', 'read') ORDER BY ALL"
        )
        return [(path, kind, session, line) for path, kind, session, line in rows]

    def words(self) -> Words:
        """Count the words of all turns, tool output included, since search looks there too."""
        found = Words(len(self.heads))
        for head, blocks in self._with_blocks():
            _count(head, blocks, found)
        return found

    def _with_blocks(self) -> Iterator[tuple[Head, list[tuple[str, str]]]]:
        for start in range(0, len(self.heads), _BATCH):
            heads = self.heads[start : start + _BATCH]
            blocks = self.blocks([head.id for head in heads])
            for head in heads:
                yield head, blocks[head.id]


def words_of(text: str) -> set[str]:
    """The words of a text, without case."""
    return {word.casefold() for word in _WORD.findall(text)}


def identifiers(text: str) -> Iterator[str]:
    """The camelCase and snake_case names and --flags of a tool call's input that a person could remember."""
    for value in _strings(_parsed(text)):
        yield from _FLAG.findall(value)
        for name in _NAME.findall(value):
            if 6 <= len(name) <= 40 and sum(letter.isdigit() for letter in name) <= 2:
                yield name


def _count(head: Head, blocks: Sequence[tuple[str, str]], found: Words) -> None:
    words, names = words_of(head.text), set[str]()
    for kind, text in [("user", head.text), *blocks]:
        for word in _WORD.findall(text):
            words.add(word.casefold())
            if _HUMP.search(word):
                names.add(word.casefold())
        names.update(_FLAG.findall(text))
        if kind == "tool_call":
            for name in identifiers(text):
                found.called.setdefault(name.casefold(), name)
    found.counts.update(words)
    for name in names:
        holders = found.holders.setdefault(name, [])
        if len(holders) <= RARE:
            holders.append(head.id)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
