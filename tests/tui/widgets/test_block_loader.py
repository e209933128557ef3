"""Which blocks of a transcript are requested, and when again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memtui.render.options import RenderOptions
from memtui.render.rows import Row
from memtui.render.turns.part import Part
from memtui.widgets.transcript.layout.block_loader import BlockLoader
from memtui.widgets.transcript.layout.boxes import TurnBox
from memtui.widgets.transcript.layout.document import Document
from memtui.widgets.transcript.layout.viewport import Viewport
from memtui_core.model import Block, Turn


class Screen:
    """A screen of 24 lines on which nothing is drawn."""

    page = 24
    text_width = 80
    has_size = True

    def viewport_moved(self) -> None: ...

    def clear_own_selection(self) -> None: ...


def as_they_are(turn: TurnBox, part: Part, rows: list[Row]) -> list[Row]:
    return rows


def heads(count: int) -> list[Turn]:
    return [
        Turn(number, 7, number, number * 10, number * 10 + 2, "human", 0, f"Prompt {number}", (), None, None)
        for number in range(1, count + 1)
    ]


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in the only item."""
    now = [1000.0]
    monkeypatch.setattr("memtui.widgets.transcript.layout.block_loader.monotonic", lambda: now[0])
    return now


def loader_of(turns: list[Turn]) -> tuple[BlockLoader, Viewport, list[tuple[int, int]]]:
    document = Document(as_they_are)
    document.open(turns, RenderOptions(), 80)
    viewport = Viewport(document, Screen())
    requests: list[tuple[int, int]] = []
    return BlockLoader(viewport, lambda first, last: requests.append((first, last))), viewport, requests


def test_blocks_that_do_not_come_are_requested_again_after_five_seconds(seconds: list[float]) -> None:
    loader, _, requests = loader_of(heads(3))
    loader.load(0, 2)
    seconds[0] += 4.9
    loader.load(0, 3)
    seconds[0] += 0.2
    loader.load(0, 3)
    assert requests == [(1, 2), (3, 3), (1, 2)]


def test_a_turn_that_has_changed_is_requested_at_once(seconds: list[float]) -> None:
    loader, _, requests = loader_of(heads(3))
    loader.load(0, 3)
    loader.forget(2)
    loader.load(0, 3)
    loader.reset()
    loader.load(0, 3)
    assert requests == [(1, 3), (2, 2), (1, 3)]


def test_only_blocks_that_were_missing_are_taken(seconds: list[float]) -> None:
    turns = heads(3)
    blocks = (Block(0, 0, "user", "Prompt 2"), Block(1, 1, "text", "Done."))
    loader, viewport, requests = loader_of([turns[0], replace(turns[1], blocks=blocks), turns[2]])
    assert not loader.supply({2: (Block(0, 0, "user", "Other"),), 9: blocks})
    assert viewport.document.turns[1].blocks == blocks
    assert loader.supply({3: blocks})
    loader.load(0, 3)
    assert requests == [(1, 1)]
