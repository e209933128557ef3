"""Driving the app in tests."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from textual import events
from textual._context import active_app
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, get_current_worker

from memtui.app import MemtuiApp
from memtui.browse.screen import BrowseScreen
from memtui.browse.search.hit_list import HitList
from memtui.settings.config import Config
from memtui.views.sessions.tree import SessionTree
from memtui.widgets.lines.view import LineView
from memtui.widgets.search.line import SearchFacts
from memtui.widgets.status.line import StatusLine
from memtui.widgets.transcript.widget import TranscriptPane

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
"""The time in every app."""
TO_TERMINAL = "to the clipboard of your terminal (OSC 52)"
"""Where a test copies to, as the user is told."""
Drive = Callable[[Pilot[None]], Awaitable[None]]


def app_on(data_dir: Path, theme: str = "textual-dark") -> MemtuiApp:
    """The app on an index, without an indexer."""
    return MemtuiApp(
        data_dir, config=Config(theme=theme), run_indexer=False, sources_text=lambda: "/home/ana/.claude/projects"
    )


_CHECKS = 2_000
"""Checks before a test fails: far more than any test needs."""
_PAUSE = 0.005
"""Seconds between two checks for something that a thread or another process does."""
_THREAD_CHECKS = 200
"""Checks before `idle` stops waiting for a thread."""
_LONGEST_DELAY = 1.0
"""Seconds that the clock of the event loop goes forward at most for a delay of the app."""
_held: WeakKeyDictionary[Worker[Any], threading.Event] = WeakKeyDictionary()
"""The workers that `hold` has held up, and the events for which they wait."""


async def until(pilot: Pilot[None], done: Callable[[], object], *, between: float = _PAUSE) -> None:
    """Wait until `done`; `between` is the time between two checks, in seconds."""
    for _ in range(_CHECKS):
        if done():
            return
        await pilot.pause(between)
    raise AssertionError("what was waited for did not come")


def scroll_until(scroll: Callable[[], object], done: Callable[[], object]) -> None:
    """Scroll step by step until something is in sight."""
    for _ in range(_CHECKS):
        if done():
            return
        scroll()
    raise AssertionError("what was looked for did not come in sight")


def _is_idle() -> bool:
    """Whether the event loop only waits: for a thread, for a time or for input."""
    return not asyncio.get_running_loop()._ready  # type: ignore[attr-defined]


def _is_held(worker: Worker[Any]) -> bool:
    """Whether a worker waits until the test lets it go on."""
    held = _held.get(worker)
    return held is not None and not held.is_set()


def _is_asking(worker: Worker[Any]) -> bool:
    """Whether a worker is a thread that goes on without the test."""
    return worker._thread_worker and worker.is_running and not _is_held(worker)


async def idle(*_: object) -> bool:
    """Wait until the event loop only waits, and the threads that ask the index have answered or are held by `hold`."""
    threads = 0
    for _check in range(_CHECKS):
        await asyncio.sleep(0)
        if not _is_idle():
            continue
        app = active_app.get(None)
        asking = [worker for worker in app.workers if _is_asking(worker)] if app is not None else []
        # A test may hold a thread up by other means than `hold`.
        if not asking or threads == _THREAD_CHECKS:
            return True
        threads += 1
        await _one_ends(asking)
    raise AssertionError("the event loop never only waits")


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing works in the background, every message was taken in, and the screen shows it.

    What the app delays by a clock comes at once: the clock of the event loop goes forward to it. A thread that is held
    up is not waited for.
    """
    for _ in range(_CHECKS):
        await pilot.pause()
        if unfinished := _unfinished(pilot):
            if threads := [worker for worker in unfinished if worker._thread_worker]:
                await _one_ends(threads)
            else:
                _pass_delay()
        elif _waits_for_a_timer(pilot):
            _pass_delay()
        elif _is_idle() and not any(map(_awaits_refresh, _seen_screens(pilot))):
            return
    raise AssertionError(f"it does not come to rest: {list(pilot.app.workers)}")


async def _one_ends(workers: list[Worker[Any]]) -> None:
    """Wait until one of some workers has ended, or for a moment."""
    if tasks := [worker._task for worker in workers if worker._task is not None]:
        await asyncio.wait(tasks, timeout=_PAUSE, return_when=asyncio.FIRST_COMPLETED)
    else:
        await asyncio.sleep(0)


def _pass_delay() -> None:
    """Let the clock of the event loop go forward to the next time at which something is to be done."""
    loop: Any = asyncio.get_running_loop()
    times = [handle.when() for handle in loop._scheduled if not handle.cancelled()]
    delay = min(times, default=0.0) - loop.time()
    if 0 < delay < _LONGEST_DELAY:
        loop.seconds_ahead = getattr(loop, "seconds_ahead", 0.0) + delay
        loop.time = lambda: time.monotonic() + loop.seconds_ahead


def _unfinished(pilot: Pilot[None]) -> list[Worker[Any]]:
    return [worker for worker in pilot.app.workers if not (worker.is_finished or _is_held(worker))]


def _seen_screens(pilot: Pilot[None]) -> list[Screen[Any]]:
    """The screen on top, and those that are seen behind a dialog; not the empty one below all, which is never drawn."""
    return [pilot.app.screen, *(screen for screen in pilot.app._background_screens if screen.id != "_default")]


def _awaits_refresh(screen: Screen[Any]) -> bool:
    """Whether a screen is to be laid out or drawn, or something is to be called after that."""
    is_changed = screen._layout_required or screen._scroll_required or screen._recompose_required
    # One that is behind a dialog keeps the mark of a repaint.
    is_changed |= screen._repaint_required and screen is screen.app.screen
    return bool(is_changed or screen._dirty_widgets or screen._callbacks)


def _waits_for_a_timer(pilot: Pilot[None]) -> bool:
    """Whether matches are still counted, or the screen takes another size."""
    is_counting = any(pane.finder.counting for screen in _seen_screens(pilot) for pane in screen.query(TranscriptPane))
    return is_counting or pilot.app._resize_timer is not None


def draw_lines(pilot: Pilot[None]) -> None:
    """Draw the panes of lines: that makes the lines that come in sight, and lays out a pane that had no size before.

    For tests that look at places in such a pane, though their app draws only at its end.
    """
    for pane in browse(pilot).query(LineView):
        if is_shown(pane):
            pane.render_lines(pane.size.region)


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Type into the widget in focus."""
    for letter in text:
        # Without a wait between them: a pilot waits until the answer to each letter is there and drawn.
        pilot.app.post_message(events.Key(_character_to_key(letter), letter))
        await asyncio.sleep(0)
    await settled(pilot)


async def hold(pilot: Pilot[None], queue: str) -> threading.Event:
    """Keep a queue of the index from answering until the event is set."""
    begun, held = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        hold_here(begun, held)

    browse(pilot).services.index.query(queue, wait, lambda _: None)
    # While it waits itself, it would be replaced.
    await until(pilot, begun.is_set)
    return held


def hold_here(begun: threading.Event, held: threading.Event) -> None:
    """Keep this thread of the app, which sets `begun`, from going on until `held` is set."""
    _held[get_current_worker()] = held
    begun.set()
    held.wait()


def let_go() -> None:
    """Let all threads go on that are still held."""
    for held in list(_held.values()):
        held.set()


def search_facts(screen: Screen[Any]) -> str:
    """What stands at the right end of the search line."""
    return screen.query_one(SearchFacts).text


def search_note(screen: Screen[Any]) -> str:
    """What is said below the hits about the search."""
    return str(screen.query_one(HitList).border_subtitle)


def scope(screen: Screen[Any]) -> str:
    """The scope of the search line."""
    return screen.query_one(SearchFacts).scope


def notices(pilot: Pilot[None]) -> list[str]:
    """What the app says: the notice in the status line, then the messages of the toasts."""
    lines = pilot.app.screen.query(StatusLine)
    return [*(line.notice for line in lines if line.notice), *(note.message for note in pilot.app._notifications)]


def remarks(pilot: Pilot[None]) -> list[str]:
    """What the status line says that is not urgent, or will say when the indexer rests."""
    return [text for line in pilot.app.screen.query(StatusLine) for text in (line.notice, *line.remarks) if text]


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


def transcript(pilot: Pilot[None]) -> TranscriptPane:
    """The transcript."""
    return pilot.app.screen.query_one(TranscriptPane)
