"""The controller for forgetting: asks, lets the indexer forget, and brings back what was forgotten last."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.screen import Screen
from textual.worker import get_current_worker

from memtui.browse.controllers import handles
from memtui.services.index_service import IndexService
from memtui.widgets.requests.panes import ForgetRequested
from memtui.wording.formatting import cut, plural
from memtui_core.index.folder import FORGET, UNDO, Requests

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.model import SessionsToForget

_NAMED: Final = 40
"""Cells of a title in a notification."""
_LONGEST_WAIT: Final = 120.0
"""Seconds for which the answer of the indexer is waited for."""
_STARTING: Final = 3.0
"""Seconds in which an indexer may begin to run."""


class ForgetController:
    """Asks the indexer to forget sessions: it has the lock, and works within two seconds."""

    def __init__(self, screen: Screen[None], index: IndexService) -> None:
        self._screen = screen
        self._index = index
        self.last: str | None = None
        """The id of what was forgotten last, which `take_back` brings back."""

    @handles(ForgetRequested)
    def ask(self, request: ForgetRequested) -> None:
        """Show what would be forgotten, and ask."""
        if any(key < 0 for key in request.sessions):
            self._screen.notify("This session is a colleague's: it is not in your index.")
        elif not request.sessions and request.project is None:
            self._screen.notify("Choose a session or a project first.")
        else:
            self._index.query(
                "",
                lambda index: index.sessions.to_forget(request.sessions, request.project),
                lambda found: self._show(request, found),
            )

    def take_back(self) -> bool:
        """Bring back what was forgotten last; False if nothing was."""
        last, self.last = self.last, None
        if last is None:
            return False
        self._let_indexer(UNDO, {"id": last}, self._say_back)
        return True

    def _show(self, request: ForgetRequested, found: SessionsToForget) -> None:
        from memtui.screens.forget import ForgetScreen

        if not found.identities:
            self._screen.notify("These sessions are not in the index any more.")
            return

        def answered(agreed: bool | None) -> None:
            if agreed:
                fields = {"sessions": [list(one) for one in found.identities], "keeps_away": True}
                self._let_indexer(FORGET, fields, lambda answer: self._say_gone(request, answer), tell=True)

        self._screen.app.push_screen(ForgetScreen(request.title, found.rows), answered)

    def _let_indexer(
        self, kind: str, fields: Mapping[str, Any], done: Callable[[Mapping[str, Any]], object], *, tell: bool = False
    ) -> None:
        """Let the indexer do something, and show its answer."""

        def ask(index: Index) -> Mapping[str, Any] | None:
            if tell:
                from memtui_team.forgotten import tell_team

                # Remembered first, so that nothing is pushed again if this process dies.
                tell_team(index.data.path, [(agent, session_id) for agent, session_id, _ in fields["sessions"]])
            requests, worker, began = Requests(index.data), get_current_worker(), time.monotonic()

            def nobody_answers() -> bool:
                is_late = time.monotonic() - began > _STARTING
                return worker.is_cancelled or (is_late and not index.data.indexer.exists())

            return requests.wait(requests.send(kind, fields), _LONGEST_WAIT, nobody_answers)

        def answered(answer: Mapping[str, Any] | None) -> None:
            if answer is None:
                self._screen.notify("No indexer answers. It is done as soon as one runs.", severity="warning")
            elif "error" in answer:
                self._screen.notify(str(answer["error"]), title="Not done", severity="error", markup=False)
            else:
                self._index.refresh()
                done(answer)

        self._index.query("", ask, answered)

    def _say_gone(self, request: ForgetRequested, answer: Mapping[str, Any]) -> None:
        self.last = answer.get("id")
        text = f"{cut(request.title, _NAMED)}\n\nu brings it back."
        self._screen.notify(text, title="Forgotten", markup=False)

    def _say_back(self, answer: Mapping[str, Any]) -> None:
        self._screen.notify(plural(len(answer["sessions"]), "session"), title="Brought back", markup=False)
