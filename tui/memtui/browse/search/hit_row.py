"""What a row of the list of hits shows: the title, the passage, then the project, the age and why it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len
from textual.content import Content

from memtui.wording.annotated import added_text, signs
from memtui.wording.formatting import age, cut, day_and_month, time_of_day
from memtui.wording.owner import owner_mark
from memtui.wording.path_text import middle_cut
from memtui.wording.session_state import COLOURS, MARKS
from memtui_core.model import Hit, Span, state_of
from memtui_core.readers.registry import short_name
from memtui_core.text.controls import one_line
from memtui_core.text.names import SKIPPED

_WIDE = 76
"""The width in cells from which a passage has two lines instead of three."""
_MARKED = "bold underline $text-accent"


@dataclass(frozen=True, slots=True)
class HitRow:
    """A row of the list: the best hit of a group, or one of the others below it."""

    hit: Hit
    more: int = 0
    """How many other hits of the group are hidden."""
    below: bool = False
    """Whether it is one of the others."""
    is_repeated: bool = False
    """Whether a row above it has the same passage."""
    is_dated: bool = False
    """Whether another row has the same title, so that the time tells them apart."""
    shows_agent: bool = False
    """Whether the row names the agent, because the hits are of several."""

    def content(self, now: datetime, width: int) -> Content:
        """The lines of the row, each at most `width` cells wide."""
        title_spans, text, spans = title_matches_and_passage(self.hit)
        end = self.hit.end
        if not text and end is not None and state_of(end, now) != "ended":
            # What it asks, what it does, or what went wrong.
            text = end.quote
        facts = Content.styled(self._facts(now, width - 4 if self.below else width), "dim")
        if not self.below:
            return Content("\n").join([self._title(title_spans, now, width), *_passage(text, spans, width), facts])
        passage = [] if self.is_repeated else _passage(text, spans, width - 4)
        lines = [Content("    ") + line for line in passage]
        return Content("\n").join([Content.styled("  └ ", "dim") + facts, *lines])

    def _facts(self, now: datetime, width: int) -> str:
        """The project or turn, machine, agent and age, and why it is a hit; of a path the file name is always whole."""
        hit = self.hit
        agent = short_name(hit.agent) if self.shows_agent and not self.below else ""
        place = [f"turn {hit.turn}"] if self.below else [hit.project, owner_mark(hit), agent]
        parts = [*place, self._when(now), *hit.why]
        added = added_text(hit, width)
        if hit.path is not None and hit.why and hit.why[0].endswith(hit.path):
            room = width - cell_len(" · ".join(filter(None, parts))) + cell_len(hit.path)
            parts[len(place) + 1] = hit.why[0].removesuffix(hit.path) + middle_cut(hit.path, max(room, width // 2))
        return cut(" · ".join(filter(None, (*parts, added))), width) if added else " · ".join(filter(None, parts))

    def _title(self, spans: Sequence[Span], now: datetime, width: int) -> Content:
        more = f"  +{self.more} more" if self.more else ""
        state = state_of(self.hit.end, now)
        mark = (MARKS[state] if state != "ended" else "", COLOURS[state])
        added = signs(self.hit)
        title = cut(self.hit.title, width - cell_len(mark[0] + added + more))
        shown = Content.styled(title, "bold")
        for span in spans:
            shown = shown.stylize(_MARKED, span.start, min(span.end, len(title)))
        return Content.assemble(mark, added, shown, (more, "$text-accent"))

    def _when(self, now: datetime) -> str:
        at = self.hit.started_at
        if self.is_dated and at is not None:
            return f"{day_and_month(at.astimezone())} {time_of_day(at)}"
        return age(at, now)


def title_matches_and_passage(hit: Hit) -> tuple[list[Span], str, list[Span]]:
    """The matches in the title, a text of the hit that does not repeat the title, and the matches in that text.

    A snippet that begins with the title goes on where the title ends; if nothing is left of it, it is the next passage.
    """
    title = hit.title.removeprefix(SKIPPED).removesuffix("…")
    if not title or (not hit.snippet.startswith(title) and not title.startswith(hit.snippet)):
        return [], hit.snippet, list(hit.spans)
    end = len(title)
    if hit.snippet[end : end + 1].isalnum():
        end = hit.snippet.rfind(" ", 0, end) + 1
    lead = len(SKIPPED) if hit.title.startswith(SKIPPED) else 0
    in_title = [Span(span.start + lead, span.end + lead) for span in hit.spans if span.end <= end]
    rest = hit.snippet[end:].lstrip(" .:;,")
    if not rest:
        return in_title, _other_passage(hit, title), []
    offset = len(hit.snippet) - len(rest) - 2
    in_rest = [Span(span.start - offset, span.end - offset) for span in hit.spans if span.start >= end]
    return in_title, f"… {rest}", in_rest


def _other_passage(hit: Hit, title: str) -> str:
    """The next passage of a hit as one line, of what a person or the agent wrote; empty if it has none."""
    texts = (one_line(passage.text) for passage in hit.passages[1:] if not passage.source.startswith("tool"))
    return next((text for text in texts if not text.startswith(title)), "")


def _passage(text: str, spans: Sequence[Span], width: int) -> list[Content]:
    """The lines of a text around its first match, the matches marked."""
    if not text:
        return []
    height = 2 if width >= _WIDE else 3
    text, spans = excerpt(text, spans, width * (height - 1))
    shown = Content(text)
    for span in spans:
        shown = shown.stylize(_MARKED, max(0, span.start), span.end)
    lines = shown.wrap(width) if cell_len(text) > width else [shown]
    if len(lines) > height:
        lines = [*lines[: height - 1], Content.assemble(lines[height - 1].rstrip(), "…").truncate(width, ellipsis=True)]
    return lines


def excerpt(text: str, spans: Sequence[Span], width: int) -> tuple[str, list[Span]]:
    """Return the part of a snippet that shows its first match within `width` cells, and the matches in that part.

    The part begins with a whole word if there is a blank before the match.
    """
    first = spans[0] if spans else Span(0, 0)
    if cell_len(text[: first.end]) <= width:
        return text, list(spans)
    start = first.start
    while start > 0 and cell_len(text[start - 1 : first.start]) < width // 3:
        start -= 1
    if start > 0 and not text[start - 1].isspace():
        blank = text.find(" ", start, first.start)
        start = blank + 1 if blank >= 0 else start
    part = "…" + text[start:].lstrip()
    offset = start + len(text[start:]) - len(text[start:].lstrip()) - 1
    return part, [Span(span.start - offset, span.end - offset) for span in spans if span.start > offset]
