"""The sections of an overview, and where each of their rows leads."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from memtui.system import clock
from memtui.views.sessions.items import SessionGroup, fold_titles
from memtui.views.sessions.project.cells import (
    Cells,
    compaction_cells,
    decision_cells,
    file_cells,
    open_end_cells,
    pull_request_cells,
    session_cells,
)
from memtui.views.stats.blocks import Spans
from memtui.widgets.requests.target import Target
from memtui.wording.formatting import number
from memtui_core.index.compactions import CompactionRow
from memtui_core.index.files import FileRow

if TYPE_CHECKING:
    from memtui_core.index.sessions import ProjectOverview
    from memtui_core.index.statistics import Prices

LEAST: Final = 5
"""Rows that each section has, if there are so many: the page scrolls where there is no room for them."""


class ViewLink(NamedTuple):
    """What another view has of the project, or a row there."""

    view: str
    """The name of the view."""
    row: FileRow | CompactionRow | None = None


Link = Target | ViewLink
"""Where a row leads."""


def place_of(link: Link) -> tuple[int, int | None] | None:
    """The session to which a row leads, by its key, and the turn; None for a file, which has several."""
    if isinstance(link, Target):
        return link.session, link.turn
    return (link.row.session, link.row.place) if isinstance(link.row, CompactionRow) else None


class SectionRow(NamedTuple):
    """A row of a section; its key is the same in a newer overview."""

    key: Hashable
    cells: Cells
    link: Link


class OverviewSection(NamedTuple):
    """A part of an overview; one without rows is not shown."""

    title: str
    view: str
    """The name of the view that lists all of them; empty if the section unfolds instead."""
    total: int
    rows: Sequence[SectionRow]
    note: str = ""

    @property
    def heading(self) -> Spans:
        """The title, how many there are, and what is to be known of that."""
        facts = " · ".join(filter(None, (number(self.total), self.note)))
        return (self.title, "heading"), (f"  {facts}", "muted")


def sections(overview: ProjectOverview, prices: Prices) -> Iterator[OverviewSection]:
    """The sections that have rows."""
    return (section for section in _sections(overview, prices) if section.rows)


def _sections(overview: ProjectOverview, prices: Prices) -> Iterator[OverviewSection]:
    ends, files = overview.open_ends, overview.files
    pull_requests, compactions = overview.pull_requests, overview.compactions
    yield OverviewSection(
        "Open ends",
        "",
        ends.total,
        [
            SectionRow(("end", one.session.key), open_end_cells(one), Target(one.session.key, one.end.turn))
            for one in ends.rows
        ],
        f"of the last {overview.ends_of} sessions" if overview.ends_of < overview.recent.total else "",
    )
    items = [
        (item.first if isinstance(item, SessionGroup) else item, item) for item in fold_titles(overview.recent.rows)
    ]
    yield OverviewSection(
        "Recent sessions",
        "sessions",
        overview.recent.total,
        [
            SectionRow(
                ("session", newest.key),
                session_cells(item, overview, prices, clock.now()),
                Target(newest.key),
            )
            for newest, item in items
        ],
    )
    yield OverviewSection(
        "Decisions",
        "",
        overview.decisions.total,
        [
            SectionRow(
                ("decision", one.session, one.turn, one.seq, one.quote),
                decision_cells(one),
                Target(one.session, one.turn),
            )
            for one in overview.decisions.rows
        ],
    )
    yield OverviewSection(
        "Hot files",
        "files",
        files.total,
        [SectionRow(("file", file.path), file_cells(file), ViewLink("files", file)) for file in files.rows],
    )
    yield OverviewSection(
        "Pull requests",
        "prs",
        pull_requests.total,
        [
            SectionRow(("pr", pr.url), pull_request_cells(pr), Target(pr.last.session, pr.last.turn))
            for pr in pull_requests.rows
        ],
    )
    yield OverviewSection(
        "Compactions",
        "compactions",
        compactions.total,
        [
            SectionRow(("compaction", row.source, row.line), compaction_cells(row), ViewLink("compactions", row))
            for row in compactions.rows
        ],
    )


def rows_each(counts: Sequence[int], lines: int) -> int:
    """How many rows each section may have, that all fit into some lines with their headings; but at least `LEAST`."""
    limit = LEAST
    while limit < max(counts, default=0) and sum(1 + min(count, limit + 1) for count in counts) <= lines:
        limit += 1
    return limit
