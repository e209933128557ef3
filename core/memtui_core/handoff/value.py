"""What is handed on: the values, and how they become one text (docs/spec.md S1.14, S1.18)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui_core.handoff.cutting import closed, shortened
from memtui_core.text.controls import one_line, plain
from memtui_core.text.markdown import fence

BEGIN = "[CONTEXT FROM PREVIOUS SESSION]"
END = "[/CONTEXT FROM PREVIOUS SESSION]"
_HARMLESS_END = "[ /CONTEXT FROM PREVIOUS SESSION]"
"""What becomes of the last line where a text holds it: no text may end the context before its end."""
TOKEN = 4
"""Characters that count as one token, by and large: every number of tokens here is an estimate."""

Title = Literal["Files Read", "Files Changed", "Commands Executed", "Other Results", "Interrupted Calls", "Changes"]
TITLES: tuple[Title, ...] = (
    "Files Read",
    "Files Changed",
    "Commands Executed",
    "Other Results",
    "Interrupted Calls",
    "Changes",
)
SummaryKind = Literal["compaction", "extract", "file"]


@dataclass(frozen=True, slots=True)
class HandoffOptions:
    """How much is handed on; lengths are characters."""

    tool_context: bool = True
    """Without it only the summary is handed on."""
    max_result_chars: int = 2000
    """The longest result (docs/spec.md S1.17)."""
    max_tool_context_chars: int = 60_000
    """All results together with their headings and fences; some 15,000 tokens, which leaves a new session most of its
    context. 0 is the same as no tool context."""
    include_interrupted: bool = True
    """Calls that got no result are listed."""
    bookkeeping: bool = False
    """Also the results of the tools by which an agent keeps its to-dos; the summary tells the open ones."""


@dataclass(frozen=True, slots=True)
class Body:
    """A text in a fence under a heading."""

    text: str
    language: str = ""
    keep_end: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One tool result that can be handed on or left out."""

    id: str
    """Unique in its hand-off: the id of the call."""
    title: Title
    """The section that it is in."""
    heading: str
    """One line; of a call without a result all there is."""
    turn: int
    line: int
    bodies: tuple[Body, ...] = ()
    notes: tuple[str, ...] = ()
    longest: int = 2000
    """Characters of a body that are kept."""

    @property
    def text(self) -> str:
        """Its Markdown."""
        return self.cut_to(self.longest)

    @property
    def chars(self) -> int:
        """Length of its Markdown."""
        return len(self.text)

    @property
    def tokens(self) -> int:
        """An estimate: a quarter of its characters."""
        return tokens(self.text)

    def cut_to(self, longest: int) -> str:
        """Its Markdown with at most so many characters of each body."""
        if self.title == "Interrupted Calls":
            return f"- {one_line(self.heading)}"
        shown = (fence(shortened(body.text, longest, keep_end=body.keep_end), body.language) for body in self.bodies)
        return plain("\n".join([f"### {one_line(self.heading)}", *map(one_line, self.notes), *shown]))


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the text; `text` begins with its heading."""

    title: str
    text: str
    ids: tuple[str, ...] = ()
    """The items in it."""

    @property
    def chars(self) -> int:
        """Its length."""
        return len(self.text)

    @property
    def tokens(self) -> int:
        """An estimate: a quarter of its characters."""
        return tokens(self.text)


@dataclass(frozen=True, slots=True)
class Handoff:
    """What one session did, or what became of one file, for an agent that goes on from there."""

    session_id: str
    """Of a file the last session that had it before it."""
    first: int
    """The turns that it is of, the last one included."""
    last: int
    kind_of_summary: SummaryKind
    """compaction: the agent's own summary; extract: taken from the session; file: the state of a file."""
    lead: tuple[Section, ...]
    """What is there always: the summary, or the state of the file."""
    items: tuple[Item, ...] = ()
    """Every result that may be handed on, the oldest first; which of them fit `sections` tells."""
    limit: int = 0
    """Characters of all results together."""

    @property
    def summary(self) -> str:
        """The first section without its heading."""
        return self.lead[0].text.partition("\n")[2] if self.lead else ""

    def sections(self, without: Collection[str] = ()) -> tuple[Section, ...]:
        """The sections, without the items of some ids; where not all others fit, the newest do."""
        wanted = [item for item in self.items if item.id not in without]
        kept = _fitting(wanted, self.limit)
        parts = [_section(title, [(item, text) for item, text in kept if item.title == title]) for title in TITLES]
        return (*self.lead, *(part for part in parts if part is not None))

    def omitted(self, without: Collection[str] = ()) -> int:
        """How many results do not fit."""
        wanted = [item for item in self.items if item.id not in without]
        return len(wanted) - len(_fitting(wanted, self.limit)) if self.limit > 0 else 0

    def text(self, without: Collection[str] = ()) -> str:
        """All of it between its marks; the empty string for nothing at all."""
        parts = [section.text for section in self.sections(without)]
        if not parts:
            return ""
        if lost := self.omitted(without):
            results = "result" if lost == 1 else "results"
            parts.insert(len(self.lead), f"… {lost} older tool {results} omitted")
        inner = "\n\n".join(parts).replace(END, _HARMLESS_END).replace(BEGIN, f"[ {BEGIN[1:]}")
        return f"{BEGIN}\n\n{inner}\n\n{END}"


def tokens(text: str) -> int:
    """An estimate of the tokens of a text: a quarter of its characters, rounded up."""
    return -(-len(text) // TOKEN)


def lead_section(title: str, text: str) -> Section:
    """A section that is always there; what its Markdown leaves open is closed."""
    return Section(title, f"## {title}\n{closed(plain(text))}")


def _fitting(items: Sequence[Item], limit: int) -> list[tuple[Item, str]]:
    """The newest items that fit, oldest first, with their texts; a last one that is too long alone is cut."""
    kept: list[tuple[Item, str]] = []
    room = limit
    for item in reversed(items if limit > 0 else ()):
        text = item.text
        if len(text) > room:
            if not kept:
                kept.append((item, _cut_into(item, room)))
            break
        room -= len(text)
        kept.append((item, text))
    return kept[::-1]


def _cut_into(item: Item, room: int) -> str:
    left = room - len(item.cut_to(0))
    return item.cut_to(max(0, left // max(1, len(item.bodies))))


def _section(title: Title, entries: Sequence[tuple[Item, str]]) -> Section | None:
    if not entries:
        return None
    between = "\n" if title == "Interrupted Calls" else "\n\n"
    text = between.join(text for _, text in entries)
    return Section(title, f"## {title}\n{text}", tuple(item.id for item, _ in entries))
