"""The base of all views."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from memtui.pane_widths import Share
from memtui.services.app_services import AppServices
from memtui.target import Target
from memtui.widgets.pane_visibility import set_pane_class
from memtui_core.model import Session


class View(Vertical):
    """A pane at the left of the transcript that loads its own rows and handles its own keys.

    A view requests what lies outside it by the messages below, and queries the index with its services.
    """

    NAME: ClassVar[str]
    """Name in widget ids and settings, and in the id `view-<name>` of its key."""
    TITLE: ClassVar[str]
    """Title in the tabs and in the palette."""
    SHORT_TITLE: ClassVar[str] = ""
    """Title in narrow terminals; empty if `TITLE` is short enough."""
    KEY: ClassVar[str]
    SHARE: ClassVar[Share | None] = Share(0.42)
    """The part of the width that the view gets; None for all of it, without the transcript."""

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
    """The open session; the screen binds it."""

    @dataclass
    class TurnRequested(Message):
        """Show a turn; `read` to go there, otherwise as a preview."""

        target: Target
        read: bool

    @dataclass
    class FocusRequested(Message):
        """Focus a pane."""

        pane: Widget

    @dataclass
    class SearchRequested(Message):
        """Go to the search bar and replace its text by `text`, unless that is None."""

        text: str | None = None

    @dataclass
    class EmptyChanged(Message):
        """The view now shows its text for an empty list, or its list again."""

        view: View

    @dataclass
    class DetailChanged(Message):
        """`View.detail` has changed."""

        view: View

    def __init__(self, services: AppServices) -> None:
        super().__init__(id=f"view-{self.NAME}")
        self.services = services
        self._empty_text = Static(classes="empty-text", markup=False)

    def compose(self) -> ComposeResult:
        """The widgets of the view, and the text that replaces them."""
        yield from self.compose_view()
        yield self._empty_text

    @abstractmethod
    def compose_view(self) -> ComposeResult:
        """The widgets of the view."""

    @abstractmethod
    def reload(self) -> None:
        """Load the rows again; called when the view is shown and when the index has changed."""

    @property
    @abstractmethod
    def focus_target(self) -> Widget:
        """The widget that gets the focus when the user goes to the view."""

    @property
    def filter_bar(self) -> Widget | None:
        """The filter bar of the view, if the search key should go to it; otherwise None."""
        return None

    def compose_detail(self) -> ComposeResult:
        """The detail panes, which can replace the transcript."""
        yield from ()

    @property
    def detail(self) -> Widget | None:
        """The detail pane that currently replaces the transcript; None if the transcript is shown."""
        return None

    def reset_detail(self) -> None:
        """Show the transcript again."""

    def step_back(self) -> bool:
        """Go one step back inside the view; False if there is none."""
        return False

    @property
    def empty_text(self) -> str:
        """The text that replaces the list; empty while there is a list."""
        content = self._empty_text.content
        return content.plain if isinstance(content, Content) else str(content)

    @empty_text.setter
    def empty_text(self, text: str) -> None:
        # This is set with each result while a query is typed: avoid a layout if nothing changes.
        if text != self.empty_text:
            self._empty_text.update(text)
            set_pane_class(self, bool(text), "-empty")
            self.post_message(self.EmptyChanged(self))

    @property
    def is_empty(self) -> bool:
        """Whether a text replaces the list."""
        return bool(self.empty_text)

    def request_turn(self, target: Target, *, read: bool) -> None:
        """Post a request to show a turn."""
        self.post_message(self.TurnRequested(target, read))

    def request_focus(self, pane: Widget) -> None:
        """Post a request to focus a pane."""
        self.post_message(self.FocusRequested(pane))
