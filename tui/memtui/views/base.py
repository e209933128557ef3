"""The base of all views."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from memtui.services.app_services import AppServices
from memtui.system.complete import refuse_incomplete
from memtui.widgets.pane_visibility import set_pane_class
from memtui.widgets.requests.pane_widths import Share
from memtui.widgets.requests.panes import LeftAtTop, TargetChosen
from memtui.widgets.requests.target import Target, TurnSearch
from memtui_core.model import Session

NEWEST: Final = "newest"
"""The sort key of a list whose newest row comes first."""


class View(Vertical):
    """A pane at the left of the transcript that loads its own rows and handles its own keys.

    A view requests what lies outside it by the messages below, and queries the index with its services. A subclass
    without `SHARE`, `compose_view`, `focus_target` or `reload` is refused when it is defined.
    """

    SHARE: ClassVar[Share | None]
    """The part of the width that the view gets; None for all of it, without the transcript."""
    ITEMS: ClassVar[str] = ""
    """What is listed, as the search line names it, such as `files`; empty if the list cannot be filtered."""
    REVEALS: ClassVar[bool] = False
    """Whether the view, when the user comes to it, shows the session that was opened in another view."""

    DEFAULT_CSS = """
    View {
        height: 1fr;
        ContentSwitcher, RowList, Tree { height: 1fr; }
        & > .empty-text { display: none; }
        &.-empty > * { display: none; }
        &.-empty > .empty-text { display: block; }
    }
    """

    filter_text: var[str] = var("", init=False)
    """What is listed must match this text; the search line sets it."""

    @dataclass
    class TurnRequested(Message):
        """Show a turn; `read` to go there, otherwise as a preview."""

        view: View
        target: Target
        read: bool
        near: tuple[Target, ...] = ()
        """What may be shown next."""

    @dataclass
    class FocusRequested(Message):
        """Focus a pane."""

        pane: Widget

    @dataclass
    class SearchRequested(Message):
        """Go to the search line, or to the hits of a search."""

        search: TurnSearch | None = None

    @dataclass
    class EmptyChanged(Message):
        """The view now shows its text for an empty list, or its list again."""

        view: View

    class DetailChanged(Message):
        """`View.detail` or `View.banner` has changed."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        refuse_incomplete(cls, View, "SHARE")

    def __init__(self, services: AppServices, name: str) -> None:
        super().__init__(id=f"view-{name}")
        self.services = services
        self.view_name = name
        """Name in widget ids and settings."""
        self.shown: Session | None = None
        """The open session; the main screen sets it."""
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
    def filters_first(self) -> bool:
        """Whether the search line first filters the list, instead of searching."""
        return False

    def watch_filter_text(self) -> None:
        """List what matches."""
        self.reload()

    def titled(self, title: str, sort: str = "") -> Content:
        """A title for the border of the list, with the sort key of the list and the filter."""
        title += ", newest first" if sort == NEWEST else f" by {sort}" if sort else ""
        return Content(f"{title} · /{self.filter_text}" if self.filter_text else title)

    @property
    def no_match_text(self) -> str:
        """The text for a filter that nothing matches."""
        return f"No {self.ITEMS} match “{self.filter_text}”.\n\nesc removes the filter.\nctrl+r searches for it."

    def index_begins(self) -> None:
        """Expect the first rows: there is no index yet, and its sessions come bit by bit."""

    def reveal(self, session: Session) -> None:
        """Move the cursor to a session that was opened in another view."""

    def compose_detail(self) -> ComposeResult:
        """The detail panes, which can replace the transcript."""
        yield from ()

    def compose_banner(self) -> ComposeResult:
        """The widgets that can stand above all panes."""
        yield from ()

    @property
    def banner(self) -> Widget | None:
        """The widget that currently stands above all panes; None if there is none."""
        return None

    @property
    def panes(self) -> Sequence[Widget]:
        """The widgets of the view that can have the focus, in order."""
        return (self.focus_target,)

    @property
    def detail(self) -> Widget | None:
        """The detail pane that currently replaces the transcript; None if the transcript is shown."""
        return None

    @property
    def detail_targets(self) -> Sequence[Widget]:
        """The widgets of the shown detail pane that get the focus one after another."""
        return (self.detail,) if self.detail is not None else ()

    def leave_reader(self) -> None:
        """Go back from the transcript or the detail pane."""
        self.request_focus(self.focus_target)

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

    def request_turn(self, target: Target, *, read: bool, near: tuple[Target, ...] = ()) -> None:
        """Post a request to show a turn; those `near` it may be next."""
        self.post_message(self.TurnRequested(self, target, read, near))

    def request_focus(self, pane: Widget) -> None:
        """Post a request to focus a pane."""
        self.post_message(self.FocusRequested(pane))

    @on(TargetChosen)
    def _target_chosen(self, message: TargetChosen) -> None:
        message.stop()
        self.request_turn(message.target, read=message.read, near=message.near)

    @on(LeftAtTop)
    def _left_at_top(self, message: LeftAtTop) -> None:
        message.stop()
        self.post_message(self.SearchRequested())
