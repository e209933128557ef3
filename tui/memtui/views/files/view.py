"""The files of all sessions, and the timeline of the chosen one."""

from __future__ import annotations

from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from memtui import clock
from memtui.formatting import number
from memtui.services.app_services import AppServices
from memtui.target import Target
from memtui.views.base import View
from memtui.views.files.file_list import MAX_FILES, FileList, facts_of
from memtui.views.files.file_timeline import FileTimeline
from memtui.widgets.row_list import RowList
from memtui_core.model import FileTouch
from memtui_core.queries.files import FileRow
from memtui_core.search.path_search import FileResults


class FilesView(View):
    """The list of files, and the timeline of the chosen file."""

    NAME = "files"
    TITLE = "Files"
    KEY = "2"
    ITEMS = "files"

    DEFAULT_CSS = """
    FilesView { #files { height: 3fr; } #timeline { height: 2fr; } }
    """

    def __init__(self, services: AppServices) -> None:
        super().__init__(services)
        self._last_list: type[RowList] = FileList
        self._file_count = 0
        self._note = ""
        """What the search for files says about its result."""

    def compose_view(self) -> ComposeResult:
        """The two lists."""
        files, timeline = FileList(id="files"), FileTimeline(id="timeline")
        timeline.border_title = "timeline"
        yield files
        yield timeline

    def on_mount(self) -> None:
        """Show the order in the border."""
        self._set_titles()

    @property
    def focus_target(self) -> Widget:
        """The list that had the focus last."""
        return self.query_one(self._last_list)

    @property
    def filters_first(self) -> bool:
        """Always."""
        return True

    @property
    def list_target(self) -> Widget:
        """The list of files."""
        return self.query_one(FileList)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keep the list that gets the focus."""
        self._last_list = FileTimeline if isinstance(event.widget, FileTimeline) else FileList

    @on(FileTimeline.LeftAtTop, "#timeline")
    def _to_files(self, message: RowList.LeftAtTop) -> None:
        message.prevent_default().stop()
        self.request_focus(self.query_one(FileList))

    def reload(self) -> None:
        """Load the files that match the filter."""
        pattern = self.filter_text
        self.services.index.query("files", lambda index: index.find_files(pattern), partial(self._show, pattern))

    def _show(self, pattern: str, result: FileResults) -> None:
        if pattern != self.filter_text:
            return
        self.query_one(FileList).show(result.rows, filtered=bool(pattern))
        if not result.rows:
            timeline = self.query_one(FileTimeline)
            timeline.show(())
            timeline.border_subtitle = ""
        self.empty_text = self.no_match_text if pattern and not result.rows else ""
        self._file_count, self._note = len(result.rows), result.note
        self._set_titles()

    @on(FileList.Sorted)
    def _set_titles(self) -> None:
        files = self.query_one(FileList)
        as_tree = files.as_tree and not self.filter_text
        files.border_title = self.titled(f"{'folders' if as_tree else 'files'} by {files.sort}")
        listed = f"{number(MAX_FILES)} of " if self._file_count > MAX_FILES and not as_tree else ""
        note = f" · {self._note}" if self._note else ""
        files.border_subtitle = Content(f"{listed}{number(self._file_count)}{note}")

    @on(FileList.Chosen)
    def _file_chosen(self, message: FileList.Chosen) -> None:
        message.stop()
        file = message.file
        self.services.index.query(
            "timeline", lambda index: index.file_timeline(file), partial(self._show_timeline, file)
        )
        if message.read:
            self.request_focus(self.query_one(FileTimeline))

    def _show_timeline(self, file: FileRow, touches: list[FileTouch]) -> None:
        timeline = self.query_one(FileTimeline)
        timeline.border_title = Content(file.path.rpartition("/")[2])
        timeline.border_subtitle = facts_of(file, clock.now())
        timeline.show(touches)

    @on(FileTimeline.Chosen)
    def _touch_chosen(self, message: FileTimeline.Chosen) -> None:
        message.stop()
        touch = message.touch
        words = (touch.path.rpartition("/")[2],)
        call = (touch.tool, touch.path) if touch.kind != "mentioned" else None
        self.request_turn(Target(touch.session, touch.turn, words, call), read=message.read)

    def step_back(self) -> bool:
        """Go from the timeline to the files."""
        if not self.query_one(FileTimeline).has_focus:
            return False
        self.request_focus(self.query_one(FileList))
        return True
