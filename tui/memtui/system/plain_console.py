"""The console on which Textual prints the traceback of a crash, after it has restored the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from memtui_core.text.controls import plain


class PlainConsole(Console):
    """Prints texts without control characters: messages of exceptions can quote transcripts."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments to print, their texts without control characters."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else plain(text), style, control)
