"""Pull requests over all sessions, two lines each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui import clock
from memtui.formatting import age, cut
from memtui.widgets.row_list import Row, RowList, headed
from memtui_core.queries.pull_requests import PrRow


class PrList(RowList):
    """Pull requests, each with its sessions."""

    HELP: ClassVar[str] = """\
## Pull requests

Each pull request with the sessions that are tied to it, the one last worked on first. `enter` goes to the turn that
tied the session to it, `o` opens the pull request in the browser.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "browse", "Open", tooltip="Open the pull request in the browser", id="prs.open"),
    ]

    @dataclass
    class Chosen(Message):
        """The session of a pull request is to be shown; `read` when the person wants to go there."""

        session: int
        turn: int | None
        read: bool

    @dataclass
    class BrowserRequested(Message):
        """A pull request is to be opened in the browser."""

        url: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._items: Sequence[PrRow] = ()

    def show(self, items: Sequence[PrRow]) -> None:
        """Take the pull requests."""
        if items != self._items:
            self._items = items
            self.fill(self.chosen)

    def rows(self, width: int) -> list[Row]:
        """Number and repository; the session."""
        now = clock.now()
        return [Row((item.url, item.session), _pull_request(item, age(item.at, now), width)) for item in self._items]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the session."""
        item = self._items[index]
        self.post_message(self.Chosen(item.session, item.turn, read))

    def action_browse(self) -> None:
        """Open the chosen one in the browser."""
        if self.highlighted is not None:
            self.post_message(self.BrowserRequested(self._items[self.highlighted].url))


def _pull_request(item: PrRow, ago: str, width: int) -> Content:
    below = Content.assemble("  ", (cut(f"{item.title} · {item.project}", width - 2), "dim"))
    return Content("\n").join([headed(f"#{item.number} {item.repository}", ago, width), below])
