"""The app: joins the screen, the theme, the keys and the indexer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import orjson
from textual import on
from textual.app import App, InvalidThemeError
from textual.binding import BindingType
from textual.command import Provider

from memtui import messages
from memtui.commands import CommandProvider, bindings
from memtui.config import Config
from memtui.indexer import IndexerProcess
from memtui.opening import Opening
from memtui.screens.browse import BrowseScreen

_INDEXER_PAUSE = 0.3
"""Seconds from the first sessions to the start of the indexer."""
_FAILURE_CHECK = 2.0
"""Seconds between two looks at whether the indexer is still there."""


class MemtuiApp(App[None]):
    """Shows an index, and keeps it fresh by a child process unless `run_indexer` is False.

    `places_text` names the folders that were looked in, for the empty screen.
    """

    TITLE = "memtui"
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {CommandProvider}
    PAUSE_GC_ON_SCROLL = True

    def __init__(
        self,
        data_dir: Path,
        sources: Sequence[Path] = (),
        config: Config | None = None,
        *,
        run_indexer: bool = True,
        places_text: str = "",
        opening: Opening | None = None,
    ) -> None:
        super().__init__()
        self._data_dir = data_dir
        self._sources = sources
        self._config = config or Config()
        self._run_indexer = run_indexer
        self._places_text = places_text
        self._opening = opening
        self._indexer: IndexerProcess | None = None

    def on_mount(self) -> None:
        """Show the screen, then start what works behind it."""
        self.set_keymap(dict(self._config.keymap))
        with suppress(InvalidThemeError):
            self.theme = self._config.theme or self._state().get("theme") or self.theme
        self.theme_changed_signal.subscribe(self, lambda theme: self._remember(theme.name))
        self.push_screen(BrowseScreen(self._data_dir, self._places_text, self._opening))

    @on(messages.IndexAbsent)
    @on(messages.IndexUnreadable)
    def _index_wanted(self) -> None:
        self._start_indexer()

    @on(messages.IndexChanged)
    def _index_at_hand(self) -> None:
        """What is there comes on the screen first: the indexer would take the processor from it."""
        if self._run_indexer:
            self.set_timer(_INDEXER_PAUSE, self._start_indexer)

    def _start_indexer(self) -> None:
        if self._run_indexer:
            self._run_indexer = False
            self._indexer = IndexerProcess(self._data_dir, self._sources)
            self.set_interval(_FAILURE_CHECK, self._check_indexer)

    def _check_indexer(self) -> None:
        failure = self._indexer.failure() if self._indexer else None
        if failure is not None:
            self._indexer = None
            self.notify(f"Indexing has stopped: {failure}", severity="error", timeout=8, markup=False)

    def on_unmount(self) -> None:
        """End the indexer."""
        if self._indexer is not None:
            self._indexer.stop()

    def action_toggle_help(self) -> None:
        """Show or hide the keys of the pane in focus."""
        shown = bool(self.screen.query("HelpPanel"))
        self.screen.set_class(not shown, "-helping")
        if shown:
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

    def action_help_quit(self) -> None:
        """Say how to leave."""
        self.notify("q leaves, ctrl+q also while typing.")

    def _state(self) -> dict[str, Any]:
        try:
            state = orjson.loads((self._data_dir / "state.json").read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return {}
        return state if isinstance(state, dict) else {}

    def _remember(self, theme: str) -> None:
        """Keep the theme that was chosen; a folder that cannot be written costs no more than that."""
        with suppress(OSError):
            self._data_dir.mkdir(parents=True, exist_ok=True)
            (self._data_dir / "state.json").write_bytes(orjson.dumps({"theme": theme}))
