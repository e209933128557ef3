"""The base of the widgets that show lines."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from memtui.render.rows import Row
from memtui.views.files.touch_view import TouchView


class Host(App[None]):
    """An app with one view."""

    def compose(self) -> ComposeResult:
        yield TouchView()


@pytest.mark.draws_at_once
async def test_lines_for_a_hidden_view_are_made_when_it_is_drawn_whatever_it_is_told_of_its_size() -> None:
    app = Host()
    async with app.run_test(size=(40, 8)) as pilot:
        view = app.query_one(TouchView)
        view.show(Content("one"), "", [Row((("one", ""),), 0)])
        view.display = False
        await pilot.pause()
        view.show(Content("two"), "", [Row((("two", ""),), 0)])
        view.display = True
        # What is scrolled and asked for its region before the layout gets neither Show nor Resize from Textual.
        app.screen._refresh_layout(scroll=True)
        assert view.region.width == 40
        await pilot.pause()
        assert [view.render_line(y).text.strip() for y in range(2)] == ["two", ""]
