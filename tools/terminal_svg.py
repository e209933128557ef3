"""SVG pictures of a screen: small, without fonts from elsewhere, and the same for the same screen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

from rich.color import Color
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.app import App

_CELL, _LINE = 10, 20
"""Size of a cell in units of the picture."""
_BASE: Final = 15
"""From the top of a line to the line on which letters stand."""
_FONT: Final = 'font:17px "Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace'
_RUN: Final = re.compile(r"\S+(?: \S+)*")
"""What is drawn as one text: words with single blanks between them."""
_FRAME: Final = re.compile(r"[\u2500-\u259f]+")
"""Lines and blocks, which must fill their cells in any font."""


class Run(NamedTuple):
    """A part of a line in one style; `x` and `width` are in cells."""

    x: int
    width: int
    text: str
    style: str
    """Its declarations in CSS."""
    ground: str
    """The colour below it."""


Frame = tuple[tuple[Run, ...], ...]
"""The lines of a screen."""


def frame(app: App[Any]) -> Frame:
    """What the screen shows now."""
    lines = app.screen._compositor.render_strips()
    return tuple(tuple(_runs(strip, app.ansi_theme)) for strip in lines)


def _runs(strip: Iterable[Any], theme: TerminalTheme) -> Iterator[Run]:
    x = 0
    for segment in strip:
        style = segment.style or Style()
        text, ground = _colour(style.color, theme, text=True), _colour(style.bgcolor, theme, text=False)
        if style.reverse:
            text, ground = ground, text
        marks = {"font-weight:bold": style.bold, "font-style:italic": style.italic}
        lines = {"underline": style.underline, "line-through": style.strike}
        if any(lines.values()):
            marks[f"text-decoration:{' '.join(name for name, is_set in lines.items() if is_set)}"] = True
        css = ";".join([f"fill:{text}", *(mark for mark, is_set in marks.items() if is_set)])
        yield Run(x, segment.cell_length, segment.text, css, ground)
        x += segment.cell_length


def _colour(colour: Color | None, theme: TerminalTheme, *, text: bool) -> str:
    return (colour or Color.default()).get_truecolor(theme, foreground=text).hex


def svg(shown: Frame) -> str:
    """A picture of one frame."""
    width, height = size_of(shown)
    styles: dict[str, str] = {}
    ground, body = body_of(shown, styles)
    return document(width, height, ground, styles, body)


def size_of(shown: Frame) -> tuple[int, int]:
    """Width and height of its picture."""
    return sum(run.width for run in shown[0]) * _CELL, len(shown) * _LINE


def body_of(shown: Frame, styles: dict[str, str]) -> tuple[str, str]:
    """The colour of most cells, and the elements of a frame; the classes of new styles are added to `styles`."""
    cells: dict[str, int] = {}
    for run in (run for line in shown for run in line):
        cells[run.ground] = cells.get(run.ground, 0) + run.width
    ground = max(cells, key=lambda colour: cells[colour])
    return ground, "".join(_line(y, line, ground, styles) for y, line in enumerate(shown))


def _line(y: int, line: Iterable[Run], ground: str, styles: dict[str, str]) -> str:
    grounds: list[tuple[int, int, str]] = []
    texts: list[str] = []
    for run in line:
        if run.ground != ground:
            if grounds and grounds[-1][2] == run.ground and sum(grounds[-1][:2]) == run.x:
                x, width, _ = grounds.pop()
                grounds.append((x, width + run.width, run.ground))
            else:
                grounds.append((run.x, run.width, run.ground))
        texts += _texts(y, run, styles)
    rects = (
        f'<rect fill="{colour}" x="{x * _CELL}" y="{y * _LINE}" width="{width * _CELL}" height="{_LINE}"/>'
        for x, width, colour in grounds
    )
    return "".join([*rects, *texts, "\n"])


def _texts(y: int, run: Run, styles: dict[str, str]) -> Iterator[str]:
    from rich.cells import cell_len

    for match in _RUN.finditer(run.text):
        name = styles.setdefault(run.style, _class_name(len(styles)))
        x, width = run.x + cell_len(run.text[: match.start()]), cell_len(match[0])
        fits = ' lengthAdjust="spacingAndGlyphs"' if width > 1 and _FRAME.fullmatch(match[0]) else ""
        length = f' textLength="{width * _CELL}"{fits}' if width > 1 else ""
        yield f'<text class="{name}" x="{x * _CELL}" y="{y * _LINE + _BASE}"{length}>{escape(match[0])}</text>'


def _class_name(number: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return (letters[number // 26 - 1] if number >= 26 else "") + letters[number % 26]


def document(width: int, height: int, ground: str, styles: dict[str, str], body: str, css: str = "") -> str:
    """The whole file: `ground` is the colour behind the elements of `body`, `css` is added to its style sheet."""
    rules = "".join(f".{name}{{{style}}}" for style, name in styles.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">\n'
        f"<style>text{{{_FONT};white-space:pre}}{rules}{css}</style>\n"
        f'<rect fill="{ground}" width="{width}" height="{height}" rx="8"/>\n{body}</svg>\n'
    )


def animation(frames: Sequence[tuple[Frame, float]], poster: int) -> str:
    """A picture that shows frames of one size, each for some seconds, again and again.

    Who wants no motion sees the frame number `poster`. A line that is the same in several frames is there once.
    """
    width, height = size_of(frames[0][0])
    styles: dict[str, str] = {}
    ground, _ = body_of(frames[0][0], {})
    places: dict[str, list[int]] = {}
    for number, (shown, _) in enumerate(frames):
        for y, line in enumerate(shown):
            places.setdefault(_line(y, line, ground, styles), []).append(number)
    groups: dict[tuple[int, ...], list[str]] = {}
    for drawn, numbers in places.items():
        groups.setdefault(tuple(numbers), []).append(drawn)
    times = list(accumulate((seconds for _, seconds in frames), initial=0.0))
    body, moves = [], []
    for index, (shown_in, lines) in enumerate(groups.items()):
        is_still = len(shown_in) == len(frames)
        hides = "" if poster in shown_in else ' visibility="hidden"'
        body.append(f'<g class="g{index}"{hides}>\n{"".join(lines)}</g>\n' if not is_still else "".join(lines))
        if not is_still:
            moves.append(f"@keyframes k{index}{{{_keyframes(shown_in, times)}}}")
            moves.append(f".g{index}{{animation:k{index} {times[-1]:g}s step-end infinite}}")
    css = f"@media not (prefers-reduced-motion:reduce){{{''.join(moves)}}}"
    return document(width, height, ground, styles, "".join(body), css)


def _keyframes(numbers: Sequence[int], times: Sequence[float]) -> str:
    """When frames with some numbers are seen; `times` are their beginnings, and the end of all."""
    steps = {0.0: "hidden", times[-1]: "hidden"}
    for number in numbers:
        steps[times[number + 1]] = "hidden"
    # The last value holds to the end.
    del steps[times[-1]]
    for number in numbers:
        steps[times[number]] = "visible"
    return "".join(f"{time / times[-1]:.3%}{{visibility:{seen}}}" for time, seen in sorted(steps.items()))
