"""What a view asks to be shown: a session in the transcript pane, or the hits of a search."""

from __future__ import annotations

from dataclasses import dataclass, field

from memtui_core.model import Passage


@dataclass(frozen=True, slots=True)
class HitPassages:
    """The passages of a hit, and the words to mark in them."""

    passages: tuple[Passage, ...]
    """Best first."""
    words: tuple[str, ...] = ()
    prefix: bool = False
    """Whether the last word also matches words that begin with it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A session, and where to open it."""

    session: int
    """`Session.key`."""
    turn: int | None = None
    """`Turn.number`; None for the beginning."""
    words: tuple[str, ...] = ()
    """Words to mark; the first match in the turn is shown."""
    call: tuple[str, str] | None = None
    """The tool call to show: the name of its tool, and the path of its file."""
    tool_id: str | None = None
    """The id of the tool call to show."""
    seq: int | None = None
    """`Block.seq` of the tool call to show."""
    hit: HitPassages | None = None
    """The passages of the turn, if it is a hit."""
    title: str = field(default="", compare=False)
    """The title of the session, which is shown while it is loaded; empty if the list does not know it."""

    @property
    def first_turn(self) -> int:
        """`Turn.number` of the turn that is needed first."""
        return self.turn or 1


@dataclass(frozen=True, slots=True)
class AppStart:
    """What the app is started for."""

    target: Target | None = None
    """What to show first."""
    query: str = ""
    """What to search for at once."""
    chooses: bool = False
    """Whether the first session that is opened ends the app, as its answer."""
    with_turn: bool = False
    """Whether the answer names a turn."""


@dataclass(frozen=True, slots=True)
class SearchedProject:
    """The project in which turns are searched."""

    folder: str
    """Its root; its name if it has none."""
    name: str
    """What the screen calls it."""


@dataclass(frozen=True, slots=True)
class TurnSearch:
    """The turns that match a query; in a project also all of its turns, by an empty query."""

    query: str
    project: SearchedProject | None = None
    """Where to search; None for everywhere."""
