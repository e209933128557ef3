"""The list of the pull requests of all sessions."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

from memtui.keys.declarations import Key, keys
from memtui.render.links import is_address
from memtui.system import clock
from memtui.widgets.requests.panes import TargetChosen
from memtui.widgets.requests.target import Target
from memtui.widgets.row_list import ListRow, RowList, title_line
from memtui.wording.formatting import age, cut, fitted
from memtui_core.index.pull_requests import PrRow
from memtui_core.system.private_files import users_files

_ONE_LINE = 120
"""Cells from which a row is one line with columns."""
_AGE, _GAP = 5, "  "


class PrList(RowList):
    """A row for each pull request and session."""

    HELP: ClassVar[str] = """\
## Pull requests

Pull requests with the sessions that are linked to them, the most recent first. `enter` goes to the turn that linked the
session to the pull request, `o` opens the pull request in the browser.
"""
    BINDINGS = keys(
        "pull requests",
        Key("o", "browse", "Open", "Open the pull request in the browser", "prs.open",
            synonyms="browser github url", show=True),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__(id="prs")
        self._pull_requests: Sequence[PrRow] = ()

    def show(self, pull_requests: Sequence[PrRow]) -> None:
        """Show pull requests."""
        if pull_requests != self._pull_requests:
            self._pull_requests = pull_requests
            self.fill(self.chosen)

    def rows(self, width: int) -> list[ListRow]:
        """Number and repository, session, branch and age: on two lines, or on one line if there is enough room."""
        now = clock.now()
        name_width = min(width // 3, max((cell_len(_name(pr)) for pr in self._pull_requests), default=0))
        branch_width = min(width // 4, max((cell_len(pr.branch or "") for pr in self._pull_requests), default=0))
        return [
            ListRow(
                (pr.url, pr.session),
                _linked(_columns(pr, age(pr.at, now), name_width, branch_width, width), pr, name_width)
                if width >= _ONE_LINE
                else _linked(_two_lines(pr, age(pr.at, now), width), pr, width),
            )
            for pr in self._pull_requests
        ]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the session."""
        pr = self._pull_requests[index]
        self.post_message(TargetChosen(Target(pr.session, pr.turn), read))

    def action_browse(self) -> None:
        """Open the chosen pull request in the browser."""
        if self.highlighted is None:
            return
        url = self._pull_requests[self.highlighted].url
        with users_files():
            is_open = url.startswith(("https://", "http://")) and webbrowser.open(url)
        if not is_open:
            self.notify(url, title="No browser could be opened", markup=False)


def _name(pr: PrRow) -> str:
    return f"#{pr.number} {pr.repository}"


def _linked(row: Content, pr: PrRow, width: int) -> Content:
    """A row whose name, within a width, is a link; only to the address for which the name stands."""
    is_honest = pr.url == f"https://github.com/{pr.repository}/pull/{pr.number}" and is_address(pr.url)
    return row.stylize(Style(link=pr.url), 0, min(len(_name(pr)), width)) if is_honest else row


def _two_lines(pr: PrRow, ago: str, width: int) -> Content:
    session = cut(f"{pr.title} · {pr.project}", width - 2)
    with_branch = _GAP.join(filter(None, (pr.branch, ago)))
    right = with_branch if cell_len(_name(pr) + _GAP + with_branch) <= width else ago
    return Content("\n").join([title_line(_name(pr), right, width), Content.assemble("  ", (session, "dim"))])


def _columns(pr: PrRow, ago: str, name_width: int, branch_width: int, width: int) -> Content:
    session_width = width - name_width - branch_width - _AGE - 3 * len(_GAP)
    return Content.assemble(
        (fitted(_name(pr), name_width), "bold"),
        _GAP,
        fitted(f"{pr.title} · {pr.project}", session_width),
        _GAP,
        (fitted(pr.branch or "", branch_width), "dim"),
        _GAP,
        (ago.rjust(_AGE), "dim"),
    )
