"""What is opened on the whole screen: a tool call, and what a file held."""

from __future__ import annotations

from textual import on

from memtui import messages, requests
from memtui.render.calls import Call
from memtui.render.content import content_rows
from memtui.render.rows import Row
from memtui.render.toolbodies import body
from memtui.render.toolheads import head
from memtui.screens.finding import FindingScreen
from memtui.screens.pager import PagerScreen


class ViewingScreen(FindingScreen):
    """Owns what covers it."""

    @on(requests.ToolCallRequested)
    def _call_wanted(self, message: requests.ToolCallRequested) -> None:
        call = message.call
        if call is None:
            self.notify("No tool call is in sight.")
            return
        editor = requests.editor_request(call.written_path, message.session, call.line) if call.written_path else None
        text = "\n\n".join(filter(None, (call.block.text, call.result.text if call.result is not None else "")))
        self._page(PagerScreen(call.name, lambda width: _call_rows(call, width), text, editor))

    @on(requests.FileContentRequested)
    def _content_wanted(self, message: requests.FileContentRequested) -> None:
        self.run_newest("content", lambda: self.library.content(message.session, message.path, message.turn))

    @on(messages.ContentLoaded)
    def _content_loaded(self, message: messages.ContentLoaded) -> None:
        known, session = message.known, message.session
        title = f"{known.path} · turn {message.turn} · {session.title}"
        text = known.text if known.text is not None else "\n".join(line.text for line in known.lines)
        editor = requests.editor_request(known.path, session)
        self._page(PagerScreen(title, lambda _: content_rows(known), text, editor))

    def _page(self, pager: PagerScreen) -> None:
        def left(editor: requests.EditorRequested | None) -> None:
            if editor is not None:
                self.post_message(editor)

        self.app.push_screen(pager, left)


def _call_rows(call: Call, width: int) -> list[Row]:
    return [Row(head(call, width, opened=True), wrap="none"), Row(), *body(call, width, full=True)]
