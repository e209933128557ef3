"""The inspector: thinking, tools, files and facts of the current turn, a tab each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from memtui.keys.declarations import Key, keys
from memtui.render.inspect import (
    calls_of,
    file_rows,
    files_of,
    info_rows,
    nothing,
    thinking_rows,
    tool_rows,
    turn_counts,
)
from memtui.render.rows import Row
from memtui.render.tools.calls import RenderedCall
from memtui.widgets.lines.row_lines import RowLines
from memtui.widgets.lines.view import LineView
from memtui.widgets.requests.panes import (
    BlameRequested,
    EditorRequested,
    FileContentRequested,
    RemindersRequested,
    ToolCallRequested,
    editor_request,
)
from memtui.wording.formatting import cut
from memtui_core.model import FileTouch, Session, Turn
from memtui_core.text.machine_folders import shown_root

InspectorTab = Literal["thinking", "tools", "files", "info"]
TABS: tuple[InspectorTab, ...] = ("thinking", "tools", "files", "info")


class Inspector(LineView):
    """Shows one turn: a line of tabs above the content of the chosen tab."""

    HELP: ClassVar[str] = """\
## Inspector

The current turn in full. `h` and `l` change the tab, `j` and `k` go through tools and files. `enter` unfolds a tool, or
searches for a file; `v` shows it on the whole screen, `o` opens the file in your editor, `b` shows who wrote its lines.
Among the facts, `enter` lists what memtui told the agent.
"""
    BINDINGS = keys(
        "inspector",
        Key("h,left", "tab(-1)", "Tab", "Go to the previous tab", "inspector.tab-left", show=True),
        Key("l,right", "tab(1)", "Next tab", "Go to the next tab", "inspector.tab-right"),
        Key("j,down", "move(1)", "Down", "Go to the next tool or file", "inspector.down", moves=True),
        Key("k,up", "move(-1)", "Up", "Go to the previous tool or file", "inspector.up", moves=True),
        Key(
            "enter",
            "open",
            "Open",
            "Unfold a tool, search for a file, or list what memtui told the agent",
            "inspector.open",
            show=True,
        ),
        Key("v", "view", "View", "Show the tool or file on the whole screen", "inspector.view", show=True),
        Key("o", "edit_file", "Editor", "Open the file in your editor", "inspector.edit"),
        Key("b", "blame", "Blame", "Show who wrote each line of the file", "inspector.blame",
            synonyms="annotate lines why author origin git"),
    )  # fmt: skip

    HEADER: ClassVar[int] = 2
    """The tabs and a blank line."""

    tab: reactive[InspectorTab] = reactive[InspectorTab]("thinking", always_update=True)
    """The shown tab; whatever sets it has chosen it, also if it was shown in the place of the chosen one before."""

    class FileChosen(Message):
        """A file was chosen; `path` is relative to the root of the project if the file is in it."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    def __init__(self) -> None:
        self._text = RowLines(self.rows)
        super().__init__(self._text, id="inspector")
        self.session: Session | None = None
        self.turn: Turn | None = None
        self._empty_text = "No turn is open."
        self._preferred: InspectorTab = self.tab
        """The tab that the user has chosen; another one is shown for a turn for which it is empty."""
        self.chosen: dict[InspectorTab, int] = {}
        """Index of the marked tool or file."""
        self._touches: tuple[FileTouch, ...] = ()
        self._used: Sequence[tuple[str, str]] = ()
        """What the session used, as names and texts."""
        self._reminders = 0
        self._calls: list[RenderedCall] = []
        self._opened: set[int] = set()

    def show(
        self,
        session: Session,
        turn: Turn,
        touches: Sequence[FileTouch] = (),
        used: Sequence[tuple[str, str]] = (),
        reminders: int = 0,
    ) -> None:
        """Show a turn with its blocks, what its session used, and how often memtui told it something.

        If it is the same turn, unfolded tools and the scroll position stay.
        """
        is_same_turn = (
            self.session is not None
            and self.turn is not None
            and (self.session.key, self.turn.number) == (session.key, turn.number)
        )
        self.session, self.turn, self._touches, self._used = session, turn, tuple(touches), used
        self._reminders = reminders
        self._calls = calls_of(turn, shown_root(session.root, session.worktree, session.cwd))
        if not is_same_turn:
            self.set_reactive(Inspector.tab, self._fitting_tab(turn))
            self._opened.clear()
            self.chosen.clear()
            self.scroll_to(y=0, animate=False)
        self.lay_out()

    def clear(self, text: str) -> None:
        """Show a text instead of a turn."""
        self.session = self.turn = None
        self._empty_text = text
        self._touches, self._calls = (), []
        self._opened.clear()
        self.chosen.clear()
        self.lay_out()

    def _fitting_tab(self, turn: Turn) -> InspectorTab:
        """The preferred tab; if it is empty the first that has something, beginning with what the transcript hides."""
        counts = turn_counts(turn, self._touches)
        full: dict[InspectorTab, int] = {"thinking": counts.thinking, "files": counts.files, "tools": counts.tools}
        if full.get(self._preferred, 1):
            return self._preferred
        return next((tab for tab, count in full.items() if count), "info")

    def watch_tab(self) -> None:
        """Show the first line of the chosen tab."""
        self._preferred = self.tab
        self.scroll_to(y=0, animate=False)
        self.lay_out()

    def rows(self, width: int, height: int) -> list[Row]:
        """The rows of the chosen tab."""
        session, turn, tab = self.session, self.turn, self.tab
        if session is None or turn is None:
            return nothing(self._empty_text)
        if tab == "thinking":
            return thinking_rows(turn)
        if tab == "tools":
            return tool_rows(self._calls, self._opened, self.chosen.get(tab, 0), width)
        if tab == "files":
            return file_rows(self._touches, self.chosen.get(tab, 0), width)
        return info_rows(session, turn, self._used, self._reminders)

    def action_tab(self, direction: int) -> None:
        """Go to another tab; after the last comes the first."""
        self.tab = TABS[(TABS.index(self.tab) + direction) % len(TABS)]

    def action_move(self, direction: int) -> None:
        """Mark the next tool or file (1) or the previous one (-1); scroll if there is nothing to mark."""
        count = self._count(self.tab) if self.tab in {"tools", "files"} else 0
        if not count:
            self.action_scroll(direction)
            return
        self._choose(max(0, min(self.chosen.get(self.tab, 0) + direction, count - 1)))

    def _choose(self, index: int) -> None:
        self.chosen[self.tab] = index
        self.lay_out()
        key = self._calls[index].seq if self.tab == "tools" else index
        self.scroll_to_line(next((i for i, line in enumerate(self._text.lines) if line.fold == key), 0))

    def action_open(self) -> None:
        """Fold or unfold the marked tool; post the path of the marked file; ask for what memtui told the agent."""
        index = self.chosen.get(self.tab, 0)
        if self.tab == "tools" and index < len(self._calls):
            self._opened ^= {self._calls[index].seq}
            self.lay_out()
        elif self.tab == "files" and index < self._count("files"):
            self.post_message(self.FileChosen(files_of(self._touches)[index][0]))
        elif self.tab == "info" and self.session is not None:
            self.post_message(RemindersRequested(self.session))

    def action_view(self) -> None:
        """Show the marked tool, or the content of the marked file, on the whole screen."""
        if self.session is None or self.turn is None:
            return
        if self.tab == "files" and (path := self._marked_path()):
            self.post_message(FileContentRequested(path, self.session.key, self.turn.number))
        else:
            self.post_message(ToolCallRequested(self._marked_call(), self.session))

    def action_edit_file(self) -> None:
        """Open the marked file, or the file of the marked tool, in the user's editor."""
        if (found := self._marked_file()) is not None:
            self.post_message(found[1])

    def action_blame(self) -> None:
        """Show who wrote each line of the marked file, or of the file of the marked tool, from this turn on."""
        if (found := self._marked_file()) is not None and self.session is not None and self.turn is not None:
            path, file = found
            self.post_message(BlameRequested(file, path, self.session.key, self.turn.number))

    def _marked_file(self) -> tuple[str, EditorRequested] | None:
        """The marked file, or the file of the marked tool: its path and where it is.

        None, with a notice, if there is none.
        """
        call = self._marked_call()
        path = self._marked_path() or (call.written_path if call is not None else "")
        if self.session is None or not path:
            self.notify("No file is marked.")
            return None
        return path, editor_request(path, self.session, call.line if call is not None else None)

    def _marked_call(self) -> RenderedCall | None:
        index = self.chosen.get("tools", 0)
        return self._calls[index] if self.tab == "tools" and index < len(self._calls) else None

    def _marked_path(self) -> str:
        index = self.chosen.get("files", 0)
        return files_of(self._touches)[index][0] if self.tab == "files" and index < self._count("files") else ""

    def _count(self, tab: InspectorTab) -> int:
        if tab == "tools":
            return len(self._calls)
        return len(files_of(self._touches)) if tab == "files" else 0

    def _titles(self) -> list[tuple[InspectorTab, int, str]]:
        """Each tab with its column and its title: with a count if there is room, otherwise as short as necessary."""
        names = [tab.capitalize() for tab in TABS]
        counts = [self._count(tab) for tab in TABS]
        counted = [f"{name} {count}" if count else name for name, count in zip(names, counts, strict=True)]
        width = self.scrollable_content_region.width
        for gap, titles in ((2, counted), (1, counted), (1, names), (1, [cut(name, 5) for name in names])):
            if sum(map(len, titles)) + gap * (len(TABS) - 1) <= width:
                break
        left, placed = 0, []
        for tab, title in zip(TABS, titles, strict=True):
            placed.append((tab, left, title))
            left += len(title) + gap
        return placed

    def header_line(self, y: int, width: int) -> Strip:
        """The tabs."""
        return self._tabs(width) if y == 0 else super().header_line(y, width)

    def _tabs(self, width: int) -> Strip:
        segments: list[Segment] = []
        column = 0
        for tab, left, title in self._titles():
            if left > column:
                segments.append(Segment(" " * (left - column), self.painter.base_style))
            segments.append(Segment(title, self.painter.style("active" if tab == self.tab else "tab")))
            column = left + len(title)
        return Strip(segments).crop_extend(0, width, self.painter.base_style)

    def on_click(self, event: events.Click) -> None:
        """Choose a tab, a tool or a file."""
        at = event.get_content_offset(self)
        if at is None or self.text_selection is not None:
            return
        if at.y == 0:
            for tab, left, title in self._titles():
                if left <= at.x < left + len(title):
                    self.tab = tab
        if at.y < self.HEADER:
            return
        index = round(self.scroll_y) + at.y - self.HEADER
        fold = self._text.lines[index].fold if 0 <= index < len(self._text.lines) else None
        if fold is not None and self.tab in {"tools", "files"}:
            order = [call.seq for call in self._calls] if self.tab == "tools" else range(self._count("files"))
            self._choose(order.index(fold))
        if fold is not None:
            self.action_open()

    def text_select_all(self) -> None:
        """Do nothing: a double click folds or unfolds a tool."""
