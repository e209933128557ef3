"""The controller that takes a session back to a turn: a new session, and the command that resumes it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from memtui.browse.actions.programs import ProgramRunner
from memtui.browse.reader.pane import SessionReader
from memtui.services.index_service import IndexService
from memtui.system import clock
from memtui.wording.owner import only_there
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from memtui.screens.outgoing.rewind.screen import RewindPlan
    from memtui_core.index.handoffs import Rewound
    from memtui_core.index.index import Index


class RewindController:
    """Shows the session that ends at the open turn, writes it, and offers to resume it."""

    def __init__(
        self, screen: Screen[None], index: IndexService, reader: SessionReader, programs: ProgramRunner
    ) -> None:
        self._screen = screen
        self._index = index
        self._reader = reader
        self._programs = programs

    def action_rewind(self) -> None:
        """Ask whether to rewind the open session to its turn: a compaction to what was before it."""
        session = self._reader.session
        if session is None:
            self._screen.notify("No session is open.")
        elif session.member:
            self._screen.notify(only_there(session, "This session can only be rewound"), markup=False)
        else:
            self._ask(session.key, self._reader.transcript.number, None)

    def _ask(self, session: int, turn: int, before: bool | None) -> None:
        """Show what would be written; by default, a compaction is rewound to before it and a prompt to after it."""
        self._index.query("rewind", partial(_plan, session, turn, before), partial(self._show, session, turn))

    def _show(self, session: int, turn: int, plan: RewindPlan | MemtuiError) -> None:
        from memtui.screens.outgoing.rewind.screen import RewindScreen

        if isinstance(plan, MemtuiError):
            self._screen.notify(str(plan), markup=False)
            return
        shown = next((one for one in self._screen.app.screen_stack if isinstance(one, RewindScreen)), None)
        if shown is not None:
            shown.show_plan(plan)
        else:
            ask = partial(self._ask, session, turn)
            self._screen.app.push_screen(RewindScreen(plan, ask), self._write)

    def _write(self, made: Rewound | None) -> None:
        if made is not None:
            # In no queue: it must not be replaced by another one.
            self._index.query("", lambda _: _written(made), partial(self._offer, made))

    def _offer(self, made: Rewound, failed: MemtuiError | None) -> None:
        """Offer to resume the session that was written."""
        if failed is not None:
            self._screen.notify(str(failed), title="Nothing was written", markup=False)
            return
        self._screen.notify(f"{made.origin.title} is as it was.", title="Written", markup=False)
        self._programs.offer(made.command, Path(made.folder), made.shown)


def _plan(session: int, turn: int, before: bool | None, index: Index) -> RewindPlan | MemtuiError:
    from memtui.screens.outgoing.rewind.screen import RewindPlan

    if before is None:
        chosen = index.sessions.turn(session, turn)
        before = chosen is not None and chosen.kind == "compaction"
    try:
        made = index.handoffs.rewound(session, turn, os.environ, clock.now(), before=before)
        files = index.handoffs.files_since(session, made.last.number)
    except MemtuiError as error:
        return error
    return RewindPlan(made, files)


def _written(made: Rewound) -> MemtuiError | None:
    try:
        made.write()
    except MemtuiError as error:
        return error
    return None
