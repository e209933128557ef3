"""Lists that are kept for the next start, and an index that opens when it is told to."""

from __future__ import annotations

import threading
from pathlib import Path

from textual.pilot import Pilot

from memtui.browse.screen import BrowseScreen
from memtui.services.preload import IndexPreload
from memtui.startup.kept_list import KeptList, write_kept
from memtui_core.index.index import Index
from support.screens import browse, until


def read(data: Path) -> tuple[Index, KeptList]:
    """What the list of an index shows first."""
    index = Index.open(data)
    projects = index.sessions.projects()
    return index, KeptList(tuple(projects), tuple(index.sessions.all(projects[0])), len(index.sessions.agents()) > 1)


def kept(data: Path) -> KeptList:
    """The list of an index, kept."""
    index, first = read(data)
    write_kept(data, first, index.snapshot.manifest)
    return first


class HeldPreload(IndexPreload):
    """Opens the index when it is told to."""

    def __init__(self, data_dir: Path) -> None:
        self.may_open = threading.Event()
        super().__init__(data_dir)

    def _open(self) -> None:
        assert self.may_open.wait(600)
        super()._open()


async def main_screen(pilot: Pilot[None]) -> BrowseScreen:
    """Wait for the main screen with the list that was kept; the job that opens the index hangs until it may."""
    await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen) and pilot.app.focused is not None)
    await pilot.pause()
    return browse(pilot)
