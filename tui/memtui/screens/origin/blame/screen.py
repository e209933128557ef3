"""Who wrote each line of a file on this disk, and why, on the whole screen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.render.clean import clean
from memtui.render.markdown.code import LONGEST_HIGHLIGHT, highlight, language_of
from memtui.render.origin import elsewhere_text
from memtui.render.rows import Row
from memtui.screens.dialog import Dialog
from memtui.screens.origin.blame.gutter import LineRun, facts_of, turn_name
from memtui.screens.origin.blame.page import BlamePage
from memtui.screens.origin.blame.reason import load_reason, unknown_rows
from memtui.services.index_service import IndexService
from memtui.system import clock
from memtui.system.timers import PREVIEW_PAUSE
from memtui.widgets.find_bar import FindBar, match_text
from memtui.widgets.lines.diff_view import DiffView
from memtui.widgets.pane_visibility import add_width_class
from memtui.widgets.requests.panes import BlameRequested, CopyRequested, EditorRequested
from memtui.widgets.requests.target import Target
from memtui.wording.formatting import age, agent_full_name
from memtui.wording.path_text import middle_cut
from memtui_core.errors import SourceUnreadable
from memtui_core.index.files import BlamedLine, LineWriter

if TYPE_CHECKING:
    from memtui_core.index.index import Index

_LONGEST_COLOURED: Final = 400_000
"""Characters of a file whose syntax is coloured: beyond `LONGEST_HIGHLIGHT` only after its lines are shown."""
_REASON: Final = "reason"
"""What is loaded when the cursor rests on a line."""
_COMMIT: Final = 10
"""Characters of the id of a commit that are shown."""


@dataclass(frozen=True, slots=True)
class _FileRead:
    """What is known of a file so far."""

    rows: Sequence[Row] = ()
    lines: Sequence[BlamedLine] = field(default_factory=tuple)
    """Who wrote it; empty while that is read."""
    problem: Sequence[str] = ()
    """Why there is nothing to show, and what to do then."""
    remark: str = ""
    """What the file is, if nothing is proved."""
    elsewhere: str = ""
    """Where sessions edited a file like it, if nothing is proved."""


class BlameScreen(Dialog[Target | EditorRequested | None]):
    """Shows a file with the turns that wrote it; its result is a turn to read, a request for the editor, or None."""

    HORIZONTAL_BREAKPOINTS = [(0, "-below"), (150, "-beside")]  # noqa: RUF012
    CSS = """
    BlameScreen {
        background: $background;
        #blame { width: 1fr; height: 1fr; layout: vertical; }
        &.-beside #blame { layout: horizontal; }
        BlamePage, #blame-reason { border-top: solid $panel; border-bottom: solid $panel; background: transparent; }
        BlamePage, #blame-reason { border-title-color: $text-muted; border-subtitle-color: $text-muted; }
        BlamePage:focus, #blame-reason:focus { border-top: heavy $accent; border-bottom: heavy $accent; }
        BlamePage:focus, #blame-reason:focus { border-title-color: $accent; }
        BlamePage { height: 60%; scrollbar-size-horizontal: 0; }
        #blame-reason { height: 1fr; padding: 0 0 0 2; }
        &.-read BlamePage { height: auto; max-height: 60%; }
        &.-beside BlamePage, &.-without-reason BlamePage { height: 1fr; max-height: 100%; }
        &.-beside #blame-reason { width: 42%; max-width: 100; height: 1fr; margin: 0 0 0 1; }
        &.-without-reason #blame-reason { display: none; }
    }
    """
    BINDINGS = keys(
        "lines of a file",
        Key("escape", "back", "Back", "End the find, or go back", "blame.back", show=True),
        Key("q,b", "leave", "Leave", "Go back", "blame.leave"),
        Key("enter", "read", "Turn", "Go to the turn, at the edit that wrote the line", "blame.turn", show=True),
        Key("n", "step(1)", "Next", "Go to the next block of a turn, or the next match", "blame.match-down",
            show=True),
        Key("N", "step(-1)", "Previous", "Go to the previous block of a turn, or the previous match",
            "blame.match-up"),
        Key("f,slash,ctrl+f", "find", "Find", "Find in the file", "blame.find", show=True),
        Key("i", "reason", "Why", "Show or hide why the lines are there", "blame.reason",
            synonyms="inspector reason request", show=True),
        Key("tab,shift+tab", "other", "Other pane", "Go to the file, or to why its lines are there", "blame.other"),
        Key("y", "copy", "Copy", "Copy the file", "blame.copy", synonyms="clipboard yank text"),
        Key("Y", "copy_id", "Copy id", "Copy the session's id and the turn's number", "blame.copy-id",
            synonyms="clipboard yank session link"),
        Key("o", "edit", "Editor", "Open the file in your editor at the line", "blame.edit",
            synonyms="editor vim open", show=True),
        HELP_KEY,
    )  # fmt: skip

    def __init__(self, path: Path, request: BlameRequested, index: IndexService, line: int = 0) -> None:
        """`line` is the index of the line for the cursor, if no turn that the request names wrote one."""
        super().__init__()
        self.path = path
        self._request = request
        self._index = index
        self._read = _FileRead()
        self._facts = ""
        self._page = BlamePage(self._moved, self.action_read)
        self._page.file.cursor = self._first_line = line
        self._why = DiffView(id="blame-reason")
        self._bar = FindBar("file", self._page, id="blame-find")
        self._reason_of: tuple[LineWriter, int] | None = None
        """Of which edit, and around which line of it, the reason is shown."""

    def compose(self) -> ComposeResult:
        """The file, why its lines are there, and the bar for a text to find."""
        add_width_class(self)
        with Container(id="blame"):
            yield self._page
            yield self._why
        yield self._bar

    def on_mount(self) -> None:
        """Read the file, then who wrote it."""
        self._show_titles()
        self._page.focus()
        self._index.query_stream("blame", partial(_read_file, self.path), self._show)

    @property
    def line(self) -> int:
        """The index of the line with the cursor."""
        return self._page.file.cursor

    def on_resize(self) -> None:
        """Show as much of the path as fits now."""
        self._show_titles()

    # -- the file ------------------------------------------------------------------------------------------------

    def _show(self, read: _FileRead) -> None:
        if self not in self.app.screen_stack:
            return
        is_first, had_lines, self._read = not self._page.file.rows, bool(self._read.lines), read
        if read.problem:
            self._page.say(read.problem)
            self.add_class("-without-reason")
        else:
            self._page.show(read.rows, read.lines)
        if is_first:
            self._page.go_to(self.line, centred=True)
            # A short file leaves its rows to the reason.
            self.add_class("-read")
        if read.lines and not had_lines:
            asked = (self._request.session, self._request.turn)
            wrote = next((run for run in self._page.file.runs if run.turn == asked), None)
            if wrote is not None and self.line == self._first_line != wrote.first:
                self._page.go_to(wrote.first, centred=True)
            else:
                self._load_reason(at_once=True)
        self._facts = "" if read.problem else _facts(read)
        self._show_titles()

    def _show_titles(self) -> None:
        if not self.is_mounted:
            return
        room = max(12, self._page.size.width - len(self._facts) - 6)
        name = middle_cut(clean(self._request.name).replace("\n", " "), room)
        self._page.border_title = Content(" · ".join(filter(None, (name, self._facts))))
        finder = self._page.file.finder
        hints = ("enter turn", "n next block")
        if finder.pattern is not None:
            hints = (match_text(finder.current, finder.total), "n next")
        shown = (*hints, "f find", "i why", "esc back") if not self._read.problem else ("esc back",)
        self._page.border_subtitle = " · ".join(shown)

    def _moved(self) -> None:
        self._load_reason(at_once=False)
        self._show_titles()

    # -- why -----------------------------------------------------------------------------------------------------

    def _load_reason(self, *, at_once: bool) -> None:
        """Show why the line is there, or do so when the cursor rests on it."""

        async def wait() -> None:
            await asyncio.sleep(0 if at_once else PREVIEW_PAUSE)
            self._ask()

        self.run_worker(wait(), group=_REASON, exclusive=True)

    def _ask(self) -> None:
        run = self._page.file.run
        if run is None or self.has_class("-without-reason"):
            return
        line = self._read.lines[self.line]
        writer = line.writer
        if writer is None:
            self._reason_of = None
            self._why.show(Content("unknown"), "", unknown_rows(self._read.elsewhere))
        elif self._reason_of != (writer, self.line):
            path = str(self.path)
            self._index.query(
                "why", partial(load_reason, line, writer, path), partial(self._show_reason, run, writer, self.line)
            )

    def _show_reason(self, run: LineRun, writer: LineWriter, line: int, rows: list[Row]) -> None:
        if self not in self.app.screen_stack or line != self.line:
            return
        self._reason_of = writer, line
        commit = run.line.commit[:_COMMIT]
        evidence = f"committed as {commit}" if commit else "wrote it"
        facts = (agent_full_name(writer.agent), evidence, age(writer.at, clock.now()))
        title = clean(writer.title).replace("\n", " ")
        self._why.show(Content(f"{turn_name(writer)} · {title}"), " · ".join(filter(None, facts)), rows)

    # -- keys ----------------------------------------------------------------------------------------------------

    @property
    def _writer(self) -> LineWriter | None:
        """Who wrote the line with the cursor."""
        return self._read.lines[self.line].writer if self._read.lines else None

    def action_read(self) -> None:
        """End with the turn of the line."""
        writer = self._writer
        if writer is not None:
            self.dismiss(Target(writer.session, writer.turn, seq=writer.seq, title=writer.title))
        elif self._read.lines:
            self.notify("Nothing proves who wrote this line. n goes to the next block.")

    def action_step(self, direction: int) -> None:
        """Go to the next or the previous match, or without a find to the next or the previous block."""
        if self._page.file.finder.pattern is not None:
            self._page.step_match(direction)
        elif not self._page.step_run(direction) and self._read.lines:
            self.notify(f"No line {'below' if direction > 0 else 'above'} these is proved.")

    def action_find(self) -> None:
        """Open the bar to find a text."""
        self._bar.open()

    def action_reason(self) -> None:
        """Show or hide why the lines are there."""
        if not self._read.problem:
            self.toggle_class("-without-reason")
            self._page.focus()
            self._load_reason(at_once=True)

    def action_other(self) -> None:
        """Go to the other pane."""
        (self._why if self._page.has_focus and not self.has_class("-without-reason") else self._page).focus()

    def action_back(self) -> None:
        """End the find, or go back."""
        if self._page.file.finder.pattern is not None:
            self._page.find("")
        else:
            self.dismiss(None)

    def action_copy(self) -> None:
        """Copy the file."""
        texts = [line.text for line in self._read.lines] or [own.text for own in self._read.rows]
        self.post_message(CopyRequested("\n".join(texts), "The file"))

    def action_copy_id(self) -> None:
        """Copy the id of the session that wrote the line with the number of the turn."""
        if (writer := self._writer) is not None:
            text = f"{writer.session_id}:{writer.turn}"
            self.post_message(CopyRequested(text, text))

    def action_edit(self) -> None:
        """End with a request for the editor at the line."""
        self.dismiss(replace(self._request.file, line=self.line + 1))


def _facts(read: _FileRead) -> str:
    """What the border says of a file beside its path."""
    if not read.lines:
        return "reading who wrote it…"
    return " · ".join(filter(None, (facts_of(read.lines, clock.now()), read.remark)))


def _read_file(path: Path, index: Index) -> Iterator[_FileRead]:
    """A file, then who wrote it, then the colours of a long one."""
    try:
        texts = index.files.lines(path)
        language = language_of(str(path))
        rows = _rows(texts, language, LONGEST_HIGHLIGHT)
        if not texts:
            yield _FileRead(problem=("The file is empty.", "", "esc goes back."))
            return
        yield _FileRead(rows)
        lines = index.files.blame(path)
    except SourceUnreadable as error:
        yield _FileRead(problem=_problem(path, str(error)))
        return
    if [line.text for line in lines] != texts:
        # It was changed in between.
        texts = [line.text for line in lines]
        rows = _rows(texts, language, LONGEST_HIGHLIGHT)
    is_proved = any(line.writer for line in lines)
    remark = "" if is_proved or index.sessions.project_at(str(path.parent)) is not None else "in no known project"
    elsewhere = "" if is_proved else elsewhere_text(path.name, index.files.edited_elsewhere(path))
    yield _FileRead(rows, lines, remark=remark, elsewhere=elsewhere)
    if LONGEST_HIGHLIGHT < sum(map(len, texts)) <= _LONGEST_COLOURED:
        yield _FileRead(_rows(texts, language, _LONGEST_COLOURED), lines, remark=remark, elsewhere=elsewhere)


def _rows(texts: Sequence[str], language: str, longest: int) -> list[Row]:
    # A newline inside a line would break its row in two.
    text = "\n".join(clean(text).replace("\n", " ") for text in texts)
    return [Row(spans, wrap="none") for spans in highlight(text, language, longest)] if texts else []


def _problem(path: Path, text: str) -> tuple[str, ...]:
    """Why a file is not shown, and the next key."""
    if path.exists():
        return (clean(text).replace("\n", " "), "", "esc goes back, o opens it in your editor.")
    return (
        f"{clean(str(path))} is not on this disk.".replace("\n", " "),
        "",
        "esc goes back; v in the history of the file shows what a session knew of it.",
    )
