"""Lines with named styles as strips of the terminal."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.dom import DOMNode
from textual.strip import Strip
from textual.widget import Widget

from memtui.render.links import LINK
from memtui.render.rows import Line, Span

_CACHED_STRIPS = 2000


class LinePainter:
    """Paints lines in the colours of the style sheet's rules for a widget's `.lines--<style>`.

    Colours are looked up when they are first used. As `COMPONENT_CLASSES`, all would be looked up at each change of
    any class, which took a third of the time of a key press.
    """

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[str, Style] = {}
        self._strips: LRUCache[Line, Strip] = LRUCache(_CACHED_STRIPS)
        self._base: tuple[str, Style] | None = None
        """The theme and the widget's own style; None if they must be read again."""
        self._cached_for: tuple[str, Style] | None = None
        """The theme and style for which the caches are valid."""

    def styles_changed(self) -> None:
        """Check for changed colours before the next line is painted."""
        self._base = None

    @property
    def base_style(self) -> Style:
        """The text colour and the background of all lines."""
        if self._base is None:
            self._base = self._widget.app.theme, self._widget.rich_style
            if self._base != self._cached_for:
                self._cached_for = self._base
                self._styles.clear()
                self._strips.clear()
        return self._base[1]

    def style(self, names: str) -> Style:
        """The combined style of names joined by blanks; a background comes only from rules that set one."""
        base = self.base_style
        names, _, link = names.partition(LINK)
        style = self._styles.get(names)
        if style is None:
            style = base
            for name in names.split():
                style += self._style_of_rule(name)
            self._styles[names] = style
        # A mark can follow the target of a link.
        target, _, others = link.partition(" ")
        return (style + self.style(others) if others else style) + Style(link=target) if target else style

    def _style_of_rule(self, name: str) -> Style:
        widget = self._widget
        if name == "selected":
            return widget.selection_style
        # The same node that Textual makes of a component class.
        node = DOMNode(classes=f"lines--{name}")
        node._attach(widget)
        widget.app.stylesheet.apply(node, animate=False)
        styles = node.styles
        full = styles.rich_style
        color = full.color if styles.has_rule("color") else None
        background = full.bgcolor if styles.has_rule("background") else None
        return Style(color=color, bgcolor=background) + styles.text_style

    def paint(self, line: Line, key: int, width: int, selection: tuple[int, int] | None = None) -> Strip:
        """Paint a line as a strip of `width` cells, with the characters of `selection` (start, end) selected.

        `key` identifies the line for the mouse; an end of -1 is the end of the line.
        """
        base = self.style(line.fill)
        if selection is not None:
            strip = self._strip(_with_selection(line.spans, *selection))
        elif (cached := self._strips.get(line)) is not None:
            strip = cached
        else:
            strip = self._strips[line] = self._strip(line.spans)
        return strip.crop_extend(0, width, base).apply_offsets(0, key)

    def _strip(self, spans: tuple[Span, ...]) -> Strip:
        return Strip([Segment(text, self.style(style)) for text, style in spans if text])

    def margin(self, text: str, names: str, key: int) -> Segment:
        """A mark before a line that is not part of its text."""
        return Segment(text, self.style(names) + Style.from_meta({"offset": (0, key)}))

    def blank(self, key: int, width: int) -> Strip:
        """An empty line with a key for the mouse."""
        return Strip([Segment(" " * width, self.base_style)], width).apply_offsets(0, key)


def _with_selection(spans: tuple[Span, ...], start: int, end: int) -> tuple[Span, ...]:
    result: list[Span] = []
    position = 0
    for text, style in spans:
        left = max(0, start - position)
        right = len(text) if end < 0 else max(left, min(len(text), end - position))
        for part, names in ((text[:left], style), (text[left:right], f"{style} selected"), (text[right:], style)):
            if part:
                result.append((part, names))
        position += len(text)
    return tuple(result)
