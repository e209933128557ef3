"""What the list of the timeline is made of, and how its rows look."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from textual.content import Content

from memtui.formatting import age, cut, number, plural
from memtui.render.clean import clean
from memtui.views.timeline.observation_rows import counts, gist
from memtui.widgets.row_list import headed
from memtui_core.memory.timeline_model import FORGOTTEN, TimelinePage, TimelineSession

if TYPE_CHECKING:
    from memtui_core.memory.model import Observation

Key = tuple[Literal["session", "observation"], str]
_TYPE = 11
"""Cells of a type and the blanks behind it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a row stands for: a session, or an observation with its session, if that is known."""

    past: TimelineSession | None
    observation: Observation | None = None

    @property
    def key(self) -> Key:
        """The same while it is listed, whatever becomes of it."""
        if self.observation is not None:
            return "observation", self.observation.id
        return "session", self.session_id

    @property
    def session_id(self) -> str:
        """Id of its session; empty for none."""
        if self.past is not None:
            return self.past.session_id
        return self.observation.session_id if self.observation is not None else ""

    @property
    def root(self) -> str:
        """Root of its project; empty for none."""
        if self.past is not None:
            return self.past.root
        return self.observation.root if self.observation is not None else ""

    @property
    def name(self) -> str:
        """Title of its session, else the beginning of its id."""
        return self.past.name if self.past is not None else f"session {self.session_id[:8]}"


def entries(page: TimelinePage, folded: Collection[str]) -> Iterator[Entry]:
    """What is listed, of sessions that are not folded with what was written down in them, the newest first."""
    if page.query.kind:
        of = {one.session_id: one for one in page.sessions}
        yield from (Entry(of.get(one.session_id), one) for one in page.observations)
        return
    for past in page.sessions:
        yield Entry(past)
        if past.session_id not in folded:
            yield from (Entry(past, one) for one in reversed(past.observations))


def keys_of(past: TimelineSession) -> set[Key]:
    """The keys of the rows below a session."""
    return {("observation", one.id) for one in past.observations}


def title(page: TimelinePage) -> str:
    """The project, and which kind."""
    return f"timeline of {page.project or 'all projects'}" + (f" · {page.query.kind}" if page.query.kind else "")


def subtitle(page: TimelinePage) -> str:
    """How much is listed."""
    if page.query.kind == FORGOTTEN:
        return plural(page.total, "observation")
    if page.query.kind:
        return f"{number(page.total)} of {plural(page.saved, 'observation')}"
    facts = [plural(page.total, "session")]
    if page.saved:
        facts.append(plural(page.saved, "observation"))
    return " · ".join(facts)


def session_row(past: TimelineSession, width: int, now: datetime, *, folded: bool, everywhere: bool) -> Content:
    """Title and age; what it was about; how much was written down and decided."""
    sign = " " if not past.observations else "▸" if folded else "▾"
    told = gist(past.summary, past.name) if past.summary_is_known else "…"
    facts = " · ".join(filter(None, (past.project if everywhere else "", counts(past))))
    below = (told or ("no transcript" if past.session is None else "nothing was said"), facts or "nothing saved")
    lines = (Content.assemble("  ", (cut(line, width - 2), "dim")) for line in below)
    return Content("\n").join([headed(f"{sign} {past.name}", age(past.at, now), width), *lines])


def observation_row(
    one: Observation, past: TimelineSession | None, width: int, now: datetime, *, alone: bool
) -> Content:
    """Type, title and age; alone, below them the session."""
    lead = "" if alone else "    "
    ago = age(one.created_at, now)
    room = width - len(lead) - _TYPE - len(ago) - 1
    title = cut(clean(one.content.title), max(4, room))
    gap = " " * max(1, room - Content(title).cell_length + 1)
    style = "bold" if one.content.type == "decision" else "dim"
    head = Content.assemble(lead, (f"{one.content.type:<{_TYPE}}", style), title, gap, (ago, "dim"))
    if not alone:
        return head
    facts = (past.name if past is not None else f"session {one.session_id[:8]}", one.project)
    below = " · ".join(filter(None, facts))
    return Content("\n").join([head, Content.assemble(" " * _TYPE, (cut(below, width - _TYPE), "dim"))])
