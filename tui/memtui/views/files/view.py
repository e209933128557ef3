"""The files of all sessions, and the history of the chosen one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.reactive import var
from textual.widget import Widget

from memtui.services.app_services import AppServices
from memtui.views.base import View
from memtui.views.files.file_list import MAX_FILES, FileList
from memtui.views.files.folders import file_key
from memtui.views.files.history_pane import FileHistory
from memtui.widgets.requests.pane_widths import Share
from memtui.widgets.requests.target import Target
from memtui.wording.formatting import number
from memtui_core.index.files import FileResults, FileRow
from memtui_core.model import Project

if TYPE_CHECKING:
    from memtui_core.index.compactions import CompactionRow

_EMPTY = "No session touched a file yet.\n\n1 goes back to the sessions."


class FilesView(View):
    """The list of files; the detail pane shows the history of the chosen file."""

    SHARE = Share(0.42)
    ITEMS = "files"

    shows_history = var(True, init=False)
    """Whether the history replaces the transcript."""

    def __init__(self, services: AppServices, name: str) -> None:
        super().__init__(services, name)
        self._file_count = 0
        self._note = ""
        """What the search for files says about its result."""
        self._files = FileList(self._show_history, self._set_titles)
        self._history = FileHistory(self._read_turn, services.index)

    def compose_view(self) -> ComposeResult:
        """The list."""
        yield self._files

    def compose_detail(self) -> ComposeResult:
        """The history of a file."""
        yield self._history

    def on_mount(self) -> None:
        """Show the order in the border."""
        self._set_titles()

    @property
    def focus_target(self) -> Widget:
        """The list."""
        return self._files

    @property
    def filters_first(self) -> bool:
        """Always."""
        return True

    # -- the detail pane ---------------------------------------------------------------------------------------

    @property
    def detail(self) -> Widget | None:
        """The history of a file, unless a turn is read."""
        return self._history if self.shows_history and not self.is_empty else None

    @property
    def detail_targets(self) -> tuple[Widget, ...]:
        """The list of touches, and the text of the chosen one."""
        return (self._history.timeline, self._history.text) if self.detail is not None else ()

    def reset_detail(self) -> None:
        """Show the transcript again."""
        self.shows_history = False

    def watch_shows_history(self) -> None:
        """Show the history or the transcript."""
        self.post_message(self.DetailChanged())

    def leave_reader(self) -> None:
        """Go from the transcript or the text to the list of touches, and from there to the files."""
        is_deeper = not self.shows_history or self._history.text.has_focus
        self.shows_history = True
        self.request_focus(self._history.timeline if is_deeper and self._history.timeline.touches else self._files)

    # -- the list ----------------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Load the files that match the filter."""
        pattern, project = self.filter_text, self.project
        root = project.root if project is not None else None
        self.services.index.query(
            "files", lambda index: index.files.find(pattern, root), partial(self._show, pattern, project)
        )

    def open_row(self, row: FileRow | CompactionRow) -> None:
        """Go to the history of a file."""
        if isinstance(row, FileRow):
            self._files.fill(file_key(row))
            self._show_history(row, True)

    def _show(self, pattern: str, project: Project | None, result: FileResults) -> None:
        if (pattern, project) != (self.filter_text, self.project):
            return
        self._files.show(result.rows, pattern)
        self._file_count, self._note = len(result.rows), result.note
        self._set_titles()
        if (file := self._files.chosen_file) is not None:
            self._history.show(file, at_once=not pattern)
        no_rows_text = self.no_match_text if pattern else _EMPTY
        was_empty, self.empty_text = self.is_empty, "" if result.rows else no_rows_text
        if self.is_empty != was_empty:
            self.post_message(self.DetailChanged())

    def _set_titles(self) -> None:
        files = self._files
        as_tree = files.as_tree and not self.filter_text
        files.border_title = self.titled("folders" if as_tree else "files", files.order)
        listed = f"{number(MAX_FILES)} of " if self._file_count > MAX_FILES and not as_tree else ""
        note = f" · {self._note}" if self._note else ""
        files.border_subtitle = Content(f"{listed}{number(self._file_count)}{note}")

    def _show_history(self, file: FileRow, read: bool) -> None:
        self.shows_history = True
        self._history.show(file, at_once=read)
        if read:
            self.request_focus(self._history.timeline)

    def _read_turn(self, target: Target) -> None:
        self.shows_history = False
        self.request_turn(target, read=True)
