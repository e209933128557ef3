"""What a view is: a pane at the left of the transcript, with all that belongs to it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from memtui.services.app_services import AppServices
from memtui.target import Target
from memtui.widgets.pane_visibility import set_pane_class
from memtui_core.model import Session

Layout = Literal["narrow", "list", "broad", "whole"]
"""How much room a view takes from the transcript; `whole` leaves none. browse.tcss has the columns."""


class View(Vertical):
    """The list of a view and what it does: it loads its rows, answers its keys and says when it is empty.

    The screen frames the view that is chosen. A view asks for what lies outside it by the messages below, and runs its
    queries by its services.
    """

    NAME: ClassVar[str]
    """In ids, in the settings and as the id `view-<name>` of its key."""
    TITLE: ClassVar[str]
    """In the line of the views and in the palette."""
    SHORT_TITLE: ClassVar[str] = ""
    """The same where there is little room, if that is another one."""
    KEY: ClassVar[str]
    LAYOUT: ClassVar[Layout] = "list"

    DEFAULT_CSS = """
    View {
        height: 1fr;
        RowList, Tree { height: 1fr; }
        & > .empty-text { display: none; }
        &.-empty > * { display: none; }
        &.-empty > .empty-text { display: block; }
    }
    """

    shown: var[Session | None] = var[Session | None](None)
    """The session that is read; the screen binds it."""

    @dataclass
    class TurnRequested(Message):
        """Show a turn; `read` to go there, else beside the list."""

        target: Target
        read: bool

    @dataclass
    class FocusRequested(Message):
        """Go to a pane."""

        pane: Widget

    @dataclass
    class SearchRequested(Message):
        """Go to the search bar, which then holds `text`; it keeps its own for None."""

        text: str | None = None

    @dataclass
    class EmptyChanged(Message):
        """The view shows words instead of a list now, or a list again."""

        view: View

    @dataclass
    class DetailChanged(Message):
        """Another pane is to stand beside the list: `View.detail`."""

        view: View

    def __init__(self, services: AppServices) -> None:
        super().__init__(id=f"view-{self.NAME}")
        self.services = services
        self._empty_text = Static(classes="empty-text", markup=False)

    def compose(self) -> ComposeResult:
        """The view's own widgets, and the words for an empty one."""
        yield from self.compose_view()
        yield self._empty_text

    @abstractmethod
    def compose_view(self) -> ComposeResult:
        """The widgets of the view."""

    @abstractmethod
    def reload(self) -> None:
        """Load what the view lists, anew: it is shown now, or the index has changed."""

    @property
    @abstractmethod
    def focus_target(self) -> Widget:
        """The widget that gets the focus when one goes to the view."""

    @property
    def filter_bar(self) -> Widget | None:
        """The filter of the view, if the focus is where its key leads to it."""
        return None

    def compose_detail(self) -> ComposeResult:
        """Panes that can stand in the place of the transcript."""
        yield from ()

    @property
    def detail(self) -> Widget | None:
        """The pane that stands in the place of the transcript now; None for the transcript."""
        return None

    def reset_detail(self) -> None:
        """Let the transcript be shown again."""

    def step_back(self) -> bool:
        """One step back inside the view; False when there is none."""
        return False

    @property
    def empty_text(self) -> str:
        """The words that stand in the place of the list; empty while there is a list."""
        content = self._empty_text.content
        return content.plain if isinstance(content, Content) else str(content)

    @empty_text.setter
    def empty_text(self, text: str) -> None:
        # Set with each answer while a query is typed: where nothing changes, nothing is to be laid out anew.
        if text != self.empty_text:
            self._empty_text.update(text)
            set_pane_class(self, bool(text), "-empty")
            self.post_message(self.EmptyChanged(self))

    @property
    def is_empty(self) -> bool:
        """Whether words stand in the place of the list."""
        return bool(self.empty_text)

    def request_turn(self, target: Target, *, read: bool) -> None:
        """Ask for a turn."""
        self.post_message(self.TurnRequested(target, read))

    def request_focus(self, pane: Widget) -> None:
        """Ask for the focus of a pane."""
        self.post_message(self.FocusRequested(pane))
