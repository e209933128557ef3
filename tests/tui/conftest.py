"""A fixed clock and a still cursor, so that screens can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from syrupy.location import PyTestLocation
from textual._styles_cache import StylesCache
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from support.screens import NOW, idle, let_go

_parsed: dict[object, list[RuleSet]] = {}
"""The rules of each style sheet that an app of this process has parsed."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """A test that failed ends, too: the event loop waits for its threads."""
    let_go()


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.system.clock.now", lambda: NOW)
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _self: None)
    # A thread waits so long for the next key; the clock of the event loop does not reach it.
    monkeypatch.setattr("memtui.services.live_search._REST", 0.0)


@pytest.fixture(autouse=True)
def _exact_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pilot waits for the event loop itself.

    Textual takes an app for idle that gets little of the processor, as it does where other processes want it too, and
    sends a message to each widget to know that it has read all before.
    """
    for name in ("app.wait_for_idle", "pilot.wait_for_idle", "pilot.Pilot._wait_for_screen"):
        monkeypatch.setattr(f"textual.{name}", idle)


@pytest.fixture(autouse=True)
def _drawn_at_the_end(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """An app draws the screen with which it ends: half of what a key takes is the drawing, 60 times a second.

    Tests of what is on the screen render it themselves. `draws_at_pauses` marks those that need it drawn whenever they
    pause, and `draws_at_once` those about the drawing.
    """
    if request.node.get_closest_marker("draws_at_once"):
        return
    draw, pause, shut_down = Screen._compositor_refresh, Pilot.pause, App._shutdown
    undrawn: set[Screen[Any]] = set()

    def draw_later(screen: Screen[Any]) -> None:
        undrawn.add(screen)
        # The compositor keeps what is to be drawn.
        screen._dirty_widgets.clear()

    def draw_now(app: App[Any]) -> None:
        for screen in [screen for screen in app.screen_stack if screen in undrawn]:
            draw(screen)
        undrawn.clear()

    async def drawing_pause(pilot: Pilot[Any], delay: float | None = None) -> None:
        await pause(pilot, delay)
        draw_now(pilot.app)

    async def drawing_end(app: App[Any]) -> None:
        if app._running and app.screen_stack:
            draw_now(app)
        await shut_down(app)

    monkeypatch.setattr(Screen, "_compositor_refresh", draw_later)
    if request.node.get_closest_marker("draws_at_pauses"):
        monkeypatch.setattr(Pilot, "pause", drawing_pause)
    else:
        monkeypatch.setattr(App, "_shutdown", drawing_end)


@pytest.fixture(autouse=True)
def _parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Style sheets are parsed once in a process, which is a tenth of the start of an app."""
    parse = Stylesheet._parse_rules

    def parse_once(sheet: Stylesheet, css: str, **source: Any) -> list[RuleSet]:
        key = css, tuple(source.items()), frozenset(sheet._variables.items())
        if key not in _parsed:
            _parsed[key] = parse(sheet, css, **source)
        return _parsed[key]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_once)


@pytest.fixture(autouse=True)
def _forgotten_apps() -> Iterator[None]:
    """Apps that have ended can be collected: Textual keeps what the last widgets drew, and so these."""
    yield
    StylesCache.get_inner_outer.cache_clear()


@pytest.fixture(autouse=True)
def _no_clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test copies goes to a terminal that there is not, and never to the clipboard of a person."""
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.setenv("SSH_TTY", "/dev/pts/9")


@pytest.fixture(autouse=True)
def _no_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """What an app remembers in the shared index does not reach the next test."""
    yield
    if "sample_index" in request.fixturenames:
        (request.getfixturevalue("sample_index") / "state.json").unlink(missing_ok=True)


@pytest.fixture
def snapshot_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the pictures of the screens at the top of the project, where people look."""
    folder = Path(__file__).parents[2] / "snapshots"

    def dirname(cls: type, *, test_location: PyTestLocation) -> str:
        return str(folder / test_location.basename)

    monkeypatch.setattr("pytest_textual_snapshot.SVGImageExtension.dirname", classmethod(dirname))
