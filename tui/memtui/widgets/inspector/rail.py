"""What the inspector has about the current turn, as a rail of icons and counts in its place."""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from memtui.render.inspect import InspectorCounts
from memtui.widgets.inspector.pane import InspectorTab

_ICONS: tuple[tuple[InspectorTab, str], ...] = (("thinking", "✻"), ("tools", "▸"), ("files", "✎"))
_STEP = 3
"""Lines from an icon to the next: the icon, its count and a blank line."""
_MANY = 999
"""The highest count that fits."""


class InspectorRail(Widget):
    """An icon with a count below it for thinking, tools and files; a click opens the inspector."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"rail--icon", "rail--count"}  # noqa: RUF012
    DEFAULT_CSS = """
    InspectorRail {
        height: 1fr;
        pointer: pointer;
        .rail--icon { color: $text-secondary; }
        .rail--count { color: $text-muted; }
        &:ansi .rail--count { text-style: dim; }
        &:hover { background: $block-hover-background; }
    }
    """

    counts: reactive[InspectorCounts] = reactive(InspectorCounts())
    """The counts of the current turn."""

    @dataclass
    class TabRequested(Message):
        """Open the inspector, at a tab unless that is None."""

        tab: InspectorTab | None

    def watch_counts(self, counts: InspectorCounts) -> None:
        """Explain the icons."""
        words = [f"{tab} {count}" for tab, count in zip((tab for tab, _ in _ICONS), counts, strict=True) if count]
        self.tooltip = " · ".join([*words, "i opens the inspector"])

    def render_line(self, y: int) -> Strip:
        """Render an icon or a count; what the turn does not have is left out."""
        index, line = divmod(y, _STEP)
        text, style = "", "icon"
        if index < len(_ICONS) and (count := self.counts[index]):
            if line == 0:
                text = _ICONS[index][1]
            elif line == 1:
                text, style = str(count) if count <= _MANY else "…", "count"
        width, base = self.size.width, self.visual_style.rich_style
        if not text:
            return Strip.blank(width, base)
        return Strip(
            [Segment(text.center(width)[:width], base + self.get_component_rich_style(f"rail--{style}"))], width
        )

    def on_click(self, event: events.Click) -> None:
        """Open the inspector at the clicked tab."""
        event.stop()
        index, line = divmod(event.get_content_offset_capture(self).y, _STEP)
        has_count = line < _STEP - 1 and 0 <= index < len(_ICONS) and self.counts[index]
        self.post_message(self.TabRequested(_ICONS[index][0] if has_count else None))
