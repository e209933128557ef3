"""The page of a project: what it is and took, what is open, and what was done last; every row leads on."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events
from textual.content import Content
from textual.geometry import Size

from memtui.system import clock
from memtui.views.sessions.items import item_key
from memtui.views.sessions.project.cells import laid_out
from memtui.views.sessions.project.facts import activity_lines, head_lines
from memtui.views.sessions.project.sections import Link, ViewLink, rows_each, sections
from memtui.views.stats.blocks import Spans
from memtui.widgets.row_list import ListRow, RowList

if TYPE_CHECKING:
    from memtui_core.index.sessions import ProjectOverview
    from memtui_core.index.statistics import Prices
    from memtui_core.model import Project

_STYLES: Final = {
    "muted": "dim",
    "heading": "bold $text-primary",
    "prompt": "bold $text-accent",
    "error": "$text-error",
    "added": "$text-success",
}
"""The styles of names that the command line uses, too."""


class ProjectPage(RowList):
    """Shows an overview; `open_link` is called with where the chosen row leads."""

    HELP: ClassVar[str] = """\
## Project

What the project is and took, the turns of each day, and what happened last. Open ends are those of the last 60
sessions that asked you something `?`, failed `✗`, or were left in the middle `●`. Below them stand the newest sessions
`●`, with about what they cost and the time of work, what you have decided `✓` or refused `⊘`, the files that were
edited most in the last twelve weeks of work `✎`, pull requests `↑` and compactions `⧉`.

`enter`, or a click, opens the row: the session, the turn of the decision, the history of the file, the turn that linked
the pull request, the review of the compaction. On a heading it opens all of them, on the first rows the statistics and
the timeline of the project. `esc` goes back.
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
        self._folding: dict[Hashable, bool] = {}
        """Of each section that no other view lists, by its title, whether all of it is listed."""
        self._links: list[Link] = []
        self._height = 0
        """The height for which the rows were made."""

    def show(self, overview: ProjectOverview, prices: Prices) -> None:
        """Show a project; with another one than before, the cursor goes to its newest session."""
        is_same, self.overview, self._prices = self.is_of(overview.project), overview, prices
        if is_same:
            self.fill(self.chosen)
            return
        self.border_title = Content(overview.project.name)
        self._folding = {}
        self.fill(("session", overview.recent.rows[0].key) if overview.recent.rows else None)
        self.scroll_home(animate=False)

    def is_of(self, project: Project) -> bool:
        """Whether a project is shown, also an older state of it."""
        return self.overview is not None and item_key(self.overview.project) == item_key(project)

    def rows(self, width: int) -> list[ListRow]:
        """The facts, the days, and the sections: as many rows of each as there is room for."""
        overview, prices, now = self.overview, self._prices, clock.now()
        self._height = self.scrollable_content_region.height
        if overview is None or prices is None:
            return []
        head = head_lines(overview, prices, now, width)
        days, months = activity_lines(overview.activity, width)
        rows = [
            ListRow("stats", _content((("\n".join(head), "muted"),))),
            ListRow("timeline", _content(((days, "added"), ("\n", ""), (months, "muted")))),
        ]
        self._links = [ViewLink("stats"), ViewLink("timeline")]
        shown = list(sections(overview, prices))
        limit = rows_each([len(section.rows) for section in shown], self._height - len(head) - 2)
        for section in shown:
            if not section.view:
                self._folding.setdefault(section.title, False)
            listed = section.rows if self._folding.get(section.title) else section.rows[:limit]
            self._links += [ViewLink(section.view), *(row.link for row in listed)]
            rows.append(ListRow(section.title, _content(section.heading)))
            lines = laid_out([row.cells for row in listed], width, now)
            rows += [ListRow(row.key, _content(line)) for row, line in zip(listed, lines, strict=True)]
        return rows

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Take a new size; in another height there is room for more or fewer rows."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if self._height != self.scrollable_content_region.height:
            with self._context():
                self.fill(self.chosen)
        return changed

    def key_name(self, action: str) -> str | None:
        """The heading of a section that no other view lists lists all of it, or no longer."""
        if action != "select" or self.highlighted is None or (is_whole := self._folding.get(self.chosen)) is None:
            return None
        return "Fold" if is_whole else "Unfold"

    def choose(self, index: int, *, read: bool) -> None:
        """Open what the row leads to; the heading of a section that no other view lists folds or unfolds it."""
        if read and (is_whole := self._folding.get(self.chosen)) is not None:
            self._folding[self.chosen] = not is_whole
            self.fill(self.chosen)
        elif read:
            self._open_link(self._links[index])

    def on_click(self, event: events.Click) -> None:
        """Open the clicked row."""
        event.prevent_default()
        if (index := event.style.meta.get("option")) is not None:
            self.highlighted = index
            self.action_select()


def _content(spans: Spans) -> Content:
    return Content.assemble(*((text, _STYLES.get(style, "")) for text, style in spans))
