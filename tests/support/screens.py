"""Driving the app in tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import WorkerCancelled

from memtui.app import MemtuiApp
from memtui.browse.hit_list import HitList
from memtui.browse.screen import BrowseScreen
from memtui.config import Config
from memtui.views.sessions.tree import SessionTree
from memtui.widgets.search_line import ScopeChip, SearchFacts
from memtui.widgets.status_line import StatusLine
from memtui.widgets.transcript import Transcript

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
"""The time in every app."""
TO_TERMINAL = "to the clipboard of your terminal (OSC 52)"
"""Where a test copies to, as the user is told."""
Drive = Callable[[Pilot[None]], Awaitable[None]]


def app_on(data_dir: Path, theme: str = "textual-dark") -> MemtuiApp:
    """The app on an index, without an indexer."""
    return MemtuiApp(data_dir, config=Config(theme=theme), run_indexer=False, sources_text="/home/ana/.claude/projects")


_LOOKS = 2_000
"""How often it is looked at what is waited for before a test fails: by far more often than any of them needs."""


async def until(pilot: Pilot[None], done: Callable[[], object], *, between: float | None = None) -> None:
    """Wait for something; `between` two looks lie seconds where another process or the app's clock brings it."""
    for _ in range(_LOOKS):
        if done():
            return
        await pilot.pause(between)
    raise AssertionError("what was waited for did not come")


def scroll_until(scroll: Callable[[], object], done: Callable[[], object]) -> None:
    """Scroll step by step until something is in sight."""
    for _ in range(_LOOKS):
        if done():
            return
        scroll()
    raise AssertionError("what was looked for did not come in sight")


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing works in the background and every message was taken in."""
    quiet = 0
    for _ in range(_LOOKS):
        if quiet == 3:
            return
        busy = [worker for worker in pilot.app.workers if not worker.is_finished]
        for worker in busy:
            with suppress(WorkerCancelled):
                await worker.wait()
        # Once the processor is idle, two turns of the loop are enough for what was still on its way.
        await pilot.pause(0 if quiet else None)
        counting = any(view.finder.counting for view in pilot.app.screen.query(Transcript))
        quiet = 0 if busy or counting else quiet + 1
    raise AssertionError(f"it does not come to rest: {list(pilot.app.workers)}")


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Type into the widget in focus."""
    for letter in text:
        # Without a wait between them: `pilot.press` waits until the answer to each letter is drawn.
        pilot.app.post_message(events.Key(_character_to_key(letter), letter))
        await pilot.pause(0)
    await settled(pilot)


def search_facts(screen: Screen[Any]) -> str:
    """What stands at the right end of the search line."""
    return screen.query_one(SearchFacts).text


def search_note(screen: Screen[Any]) -> str:
    """What is said below the hits about the search."""
    return str(screen.query_one(HitList).border_subtitle)


def scope(screen: Screen[Any]) -> str:
    """The scope of the search line."""
    return screen.query_one(ScopeChip).scope


def notices(pilot: Pilot[None]) -> list[str]:
    """What the app says: the notice in the status line, then the messages of the toasts."""
    lines = pilot.app.screen.query(StatusLine)
    return [*(line.notice for line in lines if line.notice), *(note.message for note in pilot.app._notifications)]


def empty_text(screen: Screen[Any]) -> str:
    """The words that stand in the place of the list; empty while there is one."""
    assert isinstance(screen, BrowseScreen)
    return screen.list_pane.empty_text


def browse(pilot: Pilot[None]) -> BrowseScreen:
    """The main screen, also below what covers it."""
    screen = pilot.app.screen_stack[1]
    assert isinstance(screen, BrowseScreen)
    return screen


def is_shown(widget: Widget) -> bool:
    """Whether a widget and all that holds it are displayed."""
    return all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget))


def tree(pilot: Pilot[None]) -> SessionTree:
    """The session tree."""
    return pilot.app.screen.query_one(SessionTree)


def transcript(pilot: Pilot[None]) -> Transcript:
    """The transcript."""
    return pilot.app.screen.query_one(Transcript)
