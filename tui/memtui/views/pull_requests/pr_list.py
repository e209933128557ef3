"""The list of the pull requests of all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.style import Style

from memtui import clock
from memtui.formatting import age, cut
from memtui.render.links import is_address
from memtui.widgets.row_list import ListRow, RowList, title_line
from memtui_core.queries.pull_requests import PrRow


class PrList(RowList):
    """Two lines for each pull request and session."""

    HELP: ClassVar[str] = """\
## Pull requests

Pull requests with the sessions that are linked to them, the most recent first. `enter` goes to the turn that linked the
session to the pull request, `o` opens the pull request in the browser.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "browse", "Open", tooltip="Open the pull request in the browser", id="prs.open"),
    ]

    @dataclass
    class Chosen(Message):
        """Show the session of a pull request; `read` to go there, otherwise as a preview."""

        session: int
        turn: int | None
        read: bool

    @dataclass
    class BrowserRequested(Message):
        """Open a pull request in the browser."""

        url: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._pull_requests: Sequence[PrRow] = ()

    def show(self, pull_requests: Sequence[PrRow]) -> None:
        """Show pull requests."""
        if pull_requests != self._pull_requests:
            self._pull_requests = pull_requests
            self.fill(self.chosen)

    def rows(self, width: int) -> list[ListRow]:
        """Number and repository; the session."""
        now = clock.now()
        return [ListRow((pr.url, pr.session), _content(pr, age(pr.at, now), width)) for pr in self._pull_requests]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the session."""
        pr = self._pull_requests[index]
        self.post_message(self.Chosen(pr.session, pr.turn, read))

    def action_browse(self) -> None:
        """Open the chosen pull request in the browser."""
        if self.highlighted is not None:
            self.post_message(self.BrowserRequested(self._pull_requests[self.highlighted].url))


def _content(pr: PrRow, ago: str, width: int) -> Content:
    session = Content.assemble("  ", (cut(f"{pr.title} · {pr.project}", width - 2), "dim"))
    name = f"#{pr.number} {pr.repository}"
    title = title_line(name, ago, width)
    # Only the address for which the name stands: any other one could lead elsewhere than it says.
    if pr.url == f"https://github.com/{pr.repository}/pull/{pr.number}" and is_address(pr.url):
        title = title.stylize(Style(link=pr.url), 0, min(len(name), width))
    return Content("\n").join([title, session])
