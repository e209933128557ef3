"""What can be read in each theme."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import monochrome_style
from textual.selection import SELECT_ALL
from textual.theme import BUILTIN_THEMES

from memtui.app import MemtuiApp
from memtui.app_state import AppState
from memtui.config import Config
from memtui.legible import LegibleText, contrast, legible
from memtui.widgets.line_view import LineView
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


STATES = {
    "a session": "j enter",
    "hits": "slash r e t r y down",
    "files": "2",
    "help": "question_mark",
    "a hand-off": "j enter H j",
    "the palette": "ctrl+p",
}
"""Keys that lead to what shows many styles."""
MARKS = frozenset({"lines--bar", "lines--cursor"})
"""Styles of bars before a text, which are not read."""
LEAST = 4.49
"""A ratio of 4.5, rounded to whole colours."""


def texts(app: MemtuiApp) -> Iterator[tuple[str, Style]]:
    """The texts of the screen on top as they are drawn; what shines through below the palette fades on purpose."""
    screen = app.screen
    palette = screen.query("CommandPalette > Vertical, CommandList")
    areas = [widget.region for widget in palette] or [screen.region]
    for y, strip in enumerate(screen._compositor.render_strips()):
        x = 0
        for segment in strip:
            if segment.style and re.search(r"\w", segment.text) and any(area.contains(x, y) for area in areas):
                yield segment.text, segment.style
            x += segment.cell_length


def pale_texts(app: MemtuiApp) -> set[tuple[str, str, float]]:
    """The colours of the texts that cannot be read well on their background."""
    pale = set()
    for _, style in texts(app):
        if style.color and style.bgcolor and style.color.triplet and style.bgcolor.triplet:
            colours = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
            if (ratio := contrast(*colours)) < LEAST:
                pale.add((colours[0].hex, colours[1].hex, round(ratio, 2)))
    return pale


def pale_styles(app: MemtuiApp) -> set[tuple[str, str, float]]:
    """The styles of lines in the style sheet, of all panes, that cannot be read well where they are drawn."""
    selectors = [selector for rule in app.stylesheet.rules for one in rule.selector_set for selector in one.selectors]
    names = {selector.name for selector in selectors if selector.name.startswith("lines--")} - MARKS
    assert len(names) > 30
    pale = set()
    for pane in app.screen.query(LineView):
        background = pane.background_colors[1]
        for name in names:
            drawn = Segment("text", pane.painter.style(name.removeprefix("lines--")))
            (shown,) = LegibleText().apply([drawn], background)
            style = shown.style
            if style and style.color and style.color.triplet and style.bgcolor and style.bgcolor.triplet:
                ratio = contrast(Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor))
                if ratio < LEAST:
                    pale.add((name, type(pane).__name__, round(ratio, 2)))
    return pale


@pytest.mark.parametrize("state", STATES)
async def test_every_text_is_legible_in_every_theme(state: str, sample_index: Path) -> None:
    pale: dict[str, object] = {}
    backgrounds = set()
    app = app_on(sample_index)
    async with app.run_test(size=(128, 30)) as pilot:
        await settled(pilot)
        for key in STATES[state].split():
            await pilot.press(key)
            await settled(pilot)
        for name in sorted(BUILTIN_THEMES):
            app.theme = name
            await pilot.pause()
            await pilot.pause()
            if state == "the palette":
                # Textual's palette keeps the colours with which it was opened.
                await pilot.press("escape", "ctrl+p")
                await settled(pilot)
            pale[name] = pale_texts(app) | (pale_styles(app) if state == "a session" else set())
            backgrounds |= {style.bgcolor for _, style in texts(app)}
    assert {name: colours for name, colours in pale.items() if colours} == {}
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
            drawn = list(texts(app))
            colours = {colour for _, style in drawn for colour in (style.color, style.bgcolor) if colour is not None}
            assert {colour.is_default for colour in colours} == {True}
            reversed_texts = " ".join(text.strip() for text, style in drawn if style.reverse)
            assert ("l → enter Read Open" if opened == "help" else "src/settings.py 2✎") in reversed_texts, opened
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
