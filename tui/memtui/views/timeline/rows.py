"""The entries of the timeline and their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from textual.content import Content

from memtui.render.clean import clean
from memtui.views.timeline.observations.rows import counts, summary_line
from memtui.widgets.row_list import title_line
from memtui.wording.formatting import age, cut, number, plural
from memtui_core.index.observations import FORGOTTEN, TimelinePage, TimelineSession

if TYPE_CHECKING:
    from memtui_core.index.observations import Observation

TimelineKey = tuple[Literal["session", "observation"], str]
_TYPE_WIDTH = 11
"""Cells of a type and the blanks after it."""


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A session, or an observation with its session, if that is known."""

    timeline_session: TimelineSession | None
    observation: Observation | None = None

    @property
    def key(self) -> TimelineKey:
        """Identifies the entry when the timeline is loaded again."""
        if self.observation is not None:
            return "observation", self.observation.id
        return "session", self.session_id

    @property
    def session_id(self) -> str:
        """Id of the session; empty if there is none."""
        if self.timeline_session is not None:
            return self.timeline_session.session_id
        return self.observation.session_id if self.observation is not None else ""

    @property
    def root(self) -> str:
        """Root of the project; empty if there is none."""
        if self.timeline_session is not None:
            return self.timeline_session.root
        return self.observation.root if self.observation is not None else ""

    @property
    def name(self) -> str:
        """Title of the session, or the beginning of its id."""
        return self.timeline_session.name if self.timeline_session is not None else f"session {self.session_id[:8]}"


def entries(page: TimelinePage, folded: Collection[str]) -> Iterator[TimelineEntry]:
    """The entries of a page, the newest first; observations of the sessions in `folded` are left out."""
    if page.query.kind:
        sessions = {session.session_id: session for session in page.sessions}
        for observation in page.observations:
            yield TimelineEntry(sessions.get(observation.session_id), observation)
        return
    for session in page.sessions:
        yield TimelineEntry(session)
        if session.session_id not in folded:
            yield from (TimelineEntry(session, observation) for observation in reversed(session.observations))


def keys_of(session: TimelineSession) -> set[TimelineKey]:
    """The keys of the observations of a session."""
    return {("observation", observation.id) for observation in session.observations}


def title(page: TimelinePage) -> str:
    """The project, and the kind of observations."""
    return f"timeline of {page.project or 'all projects'}" + (f" · {page.query.kind}" if page.query.kind else "")


def subtitle(page: TimelinePage) -> str:
    """The number of sessions and observations."""
    if page.query.kind == FORGOTTEN:
        return plural(page.total, "observation")
    if page.query.kind:
        return f"{number(page.total)} of {plural(page.saved, 'observation')}"
    facts = [plural(page.total, "session")]
    if page.saved:
        facts.append(plural(page.saved, "observation"))
    return " · ".join(facts)


def session_row(session: TimelineSession, width: int, now: datetime, *, folded: bool, everywhere: bool) -> Content:
    """Title and age; the summary; the number of observations and decisions.

    `everywhere` adds the name of the project, for a list of all projects.
    """
    mark = " " if not session.observations else "▸" if folded else "▾"
    summary = summary_line(session.summary, session.name) if session.summary_is_known else "…"
    summary = summary or ("no transcript" if session.session is None else "no text")
    facts = " · ".join(filter(None, (session.project if everywhere else "", counts(session))))
    lines = (Content.assemble("  ", (cut(line, width - 2), "dim")) for line in (summary, facts or "nothing saved"))
    return Content("\n").join([title_line(f"{mark} {session.name}", age(session.at, now), width), *lines])


def observation_row(
    observation: Observation, session: TimelineSession | None, width: int, now: datetime, *, alone: bool
) -> Content:
    """Type, title and age; with `alone`, for a list without sessions, also a line with the session."""
    indent = "" if alone else "    "
    ago = age(observation.created_at, now)
    title_width = width - len(indent) - _TYPE_WIDTH - len(ago) - 1
    title = cut(clean(observation.content.title), max(4, title_width))
    gap = " " * max(1, title_width - Content(title).cell_length + 1)
    style = "bold" if observation.content.type == "decision" else "dim"
    head = Content.assemble(indent, (f"{observation.content.type:<{_TYPE_WIDTH}}", style), title, gap, (ago, "dim"))
    if not alone:
        return head
    project = session.project if session is not None and session.root == observation.root else observation.project
    facts = (session.name if session is not None else f"session {observation.session_id[:8]}", project)
    text = cut(" · ".join(filter(None, facts)), width - _TYPE_WIDTH)
    return Content("\n").join([head, Content.assemble(" " * _TYPE_WIDTH, (text, "dim"))])
