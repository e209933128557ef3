"""The controller for exports: documents written to the current folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from memtui.screens.choice import ChoiceScreen
from memtui.services.index_service import IndexService
from memtui_core.export import FORMATS, ExportFormat, file_name, write
from memtui_core.model import Session

if TYPE_CHECKING:
    from memtui_core.index import Index


class ExportController:
    """Writes sessions, turns and texts to new files."""

    def __init__(self, screen: Screen[None], index: IndexService) -> None:
        self._screen = screen
        self._index = index

    def choose_format(self, session: Session, number: int | None) -> None:
        """Ask for a format, then write a session, or only the turn `number`."""

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
        session = index.session(key)
        turns = index.whole_turns(key, number or 1, number or session.turns)
        if not turns:
            return None
        return self._write(file_name(session, turns, as_format), as_format.document(session, turns))

    def _write(self, name: str, text: str) -> Path:
        return write(Path(self._index.folder or Path.home()) / name, text)

    def _written(self, path: Path | None) -> None:
        if path is not None:
            self._screen.notify(str(path), title="Written", markup=False)
