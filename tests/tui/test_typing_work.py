"""How much the screen does while a query is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Size
from textual.pilot import Pilot
from textual.screen import Screen

from memtui.browse.search.hit_list import HitList
from support.screens import app_on, settled, type_text

SIZE = (140, 14)
"""So low that the list of hits and the transcript scroll, whatever they show."""


@pytest.fixture
def layouts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Size | None, bool]]:
    """The layouts of whole screens since the list was cleared."""
    made: list[tuple[Size | None, bool]] = []
    refresh = Screen._refresh_layout

    def counted(screen: Screen[object], size: Size | None = None, scroll: bool = False) -> None:
        made.append((size, scroll))
        refresh(screen, size, scroll)

    monkeypatch.setattr(Screen, "_refresh_layout", counted)
    return made


async def hits_of(pilot: Pilot[None], text: str) -> tuple[object, ...]:
    """Type more of a query; the rows of its hits."""
    await type_text(pilot, text)
    hits = pilot.app.screen.query_one(HitList)
    assert hits.show_vertical_scrollbar
    return tuple(str(option.prompt) for option in hits.options)


async def test_other_hits_in_the_place_of_the_hits_lay_out_nothing(
    sample_index: Path, layouts: list[tuple[Size | None, bool]]
) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        first = await hits_of(pilot, "up")
        height = pilot.app.screen.query_one(HitList).virtual_size.height
        layouts.clear()
        assert await hits_of(pilot, "load") != first
        assert pilot.app.screen.query_one(HitList).virtual_size.height != height
        assert layouts == []
