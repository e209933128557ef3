"""The values of a hand-off, and how they are joined into one text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from memtui_core.memory.handoff.truncation import close_fence, truncated
from memtui_core.text.controls import one_line, plain
from memtui_core.text.markdown.quoting import fence
from memtui_core.text.token_estimate import estimated_tokens

BEGIN = "[CONTEXT FROM PREVIOUS SESSION]"
END = "[/CONTEXT FROM PREVIOUS SESSION]"
_ESCAPED_END = "[ /CONTEXT FROM PREVIOUS SESSION]"
"""Replaces the end marker inside a text: no text may end the context early."""
_SEPARATOR = "\n\n"
"""Between the parts of the text."""

SectionTitle = Literal[
    "Files Read", "Files Changed", "Commands Executed", "Other Results", "Interrupted Calls", "Changes"
]
SECTION_TITLES: tuple[SectionTitle, ...] = (
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
    """How much a hand-off contains; lengths are in characters."""

    tool_context: bool = True
    """Whether tool calls are included; without them there is only the summary."""
    max_result_chars: int = 2000
    """The longest result; of a longer one the end is cut, of a command's output the middle."""
    max_tool_context_chars: int = 60_000
    """All results with their headings and fences; about 15,000 tokens, which leaves a new session most of its context.
    0 is the same as no tool context."""
    include_interrupted: bool = True
    """Whether calls without a result are listed."""
    bookkeeping: bool = False
    """Whether results of the tools that manage to-dos are included; the summary lists the open to-dos anyway."""


@dataclass(frozen=True, slots=True)
class ItemBody:
    """A text in a fence under a heading."""

    text: str
    language: str = ""
    keep_end: bool = False


@dataclass(frozen=True, slots=True)
class HandoffItem:
    """A tool result that can be included or left out."""

    id: str
    """Unique in its hand-off: the id of the call."""
    title: SectionTitle
    """The section that contains it."""
    name: str
    """One line: the path, the command or the summary line; the whole item for a call without a result."""
    turn: int
    line: int
    bodies: tuple[ItemBody, ...] = ()
    notes: tuple[str, ...] = ()
    longest: int = 2000
    """Characters of each body."""
    labels: tuple[str, ...] = ()
    """What distinguishes the result: its lines, `before edit`, `last of 3`, `error`."""

    @property
    def heading(self) -> str:
        """The name with the labels, as one line."""
        return one_line(" ".join([self.name, *(f"({label})" for label in self.labels)]))

    @property
    def text(self) -> str:
        """The item as Markdown."""
        return self.text_up_to(self.longest)

    @property
    def chars(self) -> int:
        """The length of the text."""
        return len(self.text)

    def text_up_to(self, longest: int) -> str:
        """The item as Markdown with at most `longest` characters of each body."""
        if self.title == "Interrupted Calls":
            return f"- {self.heading}"
        bodies = (fence(truncated(body.text, longest, keep_end=body.keep_end), body.language) for body in self.bodies)
        return plain("\n".join([f"### {self.heading}", *map(one_line, self.notes), *bodies]))


@dataclass(frozen=True, slots=True)
class HandoffSection:
    """A section of the hand-off; `text` starts with the heading."""

    title: str
    text: str
    ids: tuple[str, ...] = ()
    """The ids of its items."""
    starts: tuple[int, ...] = ()
    """For each item, the line of the text at which it begins."""

    @property
    def chars(self) -> int:
        """The length of the text."""
        return len(self.text)

    @property
    def tokens(self) -> int:
        """An estimate of its tokens."""
        return estimated_tokens(self.chars)


@dataclass(frozen=True, slots=True)
class Handoff:
    """What a session did, or the history of a file, for an agent that continues from there."""

    session_id: str
    """For a file, the last session that read or changed it."""
    first: int
    """The first turn of the hand-off; `last` is included."""
    last: int
    kind_of_summary: SummaryKind
    """compaction: the agent's own summary; extract: made from the session; file: the state of a file."""
    lead: tuple[HandoffSection, ...]
    """The sections that are always included: the summary, or the state of the file."""
    items: tuple[HandoffItem, ...] = ()
    """All results, the oldest first; `sections` selects those that fit."""
    limit: int = 0
    """Characters of all included results."""

    @property
    def summary(self) -> str:
        """The first section without its heading."""
        return self.lead[0].text.partition("\n")[2] if self.lead else ""

    def sections(self, without: Collection[str] = ()) -> tuple[HandoffSection, ...]:
        """The sections, without the items with some ids; if not all other items fit, the newest are included."""
        chosen = [item for item in self.items if item.id not in without]
        fitting = _fitting(chosen, self.limit)
        sections = (
            _section(title, [(item, text) for item, text in fitting if item.title == title]) for title in SECTION_TITLES
        )
        return (*self.lead, *(section for section in sections if section is not None))

    def result_chars(self, without: Collection[str] = ()) -> int:
        """The characters of the included results, which count towards the limit."""
        return sum(
            len(text) for _, text in _fitting([item for item in self.items if item.id not in without], self.limit)
        )

    def omitted(self, without: Collection[str] = ()) -> int:
        """The number of results that do not fit."""
        chosen = [item for item in self.items if item.id not in without]
        return len(chosen) - len(_fitting(chosen, self.limit)) if self.limit > 0 else 0

    def text(self, without: Collection[str] = ()) -> str:
        """The whole text between its markers; empty if there are no sections."""
        parts = self._parts(without)
        if not parts:
            return ""
        inner = _SEPARATOR.join(part.text for part in parts).replace(END, _ESCAPED_END).replace(BEGIN, f"[ {BEGIN[1:]}")
        return _SEPARATOR.join((BEGIN, inner, END))

    def starts(self, without: Collection[str] = ()) -> dict[str, int]:
        """The line of the text at which each section, by its title, and each item, by its id, begins."""
        starts: dict[str, int] = {}
        line = _SEPARATOR.count("\n")
        for part in self._parts(without):
            if part.title:
                starts[part.title] = line
            starts |= {id_: line + start for id_, start in zip(part.ids, part.starts, strict=True)}
            line += part.text.count("\n") + _SEPARATOR.count("\n")
        return starts

    def _parts(self, without: Collection[str]) -> list[HandoffSection]:
        """The sections, with a line without a title for the results that do not fit."""
        parts = list(self.sections(without))
        if parts and (omitted := self.omitted(without)):
            results = "result" if omitted == 1 else "results"
            parts.insert(len(self.lead), HandoffSection("", f"… {omitted} older tool {results} omitted"))
        return parts


def lead_section(title: str, text: str) -> HandoffSection:
    """A section that is always included; an open code fence in its Markdown is closed."""
    return HandoffSection(title, f"## {title}\n{close_fence(plain(text))}")


def _fitting(items: Sequence[HandoffItem], limit: int) -> list[tuple[HandoffItem, str]]:
    """The newest items that fit, oldest first, with their texts; if even the newest is too long, it is truncated."""
    fitting: list[tuple[HandoffItem, str]] = []
    free = limit
    for item in reversed(items if limit > 0 else ()):
        text = item.text
        if len(text) > free:
            if not fitting:
                fitting.append((item, _truncated_item(item, free)))
            break
        free -= len(text)
        fitting.append((item, text))
    return fitting[::-1]


def _truncated_item(item: HandoffItem, limit: int) -> str:
    for_bodies = limit - len(item.text_up_to(0))
    return item.text_up_to(max(0, for_bodies // max(1, len(item.bodies))))


def _section(title: SectionTitle, entries: Sequence[tuple[HandoffItem, str]]) -> HandoffSection | None:
    if not entries:
        return None
    separator = "\n" if title == "Interrupted Calls" else "\n\n"
    texts = [text for _, text in entries]
    heights = (text.count("\n") + separator.count("\n") for text in texts[:-1])
    return HandoffSection(
        title,
        f"## {title}\n{separator.join(texts)}",
        tuple(item.id for item, _ in entries),
        tuple(accumulate(heights, initial=1)),
    )
