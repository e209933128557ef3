"""The base of all views."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

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
from memtui.widgets.table.columns import Order
from memtui_core.model import Project, Session

if TYPE_CHECKING:
    from memtui_core.index.compactions import CompactionRow
    from memtui_core.index.files import FileRow

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
    project: var[Project | None] = var[Project | None](None, init=False)
    """What is listed must belong to this project; None for all."""
    shown: var[Session | None] = var[Session | None](None, init=False)
    """The open session; the main screen sets it."""

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
    class ProjectRequested(Message):
        """Go to another view, and there to what belongs to a project, or to one of its rows."""

        name: str
        project: Project
        row: FileRow | CompactionRow | None = None

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

    def watch_project(self) -> None:
        """List what belongs to the project."""
        self.reload()

    def show_project(self, project: Project) -> None:
        """Show all that belongs to a project, and nothing else."""
        self.filter_text, self.project = "", project

    def leave_project(self) -> bool:
        """List what belongs to all projects again; False if it is listed already."""
        was_restricted, self.project = self.project is not None, None
        return was_restricted

    def open_row(self, row: FileRow | CompactionRow) -> None:
        """Move the cursor to a row that is listed, or about to be listed, and go to what it leads to."""

    def titled(self, title: str, order: Order | None = None) -> Content:
        """A title for the border of the list, with its project, its order and the filter."""
        title += f" of {self.project.name}" if self.project is not None else ""
        if order is not None and order.name == NEWEST:
            title += ", oldest first" if order.is_reversed else ", newest first"
        elif order is not None:
            title += f" by {order.name}{', reversed' if order.is_reversed else ''}"
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
        if not message.by_letter:
            self.post_message(self.SearchRequested())
