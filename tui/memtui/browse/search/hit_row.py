"""What a row of the list of hits shows: a block with the title, the passage and the facts, or all of it on one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from memtui.wording.annotated import added_text, signs
from memtui.wording.formatting import age, cut, day_and_time, fitted
from memtui.wording.owner import owner_mark
from memtui.wording.path_text import middle_cut
from memtui.wording.session_state import COLOURS, MARKS
from memtui_core.model import Hit, Span, state_of
from memtui_core.readers.registry import label
from memtui_core.text.names import SKIPPED

_WIDE = 76
"""The width in cells from which a passage has two lines instead of three."""
_MARKED = "bold underline $text-accent"
_INDENT: Final = 2
"""Cells before the lines below a title, where the bar of the cursor stands."""
_BELOW_INDENT: Final = 4
"""The same below the line of another hit of the session."""
_AGE: Final = 5
"""Cells of an age, which is right aligned."""
_GAP: Final = "  "
_SAME: Final = "the same passage"
_WITH_PROJECT: Final = 76
"""The width in cells from which on a line has a column for the project."""
_TITLE: Final = 2 / 5
"""The part of the room for passage and title that the title gets: one looks at the passage first."""
_MAX_TITLE: Final = 44


class LineColumns(NamedTuple):
    """The cells of the columns of a line: passage, title, project and age, with gaps between them."""

    passage: int
    title: int
    project: int
    """0 for no such column."""


def line_columns(width: int, *, shows_project: bool) -> LineColumns:
    """The columns of lines of `width` cells, whatever the hits are."""
    project = min(20, width // 6) if shows_project and width >= _WITH_PROJECT else 0
    room = width - _AGE - 2 * len(_GAP) - (project + len(_GAP) if project else 0)
    title = min(_MAX_TITLE, int(room * _TITLE))
    return LineColumns(room - title, title, project)


@dataclass(frozen=True, slots=True)
class HitRow:
    """A row of the list: the best hit of a group, or one of the others below it."""

    hit: Hit
    more: int = 0
    """How many other hits of the group are hidden."""
    shortened: Callable[[int], str] | None = None
    """The title in at most some cells, told apart from those of the rows around it; None to cut its end."""
    below: bool = False
    """Whether it is one of the others."""
    is_repeated: bool = False
    """Whether a row above it has the same passage."""
    is_dated: bool = False
    """Whether another row has the same title, so that the time tells them apart."""
    shows_agent: bool = False
    """Whether the label of the agent stands before the title, because the index has several."""

    def block(self, now: datetime, width: int) -> Content:
        """The row as lines of at most `width` cells: the title with project and age, the passage, the facts."""
        title_spans, text, spans = title_matches_and_passage(self.hit)
        text = text or self._said_last(now)
        indent = _BELOW_INDENT if self.below else _INDENT
        passage = [] if self.is_repeated else _passage(text, spans, width - indent)
        if self.below:
            return self._lines(self._turn_line(now, width), passage, indent)
        facts = self._facts(width - indent)
        below = [*passage, Content.styled(facts, "dim")] if facts else passage
        return self._lines(self._title_line(title_spans, now, width), below, indent)

    @staticmethod
    def _lines(first: Content, below: Sequence[Content], indent: int) -> Content:
        return Content("\n").join([first, *(Content(" " * indent) + line for line in below)])

    def line(self, now: datetime, columns: LineColumns) -> Content:
        """The row as one line: the passage, for which one looks at it, then the title, the project and the age."""
        title_spans, text, spans = title_matches_and_passage(self.hit)
        passage = self._passage_of_line(text or self._said_last(now), spans, columns.passage)
        when = self._when(now)
        right = f"{fitted(self.hit.project, columns.project)}{_GAP}{when}" if columns.project else when
        # The time of one of several with the same title is longer than an age, and takes its room from the title.
        room = columns.title + _AGE - cell_len(when)
        if self.below:
            name = Content.styled(cut(self._facts(room), room), "dim")
        else:
            if not passage:
                room += columns.passage + len(_GAP)
            name = self._title(title_spans, now, room, f" +{self.more}" if self.more else "")
        line = Content.assemble(_padded(name, room), _GAP, (right, "dim"))
        return Content.assemble(_padded(passage, columns.passage), _GAP, line) if passage else line

    def _passage_of_line(self, text: str, spans: Sequence[Span], width: int) -> Content:
        """The passage of a line; without one what else is to say of the hit."""
        lead = "└ " if self.below else ""
        if self.is_repeated:
            said = Content.styled(_SAME, "dim")
        elif text:
            said = _one_line(text, spans, width - len(lead))
        else:
            said = Content.styled("" if self.below else self._facts(width), "dim")
        return Content.assemble((lead, "dim"), said)

    def _said_last(self, now: datetime) -> str:
        """What a session asks, does, or failed with; empty if it has ended otherwise."""
        end = self.hit.end
        return end.quote if end is not None and state_of(end, now) != "ended" else ""

    def _title_line(self, spans: Sequence[Span], now: datetime, width: int) -> Content:
        """The title, and at the right end the project and the age."""
        right = _GAP.join(filter(None, (cut(self.hit.project, width // 3), self._when(now))))
        title = self._title(spans, now, width - cell_len(right) - 2, f"  +{self.more}" if self.more else "")
        gap = " " * (width - title.cell_length - cell_len(right))
        return Content.assemble(title, gap, (right, "dim"))

    def _title(self, spans: Sequence[Span], now: datetime, width: int, more: str) -> Content:
        state = state_of(self.hit.end, now)
        live = MARKS[state] if state != "ended" else ""
        mark = signs(self.hit)
        agent = f"{label(self.hit.agent)} " if self.shows_agent else ""
        room = max(4, width - cell_len(live + mark + agent + more))
        title = self.shortened(room) if self.shortened is not None else cut(self.hit.title, room)
        shown = Content.styled(title, "bold")
        for start, end in _places(title, self.hit.title, spans):
            shown = shown.stylize(_MARKED, start, end)
        return Content.assemble((live, COLOURS[state]), mark, (agent, "dim"), shown, (more, "$text-accent"))

    def _turn_line(self, now: datetime, width: int) -> Content:
        """The turn of another hit of a session with its facts, and at the right end the age."""
        lead, when = "  └ ", self._when(now)
        facts = cut(self._facts(width - len(lead) - len(when) - 2), width - len(lead) - len(when) - 2)
        return Content.styled(f"{lead}{facts}{when:>{max(1, width - len(lead) - cell_len(facts))}}", "dim")

    def _facts(self, width: int) -> str:
        """The turn or the machine, and what is to say of the hit; of a path the file name is always whole."""
        hit = self.hit
        place = [f"turn {hit.turn}"] if self.below else [owner_mark(hit)]
        parts = [*place, *hit.notable]
        if hit.path is not None and hit.notable and hit.notable[0].endswith(hit.path):
            room = width - cell_len(" · ".join(filter(None, parts))) + cell_len(hit.path)
            kind = hit.notable[0].removesuffix(hit.path)
            parts[len(place)] = kind + middle_cut(hit.path, max(room, cell_len(hit.path.rpartition("/")[2]) + 2))
        return cut(" · ".join(filter(None, (*parts, added_text(hit, width)))), width)

    def _when(self, now: datetime) -> str:
        at = self.hit.started_at
        return day_and_time(at) if self.is_dated and at is not None else f"{age(at, now):>{_AGE}}"


def _places(shown: str, title: str, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Where the matches of a title are in what is shown of it, in which words may be left out."""
    if shown == title:
        yield from ((span.start, span.end) for span in spans)
        return
    for word in {title[span.start : span.end] for span in spans}:
        yield from (found.span() for found in re.finditer(rf"(?<!\w){re.escape(word)}", shown))


def _padded(text: Content, width: int) -> Content:
    return text.pad_right(max(0, width - text.cell_length))


def title_matches_and_passage(hit: Hit) -> tuple[list[Span], str, list[Span]]:
    """The matches in the title, a text of the hit that does not repeat the title, and the matches in that text.

    A snippet that begins with the title goes on where the title ends; if nothing is left of it, it is the next passage.
    """
    title = hit.title.removeprefix(SKIPPED).removesuffix("…")
    if not title or (not hit.snippet.startswith(title) and not title.startswith(hit.snippet.removesuffix("…"))):
        return [], hit.snippet, list(hit.spans)
    end = len(title)
    if hit.snippet[end : end + 1].isalnum():
        end = hit.snippet.rfind(" ", 0, end) + 1
    lead = len(SKIPPED) if hit.title.startswith(SKIPPED) else 0
    in_title = [Span(span.start + lead, span.end + lead) for span in hit.spans if span.end <= end]
    rest = hit.snippet[end:].lstrip(" .:;,…")
    if not rest:
        return in_title, _other_passage(hit, title), []
    offset = len(hit.snippet) - len(rest) - 2
    in_rest = [Span(span.start - offset, span.end - offset) for span in hit.spans if span.start >= end]
    return in_title, f"… {rest}", in_rest


def _other_passage(hit: Hit, title: str) -> str:
    """The next passage of a hit as one line, of what a person or the agent wrote; empty if it has none."""
    from memtui_core.text.markdown.plain import plain_line

    texts = (plain_line(passage.excerpt) for passage in hit.passages[1:] if not passage.source.startswith("tool"))
    return next((text for text in texts if not text.startswith(title)), "")


def _passage(text: str, spans: Sequence[Span], width: int) -> list[Content]:
    """The lines of a text around its first match, the matches marked."""
    if not text:
        return []
    height = 2 if width >= _WIDE else 3
    text, spans = excerpt(text, spans, width * (height - 1))
    shown = _with_matches(text, spans)
    lines = shown.wrap(width) if cell_len(text) > width else [shown]
    if len(lines) > height:
        lines = [*lines[: height - 1], Content.assemble(lines[height - 1].rstrip(), "…").truncate(width, ellipsis=True)]
    return lines


def _one_line(text: str, spans: Sequence[Span], width: int) -> Content:
    """A text around its first match on one line, the matches marked."""
    text, spans = excerpt(text, spans, width)
    return _with_matches(text, spans).truncate(max(0, width), ellipsis=True)


def _with_matches(text: str, spans: Sequence[Span]) -> Content:
    shown = Content(text)
    for span in spans:
        shown = shown.stylize(_MARKED, max(0, span.start), span.end)
    return shown


def excerpt(text: str, spans: Sequence[Span], width: int) -> tuple[str, list[Span]]:
    """Return the part of a snippet that shows its first match within `width` cells, and the matches in that part.

    The part begins with a whole word if there is a blank before the match.
    """
    first = spans[0] if spans else Span(0, 0)
    if cell_len(text[: first.end]) <= width:
        return text, list(spans)
    start = first.start
    # What stands before the match gets a third of the room, and what the rest of the text leaves.
    room = max(width // 3, width - 1 - cell_len(text[start:]))
    while start > 0 and cell_len(text[start - 1 : first.start]) < room:
        start -= 1
    if start > 0 and not text[start - 1].isspace():
        blank = text.find(" ", start, first.start)
        start = blank + 1 if blank >= 0 else start
    part = "…" + text[start:].lstrip()
    offset = start + len(text[start:]) - len(text[start:].lstrip()) - 1
    return part, [Span(span.start - offset, span.end - offset) for span in spans if span.start > offset]
