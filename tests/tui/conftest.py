"""A fixed clock and a still cursor, so that screens can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.location import PyTestLocation
from textual.widgets import Input

from support.screens import NOW, idle


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.clock.now", lambda: NOW)
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _self: None)


@pytest.fixture(autouse=True)
def _exact_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pilot waits for the event loop itself.

    Textual takes an app for idle that gets little of the processor, as it does where other processes want it too, and
    sends a message to each widget to know that it has read all before.
    """
    for name in ("app.wait_for_idle", "pilot.wait_for_idle", "pilot.Pilot._wait_for_screen"):
        monkeypatch.setattr(f"textual.{name}", idle)


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
