"""The controller for exports: documents written to the current folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from memtui.browse.reader.pane import SessionReader
from memtui.services.index_service import IndexService
from memtui.widgets.requests.panes import CopyRequested
from memtui_core.export.formats import FORMATS, ExportFormat, file_name, write

if TYPE_CHECKING:
    from memtui_core.index.index import Index


class ExportController:
    """Writes the open session, a turn of it, or a text to a new file; copies the id of the session."""

    def __init__(self, screen: Screen[None], index: IndexService, reader: SessionReader) -> None:
        self._screen = screen
        self._index = index
        self._reader = reader

    def action_export(self) -> None:
        """Write the open session to a file in the current folder."""
        self._choose_format(None)

    def action_export_turn(self) -> None:
        """Write the current turn to a file in the current folder."""
        self._choose_format(self._reader.transcript.number)

    def action_copy_id(self) -> None:
        """Copy the id of the open session with the number of the current turn."""
        session = self._reader.session
        if session is None:
            self._screen.notify("No session is open.")
            return
        text = f"{session.session_id}:{self._reader.transcript.number}"
        self._screen.post_message(CopyRequested(text, text))

    def _choose_format(self, number: int | None) -> None:
        """Ask for a format, then write the open session, or only its turn `number`."""
        from memtui.screens.choice import ChoiceScreen

        session = self._reader.session
        if session is None:
            return

        def chosen(as_format: ExportFormat | None) -> None:
            if as_format is not None:
                self._index.query(
                    "export", lambda index: self._export(index, session.key, number, as_format), self._written
                )

        title = "export the session as" if number is None else f"export turn {number} as"
        self._screen.app.push_screen(ChoiceScreen(title, [(each, each.title) for each in FORMATS]), chosen)

    def write(self, name: str, text: str) -> None:
        """Write a text to a new file in the current folder."""
        self._index.jobs.run(lambda: self._write(name, text), self._written)

    def _export(self, index: Index, key: int, number: int | None, as_format: ExportFormat) -> Path | None:
        session = index.sessions.get(key)
        turns = index.sessions.whole_turns(key, number or 1, number or session.turns)
        if not turns:
            return None
        return self._write(file_name(session, turns, as_format), as_format.document(session, turns))

    def _write(self, name: str, text: str) -> Path:
        return write(Path(self._index.folder or Path.home()) / name, text)

    def _written(self, path: Path | None) -> None:
        if path is not None:
            self._screen.notify(str(path), title="Written", markup=False)
