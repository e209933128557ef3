"""The entries of the timeline and their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from textual.content import Content

from memtui.render.clean import clean
from memtui.wording.diary import INDENT, Line, day_line, entry_lines
from memtui.wording.formatting import age, cut, number, plural, time_of_day
from memtui.wording.sibling_titles import SiblingTitles
from memtui_core.index.observations import (
    FORGOTTEN,
    DiaryDay,
    SimilarSessions,
    TimelinePage,
    TimelineSession,
)

if TYPE_CHECKING:
    from memtui_core.index.observations import Observation

TimelineKey = tuple[Literal["day", "session", "similar", "observation"], str]
_TYPE_WIDTH = 11
"""Cells of a type and the blanks after it."""
_MARK: Final = 2
"""Cells of the mark of what is folded and the blank after it."""
_STYLES: Final = {"strong": "bold", "muted": "dim", "rule": "dim", "error": "$text-error"}
"""How the styles of the diary look in a list."""


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A session, several similar ones, or an observation with its session, if that is known."""

    timeline_session: TimelineSession | None
    """Of similar sessions the newest."""
    observation: Observation | None = None
    similar: SimilarSessions | None = None
    group: SimilarSessions | None = None
    """The similar sessions below whose row it stands."""

    @property
    def key(self) -> TimelineKey:
        """Identifies the entry when the timeline is loaded again."""
        if self.observation is not None:
            return "observation", self.observation.id
        if self.similar is not None:
            # Newer sessions may join the oldest one.
            return "similar", self.similar.sessions[-1].row_id
        return "session", self.timeline_session.row_id if self.timeline_session is not None else self.session_id

    @property
    def outer(self) -> Sequence[TimelineEntry]:
        """The entries below whose rows it stands, the nearest first."""
        session = [replace(self, observation=None)] if self.observation is not None else []
        group = [group_entry(self.group)] if self.group is not None else []
        return [*session, *group]

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


def group_entry(similar: SimilarSessions) -> TimelineEntry:
    """The entry of similar sessions."""
    return TimelineEntry(similar.sessions[0], similar=similar)


def entries(page: TimelinePage, folds: Folds) -> Iterator[DiaryDay | TimelineEntry]:
    """The days and entries of a page, the newest first, as far as they are unfolded; of a kind its observations."""
    if page.query.kind:
        rows = {session.session_id: session for session in page.sessions}
        noted = {one.id: session for session in page.sessions for one in session.observations}
        for one in page.observations:
            yield TimelineEntry(noted.get(one.id) or rows.get(one.session_id), one)
        return
    for day in page.days:
        yield day
        for entry in day.entries:
            if isinstance(entry, TimelineSession):
                yield from _of_session(TimelineEntry(entry), folds)
                continue
            yield (group := group_entry(entry))
            if folds.shows(group):
                for session in entry.sessions:
                    yield from _of_session(TimelineEntry(session, group=entry), folds)


def _of_session(entry: TimelineEntry, folds: Folds) -> Iterator[TimelineEntry]:
    yield entry
    if folds.shows(entry) and (session := entry.timeline_session) is not None:
        yield from (replace(entry, observation=observation) for observation in reversed(session.observations))


class Folds:
    """What is unfolded: observations at first, similar sessions not."""

    def __init__(self, *, all_open: bool = False) -> None:
        self._changed: set[TimelineKey] = set()
        """The keys of entries that the user has folded or unfolded."""
        self._all_open = all_open

    def can_fold(self, entry: TimelineEntry) -> bool:
        """Whether something belongs below an entry."""
        session = entry.timeline_session
        has_observations = session is not None and entry.observation is None and bool(session.observations)
        return entry.similar is not None or has_observations

    def shows(self, entry: TimelineEntry) -> bool:
        """Whether what belongs below an entry is listed."""
        is_open = (entry.similar is None) is (entry.key not in self._changed)
        return self.can_fold(entry) and (self._all_open or is_open)

    def toggle(self, entry: TimelineEntry) -> None:
        """Fold an entry, or unfold it."""
        self._changed ^= {entry.key}


def title(page: TimelinePage) -> str:
    """The project, and the kind of observations."""
    return f"timeline of {page.project or 'all projects'}" + (f" · {page.query.kind}" if page.query.kind else "")


def subtitle(page: TimelinePage) -> str:
    """The number of sessions and observations."""
    if page.query.kind == FORGOTTEN:
        return plural(page.total, "observation")
    if page.query.kind:
        return f"{number(page.total)} of {plural(page.saved, 'observation')}"
    facts = [plural(page.session_count, "session")]
    if page.saved:
        facts.append(plural(page.saved, "observation"))
    return " · ".join(facts)


def day_row(day: DiaryDay, width: int, now: datetime) -> Content:
    """The heading of a day, see `day_line`."""
    return _content(day_line(day, width, now.astimezone().date()))


def session_row(
    entry: TimelineEntry,
    width: int,
    now: datetime,
    folds: Folds,
    *,
    everywhere: bool,
    shorten: Callable[[str, int], str] = cut,
) -> Content:
    """The lines of a session or of similar ones, see `entry_lines`, after the mark of what is folded."""
    one = entry.similar or entry.timeline_session
    assert one is not None
    mark = ("▾" if folds.shows(entry) else "▸") if folds.can_fold(entry) else " "
    indent = " " * (INDENT if entry.group else 0)
    lines = entry_lines(
        one,
        width - len(indent) - _MARK,
        now,
        everywhere=everywhere and entry.group is None,
        lists_observations=folds.shows(entry),
        shorten=shorten,
    )
    rest = (Content.assemble(indent, " " * _MARK, _content(line)) for line in lines[1:])
    return Content("\n").join([Content.assemble(indent, f"{mark:<{_MARK}}", _content(lines[0])), *rest])


def similar_titles(similar: SimilarSessions) -> SiblingTitles:
    """The titles of similar sessions, as they are shown below each other."""
    return SiblingTitles(
        [session.name for session in similar.sessions], lambda index: time_of_day(similar.sessions[index].at)
    )


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


def _content(line: Line) -> Content:
    return Content.assemble(*((clean(text), _STYLES.get(style, "")) for text, style in line))
