"""Opens the app on the user's sessions or on the sample sessions."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.system.terminals import obstacle
from memtui_core.errors import MemtuiError
from memtui_core.store.data_folder import DataDir
from memtui_core.system import locations
from memtui_core.system.private_files import make_private_folder

if TYPE_CHECKING:
    from textual.theme import Theme

    from memtui.services.preload import IndexPreload
    from memtui.settings.config import Config
    from memtui.widgets.requests.target import AppStart
    from memtui_core.readers.locations import Location

_GC_THRESHOLDS = (50_000, 20, 50)
"""Thresholds of the garbage collector: a full collection takes a tenth of a second, in which no key is answered."""
_SWITCH_INTERVAL = 0.0005
"""Seconds for which a thread that searches may keep the interpreter from the one that draws: Python's are ten times."""


def open_app(data_dir: Path | None, sources: Sequence[Path], *, or_demo: bool = False) -> None:
    """Open the app on sources, or on the agents' own folders for none.

    With `or_demo` open the sample sessions if no location has a transcript and there is no data folder.
    """
    from memtui.settings.config import settings_in_use

    config = settings_in_use()

    def read_locations() -> list[Location]:
        from memtui_core.readers.locations import chosen_locations

        return chosen_locations(sources, added=config.sources, exclusions=config.exclusions)

    def searched() -> str:
        from memtui.wording.startup_text import searched_text

        return searched_text(read_locations())

    folder = locations.data_dir(data_dir)
    if or_demo and not folder.exists():
        from memtui_core.readers.locations import has_transcripts

        if not has_transcripts(read_locations()):
            _demo(data_dir, config, f"These are samples: there are no sessions in {searched()}.")
            return
    _run(folder, config, sources, searched)


def start_app(data_dir: Path | None, start: AppStart) -> str:
    """Open the app on the user's sessions for something; what the user has chosen in it, empty for nothing."""
    from memtui.settings.config import settings_in_use
    from memtui.wording.startup_text import CHOOSING

    return _run(
        locations.data_dir(data_dir), settings_in_use(), (), str, CHOOSING if start.chooses else "", start=start
    )


def open_demo(data_dir: Path | None) -> None:
    """Open the app on the sample sessions; without `data_dir` the index is in a temporary folder."""
    from memtui.settings.config import settings_in_use

    _demo(data_dir, settings_in_use())


def _demo(data_dir: Path | None, config: Config, greeting: str = "") -> None:
    sample = sample_sessions()
    if data_dir is not None:
        _run(data_dir, config, [sample], lambda: str(sample), greeting)
        return
    with tempfile.TemporaryDirectory(prefix="memtui-demo-", ignore_cleanup_errors=True) as folder:
        _run(Path(folder), config, [sample], lambda: str(sample), greeting)


def sample_sessions() -> Path:
    """The folder of the sample sessions: in the installed package, or in the checkout."""
    from importlib.resources import files

    installed = Path(str(files("memtui"))) / "sample_sessions"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "sample_sessions"


def kept_sources(data: DataDir) -> Sequence[Path]:
    """What an index is brought up to date from if nothing is named: the samples if it was made of them, else nothing.

    Nothing stands for the agents' own folders.
    """
    return [sample_sessions()] if data.samples.exists() else []


def _run(
    data_dir: Path,
    config: Config,
    sources: Sequence[Path],
    sources_text: Callable[[], str],
    greeting: str = "",
    start: AppStart | None = None,
) -> str:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise MemtuiError("The app needs a terminal. memtui --help lists the commands that work without one.")
    if why_not := obstacle(os.environ, sys.stderr.encoding, os.get_terminal_size(sys.stderr.fileno())):
        raise MemtuiError(why_not)
    if not data_dir.exists() and [*sources] == [sample_sessions()]:
        make_private_folder(data_dir)
        DataDir(data_dir).samples.touch()
    gc.set_threshold(*_GC_THRESHOLDS)
    sys.setswitchinterval(_SWITCH_INTERVAL)
    from memtui.startup.kept_list import read_kept

    first_list = read_kept(data_dir)
    # Opening the index takes as long as importing the app: do both at the same time, unless there is something to show.
    preload = _preload(data_dir) if first_list is None else None
    from memtui.app import MemtuiApp
    from memtui.system.logs import configure
    from memtui_core.system.failures import risk_of

    configure(data_dir)
    themes, failures = _own_themes(locations.config_file().parent / "themes")
    config = replace(config, warnings=(*config.warnings, *failures))
    app = MemtuiApp(
        data_dir,
        tuple(sources),
        config,
        sources_text=sources_text,
        preload=preload,
        greeting=greeting or risk_of(data_dir),
        first_steps=start is None,
        themes=themes,
        first_list=first_list,
        keeps_list=True,
        start=start,
    )
    app.run()
    # When Python ends it would look for garbage among everything that the app has made: that takes 250 ms.
    gc.freeze()
    if app.return_code:
        sys.exit(app.return_code)
    return app.return_value or ""


def _preload(data_dir: Path) -> IndexPreload:
    from memtui.services.preload import IndexPreload

    return IndexPreload(data_dir)


def _own_themes(folder: Path) -> tuple[list[Theme], list[str]]:
    """The user's themes, and a sentence for each file that holds none; most users have none."""
    if not folder.is_dir():
        return [], []
    from memtui.settings.own_themes import load_themes

    return load_themes(folder)
