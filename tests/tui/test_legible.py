"""What can be read in each theme."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.style import Style
from textual.color import Color
from textual.filter import monochrome_style
from textual.selection import SELECT_ALL
from textual.theme import BUILTIN_THEMES

from memtui.legible import contrast, legible
from memtui.views.compactions.review_list import ReviewList
from support.screens import app_on, settled, transcript


def test_contrast_is_that_of_wcag() -> None:
    black, white, grey = (Color.parse(name) for name in ("#000000", "#ffffff", "#777777"))
    assert (contrast(black, white), contrast(white, black), contrast(grey, grey)) == (21, 21, 1)
    assert contrast(grey, white) == pytest.approx(4.48, abs=0.005)


async def test_accents_are_legible_in_every_theme(tmp_path: Path) -> None:
    app = app_on(tmp_path / "data")
    pale: dict[str, list[str]] = {}
    async with app.run_test() as pilot:
        await settled(pilot)
        for name in sorted(BUILTIN_THEMES):
            app.theme = name
            await pilot.pause()
            pale[name] = _pale(app.get_css_variables(), dark=app.current_theme.dark)
    assert {name: names for name, names in pale.items() if names} == {}
    assert sorted(pale) == sorted(BUILTIN_THEMES)


def _pale(shown: Mapping[str, str], *, dark: bool) -> list[str]:
    """The variables of a theme that cannot be told from what they stand on."""
    background = Color.parse(shown["background"])
    if background.ansi is not None:
        return list(legible(shown, dark))
    cursor = background + Color.parse(shown["block-cursor-blurred-background"])
    texts = ("accent", "text-accent", "text-warning", "text-success", "text-error")
    pale = [text for text in texts if contrast(Color.parse(shown[text]), background) < 4.5]
    pale += [f"{text} under the cursor" for text in texts if contrast(Color.parse(shown[text]), cursor) < 3]
    pale += ["panel"] if contrast(Color.parse(shown["panel"]), background) < 1.35 else []
    # What is legible stays as the theme has it.
    return pale + [f"{name} is changed again" for name, value in legible(shown, dark).items() if shown[name] != value]


@pytest.mark.parametrize("name", ["textual-light", "textual-dark"])
async def test_a_row_under_the_cursor_is_legible(name: str, sample_index: Path) -> None:
    async with app_on(sample_index, name).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        for key in ("3", "enter"):
            await pilot.press(key)
            await settled(pilot)
        rows = pilot.app.screen.query_one(ReviewList)
        assert pilot.app.focused is rows
        seen = set()
        for _ in range(rows.option_count):
            for y in range(rows.size.height):
                for segment in rows.render_line(y):
                    style = segment.style
                    if (
                        style
                        and style.color
                        and style.bgcolor
                        and segment.text.strip()
                        and style.meta.get("option") == rows.highlighted
                    ):
                        colours = [Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)]
                        assert contrast(*colours) >= 3, segment.text
                        seen.add(rows.highlighted)
            await pilot.press("j")
        assert len(seen) == rows.option_count
        # The other rows have their own colours.
        assert (
            len(
                {
                    segment.style.color
                    for y in range(rows.size.height)
                    for segment in rows.render_line(y)
                    if segment.style
                }
            )
            > 3
        )


async def test_selected_text_is_legible_in_every_theme(sample_index: Path) -> None:
    app = app_on(sample_index)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter", "t", "t")
        await settled(pilot)
        view = transcript(pilot)
        unreadable: dict[str, set[str]] = {}
        for name in sorted(BUILTIN_THEMES):
            app.theme = name
            await pilot.pause()
            app.screen.selections = {view: SELECT_ALL}
            segments = [segment for y in range(view.size.height) for segment in list(view.render_line(y))[1:]]
            shown = {(part.style, part.text) for part in segments if part.text.strip() and part.style is not None}
            unreadable[name] = {text for style, text in shown if not _is_selected(style)}
            assert len({style for style, _ in shown}) > 3
    assert unreadable == {name: set() for name in BUILTIN_THEMES}


def _is_selected(style: Style) -> bool:
    """Whether selected text is told from other text and is legible."""
    if style.color is None or style.bgcolor is None or style.color.triplet is None or style.bgcolor.triplet is None:
        return bool(style.reverse) and (style.color is None or style.color.is_default)
    # With NO_COLOR, the same in shades of grey.
    return min(map(_contrast, (style, monochrome_style(style)))) >= 4.5


def _contrast(style: Style) -> float:
    assert style.color is not None
    assert style.bgcolor is not None
    return contrast(Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor))


def test_the_dark_theme_stays_as_it_is_but_for_selected_text() -> None:
    theme = BUILTIN_THEMES["textual-dark"]
    variables = theme.to_color_system().generate()
    changed = {name for name, value in legible(variables, theme.dark).items() if variables[name] != value}
    assert changed == {"screen-selection-background", "screen-selection-foreground"}
