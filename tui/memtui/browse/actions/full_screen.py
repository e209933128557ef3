"""The controller for what is shown on the whole screen: a tool call, the content of a file, who wrote its lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from memtui.browse.controllers import handles
from memtui.browse.frame import ViewFrame
from memtui.render.content import content_rows
from memtui.render.rows import Row
from memtui.render.tools.bodies import body
from memtui.render.tools.calls import RenderedCall
from memtui.render.tools.headings import heading
from memtui.services.index_service import IndexService
from memtui.widgets.requests.panes import (
    BlameRequested,
    EditorRequested,
    FileContentRequested,
    ToolCallRequested,
    editor_request,
)
from memtui.widgets.requests.target import Target
from memtui.wording.owner import only_there
from memtui_core.model import Session

if TYPE_CHECKING:
    from memtui_core.index.files import FileContent


class FullScreenController:
    """Opens pagers over the screen, and goes on to that with which one ends: the editor, or a turn."""

    def __init__(self, screen: Screen[None], index: IndexService, frame: ViewFrame) -> None:
        self._screen = screen
        self._index = index
        self._frame = frame
        self._left: dict[Path, int] = {}
        """The line at which each file was left."""

    @handles(ToolCallRequested)
    def show_call(self, request: ToolCallRequested) -> None:
        """Show a tool call in full."""
        call = request.call
        if call is None:
            self._screen.notify("No tool call is visible. Press . for the next one; i lists those of the turn.")
            return
        editor = editor_request(call.written_path, request.session, call.line) if call.written_path else None
        text = "\n\n".join(filter(None, (call.block.text, call.result.text if call.result is not None else "")))
        self._open(call.name, partial(_call_rows, call), text, editor)

    @handles(FileContentRequested)
    def show_content(self, request: FileContentRequested) -> None:
        """Show the content of a file, as far as the session knew it."""
        session, path, turn = request.session, request.path, request.turn
        self._index.query(
            "content",
            lambda index: (index.sessions.get(session), index.files.content_at(session, path, turn)),
            lambda loaded: self._show_content(*loaded, turn),
        )

    def _show_content(self, session: Session, known: FileContent, turn: int) -> None:
        title = f"{known.path} · turn {turn} · {session.title}"
        text = known.text if known.text is not None else "\n".join(line.text for line in known.lines)
        self._open(title, lambda _: content_rows(known), text, editor_request(known.path, session))

    @handles(BlameRequested)
    def show_blame(self, request: BlameRequested) -> None:
        """Show who wrote each line of a file on this disk."""
        from memtui.screens.origin.blame.screen import BlameScreen

        file = request.file
        if file.session is not None and file.session.member:
            self._screen.notify(only_there(file.session, f"{file.paths[-1]} is"), markup=False)
            return
        if not file.paths:
            self._screen.notify("The file is on another machine.")
            return
        path = next((path for path in file.paths if os.path.exists(path)), file.paths[0])  # noqa: PTH110 - see below
        blame = BlameScreen(path, request, self._index, self._left.get(path, 0))

        def closed(chosen: Target | EditorRequested | None) -> None:
            self._left[path] = blame.line
            if isinstance(chosen, EditorRequested):
                self._screen.post_message(chosen)
            elif chosen is not None:
                view = self._frame.text_view
                view.reset_detail()
                view.request_turn(chosen, read=True)

        self._screen.app.push_screen(blame, closed)

    def _open(
        self, title: str, make_rows: Callable[[int], Sequence[Row]], text: str, editor: EditorRequested | None
    ) -> None:
        from memtui.screens.pager import PagerScreen

        def closed(editor: EditorRequested | None) -> None:
            if editor is not None:
                self._screen.post_message(editor)

        self._screen.app.push_screen(PagerScreen(title, make_rows, text, editor), closed)


def _call_rows(call: RenderedCall, width: int) -> list[Row]:
    return [
        Row(heading(call, width, opened=True), wrap="none"),
        Row(),
        *body(call, width, full=True, heading_width=width),
    ]
