"""The base of the widgets that draw lines of text with named styles, and let them be selected with the mouse."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.dom import DOMNode
from textual.geometry import Offset
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from memtui.render.rows import Line, Span


class LineView(ScrollView):
    """Draws `Line`s; colours come from rules for `.lines--<style>`.

    They are looked up when they are first painted. As `COMPONENT_CLASSES` all of them would be looked up at each change
    of any class, which took a third of the time of a key.
    """

    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .lines--muted, & > .lines--number, & > .lines--gutter, & > .lines--note, & > .lines--thinking,
        & > .lines--comment, & > .lines--rule { color: $text-muted; }
        &:ansi > .lines--muted, &:ansi > .lines--number, &:ansi > .lines--gutter, &:ansi > .lines--note,
        &:ansi > .lines--thinking, &:ansi > .lines--comment, &:ansi > .lines--rule { text-style: dim; }
        & > .lines--thinking { text-style: italic; }
        &:ansi > .lines--thinking { text-style: dim italic; }
        & > .lines--bar { color: $secondary; }
        & > .lines--bullet { color: $text-secondary; }
        & > .lines--you { color: $text-accent; text-style: bold; }
        & > .lines--agent { color: $text-primary; text-style: bold; }
        & > .lines--parent { color: $text-secondary; text-style: bold; }
        & > .lines--compaction { color: $text-secondary; text-style: bold; }
        & > .lines--tool { color: $text-secondary; }
        & > .lines--key { color: $text-secondary; }
        & > .lines--prompt { color: $text-accent; text-style: bold; }
        & > .lines--error { color: $text-error; }
        & > .lines--added { color: $text-success; }
        & > .lines--removed { color: $text-error; }
        & > .lines--heading { color: $text-primary; text-style: bold; }
        & > .lines--top { text-style: underline; }
        & > .lines--strong { text-style: bold; }
        & > .lines--em { text-style: italic; }
        & > .lines--struck { text-style: strike; }
        & > .lines--link { color: $text-primary; text-style: underline; }
        & > .lines--code { color: $text-secondary; }
        & > .lines--keyword { color: $text-primary; }
        & > .lines--string { color: $text-success; }
        & > .lines--literal { color: $text-secondary; }
        & > .lines--builtin { color: $text-secondary; }
        & > .lines--defined { text-style: bold; }
        & > .lines--match { color: $text-accent; text-style: bold underline; }
        & > .lines--current { text-style: bold underline reverse; }
        & > .lines--cursor { color: $primary; }
        & > .lines--passage { color: $accent; }
        & > .lines--tab { color: $text-muted; }
        &:ansi > .lines--tab { text-style: dim; }
        & > .lines--active { text-style: bold underline; }
        & > .lines--chosen { color: $text-accent; text-style: bold; }
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._styles_by_name: dict[str, Style] = {}
        self._strips: LRUCache[Line, Strip] = LRUCache(2000)
        self._painted_with: tuple[str, Style] | None = None
        """The theme and the widget's own style for which the styles above hold; None when they must be compared."""
        self._known_for: tuple[str, Style] | None = None

    def notify_style_update(self) -> None:
        """Look, before the next line is painted, whether the colours have changed."""
        self._painted_with = None
        super().notify_style_update()

    @property
    def base_style(self) -> Style:
        """What all lines have: the text colour and the background."""
        if self._painted_with is None:
            self._painted_with = self.app.theme, self.rich_style
            if self._painted_with != self._known_for:
                self._known_for = self._painted_with
                self._styles_by_name.clear()
                self._strips.clear()
        return self._painted_with[1]

    def line_style(self, names: str) -> Style:
        """The style of some names, joined by blanks; only a rule that sets a background brings one."""
        base = self.base_style
        known = self._styles_by_name.get(names)
        if known is None:
            known = base
            for name in names.split():
                known += self._one_style(name)
            self._styles_by_name[names] = known
        return known

    def _one_style(self, name: str) -> Style:
        if name == "selected":
            return self.screen.get_component_rich_style("screen--selection")
        # The same node that Textual makes of a component class.
        node = DOMNode(classes=f"lines--{name}")
        node._attach(self)
        self.app.stylesheet.apply(node, animate=False)
        styles = node.styles
        full = styles.rich_style
        color = full.color if styles.has_rule("color") else None
        background = full.bgcolor if styles.has_rule("background") else None
        return Style(color=color, bgcolor=background) + styles.text_style

    def paint(self, line: Line, y: int, width: int, selection: tuple[int, int] | None = None) -> Strip:
        """A line as a strip of `width` cells that tells the mouse its place: line `y` of what can be selected."""
        base = self.base_style
        if selection is not None:
            strip = self._strip(_selected(line.spans, *selection))
        elif (cached := self._strips.get(line)) is not None:
            strip = cached
        else:
            strip = self._strips[line] = self._strip(line.spans)
        return strip.crop_extend(0, width, base).apply_offsets(0, y)

    def _strip(self, spans: tuple[Span, ...]) -> Strip:
        return Strip([Segment(text, self.line_style(style)) for text, style in spans if text])

    def margin(self, text: str, names: str, y: int) -> Segment:
        """What stands before a line and is not part of its text."""
        style = self.line_style(names) + Style.from_meta({"offset": (0, y)})
        return Segment(text, style)

    def blank(self, y: int, width: int) -> Strip:
        """An empty line that the mouse finds all the same."""
        return Strip([Segment(" " * width, self.base_style)], width).apply_offsets(0, y)

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()

    def span_selected(self, y: int) -> tuple[int, int] | None:
        """The (start, end) of the characters that are selected in line `y`; an end of -1 is the line's."""
        selection = self.text_selection
        return selection.get_span(y) if selection is not None else None


def bounds(selection: Selection, first: int, last: int) -> tuple[Offset, Offset]:
    """Start and end of a selection; where it comes from or goes on to another widget, `first` and `last` line."""
    start = selection.start if selection.start is not None else Offset(0, first)
    end = selection.end if selection.end is not None else Offset(100_000, last)
    return start, end


def _selected(spans: tuple[Span, ...], start: int, end: int) -> tuple[Span, ...]:
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
