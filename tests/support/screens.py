"""Driving the app in tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from memtui.app import MemtuiApp
from memtui.config import Config
from memtui.widgets.session_tree import SessionTree
from memtui.widgets.transcript import Transcript
from textual.pilot import Pilot

Drive = Callable[[Pilot[None]], Awaitable[None]]


def app_on(data_dir: Path, theme: str = "textual-dark") -> MemtuiApp:
    """The app on an index, without an indexer."""
    return MemtuiApp(data_dir, config=Config(theme=theme), run_indexer=False, places_text="/home/ana/.claude/projects")


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing works in the background and every message was taken in."""
    for _ in range(4):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Type into the widget in focus."""
    names = {" ": "space", ".": "full_stop", "/": "slash", "_": "underscore", '"': "quotation_mark", "-": "minus"}
    await pilot.press(*(names.get(letter, letter) for letter in text))
    await settled(pilot)


def tree(pilot: Pilot[None]) -> SessionTree:
    """The session tree."""
    return pilot.app.screen.query_one(SessionTree)


def transcript(pilot: Pilot[None]) -> Transcript:
    """The transcript."""
    return pilot.app.screen.query_one(Transcript)
