"""The console on which Textual prints the traceback of a crash, after the screen was given back."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from memtui_core.text.controls import plain


class PlainConsole(Console):
    """Prints texts that a terminal only shows: messages of exceptions quote what others wrote."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The parts of what is printed, their texts plain."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else plain(text), style, control)
