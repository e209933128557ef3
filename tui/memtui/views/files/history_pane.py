"""The detail pane of the files: when a file was touched, by which turns, and what the chosen one did."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from memtui.keys.declarations import Key, keys
from memtui.render.clean import clean
from memtui.render.rows import GAP, Row
from memtui.render.tools.touches import touch_rows
from memtui.services.index_service import IndexService
from memtui.system import clock
from memtui.system.timers import PREVIEW_PAUSE
from memtui.views.files.file_rows import facts_of
from memtui.views.files.file_timeline import FileTimeline, TimelineRow, TouchRun, TurnCommits
from memtui.views.files.folders import file_key
from memtui.views.files.touch_strip import MARKS, TouchStrip
from memtui.views.files.touch_view import TouchView
from memtui.widgets.requests.panes import (
    BlameRequested,
    CopyRequested,
    EditorRequested,
    FileContentRequested,
    FileHandoffRequested,
)
from memtui.widgets.requests.target import Target
from memtui.widgets.stack import Stack
from memtui.wording.formatting import age, commit_text, number
from memtui.wording.path_text import middle_cut
from memtui_core.index.files import FileRow, paths_on_disk

if TYPE_CHECKING:
    from memtui_core.index.files import TouchDetails, TurnTouch
    from memtui_core.index.index import Index
    from memtui_core.index.sessions import SessionCommit

_MADE = "This turn made: "
_FILE, _TOUCH = "file", "touch"
"""What is loaded when the cursor rests on it; the newest file and the newest touch count."""


@dataclass(frozen=True, slots=True)
class _LoadedTouch:
    """What a turn did to the file, with its rows."""

    touch: TurnTouch
    commits: Sequence[SessionCommit]
    """Those that the turn made, of whichever files."""
    details: TouchDetails
    rows: Sequence[Row]


class FileHistory(Stack):
    """A time axis, the list of touches, and the text of the chosen one; `read_turn` is called with a turn to read."""

    BINDINGS = keys(
        "history of a file",
        Key("right_curly_bracket", "edit(1)", "Next edit", "Go to the next edit", "timeline.edit-down", show=True),
        Key("left_curly_bracket", "edit(-1)", "Previous", "Go to the previous edit", "timeline.edit-up", show=True),
        Key("0", "first_edit", "First", "Go to the first change", "timeline.first", show=True),
        Key("enter", "read", "Turn", "Go to the turn", "timeline.turn", show=True),
        Key("v", "view", "Content", "Show the content that the session knew", "timeline.view", show=True),
        Key("y", "copy", "Patch", "Copy the diff as a patch", "timeline.copy", show=True),
        Key("o", "edit_file", "Editor", "Open the file in your editor", "timeline.editor"),
        Key("b", "blame", "Blame", "Show who wrote each line of the file", "timeline.blame",
            synonyms="annotate lines why author origin git", show=True),
        Key("H", "handoff", "Hand off", "Hand off its history to an agent", "timeline.handoff"),
        Key("ctrl+d", "scroll_text(1)", "Diff down", "Scroll the diff down", "timeline.text-down"),
        Key("ctrl+u", "scroll_text(-1)", "Diff up", "Scroll the diff up", "timeline.text-up"),
    )  # fmt: skip
    DEFAULT_CSS = """
    FileHistory {
        & > #touches { height: auto; max-height: 40%; }
        & > #touches > TouchStrip { dock: top; }
        & > #touches > #timeline { height: auto; max-height: 100%; }
        & > #touch { height: 1fr; }
    }
    """

    def __init__(self, read_turn: Callable[[Target], None], index: IndexService) -> None:
        super().__init__(id="history")
        self._read_turn = read_turn
        self._index = index
        self.timeline = FileTimeline(self._row_chosen)
        self.strip = TouchStrip(self.timeline.choose_touch)
        self.text = TouchView()
        self._top = Vertical(self.strip, self.timeline, id="touches")
        self._file: FileRow | None = None
        """The file that was requested last."""
        self._shown_file: FileRow | None = None
        """The file whose touches are listed."""
        self._loaded: _LoadedTouch | None = None

    def compose(self) -> ComposeResult:
        """The touches above the text."""
        yield self._top
        yield self.text

    # -- the file ----------------------------------------------------------------------------------------------

    def show(self, file: FileRow, *, at_once: bool) -> None:
        """Show a file, `at_once` or else as a preview: when the cursor rests on it."""
        if file != self._file or at_once:
            self._file = file
            self._after_pause(_FILE, partial(self._load, file), at_once=at_once)

    def _load(self, file: FileRow) -> None:
        if file == self._shown_file:
            self._set_titles()
        elif file == self._file:
            if not self._is_same(file):
                self._top.border_subtitle = "loading…"
            self._index.query("timeline", partial(_read_history, file), partial(self._show, file))

    def _is_same(self, file: FileRow) -> bool:
        """Whether it is the listed file, of which there may be newer touches."""
        shown = self._shown_file
        return shown is not None and file_key(shown) == file_key(file)

    def _show(self, file: FileRow, history: tuple[list[TurnTouch], TurnCommits]) -> None:
        touches, commits = history
        if file != self._file:
            return
        chosen = self.timeline.chosen if self._is_same(file) else None
        self._shown_file = file
        self._set_titles()
        self.timeline.show(touches, commits, chosen)
        self.strip.show(touches, None)
        if (row := self.timeline.chosen_row) is not None:
            self._show_row(row, at_once=True)

    def _set_titles(self) -> None:
        if (file := self._shown_file) is not None:
            self._top.border_title = Content(middle_cut(file.path, max(20, self.size.width - 6)))
            self._top.border_subtitle = Content(facts_of(file, clock.now()))

    def on_resize(self) -> None:
        """Show as much of the path as fits now."""
        self._set_titles()

    # -- the chosen row ----------------------------------------------------------------------------------------

    def _row_chosen(self, row: TimelineRow, read: bool) -> None:
        if not read:
            self._show_row(row, at_once=False)
        elif row.touch is not None:
            self._read(row.touch)

    def _read(self, touch: TurnTouch) -> None:
        """Read the turn of a touch."""
        own = touch.touch
        words = (own.path.rpartition("/")[2],)
        call = (own.tool, own.path) if own.kind != "mentioned" else None
        self._read_turn(Target(own.session, own.turn, words, call))

    def _show_row(self, row: TimelineRow, *, at_once: bool) -> None:
        self.strip.choose(row.touch)
        if row.run is not None:
            self.workers.cancel_group(self, _TOUCH)
            self.text.show(Content(row.run.text), "", _run_rows(row.run))
        elif row.touch is not None:
            self._after_pause(_TOUCH, partial(self._load_touch, row.touch), at_once=at_once)

    def _load_touch(self, touch: TurnTouch) -> None:
        loaded, commits = self._loaded, self.timeline.commits_of(touch)
        if loaded is not None and (loaded.touch, loaded.commits) == (touch, commits):
            self._show_touch(loaded)
        else:
            self._index.query("touch", partial(_load_touch, touch, commits), self._show_touch)

    def _show_touch(self, loaded: _LoadedTouch) -> None:
        row = self.timeline.chosen_row
        if row is None or row.touch != loaded.touch:
            return
        self._loaded = loaded
        touch, own = loaded.touch, loaded.touch.touch
        title = Content(f"{MARKS[touch.kind]} turn {own.turn} · {own.title}")
        self.text.show(title, _facts_of_touch(touch, self.timeline.touches), loaded.rows)

    def _after_pause(self, group: str, call: Callable[[], object], *, at_once: bool) -> None:
        """Call something when the cursor rests; only the newest call of a group counts."""

        async def wait() -> None:
            await asyncio.sleep(0 if at_once else PREVIEW_PAUSE)
            call()

        self.run_worker(wait(), group=group, exclusive=True)

    # -- keys --------------------------------------------------------------------------------------------------

    @property
    def _touch(self) -> TurnTouch | None:
        """The touch under the cursor; of a run its newest."""
        row = self.timeline.chosen_row
        if row is None:
            return None
        return row.touch if row.run is None else row.run.touches[0]

    def action_edit(self, direction: int) -> None:
        """Go to the next (1) or the previous (-1) edit in time."""
        touches, touch = self.timeline.touches, self._touch
        if touch is None:
            return
        index = touches.index(touch)
        # The newest touch is the first one.
        after = touches[index + 1 :] if direction < 0 else touches[:index][::-1]
        edit = next((touch for touch in after if touch.kind == "edited"), None)
        if edit is not None:
            self.timeline.choose_touch(edit)
        elif any(touch.kind == "edited" for touch in touches):
            self.notify("This is the first edit." if direction < 0 else "This is the last edit.")
        else:
            self.notify("No session edited the file.")

    def action_first_edit(self) -> None:
        """Go to the first edit; in a file without edits to the first touch."""
        touches = self.timeline.touches[::-1]
        first = next((touch for touch in touches if touch.kind == "edited"), touches[0] if touches else None)
        if first is not None:
            self.timeline.choose_touch(first)

    def action_read(self) -> None:
        """Read the chosen turn."""
        if (touch := self._touch) is not None:
            self._read(touch)

    def action_view(self) -> None:
        """Show the content of the file after the chosen turn."""
        if (touch := self._touch) is not None:
            own = touch.touch
            self.post_message(FileContentRequested(own.path, own.session, own.turn))

    def action_copy(self) -> None:
        """Copy the diff as a patch, or the text if there is no diff."""
        loaded = self._loaded
        if loaded is None or loaded.touch != self._touch:
            return
        from memtui_core.index.files import patch_text

        path = loaded.touch.touch.path
        patch = "".join(patch_text(path, call.hunks) for call in loaded.details.calls)
        self.post_message(CopyRequested(patch or self.text.text, "The patch" if patch else "The text"))

    def action_edit_file(self) -> None:
        """Open the file in the user's editor, at the first line that the chosen turn changed."""
        if (file := self._shown_file) is not None:
            loaded = self._loaded if self._loaded is not None and self._loaded.touch == self._touch else None
            hunks = [hunk for call in loaded.details.calls for hunk in call.hunks] if loaded is not None else []
            line = hunks[0].first_change if hunks else None
            self.post_message(EditorRequested(paths_on_disk(file), line))

    def action_blame(self) -> None:
        """Show who wrote each line of the file, from the first line of the chosen turn on."""
        if (file := self._shown_file) is not None and (touch := self._touch) is not None:
            own = touch.touch
            self.post_message(BlameRequested(EditorRequested(paths_on_disk(file)), file.path, own.session, own.turn))

    def action_handoff(self) -> None:
        """Hand off the history of the file."""
        if (file := self._shown_file) is not None:
            self.post_message(FileHandoffRequested(file.path, file.root))

    def action_scroll_text(self, direction: int) -> None:
        """Scroll the text by half a page."""
        self.text.action_half(direction)


def _read_history(file: FileRow, index: Index) -> tuple[list[TurnTouch], TurnCommits]:
    """The touches of a file, and what their turns committed."""
    touches = index.files.history(file)
    commits: dict[tuple[int, int], list[SessionCommit]] = defaultdict(list)
    for commit in index.sessions.commits(*{touch.touch.session for touch in touches}):
        if not commit.amended:
            commits[commit.session, commit.turn].append(commit)
    return touches, commits


def _made_rows(commits: Sequence[SessionCommit]) -> list[Row]:
    """Lines such as `This turn made: 3f2a9c1 Retry uploads`: which files it has, a transcript does not tell."""
    texts = [clean(commit_text(commit.id, commit.subject)).replace("\n", " ") for commit in commits]
    label, blank = (_MADE, "muted"), (" " * len(_MADE), "")
    rows = [Row(((text, ""),), GAP, (blank if at else label,), wrap="none") for at, text in enumerate(texts)]
    return [*rows, Row((), GAP)] if rows else []


def _load_touch(touch: TurnTouch, commits: Sequence[SessionCommit], index: Index) -> _LoadedTouch:
    details = index.files.touch_details(touch)
    return _LoadedTouch(touch, commits, details, [*_made_rows(commits), *touch_rows(touch, details)])


def _facts_of_touch(touch: TurnTouch, touches: Sequence[TurnTouch]) -> str:
    """`+12 −3 · Edit · edit 3 of 12 · 2 h`."""
    added, removed = touch.counts or (None, None)
    counts = f"+{number(added)} −{number(removed)}" if added is not None and removed is not None else ""
    edits = [each for each in touches if each.kind == "edited"]
    position = f"edit {len(edits) - edits.index(touch)} of {len(edits)}" if touch.kind == "edited" else ""
    return " · ".join(filter(None, (counts, ", ".join(touch.tools), position, age(touch.touch.at, clock.now()))))


def _run_rows(run: TouchRun) -> list[Row]:
    """The touches of a run as text."""
    now = clock.now()
    rows = [Row((("space lists them one by one.", "muted"),), GAP), Row((), GAP)]
    for touch in run.touches:
        own = touch.touch
        facts = f"turn {own.turn} · {', '.join(touch.tools)} · {age(own.at, now)}"
        rows.append(
            Row(((own.title, ""), (f"  {facts}", "muted")), GAP, ((f"{MARKS[touch.kind]} ", "muted"),), (("  ", ""),))
        )
    return rows
