"""The list of the pull requests of all sessions."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

from memtui.keys.declarations import Key, keys
from memtui.render.links import is_address
from memtui.system import clock
from memtui.views.base import NEWEST
from memtui.widgets.requests.panes import TargetChosen
from memtui.widgets.requests.target import Target
from memtui.widgets.table.columns import AGE_WIDTH, Order, TableColumn
from memtui.widgets.table.table_list import TableList
from memtui.wording.formatting import age, cut, number
from memtui.wording.session_state import MARKS
from memtui_core.index.pull_requests import PrRow, PullRequest
from memtui_core.system.private_files import users_files

_TITLE: Final = 72
"""Cells of a title before there are more columns than state, number and age: git and GitHub cut longer ones."""


@dataclass(frozen=True, slots=True)
class PrLine:
    """A line of the list: a pull request, or one of its sessions below it."""

    pull_request: PullRequest
    session: PrRow | None = None
    """None for the pull request itself."""
    mark: str = ""
    """Whether its sessions are folded or unfolded; empty if there is only one."""

    @property
    def sessions(self) -> tuple[int, ...]:
        """The keys of its sessions."""
        rows = (self.session,) if self.session is not None else self.pull_request.sessions
        return tuple(row.session for row in rows)

    @property
    def row(self) -> PrRow:
        """The session that the line leads to: of a pull request the last one."""
        return self.session or self.pull_request.last

    @property
    def title(self) -> str:
        """The title of the pull request, or else of the session that was linked to it first; or of the session."""
        if self.session is not None:
            return f"  {MARKS['ended']}{self.session.title}"
        title = self.pull_request.story.title or f"{MARKS['ended']}{self.pull_request.sessions[-1].title}"
        return f"{self.mark}{title}"


class PrList(TableList[PrLine]):
    """A row for each pull request, below which its sessions can be shown."""

    HELP: ClassVar[str] = """\
## Pull requests

Pull requests of the sessions, the most recent first, with title and state as far as a transcript says them: what `gh`
printed, or the commit that merged it. `created` only says that it was made; the turn that says the state stands in the
lower border. Where the title is not known, that of the session stands behind `●`. `enter` goes to the turn that linked
the last session to the pull request, `space` shows all its sessions below it, `o` opens the pull request in the
browser; `s` sorts by the next column, `I` the other way round, and so does a click on a heading.
"""
    BINDINGS = keys(
        "pull requests",
        Key("o", "browse", "Open", "Open the pull request in the browser", "prs.open",
            synonyms="browser github url", show=True),
        Key("space", "unfold", "More", "Show or hide its sessions", "prs.unfold"),
        Key("l,right", "go_in", "Unfold", "Show its sessions, or read the only one", "prs.in"),
        Key("h,left", "fold", "Fold", "Hide its sessions", "prs.fold"),
    )  # fmt: skip

    def __init__(self, order_changed: Callable[[], None], line_chosen: Callable[[], None]) -> None:
        """`line_chosen` is called when the cursor has come to another line, or the line was loaded again."""
        super().__init__(Order(NEWEST), order_changed, id="prs")
        self._line_chosen = line_chosen
        self._pull_requests: Sequence[PullRequest] = ()
        self._unfolded: set[str] = set()
        self._shown: list[PrLine] = []

    def show(self, pull_requests: Sequence[PullRequest]) -> None:
        """Show pull requests."""
        if pull_requests != self._pull_requests:
            self._pull_requests = pull_requests
            self.fill(self.chosen)
            self._line_changed()

    @property
    def line(self) -> PrLine | None:
        """The line under the cursor."""
        return self._shown[self.highlighted] if self.highlighted is not None else None

    @property
    def columns(self) -> list[TableColumn[PrLine]]:
        """Title, state, number, repository, branch, sessions and age."""
        return _columns(clock.now())

    def lines(self) -> list[PrLine]:
        """The pull requests in their order, and the sessions of those that are unfolded."""
        self._shown = []
        for line in self.ordered(self._line(pull_request) for pull_request in self._pull_requests):
            self._shown.append(line)
            if line.mark and line.pull_request.url in self._unfolded:
                self._shown += [PrLine(line.pull_request, session) for session in line.pull_request.sessions]
        return self._shown

    def _line(self, pull_request: PullRequest) -> PrLine:
        mark = "▾ " if pull_request.url in self._unfolded else "▸ "
        return PrLine(pull_request, mark=mark if len(pull_request.sessions) > 1 else "")

    def key_of(self, row: PrLine) -> Hashable:
        """The address, and the session of a line below it."""
        return row.pull_request.url, row.session.session if row.session is not None else None

    def choose(self, index: int, *, read: bool) -> None:
        """Show the session."""
        line = self._shown[index]
        self._line_changed()
        self.post_message(TargetChosen(Target(line.row.session, line.row.turn), read))

    def _line_changed(self) -> None:
        """Say in the border how many there are, and which turn says the state of the chosen one; tell the view."""
        said = _said(self._shown[self.highlighted]) if self.highlighted is not None else []
        self.border_subtitle = Content(" · ".join([number(len(self._pull_requests)), *said]))
        self._line_chosen()

    def action_browse(self) -> None:
        """Open the chosen pull request in the browser."""
        if self.highlighted is None:
            return
        url = self._shown[self.highlighted].pull_request.url
        with users_files():
            is_open = url.startswith(("https://", "http://")) and webbrowser.open(url)
        if not is_open:
            self.notify(url, title="No browser could be opened", markup=False)

    def action_unfold(self) -> None:
        """Show the sessions of the pull request, or hide them."""
        if self.highlighted is not None:
            self._turn(self._shown[self.highlighted])

    def action_go_in(self) -> None:
        """Show the sessions of the pull request; read a session, or the only one."""
        if self.highlighted is None:
            return
        line = self._shown[self.highlighted]
        if line.mark and line.pull_request.url not in self._unfolded:
            self._turn(line)
        else:
            self.read()

    def action_fold(self) -> None:
        """Hide the sessions of the pull request."""
        if self.highlighted is not None and (line := self._shown[self.highlighted]).pull_request.url in self._unfolded:
            self._turn(line)

    def _turn(self, line: PrLine) -> None:
        if len(line.pull_request.sessions) > 1:
            self._unfolded ^= {line.pull_request.url}
            self.fill((line.pull_request.url, None))
            self._line_changed()


def _said(line: PrLine) -> list[str]:
    """Which turn says the state of the pull request."""
    story = line.pull_request.story
    if story.state is None or story.state_source is None:
        return []
    sessions = {row.session: row for row in line.pull_request.sessions}
    is_other = story.state_source.session != line.row.session
    where = f" of “{cut(sessions[story.state_source.session].title, 30)}”" if is_other else ""
    return [f"{story.state} in turn {story.state_source.turn}{where}"]


def _columns(now: datetime) -> list[TableColumn[PrLine]]:
    return [
        TableColumn(
            "title", lambda line: line.title, lambda line: line.title.casefold(), least=16, enough=_TITLE, grows=True,
            content=_title,
        ),
        TableColumn(
            "state", lambda line: line.pull_request.story.state or "" if line.session is None else "",
            lambda line: line.pull_request.story.state or "", content=_state,
        ),
        TableColumn(
            "number", lambda line: f"#{line.pull_request.number}" if line.session is None else "",
            lambda line: line.pull_request.number, heading="PR", descending=True, right=True,
            content=_number,
        ),
        TableColumn(
            "repository", lambda line: line.pull_request.repository if line.session is None else line.row.project,
            lambda line: line.pull_request.repository.casefold(), rank=3, least=10, enough=20,
            content=_repository,
        ),
        TableColumn(
            "branch", lambda line: line.row.branch or "", lambda line: (line.row.branch or "").casefold(), rank=5,
            least=10, enough=20, most=32, style="dim",
        ),
        TableColumn(
            "sessions", lambda line: number(len(line.pull_request.sessions)) if line.session is None else "",
            lambda line: len(line.pull_request.sessions), descending=True, rank=4, right=True,
        ),
        TableColumn(
            NEWEST, lambda line: age(line.row.at, now),
            lambda line: line.row.at.timestamp() if line.row.at is not None else 0.0,
            heading="last", descending=True, least=AGE_WIDTH, right=True, style="dim",
        ),
    ]  # fmt: skip


def _title(line: PrLine, width: int) -> Content:
    is_known = line.session is None and line.pull_request.story.title
    return Content.styled(cut(line.title, width), "bold" if is_known else "dim")


def _state(line: PrLine, width: int) -> Content:
    state = line.pull_request.story.state if line.session is None else None
    colour = {"merged": "$text-secondary", "open": "$text-success", "closed": "$text-error"}.get(state or "", "dim")
    return Content.styled(cut(state or "", width), colour)


def _number(line: PrLine, width: int) -> Content:
    return Content() if line.session is not None else _linked(line, f"#{line.pull_request.number}", width)


def _repository(line: PrLine, width: int) -> Content:
    """The repository, without its owner where there is no room; of a session the project."""
    if line.session is not None:
        return Content.styled(cut(line.row.project, width), "dim")
    name = line.pull_request.repository
    return _linked(line, name if cell_len(name) <= width else name.rpartition("/")[2], width)


def _linked(line: PrLine, text: str, width: int) -> Content:
    """A cell that is a link to the pull request; only to the address for which number and repository stand."""
    pr = line.pull_request
    shown = Content(cut(text, width))
    is_honest = pr.url == f"https://github.com/{pr.repository}/pull/{pr.number}" and is_address(pr.url)
    return shown.stylize(Style(link=pr.url)) if is_honest else shown
