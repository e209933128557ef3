"""Lists and texts have the width of their pane whenever they are painted, the first time too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.scroll_view import ScrollView

from memtui.widgets.row_list import RowList
from support.screens import app_on, settled, transcript, type_text

SIZES = [(60, 20), (80, 24), (140, 40), (200, 60)]
LISTS = {"SearchList", "HitList", "FileList", "CompactionList", "PrList", "HandoffItems"}
pytestmark = pytest.mark.draws_at_once


def watch_frames(monkeypatch: pytest.MonkeyPatch, look: Callable[[Screen[Any]], None]) -> None:
    """Call `look` after each time that Textual has painted a screen."""
    paint = Screen._compositor_refresh

    def paint_and_look(screen: Screen[Any]) -> None:
        paint(screen)
        look(screen)

    monkeypatch.setattr(Screen, "_compositor_refresh", paint_and_look)


def painted(widget: ScrollView) -> list[str]:
    """The lines of a widget on the screen."""
    return [widget.render_line(y).text.strip() for y in range(widget.size.height)]


@pytest.mark.parametrize("size", SIZES)
async def test_the_rows_of_a_list_are_as_wide_as_the_list_in_every_frame(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    seen: set[str] = set()
    wrong: list[tuple[str, str, str]] = []

    def look(screen: Screen[Any]) -> None:
        for rows in screen.query("RowList"):
            if isinstance(rows, RowList) and rows.option_count and rows.size.area:
                first = rows.rows(max(20, rows.scrollable_content_region.width - 2))[0].content.plain.split("\n")[0]
                name, shown = type(rows).__name__, painted(rows)[0]
                seen.add(name)
                if rows.scroll_y == 0 and shown != first.strip():
                    wrong.append((name, shown, first))

    watch_frames(monkeypatch, look)
    async with app_on(sample_index).run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await settled(pilot)
        await type_text(pilot, "upload")
        for key in ("escape", "escape", "2", "3", "4", "1", "H"):
            await pilot.press(key)
            await settled(pilot)
    assert (wrong, LISTS - seen) == ([], set())


async def test_a_text_is_wrapped_for_its_pane_in_every_frame(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: dict[int, set[str]] = {}
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        pane = transcript(pilot)

        def look(_: Screen[Any]) -> None:
            texts.setdefault(pane.text_width, set()).add("\n".join(painted(pane)))

        watch_frames(monkeypatch, look)
        for _ in range(3):
            await pilot.press("z")
            await settled(pilot)
    assert {width: len(different) for width, different in texts.items()} == {66: 1, 104: 1, 136: 1}
