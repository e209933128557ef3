"""The page of a project: what it is and took, what is open, and what was done last; every row leads on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from textual import events
from textual.content import Content
from textual.geometry import Size

from memtui.system import clock
from memtui.views.sessions.items import SessionGroup, fold_titles
from memtui.views.sessions.project.facts import activity_lines, head_lines
from memtui.views.sessions.project.rows import (
    Cells,
    compaction_cells,
    contents,
    file_cells,
    open_end_cells,
    pull_request_cells,
    session_cells,
)
from memtui.widgets.requests.target import Target
from memtui.widgets.row_list import ListRow, RowList
from memtui.wording.formatting import number
from memtui_core.index.compactions import CompactionRow
from memtui_core.index.files import FileRow

if TYPE_CHECKING:
    from memtui_core.index.sessions import ProjectOverview
    from memtui_core.index.statistics import Prices

_LEAST: Final = 5
"""Rows that each section has, if there are so many: the page scrolls where there is no room for them."""


class ViewLink(NamedTuple):
    """What another view has of the project, or a row there."""

    view: str
    """The name of the view."""
    row: FileRow | CompactionRow | None = None


Link = Target | ViewLink
"""Where a row leads."""


class _Row(NamedTuple):
    key: Hashable
    cells: Cells
    link: Link


class _Section(NamedTuple):
    view: str
    """The name of the view that has all of what is counted."""
    title: str
    total: int
    rows: Sequence[_Row]


class ProjectPage(RowList):
    """Shows an overview; `open_link` is called with where the chosen row leads."""

    HELP: ClassVar[str] = """\
## Project

What the project is and took, the turns of each day, and what happened last. Open ends are those of the last 60
sessions that asked you something `?`, failed `✗`, or were left in the middle `●`. Below them stand the newest sessions
`●`, with what they cost if all of it is known, the files that were edited most in the last twelve weeks of work `✎`,
pull requests `↑` and compactions `⧉`. `enter`, or a click, opens the row: the session, the history of the file, the turn
that linked the pull request, the review of the compaction. On a heading it opens all of them, on the first rows the
statistics and the timeline of the project. `esc` goes back.
"""
    DEFAULT_CSS = """
    ProjectPage { height: 1fr; }
    """

    def __init__(self, open_link: Callable[[Link], None]) -> None:
        super().__init__(id="project")
        self._open_link = open_link
        self.overview: ProjectOverview | None = None
        """What is shown."""
        self._prices: Prices | None = None
        self._links: list[Link] = []
        self._height = 0
        """The height for which the rows were made."""

    def show(self, overview: ProjectOverview, prices: Prices) -> None:
        """Show a project; with another one than before, the cursor goes to its newest session."""
        before, self.overview, self._prices = self.overview, overview, prices
        if before is not None and _place(before) == _place(overview):
            self.fill(self.chosen)
            return
        self.border_title = Content(overview.project.name)
        self.fill(next((row.key for row in _sessions(overview, prices).rows), None))
        self.scroll_home(animate=False)

    def rows(self, width: int) -> list[ListRow]:
        """The facts, the days, and the sections that have rows: as many rows of each as there is room for."""
        overview, prices, now = self.overview, self._prices, clock.now()
        self._height = self.scrollable_content_region.height
        if overview is None or prices is None:
            return []
        sections = [section for section in _sections(overview, prices) if section.rows]
        head = "\n".join(head_lines(overview, prices, now, width))
        days, months = activity_lines(overview.activity, width)
        activity = Content.assemble((days, "$text-success"), "\n", (months, "dim"))
        rows = [ListRow("stats", Content.styled(head, "dim")), ListRow("timeline", activity)]
        self._links = [ViewLink("stats"), ViewLink("timeline")]
        limit = _limit([len(section.rows) for section in sections], self._height - head.count("\n") - 3)
        for section in sections:
            shown = section.rows[:limit]
            self._links += [ViewLink(section.view), *(row.link for row in shown)]
            rows.append(ListRow(section.view, _heading(section)))
            rows += map(ListRow, [row.key for row in shown], contents([row.cells for row in shown], width, now))
        return rows

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Take a new size; in another height there is room for more or fewer rows."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if self._height != self.scrollable_content_region.height:
            with self._context():
                self.fill(self.chosen)
        return changed

    def choose(self, index: int, *, read: bool) -> None:
        """Open what the row leads to."""
        if read:
            self._open_link(self._links[index])

    def on_click(self, event: events.Click) -> None:
        """Open the clicked row."""
        event.prevent_default()
        if (index := event.style.meta.get("option")) is not None:
            self.highlighted = index
            self.action_select()


def _place(overview: ProjectOverview) -> Hashable:
    project = overview.project
    return project.root, project.name, project.agent, project.machine


def _heading(section: _Section) -> Content:
    return Content.assemble((section.title, "bold $text-primary"), (f"  {number(section.total)}", "dim"))


def _limit(counts: Sequence[int], lines: int) -> int:
    """How many rows each section may have, that all fit into some lines with their headings; but at least `_LEAST`."""
    limit = _LEAST
    while limit < max(counts, default=0) and sum(1 + min(count, limit + 1) for count in counts) <= lines:
        limit += 1
    return limit


def _sections(overview: ProjectOverview, prices: Prices) -> Iterator[_Section]:
    files, pull_requests, compactions = overview.files, overview.pull_requests, overview.compactions
    yield _Section(
        "sessions",
        "Open ends",
        overview.open_ends.total,
        [
            _Row(("end", one.session.key), open_end_cells(one), Target(one.session.key, one.end.turn))
            for one in overview.open_ends.rows
        ],
    )
    yield _sessions(overview, prices)
    yield _Section(
        "files",
        "Hot files",
        files.total,
        [_Row(("file", file.path), file_cells(file), ViewLink("files", file)) for file in files.rows],
    )
    yield _Section(
        "prs",
        "Pull requests",
        pull_requests.total,
        [_Row(("pr", pr.url), pull_request_cells(pr), Target(pr.session, pr.turn)) for pr in pull_requests.rows],
    )
    yield _Section(
        "compactions",
        "Compactions",
        compactions.total,
        [
            _Row(("compaction", row.source, row.line), compaction_cells(row), ViewLink("compactions", row))
            for row in compactions.rows
        ],
    )


def _sessions(overview: ProjectOverview, prices: Prices) -> _Section:
    now, shows_agent = clock.now(), len(overview.agents) > 1
    rows = []
    for item in fold_titles(overview.recent.rows):
        newest = item.first if isinstance(item, SessionGroup) else item
        cells = session_cells(item, overview.usage, prices, now, shows_agent=shows_agent)
        rows.append(_Row(("session", newest.key), cells, Target(newest.key)))
    return _Section("sessions", "Recent sessions", overview.recent.total, rows)
