"""What can be read in each theme."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen
from textual.selection import SELECT_ALL
from textual.strip import Strip
from textual.theme import BUILTIN_THEMES
from textual.widget import Widget

from memtui.app import MemtuiApp
from memtui.settings.app_state import AppState
from memtui.settings.config import Config
from memtui.settings.legible import LegibleText, contrast, legible
from memtui.views.files.touch_view import TouchView
from memtui.widgets.lines.view import LineView
from memtui.widgets.transcript.widget import TranscriptPane
from support.screens import app_on, settled

# `texts` draws what is looked at.


def test_contrast_is_that_of_wcag() -> None:
    black, white, grey = (Color.parse(name) for name in ("#000000", "#ffffff", "#777777"))
    assert (contrast(black, white), contrast(white, black), contrast(grey, grey)) == (21, 21, 1)
    assert contrast(grey, white) == pytest.approx(4.48, abs=0.005)


def test_accents_are_legible_in_every_theme(tmp_path: Path) -> None:
    app = app_on(tmp_path / "data")
    pale: dict[str, list[str]] = {}
    for name in BUILTIN_THEMES:
        app.theme = name
        pale[name] = _pale(app.get_css_variables(), dark=app.current_theme.dark)
    assert pale == {name: [] for name in BUILTIN_THEMES}


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


STATES = {
    "a session below a hand-off": "j enter t t H j",
    "hits below the palette": "slash r e t r y down ctrl+p",
    "files below help": "2 question_mark",
}
"""Keys that lead to a screen with many styles and to another one over it; both are looked at."""
MARKS = frozenset({"lines--bar", "lines--cursor"})
"""Styles of bars before a text, which are not read."""
CODE = ("", "keyword", "string", "literal", "comment", "gutter", "added", "removed")
GROUNDS = ("added-line", "removed-line", "added-line added-word", "removed-line removed-word")
"""Styles of changed lines and words, on whose backgrounds stands code in the styles of `CODE`."""
LEAST = 4.49
"""A ratio of 4.5, rounded to whole colours."""


def texts(screen: Screen[Any]) -> Iterator[tuple[str, Style]]:
    """The texts of a screen as they are drawn."""
    for strip in screen._compositor.render_strips():
        for segment in strip:
            # All but lines and blocks, of which frames and bars are made.
            is_read = re.search(r"[^\s─-▟]", segment.text)
            if segment.style and is_read:
                yield segment.text, segment.style


def ratio(style: Style) -> float:
    """The contrast of a text; the highest if the terminal chooses a colour."""
    if style.color and style.bgcolor and style.color.triplet and style.bgcolor.triplet:
        return contrast(Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor))
    return 21.0


def pale_styles(screen: Screen[Any]) -> set[str]:
    """The styles of lines in the style sheet, of all panes, that cannot be read well where they are drawn."""
    selectors = [
        selector for rule in screen.app.stylesheet.rules for one in rule.selector_set for selector in one.selectors
    ]
    rules = {selector.name for selector in selectors if selector.name.startswith("lines--")} - MARKS
    names = {rule.removeprefix("lines--") for rule in rules}
    assert len(names) > 30
    changed = {" ".join(pair) for pair in product(CODE, GROUNDS)}
    return {
        f"{name} in {type(pane).__name__}"
        for pane in screen.query(LineView)
        for name in (names | changed if isinstance(pane, TouchView) else names)
        if ratio(drawn(pane, Segment("text", pane.painter.style(name)))) < LEAST
    }


def drawn(pane: Widget, segment: Segment) -> Style:
    """The style of a text when a pane has drawn it."""
    strip = Strip([segment])
    for line_filter in pane.get_line_filters():
        strip = strip.apply_filter(line_filter, pane.background_colors[1])
    (shown,) = strip
    assert shown.style is not None
    return shown.style


async def badly_selected_texts(pilot: Pilot[None], screen: Screen[Any]) -> set[str]:
    """The texts of a transcript that do not look selected when they are, or cannot be read then."""
    view = screen.query_one(TranscriptPane)
    screen.selections = {view: SELECT_ALL}
    await pilot.pause()
    selected = view.selection_style
    # A line begins with the mark of the current turn; the first one is the frame.
    lines = [list(strip)[1:] for strip in view.render_lines(Region(0, 0, *view.size))[1:]]
    shown = {(part.text, part.style) for line in lines for part in line if part.text.strip() and part.style is not None}
    screen.clear_selection()
    assert len(shown) > 20
    return {
        f"selected, {text.strip()}: {style}"
        for text, style in shown
        if ratio(style) < LEAST or (style.bgcolor, style.reverse) != (selected.bgcolor, selected.reverse)
    }


@pytest.mark.parametrize("state", STATES)
async def test_every_text_is_legible_in_every_theme(state: str, sample_index: Path) -> None:
    """Each of 21 themes gives every widget its styles anew, and the whole screen is drawn in it."""
    pale: dict[str, set[str]] = {}
    backgrounds = set()
    app = app_on(sample_index)
    async with app.run_test(size=(128, 30)) as pilot:
        await settled(pilot)
        for key in STATES[state].split():
            await pilot.press(key)
            await settled(pilot)
        for name in BUILTIN_THEMES:
            app.theme = name
            await pilot.pause()
            await pilot.pause()
            screens = app.screen_stack[1:]
            assert len(screens) == 2
            shown = [one for screen in screens for one in texts(screen)]
            pale[name] = {f"{text.strip()}: {style}" for text, style in shown if ratio(style) < LEAST}
            backgrounds |= {style.bgcolor for _, style in shown}
            if state == "a session below a hand-off":
                pale[name] |= pale_styles(screens[0]) | await badly_selected_texts(pilot, screens[0])
    assert pale == {name: set() for name in BUILTIN_THEMES}
    # At least a surface and a cursor, in other colours in nearly every theme.
    assert len(backgrounds) > 25


@pytest.mark.parametrize("background", ["#121212", "#0178d4", "#777777", "#e0e0e0", "#ffffff"])
def test_a_pale_text_becomes_legible_on_its_side_of_the_background(background: str) -> None:
    below = Color.parse(background)
    for colour in ("#000000", "#303030", "#5a5a5a", "#808080", "#c0c0c0", "#ffffff", "#ffa62b", "#004578"):
        style = Style(color=colour, bold=True)
        (shown,) = LegibleText().apply([Segment("text", style)], below)
        assert shown.style is not None
        assert shown.style.color is not None
        new = Color.from_rich_color(shown.style.color)
        assert contrast(new, below) >= LEAST
        assert shown.style.bold
        if contrast(Color.parse(colour), below) >= 4.5:
            assert shown.style == style


def test_drawings_and_colours_of_the_terminal_stay() -> None:
    segments = [
        Segment("╭──", Style(color="#202020", bgcolor="#121212")),
        Segment("text", Style(color="red", bgcolor="default")),
        Segment("text", None),
    ]
    assert LegibleText().apply(segments, Color.parse("#121212")) == segments


def test_the_dark_theme_stays_as_it_is_but_for_selected_text() -> None:
    theme = BUILTIN_THEMES["textual-dark"]
    variables = theme.to_color_system().generate()
    changed = {name for name, value in legible(variables, theme.dark).items() if variables[name] != value}
    assert changed == {"screen-selection-background", "screen-selection-foreground"}


# -- without colours -----------------------------------------------------------------------------------------------


@pytest.fixture
def no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.usefixtures("no_color")
async def test_without_colours_frame_and_cursor_show_the_focus(sample_index: Path) -> None:
    app = app_on(sample_index, "nord")
    async with app.run_test(size=(128, 30)) as pilot:
        await settled(pilot)
        assert app.theme == "ansi-dark"
        for key in ("2", "j", "question_mark"):
            await pilot.press(key)
            await settled(pilot)
        for opened, leave in (("help", "escape"), ("files", "i")):
            drawn = list(texts(app.screen))
            colours = {colour for _, style in drawn for colour in (style.color, style.bgcolor) if colour is not None}
            assert {colour.is_default for colour in colours} == {True}
            reversed_texts = " ".join(text.strip() for text, style in drawn if style.reverse)
            assert ("l → enter Read Open" if opened == "help" else "✎ settings.py src 2") in reversed_texts, opened
            await pilot.press(leave)
            await settled(pilot)
        heavy = {widget.id for widget in app.screen.query("*") if widget.styles.border_top[0] == "heavy"}
        assert heavy == {"files"}
    assert "theme" not in AppState(sample_index)._state


@pytest.mark.parametrize(
    ("term", "chosen", "theme"),
    [("xterm", None, "ansi-dark"), ("xterm", "nord", "nord"), ("xterm-256color", None, "textual-dark")],
)
async def test_with_16_colours_the_terminal_chooses_them(
    term: str, chosen: str | None, theme: str, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("COLORTERM")
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", {"xterm": "standard"}.get(term, "256"))
    app = MemtuiApp(sample_index, config=Config(theme=chosen), run_indexer=False)
    async with app.run_test() as pilot:
        await settled(pilot)
        assert app.theme == theme
    # Nobody has chosen it in the app: another terminal, or another setting, gets its own.
    assert AppState(sample_index).theme is None
