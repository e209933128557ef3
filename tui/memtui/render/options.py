"""The options for rendering a transcript: the fold levels, and the names and widths that are the same in all turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memtui_core.model import Session

ToolsLevel = Literal["summary", "short", "full"]
ThinkingLevel = Literal["hidden", "line", "full"]
TOOLS_LEVELS: tuple[ToolsLevel, ...] = ("summary", "short", "full")
THINKING_LEVELS: tuple[ThinkingLevel, ...] = ("hidden", "line", "full")


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """What the rendering of all turns of a transcript depends on."""

    agent: str = "agent"
    """Short name of the agent."""
    digits: int = 1
    """Width of the turn numbers in cells."""
    root: str = ""
    """Root of the project, which is left out of paths."""
    tools: ToolsLevel = "summary"
    thinking: ThinkingLevel = "line"
    subagents: Mapping[str, Session] = field(default_factory=dict)
    """The sessions of subagents by the id of the tool call that started each."""

    @property
    def indent(self) -> int:
        """Cells before the text of a turn, which aligns it with the name in the head."""
        return self.digits + 3
