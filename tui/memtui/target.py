"""What a screen is asked to open."""

from __future__ import annotations

from dataclasses import dataclass

from memtui_core.model import Passage


@dataclass(frozen=True, slots=True)
class Answer:
    """The passages of a turn that answer a query, and the words to mark in them."""

    passages: tuple[Passage, ...]
    """The best first."""
    words: tuple[str, ...] = ()
    prefix: bool = False
    """The last word may be the beginning of one."""


@dataclass(frozen=True, slots=True)
class Target:
    """A session, and what to show of it first."""

    session: int
    """`Session.key`."""
    turn: int | None = None
    """`Turn.number`; None for the beginning."""
    words: tuple[str, ...] = ()
    """Words to go to and to mark, match by match."""
    call: tuple[str, str] | None = None
    """The tool call of the turn to show: its tool, and the path of the file that it worked on."""
    answer: Answer | None = None
    """What a search found in the turn."""
