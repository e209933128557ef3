"""A turn as pieces that every document format writes in its own way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memtui_core.export import facts
from memtui_core.export.work import Work, work
from memtui_core.model import Block, Session, Turn
from memtui_core.text.controls import plain
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import calls_by_seq

WordsKind = Literal["said", "prompt", "summary", "answer", "error", "thinking", "note", "image"]
_CALLS = frozenset({"tool_call", "tool_result"})
_BY_AGENT = _CALLS | {"text", "thinking"}
_ASIDES = frozenset({"meta", "reminder"})
"""Notes that the agent was told and the person did not see: they go with the tools."""


@dataclass(frozen=True, slots=True)
class Head:
    """Who speaks from here on within a turn."""

    name: str
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Words:
    """A text without control characters and without blank lines at its ends."""

    kind: WordsKind
    """said: by the person, to be shown as it was typed; prompt: by a parent agent, Markdown; summary: of a compaction,
    Markdown; answer: by the agent, Markdown; thinking: Markdown; error, note and image: told by the program."""
    text: str
    label: str = ""
    """What a note is: command, interrupt, shell, recap, notification, reminder, meta or error."""

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.text.count("\n") + 1


Piece = Head | Words | Work


def kept(turn: Turn, *, thinking: bool, tools: bool) -> list[Block]:
    """The blocks of a turn that are wanted; without `tools` neither calls nor what only the agent was told."""
    return [block for block in turn.blocks if (thinking or block.kind != "thinking") and (tools or not _is_work(block))]


def pieces(session: Session, turn: Turn, *, thinking: bool, tools: bool) -> Iterator[Piece]:
    """The pieces of what is wanted of a turn, in file order; a call has its result with it.

    A turn's heading says who opens it, so that its first words have no head of their own.
    """
    blocks = kept(turn, thinking=thinking, tools=tools)
    calls = calls_by_seq(blocks)
    speaking = "agent" if turn.kind == "opening" else "nobody"
    answer = tuple(facts.answer(turn))
    if turn.user_text and not any(block.kind == "user" for block in blocks):
        yield _opened_by(turn, turn.user_text)
    for block in blocks:
        call = calls.get(block.seq)
        if call is None and block.kind in _CALLS:
            continue
        if block.kind == "user":
            if speaking != "nobody":
                yield Head("You", (facts.when(block.at),) if block.at else ())
            yield _opened_by(turn, block.text) if speaking == "nobody" else Words("said", _body(block.text))
            speaking = "person"
        else:
            if block.kind in _BY_AGENT and speaking != "agent":
                yield Head(facts.agent(session), answer)
                speaking, answer = "agent", ()
            yield from _told(block, call, session.root)


def _told(block: Block, call: ToolCall | None, root: str) -> Iterator[Piece]:
    if call is not None:
        yield work(call, root)
    elif block.text.strip():
        yield Words(_kind(block), _body(block.text), (block.tool or "note") if block.kind == "note" else "")


def _kind(block: Block) -> WordsKind:
    if block.kind == "thinking" or block.kind == "note" or block.kind == "image":
        return block.kind
    return "error" if block.is_error else "answer"


def _is_work(block: Block) -> bool:
    return block.kind in _CALLS or (block.kind == "note" and block.tool in _ASIDES)


def _opened_by(turn: Turn, text: str) -> Words:
    if turn.kind == "compaction":
        return Words("summary", _body(text))
    return Words("prompt" if turn.kind == "agent" else "said", _body(text))


def _body(text: str) -> str:
    return plain(text).strip("\n")
